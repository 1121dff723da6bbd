//! All settings of a piano as one plain value: the only contract between controls and sound.

use crate::action::ActionSettings;
use crate::sound::Voicing;

/// How a host note becomes a gesture.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Timing {
    /// The note is the hammer meeting the string.
    #[default]
    Immediate,
    /// The note is the finger's first motion.
    Natural,
}

/// Which law turns MIDI velocity into hammer speed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VelocityMap {
    /// Bösendorfer SE290: v = 2^((MIDI − 52)/25) m/s.
    #[default]
    Se290,
    /// Yamaha Disklavier: MIDI = 57.96 + 71.3 log10 v.
    Disklavier,
    /// Straight line from the softest to the loudest speed.
    Linear,
    /// Power law between the softest and the loudest speed.
    Gamma,
}

/// How host notes are played.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TouchSettings {
    /// When the sound follows the note.
    pub timing: Timing,
    /// Velocity to hammer speed.
    pub velocity_map: VelocityMap,
    /// Hammer speed of velocity 1 in the linear and gamma maps, m/s.
    pub softest_m_s: f64,
    /// Hammer speed of velocity 127 in the linear and gamma maps, m/s.
    pub loudest_m_s: f64,
    /// Exponent of the gamma map.
    pub gamma: f64,
    /// Multiplies every hammer speed.
    pub dynamics: f64,
    /// Key-front speed of a release at the middle note-off velocity, m/s.
    pub release_m_s: f64,
}

impl Default for TouchSettings {
    fn default() -> Self {
        Self {
            timing: Timing::Immediate,
            velocity_map: VelocityMap::Se290,
            softest_m_s: 0.2,
            loudest_m_s: 7.0,
            gamma: 2.0,
            dynamics: 1.0,
            release_m_s: 0.3,
        }
    }
}

/// Everything that can be set.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Touch.
    pub touch: TouchSettings,
    /// Action.
    pub action: ActionSettings,
    /// Sound.
    pub sound: Voicing,
    /// Output level, dB.
    pub output_db: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            touch: TouchSettings::default(),
            action: ActionSettings::default(),
            sound: Voicing::default(),
            output_db: 0.0,
        }
    }
}
