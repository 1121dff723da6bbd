//! Settings of an action, in a technician's terms: regulation and parts of all keys.

use touchback_core::math::range::settings;
use touchback_core::mech::hammer::HammerSettings;

use super::key_sheet::KeySheet;
use super::kind::ActionKind;

settings! {
    /// The action, and the settings of the grand action; the defaults are a well-regulated concert grand.
    ///
    /// Lengths are in mm, as technicians give them; a *scale* multiplies the value of the concert grand.
    #[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct ActionSettings, ActionRanges {
        /// The action; a key at rest changes to another action at its next touch.
        action: ActionKind = ActionKind::Grand,
        /// Differences of single keys; not a host parameter.
        #[serde(skip_serializing_if = "KeySheet::is_even")]
        keys: KeySheet = KeySheet::EVEN,
    }
    numbers {
        /// Depth of the key bed at the key front, mm.
        /// Usual: 9.5–10.7 mm [regulation sheets].
        key_dip_mm = 10.0, 8.0..=12.0,
        /// Distance of the hammer's crown below the string at rest, mm.
        /// Usual: 42–49 mm [regulation sheets].
        blow_mm = 47.0, 38.0..=54.0,
        /// Distance of the hammer's crown below the string at let-off, mm.
        /// Usual: 0.8–3.2 mm [regulation sheets]; at 0 the hammer blocks.
        let_off_mm = 1.5, 0.3..=8.0,
        /// Fall of the hammer from let-off onto the repetition lever, mm.
        /// Usual: 1.0–2.0 mm [regulation sheets].
        drop_mm = 2.0, 0.0..=6.0,
        /// Distance of the hammer's crown below the string in the backcheck, mm.
        /// Usual: 12.7–16 mm [regulation sheets].
        check_mm = 15.0, 8.0..=30.0,
        /// Gap between jack and knuckle at rest, mm.
        /// Usual: 0.2 mm [regulation sheets].
        jack_clearance_mm = 0.2, 0.0..=1.0,
        /// Share of the blow at which the key begins to lift the damper, 0…1.
        /// Usual: half the blow [regulation sheets].
        damper_pickup = 0.5, 0.1..=0.95,
        /// Height of the key front at rest above that of the concert grand, mm.
        /// Chosen: the range of a technician's shims.
        key_height_mm = 0.0, -3.0..=3.0,
        /// Shift of the capstan away from the balance point, mm.
        /// Key ratios range from 0.47 to 0.60; 0.49 at 0 mm [Stanwood tables].
        capstan_mm = 0.0, -4.0..=6.0,
        /// Distance from hammer centre to knuckle, mm; the jack is moved with the knuckle.
        /// Usual: 16–18 mm [regulation sheets].
        knuckle_mm = 17.0, 16.0..=18.0,
        /// Weight added to every hammer's strike weight, g at the crown.
        /// Light and heavy sets are 2 g below and above the middle set [Stanwood tables].
        strike_weight_g = 0.0, -2.5..=2.5,
        /// Repetition spring torque, scale.
        /// 0 removes the spring: the grand then repeats like an upright.
        repetition_spring = 1.0, 0.0..=2.0,
        /// Jack spring torque, scale.
        /// Chosen: a factor of 4 up and down, as for all stiffnesses below.
        jack_spring = 1.0, 0.25..=4.0,
        /// Hammer mass and inertia, scale.
        /// Strike weights from light to heavy sets span 0.76–1.14 of the middle set [Stanwood tables].
        hammer_mass = 1.0, 0.5..=2.0,
        /// Stiffness of the hammer felt, octaves relative to the concert grand: −2 soft … +2 hard.
        hammer_hardness = 0.0, -2.0..=2.0,
        /// Distance of the strike point from the near end of the strings, scale.
        /// The range is 1/17 to 1/5 of the string in the bass; historical pianos have 1/8 to 1/20.
        strike_point = 1.0, 0.5..=1.7,
        /// Key inertia, scale.
        key_mass = 1.0, 0.5..=2.0,
        /// Change of the static down weight by lead removed from the key fronts, g.
        /// Down weights are 46 to 56 g, up weights 20 g and more [regulation sheets; Stanwood tables].
        key_lead_g = 0.0, -20.0..=20.0,
        /// Knuckle stiffness, scale.
        knuckle_stiffness = 1.0, 0.25..=4.0,
        /// Key-bed felt stiffness, scale.
        key_bed_stiffness = 1.0, 0.25..=4.0,
        /// Friction of centres and slides, scale.
        /// Friction weights: 15 g bass to 11 g treble, ± 2 g [Stanwood tables]; 0 is ideal.
        friction = 1.0, 0.0..=2.0,
        /// Friction coefficient of the backcheck leather.
        /// Chosen: from polished to roughened leather.
        check_friction = 0.7, 0.1..=1.5,
        /// Damper weight, scale.
        damper_weight = 1.0, 0.25..=4.0,
        /// Random differences between the keys, 0 (none) … 1 (those of a neglected piano); see
        /// [`QUANTITIES`](super::key_sheet::QUANTITIES).
        unevenness = 0.0, 0.0..=1.0,
        /// Seed of the random differences.
        unevenness_seed = 1.0, 1.0..=100.0,
    }
}

impl ActionSettings {
    /// Settings of the hammers, shared by action and strings; values are clamped to their ranges.
    #[must_use]
    pub fn hammers(&self) -> HammerSettings {
        let s = self.with_numbers(self, |range, value, _| range.clamped(value));
        HammerSettings {
            mass: s.hammer_mass,
            added: s.strike_weight_g * 1e-3,
            hardness: s.hammer_hardness,
            strike_point: s.strike_point,
        }
    }

    /// Linear interpolation from `self` at share 0 to `target` at share 1; the action is that of `target`.
    #[must_use]
    pub fn toward(&self, target: &Self, share: f64) -> Self {
        let numbers = self.with_numbers(target, |_, a, b| a + (b - a) * share);
        Self { action: target.action, keys: self.keys.toward(&target.keys, share), ..numbers }
    }
}
