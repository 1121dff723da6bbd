//! Numbers of the concert grand without a source that the measured targets depend on.
//!
//! They were fitted to the *must* targets of `touchback lab validate` with the gestures held fixed;
//! `touchback lab fit` shows how the misfit to the targets grows with the distance of each number from
//! its fitted value, and the interval of each.
//!
//! 95 % intervals, the bands of the targets at C4 read as theirs, with the other numbers known, and all free: the
//! targets determine the capstan and nearly the repetition spring; the other numbers stand for what parts of usual
//! size have.
//!
//! | number | known, % | free, % |
//! | --- | --- | --- |
//! | capstan | ± 1.2 | ± 3.7 |
//! | repetition spring | ± 36 | ± 41 |
//! | knuckle | ± 160 | ± 220 |
//! | jack corner | ± 170 | ± 520 |
//! | check, bed, check slope, damper cloth | above ± 200 | above ± 1000 |

/// The fitted numbers; each could be measured on an action.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fitted {
    /// Distance of the capstan from the balance point, m; 0.47 to 0.60 of the front length in pianos.
    pub capstan: f64,
    /// Distance from the fly at which the flat of the jack's head ends, m.
    pub corner: f64,
    /// Torque of the repetition spring of A0, less that of the lever's weight, over the torque of the
    /// hammer's weight about its centre pin.
    pub repetition_spring: f64,
    /// Stiffness of knuckle, heel cloth, key stick and shank in series, referred to the knuckle,
    /// N/m^1.5.
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
    /// The numbers of the concert grand.
    pub const CONCERT: Self = Self {
        capstan: 0.1133,
        corner: 2.25e-3,
        repetition_spring: 1.928,
        knuckle: 7.0e5,
        bed: 3.0e6,
        check: 8.0e5,
        check_slope: 0.49,
        damper_lift: 4.0e4,
    };
}
