//! The simplified action played by host notes.

use super::{HAMMER, HAMMER_SPEED, Phase, STATES, Spec};
use crate::built_in::BuiltIn;
use crate::grand::design::concert::Built;
use crate::interface::press::{Press, Travel};
use crate::simple::note_interface::{BEFORE_BED, Playing, state};
use crate::simple::{ActionKey, KEY, KEY_SPEED};
use touchback_core::episode::State;
use touchback_core::math::compass::KeyNumber;

impl Spec {
    /// Ratio of crown speed to key-front speed while the hammer is on the key.
    fn ratio(&self) -> f64 {
        self.back / self.front * self.crown / self.knuckle
    }
}

impl BuiltIn for Spec {
    type Key = ActionKey<Self, STATES, 2, 2>;

    const CONTACTS: &'static [&'static str] = &["knuckle"];
    const USES: &'static [&'static str] =
        &["blow_mm", "capstan_mm", "knuckle_mm", "key_mass", "key_lead_g", "key_bed_stiffness"];
    const UNUSED: &'static str =
        "The simplified action does not have this part: only the grand does.";

    fn of_key(_: KeyNumber, grand: impl FnOnce() -> Built) -> Self {
        Self::of_grand(&grand())
    }
}

impl Playing<STATES, 2, 2> for Spec {
    fn travel(&self) -> Travel {
        Travel::of(self.dip)
    }

    fn press(&self) -> Press {
        let ratio = self.ratio();
        let hammer = self.hammer_inertia / (self.crown * self.crown) * ratio * ratio;
        Press {
            mass: self.key_inertia / (self.front * self.front) + hammer,
            ratio,
            throw: self.dip,
            flight: self.blow - ratio * self.dip,
            has_bed: true,
        }
    }

    fn struck(&self, speed: f64) -> State<Phase, STATES> {
        let key = [(KEY, self.dip - BEFORE_BED), (KEY_SPEED, speed / self.ratio())];
        state(Phase::Flight, &[key[0], key[1], (HAMMER, 0.0), (HAMMER_SPEED, speed)])
    }

    fn rising(&self, depth: f64, speed: f64) -> State<Phase, STATES> {
        let ratio = self.ratio();
        let hammer = [(HAMMER, ratio * depth - self.blow), (HAMMER_SPEED, -ratio * speed)];
        state(Phase::Coupled, &[(KEY, depth), (KEY_SPEED, -speed), hammer[0], hammer[1]])
    }
}
