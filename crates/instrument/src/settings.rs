//! All settings of a piano as one plain value: the only contract between controls and sound.

use touchback_action::ActionSettings;
use touchback_action::interface::finger;
use touchback_action::interface::key_sheet::KeySheet;
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::setting::{choice, settings};
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

choice!(Timing: Immediate "Immediate", Natural "Natural", LookAhead "Look-ahead");

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

choice!(Latency: Short "60 ms", Middle "120 ms", Long "200 ms");

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

choice!(VelocityMeans: Finger "Finger", Hammer "Hammer");

/// Law from MIDI velocity to hammer speed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VelocityMap {
    /// Bösendorfer SE290: v = 2^((MIDI − 52)/25) m/s; below 16 softer, down to 0.14 m/s at 1.
    #[default]
    Se290,
    /// Yamaha Disklavier: MIDI = 57.96 + 71.3 log10 v.
    Disklavier,
    /// Straight line from the softest to the loudest speed.
    Linear,
    /// Power law between the softest and the loudest speed.
    Gamma,
}

choice!(VelocityMap: Se290 "SE290", Disklavier "Disklavier", Linear "Linear", Gamma "Gamma");

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

choice!(Switch: Off "Off", On "On");

/// Meaning of polyphonic key pressure and of the pressure of single notes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyPressure {
    /// Aftertouch, which a piano does not have.
    #[default]
    Ignored,
    /// Depth of the key, as position-sensing pianos send it: 0 at rest, 1 at its bed.
    Position,
    /// Aftertouch: force beyond that which holds the key down. Also that of whole channels.
    Force,
}

choice!(KeyPressure: Ignored "Ignored", Position "Position", Force "Force");

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

choice!(Polarity: Normal "Normal", Inverted "Inverted");

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

choice!(StrikeOutput: Off "Off", Notes "Notes", NotesAndCc88 "Notes and CC 88");

