//! Model B played by host notes.

use super::{HAMMER, HAMMER_SPEED, LEVER, LEVER_SPEED, Phase, STATES, Spec};
use crate::built_in::BuiltIn;
use crate::grand::design::concert::Built;
use crate::interface::press::{Press, Travel};
use crate::simple::note_interface::{BEFORE_BED, Playing, state};
use crate::simple::slider::Bodies;
use crate::simple::{ActionKey, KEY, KEY_SPEED};
use touchback_core::episode::State;
use touchback_core::math::compass::KeyNumber;

impl Spec {
    /// States of manipulandum and key at `depth` m, moving at `speed` m/s.
    fn moving(depth: f64, speed: f64) -> [(usize, f64); 4] {
        [(KEY, depth), (KEY_SPEED, speed), (LEVER, depth), (LEVER_SPEED, speed)]
    }
}

impl BuiltIn for Spec {
    type Key = ActionKey<Self, STATES, 1, 2>;

    const CONTACTS: &'static [&'static str] = &["k2"];
    const UNUSED: &'static str = "Model B has fixed parameters: only the grand uses this one.";

    fn of_key(_: KeyNumber, _: impl FnOnce() -> Built) -> Self {
        Self::default()
    }

    /// With a key bed at which the hammer leaves; see [`Bodies::to_play`].
    fn played(_: KeyNumber, _: impl FnOnce() -> Built) -> Self {
        Self { bodies: Bodies::to_play(), ..Self::default() }
    }
}

impl Playing<STATES, 1, 2> for Spec {
    fn travel(&self) -> Travel {
        self.bodies.travel()
    }

    fn press(&self) -> Press {
        let press = self.bodies.press();
        let front = self.bodies.front;
        Press { mass: press.mass + self.manipulandum / (front * front), ..press }
    }

    fn struck(&self, speed: f64) -> State<Phase, STATES> {
        let b = &self.bodies;
        let depth = b.dip - BEFORE_BED;
        let mut state = state(Phase::Free, &Self::moving(depth, speed / b.throw_ratio(depth)));
        state.x[HAMMER_SPEED] = speed / b.crown;
        state
    }

    fn rising(&self, depth: f64, speed: f64) -> State<Phase, STATES> {
        let [angle, ratio, _] = self.bodies.closed(depth);
        let mut state = state(Phase::Coupled, &Self::moving(depth, -speed));
        (state.x[HAMMER], state.x[HAMMER_SPEED]) = (angle, -ratio * speed / self.bodies.front);
        state
    }
}
