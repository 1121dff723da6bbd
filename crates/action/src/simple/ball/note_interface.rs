//! The ball on its paddle played by host notes: every landing sounds.

use super::{BALL, BALL_SPEED, Phase, STATES, Spec};
use crate::GRAVITY;
use crate::built_in::BuiltIn;
use crate::grand::design::concert::Built;
use crate::interface::press::{Press, Travel};
use crate::simple::note_interface::{Playing, state};
use crate::simple::{ActionKey, KEY, KEY_SPEED};
use touchback_core::episode::State;
use touchback_core::math::compass::KeyNumber;

/// Travel of the paddle for a note, m (chosen: the dip of a key); the paddle has no bed.
const TRAVEL: f64 = 0.01;

impl Spec {
    /// Compression of the spring by the ball at rest on the paddle, m.
    fn sag(&self) -> f64 {
        self.ball * GRAVITY / self.stiffness
    }
}

impl BuiltIn for Spec {
    type Key = ActionKey<Self, STATES, 1, 0>;

    const CONTACTS: &'static [&'static str] = &["ball"];
    const UNUSED: &'static str =
        "The ball and its paddle have fixed parameters: only the grand uses this one.";

    fn of_key(_: KeyNumber, _: impl FnOnce() -> Built) -> Self {
        Self::default()
    }

    /// The ball comes to rest. Chosen: a damping of 2 s/m, at which the ball keeps about half of a landing speed of
    /// 0.5 m/s.
    fn played(_: KeyNumber, _: impl FnOnce() -> Built) -> Self {
        Self { damping: 2.0, ..Self::default() }
    }
}

impl Playing<STATES, 1, 0> for Spec {
    fn travel(&self) -> Travel {
        Travel::of(TRAVEL)
    }

    /// The ball leaves at the speed of the paddle and lands at the same speed.
    fn press(&self) -> Press {
        Press {
            mass: self.ball + self.paddle,
            ratio: 1.0,
            throw: TRAVEL,
            flight: 0.0,
            has_bed: false,
        }
    }

    fn struck(&self, speed: f64) -> State<Phase, STATES> {
        let at = [(KEY, TRAVEL), (BALL, TRAVEL)];
        state(Phase::Paddle, &[at[0], at[1], (BALL_SPEED, -speed)])
    }

    fn rising(&self, depth: f64, speed: f64) -> State<Phase, STATES> {
        let ball = [(BALL, depth - self.sag()), (BALL_SPEED, -speed)];
        state(Phase::Paddle, &[(KEY, depth), (KEY_SPEED, -speed), ball[0], ball[1]])
    }
}
