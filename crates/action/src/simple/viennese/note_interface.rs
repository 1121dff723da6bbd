//! The Viennese action under host notes.

use super::spec::{AFTERTOUCH, LET_OFF};
use super::{HAMMER_ANGLE, HAMMER_SPEED, Phase, STATES, Spec};
use crate::interface::press::{Press, Travel};
use crate::simple::note_interface::{BEFORE_BED, Playing, state};
use crate::simple::{KEY, KEY_SPEED};
use touchback_core::episode::State;
use touchback_core::math::trig::direction;

/// Share of the depth at which the beak is back under its notch that the key must pass to be played
/// again (chosen).
const SURELY: f64 = 0.9;

impl Spec {
    /// Crown speed over key-front speed while the notch holds the beak, the key near level.
    fn ratio(&self) -> f64 {
        self.back * (1.0 + self.crown / self.beak) / self.front
    }

    /// Hammer angle that puts the crown at `height` m where the key is at `depth` m, and the
    /// hammer's speed there for a crown moving at `rate` m/s and a front at `speed` m/s.
    fn hammer_at(&self, height: f64, rate: f64, depth: f64, speed: f64) -> [(usize, f64); 2] {
        let key = direction(depth / self.front);
        let sine = ((height - self.back * key.y) / self.crown).clamp(-0.99, 0.99);
        let cosine = (1.0 - sine * sine).sqrt();
        let carried = self.back * key.x * speed / self.front;
        [(HAMMER_ANGLE, libm::asin(sine)), (HAMMER_SPEED, (rate - carried) / (self.crown * cosine))]
    }

    /// The state with these values, in the submodel that its beak's place asks for.
    fn standing(&self, set: &[(usize, f64)]) -> State<Phase, STATES> {
        let mut made = state(Phase::Under, set);
        if self.place(&made.x).beak.0 > self.notch_height {
            made.phase = Phase::Out;
        }
        made
    }
}

impl Playing<STATES, 2, 3> for Spec {
    /// The beak must come down behind the notch, the hammer lying on its rail.
    fn travel(&self) -> Travel {
        let gap = self.notch_height + self.beak * self.rail_height / self.crown;
        let sine = gap / (self.back * (1.0 + self.beak / self.crown));
        Travel {
            dip: self.dip,
            repeat_depth: SURELY * self.front * libm::asin(sine.clamp(0.0, 1.0)),
        }
    }

    fn press(&self) -> Press {
        let turn = self.back / self.beak;
        let inertia = self.key_inertia
            + self.hammer * self.back * (self.back + 2.0 * self.centre * turn)
            + self.hammer_inertia * turn * turn;
        Press {
            mass: inertia / (self.front * self.front),
            ratio: self.ratio(),
            throw: self.dip - AFTERTOUCH,
            flight: LET_OFF,
            has_bed: true,
        }
    }

    fn struck(&self, speed: f64) -> State<Phase, STATES> {
        let (depth, key) = (self.dip - BEFORE_BED, speed / self.ratio());
        let hammer = self.hammer_at(self.string_height, speed, depth, key);
        self.standing(&[(KEY, depth), (KEY_SPEED, key), hammer[0], hammer[1]])
    }

    fn rising(&self, depth: f64, speed: f64) -> State<Phase, STATES> {
        let hammer = self.hammer_at(self.rail_height, 0.0, depth, -speed);
        self.standing(&[(KEY, depth), (KEY_SPEED, -speed), hammer[0], hammer[1]])
    }
}
