//! All settings of a piano as one plain value: the only contract between controls and sound.

use touchback_action::ActionSettings;
use touchback_action::interface::finger;
use touchback_core::math::cast::floor_index;
use touchback_core::math::range::settings;
use touchback_sound::SoundSettings;
use touchback_sound::settings::UnisonOffsets;

/// How a host note becomes a gesture.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Timing {
    /// The note is the hammer meeting the string.
    #[default]
    Immediate,
    /// The note is the finger's first motion.
    Natural,
    /// The note is the strike of the standard regulation, and the finger begins before it; all is
    /// late by a constant [`Latency`].
    LookAhead,
}

/// How far ahead of its sound a note of look-ahead timing is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Latency {
    /// 60 ms: hammers of 3.2 m/s and faster are in time.
    #[serde(rename = "60_ms")]
    Short,
    /// 120 ms: of 1 m/s and faster.
    #[serde(rename = "120_ms")]
    Middle,
    /// 200 ms: of 0.4 m/s and faster.
    #[default]
    #[serde(rename = "200_ms")]
    Long,
}

impl Latency {
    /// Its length, s.
    #[must_use]
    pub const fn seconds(self) -> f64 {
        match self {
            Self::Short => 0.06,
            Self::Middle => 0.12,
            Self::Long => 0.2,
        }
    }
}

/// What the hammer speed of a velocity is the speed of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VelocityMeans {
    /// The finger: of the effort that gives it in the standard regulation.
    #[default]
    Finger,
    /// The hammer as it is heard.
    Hammer,
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

settings! {
    /// How host notes are played.
    #[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct TouchSettings, TouchRanges {
        /// When the sound follows the note.
        timing: Timing = Timing::Immediate,
        /// How far ahead look-ahead timing knows a note.
        latency: Latency = Latency::Long,
        /// Whether the regulation decides how fast the hammer of an immediate note is.
        velocity_means: VelocityMeans = VelocityMeans::Finger,
        /// Velocity to hammer speed.
        velocity_map: VelocityMap = VelocityMap::Se290,
        /// Immediate notes obey the action's limits of repetition.
        strict_repetition: Switch = Switch::Off,
        /// A finger that presses a key on its way up lets it rise first, until it can be played.
        legato_repair: Switch = Switch::On,
        /// What key pressure means.
        key_pressure: KeyPressure = KeyPressure::Ignored,
    }
    numbers {
        /// Hammer speed of velocity 1 in the linear and gamma maps, m/s.
        /// Softest tones: 0.11–0.18 m/s [Boutillon 1988; Goebl 2005].
        softest_m_s = 0.2, 0.05..=1.0,
        /// Hammer speed of velocity 127 in the linear and gamma maps, m/s.
        /// Loudest tones: 6.8–7.8 m/s [Goebl 2005].
        loudest_m_s = 7.0, 2.0..=10.0,
        /// Exponent of the gamma map.
        /// Chosen: from soft-heavy to hard-heavy keyboards, 1 straight.
        gamma = 2.0, 0.25..=4.0,
        /// Multiplies every hammer speed.
        /// Chosen: an octave of hammer speed either way.
        dynamics = 1.0, 0.5..=2.0,
        /// Key-front speed of a release at the middle note-off velocity, m/s.
        /// Key speeds in playing: 0.1–0.6 m/s, seldom above 1 [Lozada 2007; Askenfelt 1990].
        release_m_s = finger::RELEASE, 0.02..=1.5,
        /// Velocity (1…127) that the player's keyboard sends for a soft note.
        soft_velocity = 32.0, 1.0..=127.0,
        /// Velocity (1…127) that the player's keyboard sends for a note of middle strength.
        medium_velocity = 64.0, 1.0..=127.0,
        /// Velocity (1…127) that the player's keyboard sends for a loud note.
        loud_velocity = 96.0, 1.0..=127.0,
        /// Presses of a velocity (0…127) below this make no sound but lift their damper.
        silent_below = 0.0, 0.0..=64.0,
    }
}

impl TouchSettings {
    /// Samples by which everything is late at `rate` Hz; 0 unless the timing looks ahead.
    #[must_use]
    pub fn latency_samples(&self, rate: f64) -> u32 {
        if self.timing != Timing::LookAhead || !rate.is_finite() {
            return 0;
        }
        u32::try_from(floor_index((self.latency.seconds() * rate).round())).unwrap_or(0)
    }
}

settings! {
    /// How the sustain pedal's values are read.
    #[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct PedalSettings, PedalRanges {
        /// Direction of its values.
        pedal_polarity: Polarity = Polarity::Normal,
    }
    numbers {
        /// Travel at which the dampers begin to leave the strings, %.
        pedal_from = 0.0, 0.0..=100.0,
        /// Travel at which they are clear of them, %.
        pedal_to = 100.0, 0.0..=100.0,
    }
}

/// How the piano follows an MTS-ESP master of the session's tuning.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MtsEsp {
    /// Not at all.
    Off,
    /// Fundamentals as the master has them.
    #[default]
    Exact,
    /// Stretched against them as the piano's own tuning is.
    Stretched,
}

settings! {
    /// What MIDI messages mean, and which leave the instrument.
    #[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct MidiSettings, MidiRanges {
        /// Strikes as notes.
        strike_output: StrikeOutput = StrikeOutput::Off,
        /// Each finger has a channel of its own.
        mpe: Switch = Switch::Off,
        /// Tuning from outside.
        mts_esp: MtsEsp = MtsEsp::Exact,
    }
    numbers {
        /// Semitones by which notes are moved on the keyboard.
        transpose = 0.0, -48.0..=48.0,
        /// Semitones of the whole pitch bend, up and down.
        bend_range = 2.0, 0.0..=24.0,
        /// Semitones of a finger's whole bend under MPE, up and down.
        /// MPE 1.0: 48 unless the sender says otherwise.
        mpe_bend_range = 48.0, 0.0..=48.0,
    }
}

settings! {
    /// Everything that can be set.
    #[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct Settings, OutputRanges {
        /// How notes become gestures.
        touch: TouchSettings = TouchSettings::default(),
        /// How the sustain pedal is read.
        pedals: PedalSettings = PedalSettings::default(),
        /// What MIDI messages mean, and what is sent.
        midi: MidiSettings = MidiSettings::default(),
        /// Which action, its regulation, springs, masses and friction.
        action: ActionSettings = ActionSettings::default(),
        /// Tuning, strings, felt, board, room.
        sound: SoundSettings = SoundSettings::default(),
        /// Nothing leaves above full scale, whatever the level.
        output_guard: Switch = Switch::On,
    }
    numbers {
        /// Output level, dB.
        output_db = 0.0, -60.0..=12.0,
    }
}

impl Settings {
    /// What the strings are told: the sound, and what single keys' unisons differ by.
    #[must_use]
    pub fn strings(&self) -> SoundSettings {
        let action = &self.action;
        let unisons = match action.is_even() {
            true => UnisonOffsets::EVEN,
            false => UnisonOffsets::new(|key| action.unison_offset(key)),
        };
        SoundSettings { unisons, ..self.sound }
    }
}
