//! Gestures: the drive of one key by a finger, a weight or a jig, read from CSV or TOML.
//!
//! A gesture returns a drive for every action step, given the state of the key front. Curves are fixed
//! beforehand; a pressing or striking hand and a falling weight integrate their own motion against the
//! key.
//!
//! CSV: `t_s` rising strictly from 0 and exactly one of `key_m` (imposed depth of the key front),
//! `force_n` (force on it), `finger_m` (target of a massless finger behind a one-sided spring) or
//! `d_rad` (the thesis's manipulandum angle D); linear between rows. A `key_m` has continuous speed
//! (`motion.rs`); beside it `key_velocity_m_s` may give the speed. The file of a run, which has the columns `time_s`
//! and `key_m`, imposes the recorded motion.
//!
//! TOML: one form, or several as `[[part]]` tables played in order; the forms and their constants
//! are in [`form::Form`].

pub mod form;
mod motion;
mod player;
mod read;

pub use form::Form;
pub use player::Gesture;
use touchback_action::{Drive, Key};

/// Longest gesture, s.
pub const LIMIT: f64 = 600.0;

/// State of the key front at the beginning of a step.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct KeyView {
    /// Depth below rest, m.
    pub depth: f64,
    /// Downward speed, m/s.
    pub speed: f64,
}

impl KeyView {
    /// State of the front of `key`.
    #[must_use]
    pub fn of(key: &dyn Key) -> Self {
        let [depth, speed] = key.front();
        Self { depth, speed }
    }
}

/// The quantity that a curve prescribes, named as its column.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    /// Imposed depth of the key front, m.
    KeyM,
    /// Force on the key front, N.
    ForceN,
    /// Target of the massless finger, m.
    FingerM,
    /// The thesis's manipulandum angle, rad.
    DRad,
}

impl Channel {
    /// All channels.
    pub const ALL: [Self; 4] = [Self::KeyM, Self::ForceN, Self::FingerM, Self::DRad];

    /// Column name in a gesture CSV.
    #[must_use]
    pub const fn column(self) -> &'static str {
        match self {
            Self::KeyM => "key_m",
            Self::ForceN => "force_n",
            Self::FingerM => "finger_m",
            Self::DRad => "d_rad",
        }
    }

    /// The drive with these values at a step's start and end; a motion is at constant speed.
    #[must_use]
    pub const fn drive(self, ends: [f64; 2]) -> Drive {
        match self {
            Self::KeyM => Drive::line(ends),
            Self::ForceN => Drive::Force(ends),
            Self::FingerM => Drive::Finger(ends),
            Self::DRad => Drive::Manipulandum(ends),
        }
    }

    /// First value of a ramp on this channel when no earlier part prescribes one: the key's depth for a
    /// finger or a jig, zero for force and manipulandum.
    #[must_use]
    const fn start(self, key: KeyView) -> f64 {
        match self {
            Self::KeyM | Self::FingerM => key.depth,
            Self::ForceN | Self::DRad => 0.0,
        }
    }
}
