//! The grand action: key, wippen, jack, repetition lever, hammer and damper of one key.
//!
//! Planar bodies K, W, J, R, H with nine generalized coordinates q1…q9 in the order of
//! [Gillespie 1996, ch. 3] and five submodels (phases). There are three independent speeds (key, hammer,
//! repetition lever) and two further ones for a free jack and a flexible shank. Every dependent coordinate
//! is a closed-form function of (q1, q2, q3) and the phase, so that the kinematic loops are closed to
//! rounding at all times, also at transitions between phases.
//!
//! Axes: x toward the strings, y up, origin at the key's balance point; angles counter-clockwise,
//! so that key down and hammer toward the string are positive.
//!
//! | module | content |
//! | --- | --- |
//! | [`design`] | dimensions, masses and felts with their sources; regulation |
//! | [`equations`] | kinematics, contacts, friction, dynamics, time step |
//! | [`key`] | one key: assembly, rest pose, measurements, readings |

pub mod design;
pub mod equations;
pub mod key;

pub use design::spec::Spec;
pub use equations::model::Grand;
pub use equations::phase::Phase;
pub use key::assembly::{Assembly, GrandState};
pub use key::grand_key::GrandKey;

/// Number of independent speeds: key, hammer, repetition lever, jack, and bend of the shank.
pub const SPEEDS: usize = 5;

/// Number of integrated states.
pub const STATES: usize = 14;

/// Indices into the array of integrated states.
pub mod state {
    /// Key angle, rad.
    pub const KEY: usize = 0;
    /// Hammer angle, rad, of the line from centre pin to crown; 0 where the crown touches the string.
    pub const HAMMER: usize = 1;
    /// Repetition-lever angle, rad.
    pub const LEVER: usize = 2;
    /// Key angular speed, rad/s.
    pub const KEY_SPEED: usize = 3;
    /// Hammer angular speed, rad/s.
    pub const HAMMER_SPEED: usize = 4;
    /// Repetition-lever angular speed, rad/s.
    pub(crate) const LEVER_SPEED: usize = 5;
    /// Damper height above the string, m.
    pub const DAMPER: usize = 6;
    /// Damper speed, m/s, positive up.
    pub(crate) const DAMPER_SPEED: usize = 7;
    /// Work done on the key by the drive, J.
    pub const WORK: usize = 8;
    /// Energy dissipated in felts, friction and impacts, J.
    pub const DISSIPATED: usize = 9;
    /// Angle of a free jack from its stop on the wippen, rad; 0 where rigid constraints guide the jack.
    pub const JACK: usize = 10;
    /// Rate of [`JACK`], rad/s.
    pub(crate) const JACK_SPEED: usize = 11;
    /// Bend of the shank at its hinge, rad, positive with the head ahead of the butt; 0 of a rigid shank.
    pub const BEND: usize = 12;
    /// Rate of [`BEND`], rad/s.
    pub const BEND_SPEED: usize = 13;
}
