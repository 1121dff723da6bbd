//! Settings of the sound, as a tuner and a voicer would set them, in plain numbers.

use crate::board::microphones;
use crate::output::perspective::Perspective;
use crate::output::room_spec::RoomSpec;
use crate::tuning::scala::Scale;
use crate::tuning::temperament::Temperament;
use touchback_core::exchange::shared::Shared;
use touchback_core::math::cast::{floor_index, single};
use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_core::math::random;
use touchback_core::math::setting::settings;
use touchback_core::mech::key_tones::KeyTones;

/// Widening of each key's unison beyond the set width, cents.
#[derive(Clone, Copy, PartialEq)]
pub struct UnisonOffsets([f32; KEYS]);

impl UnisonOffsets {
    /// All unisons as wide as set.
    pub const EVEN: Self = Self([0.0; KEYS]);

    /// Offsets `of` each key, cents.
    #[must_use]
    pub fn new(of: impl Fn(KeyNumber) -> f64) -> Self {
        let mut offsets = Self::EVEN;
        KeyNumber::all().for_each(|key| offsets.0[key.index()] = single(of(key)));
        offsets
    }

    /// Offset of `key`, cents.
    #[must_use]
    pub fn of(&self, key: KeyNumber) -> f64 {
        f64::from(self.0[key.index()])
    }
}

impl Default for UnisonOffsets {
    fn default() -> Self {
        Self::EVEN
    }
}

impl std::fmt::Debug for UnisonOffsets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let widest = self.0.iter().fold(0.0f32, |most, cents| most.max(*cents));
        write!(f, "up to {widest} cents")
    }
}

/// Seed of the keys' levels; that of each uneven piano is added.
const EVENNESS_SEED: u64 = 0x4556_454E;

/// Distance of the microphones at which the direct sound has its natural level, m.
const NATURAL_DISTANCE: f64 = 1.5;

/// Attenuation of the high frequencies by a closed lid, dB (chosen: the difference in recordings between
/// the long stick and the lid down).
const LID_DB: f64 = 9.0;

settings! {
    /// Settings of the sound; the defaults are a concert grand at A = 440 Hz.
    #[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct SoundSettings, SoundRanges {
        /// A scale from a file, in place of the temperament; no host parameter.
        #[serde(skip_serializing_if = "Shared::is_neutral")]
        scale: Shared<Option<Scale>> = Shared::NEUTRAL,
        /// Widening of single keys' unisons; no host parameter, follows from the action's key sheet.
        #[serde(skip)]
        unisons: UnisonOffsets = UnisonOffsets::EVEN,
        /// Which uneven piano it is; no host parameter, the action's number of it.
        #[serde(skip)]
        piano: f64 = 1.0,
        /// Tones of single keys; no host parameter, saved in the key sheet.
        #[serde(skip)]
        tones: Shared<KeyTones> = Shared::NEUTRAL,
    }
    choices {
        /// Tuning of the twelve notes within the octave; the A's keep their pitch.
        temperament: Temperament = Temperament::Equal, "Temperament";
        /// Position of the microphones. Player: at the player's head, bass on the left. Audience:
        /// in front of the open lid. Near: above the strings, wide and dry.
        perspective: Perspective = Perspective::Player, "Perspective";
        /// On: strings with fewer partials and resonances and a shorter response of the soundboard,
        /// for slow machines. Belongs to the machine: no preset changes it.
        economy: bool = false, "Economy";
    }
    numbers {
        /// Frequency of the A above middle C.
        #[range = "French baroque pitch to high choir pitch; a concert grand is tuned to 440–443 Hz."]
        a4_hz = 440.0, 390.0..=470.0, "Pitch of A4", " Hz", 2;
        /// Stretch of the octaves relative to the median concert grand; 0 is equal temperament.
        #[range = "Ten concert grands span 0.8–1.4 of the median at C8 [Renault 2022]."]
        stretch = 1.0, 0.0..=2.0, "Stretch", " ×", 2;
        /// Spread of the strings of one note.
        #[range = "Good tunings spread 0.5–2 cents; a bar-room piano 20 and more."]
        unison_width_cents = 1.0, 0.0..=30.0, "Unison width", " cents", 2, centre 3.0;
        /// Length of the strings relative to the concert grand's, at the same pitch and gauge:
        /// shorter strings need less tension and are more inharmonic.
        #[range = "From a baby grand's 1.5 m to beyond the concert grand's 2.74 m."]
        string_length = 1.0, 0.6..=1.2, "String length", " ×", 2;
        /// Decay times of free strings relative to the concert grand's.
        #[range = "Chosen: two octaves either way, as for `brightness_loss` and `damper_time`."]
        sustain = 1.0, 0.25..=4.0, "Sustain", " ×", 2, centre 1.0;
        /// Additional damping of high partials compared with low ones, relative to the concert
        /// grand's.
        brightness_loss = 1.0, 0.25..=4.0, "Treble damping", " ×", 2, centre 1.0;
        /// Decay times of damped strings relative to the concert grand's.
        damper_time = 1.0, 0.25..=4.0, "Damping time", " ×", 2, centre 1.0;
        /// Level of the soundboard's reverberant tail.
        board = 1.0, 0.0..=2.0, "Soundboard", " ×", 2;
        /// Differences of level from key to key, as *Uneven piano* draws them: two of three keys are
        /// within this of an even piano.
        #[range = "A fine technician evens keys to ± 0.5 dB; neighbours in recorded grands differ by about 1 dB."]
        evenness_db = 0.5, 0.0..=4.0, "Evenness", " dB", 2, centre 1.0;
        /// Level of the noises of keys and action.
        knocks = 1.0, 0.0..=4.0, "Knocks", " ×", 2, centre 1.0;
        /// Width of the stereo image: 0 is mono, 1 natural, 2 wide.
        width = 1.0, 0.0..=2.0, "Stereo width", " ×", 2;
        /// Opening of the lid: 0 is closed, 1 open on the long stick.
        lid = 1.0, 0.0..=1.0, "Lid", "", 2;
        /// Distance of the microphones: a larger distance lowers the direct sound, but not the
        /// room.
        #[range = "From inside the rim to the tenth row."]
        distance = NATURAL_DISTANCE, 0.5..=10.0, "Microphone distance", " m", 2, centre 1.5;
        /// Level of the room relative to the direct sound at 1.5 m; -60 is no room.
        room_db = -18.0, -60.0..=0.0, "Room level", " dB", 1;
        /// Length of the room, from a practice room to a hall.
        room_size = 9.0, 3.0..=40.0, "Room size", " m", 1, centre 10.0;
        /// Time in which the room's sound decays by 60 dB.
        room_time = 1.8, 0.1..=6.0, "Room decay", " s", 2, centre 1.0;
    }
}

