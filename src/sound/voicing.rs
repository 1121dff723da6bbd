//! What a tuner and a voicer set: the whole sound in plain numbers.

use crate::sound::room::{self, RoomSpec};
use crate::sound::scala::Scale;
use crate::sound::temperament::Temperament;

/// Where the listener sits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Perspective {
    /// At the keys: bass on the left, treble on the right.
    #[default]
    Player,
    /// In the hall, facing the open lid: narrower, treble on the left.
    Audience,
}

/// Distance of the microphones at which the direct sound has its natural level, m.
const NATURAL_DISTANCE: f64 = 1.5;

/// How much a closed lid takes from the high frequencies, dB (chosen: as between the long stick
/// and the lid down in recordings).
const LID_DB: f64 = 9.0;

/// Settings of the sound; the defaults are a concert grand at A = 440 Hz.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SoundSettings {
    /// Fundamental of A4, Hz.
    pub a4_hz: f64,
    /// Stretch of the octaves: 0 equal-tempered fundamentals, 1 the median concert grand.
    pub stretch: f64,
    /// Where the twelve notes lie within the octave.
    pub temperament: Temperament,
    /// A scale from a file, in place of the temperament; no host parameter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<Scale>,
    /// Total spread of a unison, cents.
    pub unison_width_cents: f64,
    /// Length of the strings against the concert grand's, at the same pitch and gauge.
    pub string_length: f64,
    /// Decay times, scale.
    pub sustain: f64,
    /// Extra damping of high partials, scale of the string's own frequency-dependent loss.
    pub brightness_loss: f64,
    /// Damped decay times, scale.
    pub damper_time: f64,
    /// Share of the soundboard's reverberant tail, scale.
    pub board: f64,
    /// Level of key and action knocks, scale (amplitude).
    pub knocks: f64,
    /// Stereo width, 0 mono … 1 natural … 2 wide.
    pub width: f64,
    /// Lid: 0 closed … 1 open.
    pub lid: f64,
    /// Where the listener sits.
    pub perspective: Perspective,
    /// Distance of the microphones, m.
    pub distance: f64,
    /// Level of the room against the direct sound at 1.5 m, dB; −60 is none.
    pub room_db: f64,
    /// Length of the room, m.
    pub room_size: f64,
    /// Decay time of the room, s.
    pub room_time: f64,
}

impl Default for SoundSettings {
    fn default() -> Self {
        Self {
            a4_hz: 440.0,
            stretch: 1.0,
            temperament: Temperament::Equal,
            scale: None,
            unison_width_cents: 1.0,
            string_length: 1.0,
            sustain: 1.0,
            brightness_loss: 1.0,
            damper_time: 1.0,
            board: 1.0,
            knocks: 1.0,
            width: 1.0,
            lid: 1.0,
            perspective: Perspective::Player,
            distance: NATURAL_DISTANCE,
            room_db: -22.0,
            room_size: 9.0,
            room_time: 0.7,
        }
    }
}

impl SoundSettings {
    /// The nearest voicing that a piano can have; what is no number becomes its default.
    #[must_use]
    pub fn clamped(&self) -> Self {
        let d = Self::default();
        let within = |x: f64, low: f64, high: f64, default: f64| {
            if x.is_nan() { default } else { x.clamp(low, high) }
        };
        Self {
            a4_hz: within(self.a4_hz, 380.0, 480.0, d.a4_hz),
            stretch: within(self.stretch, 0.0, 3.0, d.stretch),
            unison_width_cents: within(self.unison_width_cents, 0.0, 50.0, d.unison_width_cents),
            string_length: within(self.string_length, 0.5, 1.5, d.string_length),
            sustain: within(self.sustain, 0.05, 10.0, d.sustain),
            brightness_loss: within(self.brightness_loss, 0.0, 20.0, d.brightness_loss),
            damper_time: within(self.damper_time, 0.05, 20.0, d.damper_time),
            board: within(self.board, 0.0, 4.0, d.board),
            knocks: within(self.knocks, 0.0, 10.0, d.knocks),
            width: within(self.width, 0.0, 2.0, d.width),
            lid: within(self.lid, 0.0, 1.0, d.lid),
            distance: within(self.distance, 0.5, 10.0, d.distance),
            room_db: within(self.room_db, -60.0, 0.0, d.room_db),
            room_size: within(self.room_size, 3.0, room::LONGEST, d.room_size),
            room_time: within(self.room_time, 0.1, 6.0, d.room_time),
            ..*self
        }
    }

    /// The concert grand without a room: what strings and board are measured on.
    #[must_use]
    pub fn close() -> Self {
        Self { room_db: -60.0, ..Self::default() }
    }

    /// The room.
    #[must_use]
    pub fn room(&self) -> RoomSpec {
        let level = if self.room_db > -60.0 { 10f64.powf(self.room_db / 20.0) } else { 0.0 };
        RoomSpec { level, size: self.room_size, time: self.room_time }
    }

    /// Factor on the direct sound at the microphones' distance.
    #[must_use]
    pub fn direct(&self) -> f64 {
        NATURAL_DISTANCE / self.distance
    }

    /// Factor on the high frequencies of the direct sound under the lid.
    #[must_use]
    pub fn lid_gain(&self) -> f64 {
        10f64.powf(-LID_DB * (1.0 - self.lid) / 20.0)
    }

    /// Factor on the difference of the channels: far microphones see the piano under a smaller
    /// angle, and the audience from the other side.
    #[must_use]
    pub fn side(&self) -> f64 {
        let angle = (NATURAL_DISTANCE / self.distance).min(1.0).sqrt();
        let seat = match self.perspective {
            Perspective::Player => 1.0,
            Perspective::Audience => -0.6,
        };
        self.width * angle * seat
    }

    /// Whether the strings of both ring alike.
    pub(crate) fn same_strings(&self, other: &Self) -> bool {
        let rest = Self {
            board: other.board,
            knocks: other.knocks,
            width: other.width,
            lid: other.lid,
            perspective: other.perspective,
            distance: other.distance,
            room_db: other.room_db,
            room_size: other.room_size,
            room_time: other.room_time,
            ..*self
        };
        rest == *other
    }
}
