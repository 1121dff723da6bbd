//! Model A played by host notes.

use super::{HAMMER, HAMMER_SPEED, Phase, STATES, Spec};
use crate::built_in::BuiltIn;
use crate::grand::design::concert::Built;
use crate::interface::press::{Press, Travel};
use crate::simple::note_interface::{BEFORE_BED, Playing, state};
use crate::simple::slider::Bodies;
use crate::simple::{ActionKey, KEY, KEY_SPEED};
use touchback_core::episode::State;
use touchback_core::math::compass::KeyNumber;

impl BuiltIn for Spec {
    type Key = ActionKey<Self, STATES, 1, 2>;

    const CONTACTS: &'static [&'static str] = &["slider"];
    const UNUSED: &'static str = "Model A has fixed parameters: only the grand uses this one.";

    fn of_key(_: KeyNumber, _: impl FnOnce() -> Built) -> Self {
        Self::default()
    }

    /// With a key bed at which the hammer leaves; see [`Bodies::to_play`].
    fn played(_: KeyNumber, _: impl FnOnce() -> Built) -> Self {
        Self { bodies: Bodies::to_play() }
    }
}

impl Playing<STATES, 1, 2> for Spec {
    fn travel(&self) -> Travel {
        self.bodies.travel()
    }

    fn press(&self) -> Press {
        self.bodies.press()
    }

    fn struck(&self, speed: f64) -> State<Phase, STATES> {
        let b = &self.bodies;
        let depth = b.dip - BEFORE_BED;
        let key = [(KEY, depth), (KEY_SPEED, speed / b.throw_ratio(depth))];
        state(Phase::Free, &[key[0], key[1], (HAMMER, 0.0), (HAMMER_SPEED, speed / b.crown)])
    }

    fn rising(&self, depth: f64, speed: f64) -> State<Phase, STATES> {
        let mut state = state(Phase::Coupled, &[(KEY, depth), (KEY_SPEED, -speed)]);
        self.close(&mut state.x);
        state
    }
}