impl SoundSettings {
    /// The settings limited to their ranges; a value that is not a number becomes its default.
    #[must_use]
    pub fn clamped(&self) -> Self {
        self.with_numbers(self, |range, value, _| range.clamped(value))
    }

    /// The concert grand with even keys and without a room, on which strings and board are measured.
    #[must_use]
    pub fn close() -> Self {
        Self { room_db: -60.0, evenness_db: 0.0, ..Self::default() }
    }

    /// Level of `key` over that of an even piano, dB: about a normal distribution, within three times *Evenness*.
    pub(crate) fn key_level(&self, key: KeyNumber) -> f64 {
        let seed = EVENNESS_SEED + floor_index(self.piano) as u64;
        let draw = |i: usize| random::of_pair(seed, (3 * key.index() + i) as u64);
        self.evenness_db * (draw(0) + draw(1) + draw(2))
    }

    /// Settings of the room.
    #[must_use]
    pub fn room(&self) -> RoomSpec {
        let level = if self.room_db > -60.0 { libm::pow(10.0, self.room_db / 20.0) } else { 0.0 };
        let pair = self.perspective.pair();
        let loudness = microphones::LOUDNESS[pair];
        let (level, return_level) = (level / loudness, microphones::ROOM[pair] * loudness);
        RoomSpec { level, return_level, size: self.room_size, time: self.room_time }
    }

    /// Factor on the direct sound at the microphones' distance.
    #[must_use]
    pub fn direct(&self) -> f64 {
        NATURAL_DISTANCE / self.distance
    }

    /// Factor on the high frequencies of the direct sound under the lid.
    #[must_use]
    pub(crate) fn lid_gain(&self) -> f64 {
        libm::pow(10.0, -LID_DB * (1.0 - self.lid) / 20.0)
    }

    /// Factor on the difference of the channels: far microphones see the piano under a smaller
    /// angle.
    #[must_use]
    pub fn side(&self) -> f64 {
        self.width * (NATURAL_DISTANCE / self.distance).min(1.0).sqrt()
    }

    /// Whether both settings give the same string modes.
    pub(crate) fn same_strings(&self, other: &Self) -> bool {
        let rest = Self {
            board: other.board,
            knocks: other.knocks,
            width: other.width,
            lid: other.lid,
            perspective: other.perspective,
            economy: other.economy,
            distance: other.distance,
            room_db: other.room_db,
            room_size: other.room_size,
            room_time: other.room_time,
            ..self.clone()
        };
        rest == *other
    }
}
