//! Settings of an action, in a technician's terms: regulation and parts of all keys.

use touchback_core::exchange::shared::Shared;
use touchback_core::math::setting::settings;
use touchback_core::mech::hammer::HammerSettings;

use super::key_sheet::ActionSheet;
use super::kind::ActionKind;
use super::mechanism::MechanismFile;

settings! {
    /// The action, and the settings of the grand action; the defaults are a well-regulated concert grand.
    ///
    /// Lengths are in mm, as technicians give them; a *scale* multiplies the value of the concert grand.
    #[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct ActionSettings, ActionRanges {
        /// Differences of single keys; not a host parameter.
        #[serde(skip_serializing_if = "Shared::is_neutral")]
        keys: Shared<ActionSheet> = Shared::NEUTRAL,
        /// The mechanism that [`ActionKind::File`] plays; not a host parameter. Files with settings do not have it,
        /// because its text needs a reader.
        #[serde(skip)]
        mechanism: Shared<Option<MechanismFile>> = Shared::NEUTRAL,
    }
    choices {
        /// Mechanism between key and string; a change takes effect on each key's next note from
        /// rest. Most numbers of Thesis-1996 were chosen by its author by trial and error. From file plays
        /// the mechanism of a file, and the grand without one.
        action: ActionKind = ActionKind::Grand, "Action";
    }
    numbers {
        /// Travel of the key front from rest to the key bed.
        #[range = "Usual: 9.5–10.7 mm [regulation sheets]."]
        key_dip_mm = 10.0, 8.0..=12.0, "Key dip", " mm", 2;
        /// Distance of the resting hammer from the string.
        #[range = "Usual: 42–49 mm [regulation sheets]."]
        blow_mm = 47.0, 38.0..=54.0, "Blow distance", " mm", 1;
        /// Distance from the string at which the jack releases the hammer.
        #[range = "Usual: 0.8–3.2 mm [regulation sheets]; at 0 the hammer blocks."]
        let_off_mm = 1.5, 0.3..=8.0, "Let-off", " mm", 2, centre 2.0;
        /// Distance that the hammer falls after let-off in a slow press.
        #[range = "Usual: 1.0–2.0 mm [regulation sheets]."]
        drop_mm = 2.0, 0.0..=6.0, "Drop", " mm", 2;
        /// Distance from the string at which the backcheck holds the hammer.
        #[range = "Usual: 12.7–16 mm [regulation sheets]."]
        check_mm = 15.0, 8.0..=30.0, "Check distance", " mm", 1;
        /// Gap between jack and knuckle at rest.
        #[range = "Usual: 0.2 mm [regulation sheets]."]
        jack_clearance_mm = 0.2, 0.0..=1.0, "Jack clearance", " mm", 2, centre 0.2;
        /// Share of the blow distance at which the key begins to lift the damper.
        #[range = "Usual: half the blow [regulation sheets]."]
        damper_pickup = 0.5, 0.1..=0.95, "Damper pick-up", " of blow", 2;
        /// Height of the key fronts at rest above the concert grand's; the dip stays the same.
        #[range = "Chosen: the range of a technician's shims."]
        key_height_mm = 0.0, -3.0..=3.0, "Key height", " mm", 2;
        /// Position of the capstans relative to the concert grand's, positive away from the balance
        /// rail; a larger value gives a larger ratio of hammer to key.
        #[range = "Key ratios range from 0.47 to 0.60; 0.49 at 0 mm [Stanwood tables]."]
        capstan_mm = 0.0, -4.0..=6.0, "Capstan position", " mm", 2;
        /// Distance from hammer centre to knuckle; the jack moves with the knuckle. A smaller value
        /// gives a larger ratio of hammer to key.
        #[range = "Usual: 16–18 mm [regulation sheets]."]
        knuckle_mm = 17.0, 16.0..=18.0, "Knuckle distance", " mm", 2;
        /// Mass added at the hammers' crowns.
        #[range = "Light and heavy sets are 2 g below and above the middle set [Stanwood tables]."]
        strike_weight_g = 0.0, -2.5..=2.5, "Strike weight", " g", 2;
        /// Torque of the repetition spring relative to the concert grand's.
        #[range = "0 removes the spring: the grand then repeats like an upright."]
        repetition_spring = 1.0, 0.0..=2.0, "Repetition spring", " ×", 2;
        /// Torque of the jack spring relative to the concert grand's.
        #[range = "Chosen: a factor of 4 up and down, as for all stiffnesses below."]
        jack_spring = 1.0, 0.25..=4.0, "Jack spring", " ×", 2, centre 1.0;
        /// Mass and inertia of the hammers relative to the concert grand's.
        #[range = "Strike weights from light to heavy sets span 0.76–1.14 of the middle set [Stanwood tables]."]
        hammer_mass = 1.0, 0.5..=2.0, "Hammer mass", " ×", 2, centre 1.0;
        /// Stiffness of the hammer felt in octaves relative to the concert grand's.
        hammer_hardness = 0.0, -2.0..=2.0, "Hammer hardness", " octaves", 2;
        /// Distance of the strike points from the strings' ends relative to the concert grand's,
        /// about an eighth of the string: a smaller distance sounds thinner and brighter.
        #[range = "The range is 1/17 to 1/5 of the string in the bass; historical pianos have 1/8 to 1/20."]
        strike_point = 1.0, 0.5..=1.7, "Strike point", " ×", 2, centre 1.0;
        /// Inertia of the keys relative to the concert grand's.
        key_mass = 1.0, 0.5..=2.0, "Key mass", " ×", 2, centre 1.0;
        /// Lead removed from the keys, as static down weight at the key front: a positive value
        /// makes the touch heavier, a negative value adds lead.
        #[range = "Down weights are 46 to 56 g, up weights 20 g and more [regulation sheets; Stanwood tables]."]
        key_lead_g = 0.0, -20.0..=20.0, "Key lead removed", " g", 1;
        /// Stiffness of the knuckles relative to the concert grand's.
        knuckle_stiffness = 1.0, 0.25..=4.0, "Knuckle stiffness", " ×", 2, centre 1.0;
        /// Stiffness of the felt under the key fronts relative to the concert grand's.
        key_bed_stiffness = 1.0, 0.25..=4.0, "Key-bed stiffness", " ×", 2, centre 1.0;
        /// Friction of centres and slides relative to the concert grand's.
        #[range = "Friction weights: 15 g bass to 11 g treble, ± 2 g [Stanwood tables]; 0 is ideal."]
        friction = 1.0, 0.0..=2.0, "Friction", " ×", 2;
        /// Friction coefficient of the backcheck leather.
        #[range = "Chosen: from polished to roughened leather."]
        check_friction = 0.7, 0.1..=1.5, "Check friction", "", 2;
        /// Weight of the dampers relative to the concert grand's.
        damper_weight = 1.0, 0.25..=4.0, "Damper weight", " ×", 2, centre 1.0;
        /// Variation of let-off, weights, felt, friction, unisons and dampers from key to key: 0 is
        /// none, 1 that of a neglected piano.
        #[range = "See [`QUANTITIES`](super::key_sheet::QUANTITIES)."]
        unevenness = 0.0, 0.0..=1.0, "Unevenness", "", 2;
        /// Number of the random variation: one of a hundred uneven pianos.
        unevenness_seed = 1.0, 1.0..=100.0, "Uneven piano", "", 0;
        /// Position of the jacks' heads under the knuckles, as the screw in the jack's stop sets it,
        /// relative to the concert grand's: positive toward the strings.
        #[range = "Chosen: at −3 mm a loud blow misses the knuckle; a millimetre more, and every stroke does."]
        jack_position_mm = 0.0, -3.0..=3.0, "Jack position", " mm", 2;
    }
}

impl ActionSettings {
    /// The action that plays: that of the settings, but the grand in place of a file that is not there.
    #[must_use]
    pub fn played(&self) -> ActionKind {
        match self.action {
            ActionKind::File if self.mechanism.is_none() => ActionKind::Grand,
            action => action,
        }
    }

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
}