settings! {
    /// Settings of touch.
    #[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct TouchSettings, TouchRanges {}
    choices {
        /// Immediate: the note sounds at the note-on. Natural: the finger's motion begins at the
        /// note-on, and the note sounds when the hammer arrives. Look-ahead: the motion begins so
        /// early that a hammer of the standard regulation arrives at the note's time; the host
        /// compensates the latency, and a change of the latency takes effect when the plugin
        /// restarts.
        timing: Timing = Timing::Immediate, "Timing";
        /// Delay of all output in look-ahead timing. A note whose press takes longer than this
        /// sounds late.
        latency: Latency = Latency::Long, "Latency";
        /// Finger: an immediate note gets the effort that its velocity needs under the standard
        /// regulation, and the present regulation decides the speed of the grand's hammer. Hammer:
        /// the hammer itself has the velocity's speed. Natural notes always use Finger.
        velocity_means: VelocityMeans = VelocityMeans::Finger, "Velocity means";
        /// Law from note velocity to hammer speed.
        velocity_map: VelocityMap = VelocityMap::Se290, "Velocity map";
        /// On: an immediate note that comes before the jack has reset is silent, as on a grand.
        strict_repetition: Switch = Switch::Off, "Strict repetition";
        /// On: a natural note strikes even if it ends early, and a key that is still rising first
        /// rises until it can be played again; in look-ahead timing the finger of the note before
        /// leaves the key in time. Off: keys follow the notes as written, and such a note may stay
        /// silent.
        legato_repair: Switch = Switch::On, "Legato repair";
        /// Position: polyphonic key pressure is read as the depth of the key, for keyboards that
        /// measure it. Force: aftertouch, of a key or of the channel, presses held keys by up to 3 N more,
        /// which bends a clavichord's notes.
        key_pressure: KeyPressure = KeyPressure::Ignored, "Key pressure";
    }
    numbers {
        /// Hammer speed of velocity 1 in the linear and gamma maps.
        #[range = "Softest tones: 0.11–0.18 m/s [Boutillon 1988; Goebl 2005]."]
        softest_m_s = 0.2, 0.05..=1.0, "Softest strike", " m/s", 2, centre 0.25;
        /// Hammer speed of velocity 127 in the linear and gamma maps.
        #[range = "Loudest tones: 6.8–7.8 m/s [Goebl 2005]."]
        loudest_m_s = 7.0, 2.0..=10.0, "Loudest strike", " m/s", 2, centre 5.0;
        /// Exponent of the gamma map: above 1, soft notes take more of the velocity range.
        #[range = "Chosen: from keyboards with mostly soft to those with mostly hard velocities; 1 is linear."]
        gamma = 2.0, 0.25..=4.0, "Velocity curve", "", 2, centre 1.0;
        /// Multiplies every hammer speed.
        #[range = "Chosen: an octave of hammer speed either way."]
        dynamics = 1.0, 0.5..=2.0, "Dynamics", " ×", 2, centre 1.0;
        /// Speed of the rising key front at the middle release velocity.
        #[range = "Key speeds in playing: 0.1–0.6 m/s, seldom above 1 [Lozada 2007; Askenfelt 1990]."]
        release_m_s = finger::RELEASE, 0.02..=1.5, "Release speed", " m/s", 2, centre 0.3;
        /// Velocity your keyboard sends when you play softly (mapped to 32).
        soft_velocity = 32.0, 1.0..=127.0, "Soft velocity", "", 0;
        /// Velocity your keyboard sends when you play at middle strength (mapped to 64).
        medium_velocity = 64.0, 1.0..=127.0, "Medium velocity", "", 0;
        /// Velocity your keyboard sends when you play loudly (mapped to 96).
        loud_velocity = 96.0, 1.0..=127.0, "Loud velocity", "", 0;
        /// Notes with a velocity below this value are pressed silently: they lift only their
        /// damper.
        silent_below = 0.0, 0.0..=64.0, "Silent below", "", 0;
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
    pub struct PedalSettings, PedalRanges {}
    choices {
        /// Inverted: value 0 of the sustain pedal means pressed, for pedals of the opposite
        /// polarity.
        pedal_polarity: Polarity = Polarity::Normal, "Pedal polarity";
        /// On: in files and in look-ahead timing, a pedal that scores lift for less than 150 ms
        /// goes down later or up earlier, so that the dampers stop the strings; pedals that send
        /// positions between up and down, and lifts within half a second without a note between,
        /// stay as they are. Live playing is not changed.
        pedal_repair: Switch = Switch::On, "Pedal repair";
    }
    numbers {
        /// Travel of the sustain pedal that counts as up. The dampers leave the strings from 25 to 70 %
        /// of the way from here to the travel that counts as down.
        pedal_from = 0.0, 0.0..=100.0, "Pedal zone from", " %", 1;
        /// Travel of the sustain pedal that counts as down.
        pedal_to = 100.0, 0.0..=100.0, "Pedal zone to", " %", 1;
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

choice!(MtsEsp: Off "Off", Exact "Exact", Stretched "Stretched");

settings! {
    /// Meaning of MIDI messages, and messages sent.
    #[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct MidiSettings, MidiRanges {}
    choices {
        /// Sends every hammer strike as a note, so that the action can play another instrument.
        strike_output: StrikeOutput = StrikeOutput::Off, "Strike output";
        /// On: each of the channels 2 to 16 is one finger; pitch bend and pressure of a channel
        /// apply to its note.
        mpe: Switch = Switch::Off, "MPE";
        /// Follows the session's tuning master, exactly or with the piano's stretch; a scale loaded
        /// into the plugin takes precedence.
        mts_esp: MtsEsp = MtsEsp::Exact, "MTS-ESP";
        /// On: bend range, tuning and MPE zones that a keyboard or file sends (RPN 0, 1, 2, 6) take
        /// effect.
        rpn: Switch = Switch::On, "RPN";
    }
    numbers {
        /// Moves notes along the keyboard by whole semitones; held notes keep their keys.
        transpose = 0.0, -48.0..=48.0, "Transpose", " semitones", 0;
        /// Pitch change of a full pitch bend, up and down.
        bend_range = 2.0, 0.0..=24.0, "Bend range", " semitones", 2;
        /// Pitch change of a finger's full bend under MPE, up and down.
        #[range = "MPE 1.0: 48 unless the sender says otherwise."]
        mpe_bend_range = 48.0, 0.0..=48.0, "MPE bend range", " semitones", 2;
    }
}

settings! {
    /// All settings of a piano.
    #[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
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
    }
    choices {
        /// On: a limiter keeps the output below -1 dBFS; the plugin reports its look-ahead of 1.5
        /// ms as latency. Off: no latency; peaks can reach the output level, at most +12 dBFS.
        /// Projects saved by a version without this parameter have Off.
        output_guard: Switch = Switch::On, "Output guard";
    }
    numbers {
        /// Level of the output.
        output_db = 0.0, -60.0..=12.0, "Output level", " dB", 1, centre -12.0;
    }
}

impl Settings {
    /// Whether the string of `key` does not reach its pitch in the scale, so that the key is silent.
    #[must_use]
    pub(crate) fn is_out_of_scale(&self, key: KeyNumber) -> bool {
        self.sound.scale.as_ref().is_some_and(|scale| scale.silent().contains(key))
    }

    /// The sheet of single keys' differences, action and tones.
    #[must_use]
    pub fn key_sheet(&self) -> KeySheet {
        KeySheet { action: self.action.keys.clone(), tones: self.sound.tones.clone() }
    }

    /// Sets the sheet of single keys' differences.
    pub fn set_key_sheet(&mut self, sheet: KeySheet) {
        KeySheet { action: self.action.keys, tones: self.sound.tones } = sheet;
    }

    /// Settings of the strings: the sound, the unison offsets of single keys, and which uneven piano it is.
    #[must_use]
    pub fn strings(&self) -> SoundSettings {
        let action = &self.action;
        let unisons = match action.is_even() {
            true => UnisonOffsets::EVEN,
            false => UnisonOffsets::new(|key| action.unison_offset(key)),
        };
        SoundSettings { unisons, piano: action.unevenness_seed, ..self.sound.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// They wait by the hundred in look-ahead timing, and are copied at every change.
    #[test]
    fn settings_have_at_most_a_kilobyte() {
        let sizes =
            [size_of::<Settings>(), size_of::<ActionSettings>(), size_of::<SoundSettings>()];
        assert!(sizes[0] <= 1024 && sizes[1] <= 256 && sizes[2] <= 512, "{sizes:?}");
    }
}
