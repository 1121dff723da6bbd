//! All settings of a piano as one plain value: the only contract between controls and sound.

use crate::action::{ActionSettings, finger};
use crate::sound::SoundSettings;

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

/// Law from MIDI velocity to hammer speed.
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

/// A switch that files and lists show as a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Switch {
    /// Switched off.
    #[default]
    Off,
    /// Switched on.
    On,
}

/// What polyphonic key pressure and the pressure of single notes mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyPressure {
    /// Aftertouch, which no piano has.
    #[default]
    Ignored,
    /// How deep the key is, as position-sensing pianos send it: 0 at rest, all the way at its bed.
    Position,
}

/// Direction of a pedal's values.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Polarity {
    /// 0 is up.
    #[default]
    Normal,
    /// 0 is down.
    Inverted,
}

/// Whether strikes leave the instrument as notes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StrikeOutput {
    /// Not sent.
    #[default]
    Off,
    /// As notes whose velocity is as fine as the host carries it.
    Notes,
    /// As notes of 7-bit velocity, each with its finer part before it in controller 88.
    #[serde(rename = "notes_and_cc88")]
    NotesAndCc88,
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
    /// Velocity (1…127) that the player's keyboard sends for a soft note.
    pub soft_velocity: f64,
    /// Velocity (1…127) that the player's keyboard sends for a note of middle strength.
    pub medium_velocity: f64,
    /// Velocity (1…127) that the player's keyboard sends for a loud note.
    pub loud_velocity: f64,
    /// Presses of a velocity (0…127) below this make no sound but lift their damper.
    pub silent_below: f64,
    /// Immediate notes obey the action's limits of repetition.
    pub strict_repetition: Switch,
    /// What key pressure means.
    pub key_pressure: KeyPressure,
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
            release_m_s: finger::RELEASE,
            soft_velocity: 32.0,
            medium_velocity: 64.0,
            loud_velocity: 96.0,
            silent_below: 0.0,
            strict_repetition: Switch::Off,
            key_pressure: KeyPressure::Ignored,
        }
    }
}

/// How the sustain pedal's values are read.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PedalSettings {
    /// Direction of its values.
    pub pedal_polarity: Polarity,
    /// Travel at which the dampers begin to leave the strings, %.
    pub pedal_from: f64,
    /// Travel at which they are clear of them, %.
    pub pedal_to: f64,
}

impl Default for PedalSettings {
    fn default() -> Self {
        Self { pedal_polarity: Polarity::Normal, pedal_from: 0.0, pedal_to: 100.0 }
    }
}

/// What MIDI messages mean, and which leave the instrument.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MidiSettings {
    /// Semitones by which notes are moved on the keyboard.
    pub transpose: f64,
    /// Semitones of the whole pitch bend, up and down.
    pub bend_range: f64,
    /// Strikes as notes.
    pub strike_output: StrikeOutput,
}

impl Default for MidiSettings {
    fn default() -> Self {
        Self { transpose: 0.0, bend_range: 2.0, strike_output: StrikeOutput::Off }
    }
}

/// Everything that can be set.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// How notes become gestures.
    pub touch: TouchSettings,
    /// How the sustain pedal is read.
    pub pedals: PedalSettings,
    /// What MIDI messages mean, and what is sent.
    pub midi: MidiSettings,
    /// Which action, its regulation, springs, masses and friction.
    pub action: ActionSettings,
    /// Tuning, strings, felt, board, room.
    pub sound: SoundSettings,
    /// Output level, dB.
    pub output_db: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            touch: TouchSettings::default(),
            pedals: PedalSettings::default(),
            midi: MidiSettings::default(),
            action: ActionSettings::default(),
            sound: SoundSettings::default(),
            output_db: 0.0,
        }
    }
}
