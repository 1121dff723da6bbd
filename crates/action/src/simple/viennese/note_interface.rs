//! The Viennese action played by host notes.

use super::spec::{AFTERTOUCH, LET_OFF};
use super::{HAMMER_ANGLE, HAMMER_SPEED, Phase, STATES, Spec};
use crate::built_in::BuiltIn;
use crate::grand::design::concert::Built;
use crate::interface::press::{Press, Travel};
use crate::simple::note_interface::{BEFORE_BED, Playing, state};
use crate::simple::{ActionKey, KEY, KEY_SPEED};
use touchback_core::episode::State;
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::trig::direction;

/// Depth at which the key can be played again, as a share of the depth at which the beak is under its notch
/// again (chosen).
const REPEAT_SHARE: f64 = 0.9;

impl Spec {
    /// Ratio of crown speed to key-front speed while the notch holds the beak, with the key near level.
    fn ratio(&self) -> f64 {
        self.back * (1.0 + self.crown / self.beak) / self.front
    }

    /// Hammer angle, rad, at which the crown is at `height` m with the key at `depth` m, and angular speed,
    /// rad/s, at which the crown moves at `rate` m/s with the front moving at `speed` m/s; by state index.
    fn hammer_at(&self, height: f64, rate: f64, depth: f64, speed: f64) -> [(usize, f64); 2] {
        let key = direction(depth / self.front);
        let sine = ((height - self.back * key.y) / self.crown).clamp(-0.99, 0.99);
        let cosine = (1.0 - sine * sine).sqrt();
        let carried = self.back * key.x * speed / self.front;
        [(HAMMER_ANGLE, libm::asin(sine)), (HAMMER_SPEED, (rate - carried) / (self.crown * cosine))]
    }

    /// The state with the given values by index, in the submodel of the position of its beak.
    fn with_phase(&self, values: &[(usize, f64)]) -> State<Phase, STATES> {
        let mut state = state(Phase::Under, values);
        if self.configuration(&state.x).beak.0 > self.notch_height {
            state.phase = Phase::Out;
        }
        state
    }
}

impl BuiltIn for Spec {
    type Key = ActionKey<Self, STATES, 2, 3>;

    const CONTACTS: &'static [&'static str] = &["notch"];
    const UNUSED: &'static str =
        "The Viennese action has fixed parameters: only the grand uses this one.";

    fn of_key(key: KeyNumber, _: impl FnOnce() -> Built) -> Self {
        Self::of_key(key)
    }
}

impl Playing<STATES, 2, 3> for Spec {
    /// The key can be played again when the beak is under the notch with the hammer on its rail.
    fn travel(&self) -> Travel {
        let gap = self.notch_height + self.beak * self.rail_height / self.crown;
        let sine = gap / (self.back * (1.0 + self.beak / self.crown));
        let repeat_depth = REPEAT_SHARE * self.front * libm::asin(sine.clamp(0.0, 1.0));
        Travel { repeat_depth, ..Travel::of(self.dip) }
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
        self.with_phase(&[(KEY, depth), (KEY_SPEED, key), hammer[0], hammer[1]])
    }

    fn rising(&self, depth: f64, speed: f64) -> State<Phase, STATES> {
        let hammer = self.hammer_at(self.rail_height, 0.0, depth, -speed);
        self.with_phase(&[(KEY, depth), (KEY_SPEED, -speed), hammer[0], hammer[1]])
    }
}
