//! The grand action: key, wippen, jack, repetition lever, hammer and damper of one key.
//!
//! Planar bodies K, W, J, R, H with nine generalized coordinates q1…q9 in the order of
//! [Gillespie 1996, ch. 3], three independent speeds (key, hammer, repetition lever), two more of a
//! free jack and of a shank that bends, and five submodels. Every dependent coordinate is a closed-form function of (q1, q2, q3) and the phase,
//! so the loops are closed to rounding at all times, hand-overs included.
//!
//! Axes: x toward the strings, y up, origin at the key's balance point; angles counter-clockwise,
//! so that key down and hammer toward the string are positive.
//!
//! | folder | part |
//! | --- | --- |
//! | [`design`] | numbers with their sources, regulation |
//! | [`equations`] | kinematics, contacts, friction, dynamics, a step |
//! | [`key`] | one key as an instrument |

pub mod design;
pub mod equations;
pub mod key;

pub use design::spec::Spec;
pub use equations::model::Grand;
pub use equations::phase::Phase;
pub use key::assembly::{Assembly, GrandState};
pub use key::grand_key::GrandKey;

/// Independent speeds: of key, hammer, repetition lever, jack, and of the shank's bend.
pub const SPEEDS: usize = 5;

/// Number of integrated states.
pub const STATES: usize = 14;

/// Integrated states by name: indices into the state array.
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
    pub const LEVER_SPEED: usize = 5;
    /// Damper height above the string, m.
    pub const DAMPER: usize = 6;
    /// Damper speed, m/s, positive up.
    pub const DAMPER_SPEED: usize = 7;
    /// Work done on the key by whatever drives it, J.
    pub const WORK: usize = 8;
    /// Energy dissipated in felts, friction and impacts, J.
    pub const DISSIPATED: usize = 9;
    /// Jack's turn off its stop on the wippen, rad; 0 where rigid constraints carry it.
    pub const JACK: usize = 10;
    /// Its rate, rad/s.
    pub const JACK_SPEED: usize = 11;
    /// Bend of the shank at its hinge, rad: head ahead of the butt; 0 where the shank is rigid.
    pub const BEND: usize = 12;
    /// Its rate, rad/s.
    pub const BEND_SPEED: usize = 13;
}
