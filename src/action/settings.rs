//! What a technician sets: the regulation and the parts of an action, for all keys at once.

use crate::mech::hammer::HammerSettings;

use super::kind::ActionKind;

/// Which action, and the settings of the grand; the defaults are a well-regulated concert grand.
///
/// Lengths are a technician's millimetres; scales multiply the concert grand's own value.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ActionSettings {
    /// Which action: a key at rest takes up another at its next touch.
    pub action: ActionKind,
    /// Depth of the key bed at the key front, mm.
    pub key_dip_mm: f64,
    /// Hammer crown below the string at rest, mm.
    pub blow_mm: f64,
    /// Hammer crown below the string where the jack has let off, mm.
    pub let_off_mm: f64,
    /// How far the hammer falls from let-off onto the repetition lever, mm.
    pub drop_mm: f64,
    /// Hammer crown below the string when held by the backcheck, mm.
    pub check_mm: f64,
    /// Gap between jack and knuckle at rest, mm.
    pub jack_clearance_mm: f64,
    /// Share of the blow at which the key begins to lift the damper, 0…1.
    pub damper_pickup: f64,
    /// Key front at rest above the concert grand's, mm.
    pub key_height_mm: f64,
    /// Capstan farther from the balance point than the concert grand's, mm.
    pub capstan_mm: f64,
    /// Hammer centre to knuckle, mm; the jack is set under it.
    pub knuckle_mm: f64,
    /// Added to every hammer's strike weight, g at the crown.
    pub strike_weight_g: f64,
    /// Repetition spring torque, scale.
    pub repetition_spring: f64,
    /// Jack spring torque, scale.
    pub jack_spring: f64,
    /// Hammer mass and inertia, scale.
    pub hammer_mass: f64,
    /// Stiffness of the hammers' felt in octaves about the concert grand's: −2 soft … +2 hard.
    pub hammer_hardness: f64,
    /// Distance of the hammers from the strings' near ends against the concert grand's.
    pub strike_point: f64,
    /// Key inertia, scale.
    pub key_mass: f64,
    /// Lead taken out of the key fronts: change of the static down weight, g.
    pub key_lead_g: f64,
    /// Knuckle stiffness, scale.
    pub knuckle_stiffness: f64,
    /// Key-bed felt stiffness, scale.
    pub key_bed_stiffness: f64,
    /// Friction of centres and slides, scale.
    pub friction: f64,
    /// Friction coefficient of the backcheck leather.
    pub check_friction: f64,
    /// Damper weight, scale.
    pub damper_weight: f64,
}

impl Default for ActionSettings {
    fn default() -> Self {
        Self {
            action: ActionKind::Grand,
            key_dip_mm: 10.0,
            blow_mm: 47.0,
            let_off_mm: 1.5,
            drop_mm: 2.0,
            check_mm: 15.0,
            jack_clearance_mm: 0.2,
            damper_pickup: 0.5,
            key_height_mm: 0.0,
            capstan_mm: 0.0,
            knuckle_mm: 17.0,
            strike_weight_g: 0.0,
            repetition_spring: 1.0,
            jack_spring: 1.0,
            hammer_mass: 1.0,
            hammer_hardness: 0.0,
            strike_point: 1.0,
            key_mass: 1.0,
            key_lead_g: 0.0,
            knuckle_stiffness: 1.0,
            key_bed_stiffness: 1.0,
            friction: 1.0,
            check_friction: 0.7,
            damper_weight: 1.0,
        }
    }
}

impl ActionSettings {
    /// The hammers of action and strings.
    #[must_use]
    pub fn hammers(&self) -> HammerSettings {
        HammerSettings {
            mass: self.hammer_mass,
            added: self.strike_weight_g * 1e-3,
            hardness: self.hammer_hardness,
            strike_point: self.strike_point,
        }
    }

    /// The settings a share (0…1) of the way to `target`.
    #[must_use]
    pub fn toward(&self, target: &Self, share: f64) -> Self {
        let mix = |a: f64, b: f64| a + (b - a) * share;
        Self {
            action: target.action,
            key_dip_mm: mix(self.key_dip_mm, target.key_dip_mm),
            blow_mm: mix(self.blow_mm, target.blow_mm),
            let_off_mm: mix(self.let_off_mm, target.let_off_mm),
            drop_mm: mix(self.drop_mm, target.drop_mm),
            check_mm: mix(self.check_mm, target.check_mm),
            jack_clearance_mm: mix(self.jack_clearance_mm, target.jack_clearance_mm),
            damper_pickup: mix(self.damper_pickup, target.damper_pickup),
            key_height_mm: mix(self.key_height_mm, target.key_height_mm),
            capstan_mm: mix(self.capstan_mm, target.capstan_mm),
            knuckle_mm: mix(self.knuckle_mm, target.knuckle_mm),
            strike_weight_g: mix(self.strike_weight_g, target.strike_weight_g),
            repetition_spring: mix(self.repetition_spring, target.repetition_spring),
            jack_spring: mix(self.jack_spring, target.jack_spring),
            hammer_mass: mix(self.hammer_mass, target.hammer_mass),
            hammer_hardness: mix(self.hammer_hardness, target.hammer_hardness),
            strike_point: mix(self.strike_point, target.strike_point),
            key_mass: mix(self.key_mass, target.key_mass),
            key_lead_g: mix(self.key_lead_g, target.key_lead_g),
            knuckle_stiffness: mix(self.knuckle_stiffness, target.knuckle_stiffness),
            key_bed_stiffness: mix(self.key_bed_stiffness, target.key_bed_stiffness),
            friction: mix(self.friction, target.friction),
            check_friction: mix(self.check_friction, target.check_friction),
            damper_weight: mix(self.damper_weight, target.damper_weight),
        }
    }
}

/// Settings on their way: each change is travelled in a straight line over [`Slew::STEPS`].
#[derive(Clone, Copy, Debug)]
pub struct Slew {
    from: ActionSettings,
    now: ActionSettings,
    target: ActionSettings,
    left: u32,
}

impl Slew {
    /// Action steps a change takes: 20 ms, slow against a let-off, fast against a hand.
    pub const STEPS: u32 = 160;

    /// Settled at `settings`.
    #[must_use]
    pub const fn new(settings: &ActionSettings) -> Self {
        Self { from: *settings, now: *settings, target: *settings, left: 0 }
    }

    /// Heads for `target` from wherever it is.
    pub fn aim(&mut self, target: &ActionSettings) {
        if *target != self.target {
            self.from = self.now;
            self.target = *target;
            self.left = Self::STEPS;
        }
    }

    /// Jumps to the end; `true` if that changed anything.
    pub const fn finish(&mut self) -> bool {
        let moved = self.left != 0;
        self.now = self.target;
        self.left = 0;
        moved
    }

    /// One action step on; `true` if anything changed.
    pub fn step(&mut self) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        if self.left == 0 {
            self.now = self.target;
        } else {
            let share = 1.0 - f64::from(self.left) / f64::from(Self::STEPS);
            self.now = self.from.toward(&self.target, share);
        }
        true
    }

    /// Where it is.
    #[must_use]
    pub const fn now(&self) -> &ActionSettings {
        &self.now
    }
}
