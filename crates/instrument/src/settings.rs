//! All settings of a piano as one plain value: the only contract between controls and sound.

use touchback_action::ActionSettings;
use touchback_action::interface::finger;
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::range::settings;
use touchback_sound::SoundSettings;
use touchback_sound::settings::UnisonOffsets;

/// Relation of a host note to the motion of the key.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Timing {
    /// The note is the hammer meeting the string.
    #[default]
    Immediate,
    /// The note is the finger's first motion.
    Natural,
    /// The note is the strike in the standard regulation, and the finger begins before it; everything is
    /// delayed by a constant [`Latency`].
    LookAhead,
}

/// Time from a note to its sound in look-ahead timing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Latency {
    /// 60 ms: hammers of 3.2 m/s and faster are in time.
    #[serde(rename = "60_ms")]
    Short,
    /// 120 ms: hammers of 1 m/s and faster are in time.
    #[serde(rename = "120_ms")]
    Middle,
    /// 200 ms: hammers of 0.4 m/s and faster are in time.
    #[default]
    #[serde(rename = "200_ms")]
    Long,
}

impl Latency {
    /// Length of the latency, s.
    #[must_use]
    pub const fn seconds(self) -> f64 {
        match self {
            Self::Short => 0.06,
            Self::Middle => 0.12,
            Self::Long => 0.2,
        }
    }
}

/// How velocity maps to hammer speed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VelocityMeans {
    /// Velocity is a finger's effort: that which gives the mapped speed in the standard regulation.
    #[default]
    Finger,
    /// Velocity is the hammer's speed at the string.
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

/// Meaning of polyphonic key pressure and of the pressure of single notes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyPressure {
    /// Aftertouch, which a piano does not have.
    #[default]
    Ignored,
    /// Depth of the key, as position-sensing pianos send it: 0 at rest, 1 at its bed.
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
    /// Notes with the velocity resolution of the host.
    Notes,
    /// Notes of 7-bit velocity, each after a controller 88 with its finer part.
    #[serde(rename = "notes_and_cc88")]
    NotesAndCc88,
}

settings! {
    /// Settings of touch.
    #[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct TouchSettings, TouchRanges {
        /// Relation of a note to the motion of its key.
        timing: Timing = Timing::Immediate,
        /// Time from note to sound in look-ahead timing.
        latency: Latency = Latency::Long,
        /// Whether the regulation changes the hammer speed of an immediate note.
        velocity_means: VelocityMeans = VelocityMeans::Finger,
        /// Velocity to hammer speed.
        velocity_map: VelocityMap = VelocityMap::Se290,
        /// Immediate notes obey the action's limits of repetition.
        strict_repetition: Switch = Switch::Off,
        /// A finger that presses a rising key first lets it rise until it can be played.
        legato_repair: Switch = Switch::On,
        /// Meaning of key pressure.
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
        /// Chosen: from keyboards with mostly soft to those with mostly hard velocities; 1 is linear.
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
        /// Presses below this velocity (0…127) are silent but lift their damper.
        silent_below = 0.0, 0.0..=64.0,
    }
}

impl TouchSettings {
    /// Latency at `rate` Hz, samples; 0 unless the timing looks ahead.
    #[must_use]
    pub fn latency_samples(&self, rate: f64) -> u32 {
        if self.timing != Timing::LookAhead || !rate.is_finite() {
            return 0;
        }
        u32::try_from(floor_index((self.latency.seconds() * rate).round())).unwrap_or(0)
    }
}

settings! {
    /// Interpretation of the sustain pedal's values.
    #[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct PedalSettings, PedalRanges {
        /// Direction of the pedal's values.
        pedal_polarity: Polarity = Polarity::Normal,
        /// Lifts that are too short to damp are re-timed, where coming messages are known.
        pedal_repair: Switch = Switch::On,
    }
    numbers {
        /// Travel at which the dampers begin to leave the strings, %.
        pedal_from = 0.0, 0.0..=100.0,
        /// Travel at which the dampers are clear of the strings, %.
        pedal_to = 100.0, 0.0..=100.0,
    }
}

/// Use of an MTS-ESP master of the session's tuning.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MtsEsp {
    /// Master ignored.
    Off,
    /// Fundamentals at the master's frequencies.
    #[default]
    Exact,
    /// Fundamentals stretched relative to the master's frequencies as in the piano's own tuning.
    Stretched,
}

settings! {
    /// Meaning of MIDI messages, and messages sent.
    #[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct MidiSettings, MidiRanges {
        /// Sending of strikes as notes.
        strike_output: StrikeOutput = StrikeOutput::Off,
        /// MIDI Polyphonic Expression: a channel for each finger.
        mpe: Switch = Switch::Off,
        /// External tuning.
        mts_esp: MtsEsp = MtsEsp::Exact,
        /// Whether bend ranges, tunings and MPE zones that channels send take effect.
        rpn: Switch = Switch::On,
    }
    numbers {
        /// Transposition of notes on the keyboard, semitones.
        transpose = 0.0, -48.0..=48.0,
        /// Range of the pitch bend, up and down, semitones.
        bend_range = 2.0, 0.0..=24.0,
        /// Range of a finger's bend under MPE, up and down, semitones.
        /// MPE 1.0: 48 unless the sender says otherwise.
        mpe_bend_range = 48.0, 0.0..=48.0,
    }
}

settings! {
    /// All settings of a piano.
    #[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct Settings, OutputRanges {
        /// From notes to motions of keys.
        touch: TouchSettings = TouchSettings::default(),
        /// Interpretation of the sustain pedal.
        pedals: PedalSettings = PedalSettings::default(),
        /// Meaning of MIDI messages, and messages sent.
        midi: MidiSettings = MidiSettings::default(),
        /// Which action, its regulation, springs, masses and friction.
        action: ActionSettings = ActionSettings::default(),
        /// Tuning, strings, felt, board, room.
        sound: SoundSettings = SoundSettings::default(),
        /// Keeps the output within full scale at every level.
        output_guard: Switch = Switch::On,
    }
    numbers {
        /// Output level, dB.
        output_db = 0.0, -60.0..=12.0,
    }
}

impl Settings {
    /// Whether the string of `key` does not reach its pitch in the scale, so that the key is silent.
    #[must_use]
    pub fn is_out_of_scale(&self, key: KeyNumber) -> bool {
        self.sound.scale.as_ref().is_some_and(|scale| scale.silent().contains(key))
    }

    /// Settings of the strings: the sound, and unison offsets and tones of single keys.
    #[must_use]
    pub fn strings(&self) -> SoundSettings {
        let action = &self.action;
        let unisons = match action.is_even() {
            true => UnisonOffsets::EVEN,
            false => UnisonOffsets::new(|key| action.unison_offset(key)),
        };
        SoundSettings { unisons, tones: action.keys.tones, ..self.sound }
    }
}
