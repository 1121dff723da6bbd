//! What a technician sets: the regulation and the parts of an action, for all keys at once.

/// Settings of the grand action; the defaults are a well-regulated concert grand.
///
/// Lengths are a technician's millimetres; scales multiply the concert grand's own value.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ActionSettings {
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
    /// Repetition spring torque, scale.
    pub repetition_spring: f64,
    /// Jack spring torque, scale.
    pub jack_spring: f64,
    /// Hammer mass and inertia, scale.
    pub hammer_mass: f64,
    /// Key inertia, scale.
    pub key_mass: f64,
    /// Lead in the key front: change of the static down weight, g.
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
            key_dip_mm: 10.0,
            blow_mm: 47.0,
            let_off_mm: 1.5,
            drop_mm: 2.0,
            check_mm: 15.0,
            jack_clearance_mm: 0.2,
            damper_pickup: 0.5,
            repetition_spring: 1.0,
            jack_spring: 1.0,
            hammer_mass: 1.0,
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
