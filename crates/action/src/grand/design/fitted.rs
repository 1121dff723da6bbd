//! Numbers of the concert grand that no source gives and that its playing depends on.
//!
//! They were fitted to the *must* targets of `touchback lab validate` with the gestures held fixed;
//! `touchback lab fit` shows how the targets' misfit grows as each of them leaves its value.

/// What is fitted: few, and each a thing one could measure on an action.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fitted {
    /// Balance point to capstan, m; 0.47 to 0.60 of the front length in pianos.
    pub capstan: f64,
    /// How far the flat of the jack's head reaches past its fly, m.
    pub corner: f64,
    /// Torque of the repetition spring beyond the lever's weight, over the torque of the hammer's
    /// weight about its centre.
    pub repetition_spring: f64,
    /// Stiffness of all that yields between key and hammer, at the knuckle, N/m^1.5: knuckle, heel
    /// cloth, key stick and shank in series.
    pub knuckle: f64,
    /// Stiffness of the front punching, N/m^1.5.
    pub bed: f64,
    /// Stiffness of the backcheck with its wire, N/m^1.5.
    pub check: f64,
    /// Slope of the backcheck's face, rad from upright.
    pub check_slope: f64,
    /// Stiffness of the cloth under the damper lever, N/m^1.5.
    pub damper_lift: f64,
}

impl Fitted {
    /// The concert grand's.
    pub const CONCERT: Self = Self {
        capstan: 0.1133,
        corner: 2.25e-3,
        repetition_spring: 1.87,
        knuckle: 7.0e5,
        bed: 3.0e6,
        check: 8.0e5,
        check_slope: 0.49,
        damper_lift: 4.0e4,
    };
}
