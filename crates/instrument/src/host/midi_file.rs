//! Standard MIDI files as piano performances: any format, tempo map and SMPTE time, with or without a RIFF
//! wrapper. Damaged files are read as far as they make sense, with one warning.
//!
//! [`crate::host::midi`] interprets the messages, as in a plugin host.

mod chunks;
mod clip;
mod containers;
mod damage;
mod doubles;
mod ending;
mod events;
mod parts;
mod pedal;
mod placed;
mod releases;
pub mod write;
mod xp;

use std::ops::Range;

use midly::MidiMessage;

use crate::host::midi::system::{OWN_CHANNELS, Tunings};
use crate::host::midi::{self, Address, InputMessage, seven_bits};
use crate::settings::PedalSettings;
use chunks::Raw;
pub use parts::{Numbers, Parts};
pub use pedal::ShortLifts;
use placed::{Devices, Kind, Placed};

/// Tempo before the first tempo event, µs per quarter note (MIDI 1.0, "Set Tempo").
const DEFAULT_TEMPO: u32 = 500_000;

/// Why a file was refused: one line with the file and, where known, the byte.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct MidiFileError(String);

/// A performance: messages in time order.
///
/// Times are whole numbers of 1/[`Score::per_second`] s, so that rounding to samples happens once.
#[derive(Clone, Debug)]
pub struct Score {
    /// Time in units of 1/`per_second` s, and message.
    pub events: Vec<(u128, InputMessage)>,
    /// Time units per second.
    pub per_second: u128,
    /// Deviations from the standard, and parts left out: a line each.
    pub warnings: Vec<String>,
}

impl Score {
    /// A score without events.
    #[must_use]
    pub const fn empty() -> Self {
        Self { events: Vec::new(), per_second: 1, warnings: Vec::new() }
    }

    /// Whether `bytes` hold a MIDI file.
    #[must_use]
    pub fn is_in(bytes: &[u8]) -> bool {
        clip::is_in(bytes) || chunks::find(bytes, *b"MThd", 0).is_some()
    }

    /// Reads the piano's part of a file's bytes; `file` names it in errors.
    ///
    /// # Errors
    /// Errors of [`Score::read_parts`].
    pub fn read(file: &str, bytes: &[u8]) -> Result<Self, MidiFileError> {
        Self::read_parts(file, bytes, &Parts::default())
    }

    /// Reads `parts` of a file's bytes; `file` names it in errors.
    ///
    /// # Errors
    /// One line with the file: not a MIDI file, no track, no note, or an impossible unit of time.
    pub(crate) fn read_parts(
        file: &str,
        bytes: &[u8],
        parts: &Parts,
    ) -> Result<Self, MidiFileError> {
        let (mut score, end) = Self::read_open(file, bytes, parts)?;
        let endless = score.end_notes(end);
        if endless > 0 {
            let what = "note-ons that nothing ends, ended with the file";
            score.warnings.push(format!("{file}: {what}: {endless}"));
        }
        Ok(score)
    }

    /// As [`Score::read_parts`], without an end of notes that have none; also the time of the file's end.
    fn read_open(file: &str, bytes: &[u8], parts: &Parts) -> Result<(Self, u128), MidiFileError> {
        let Timed { mut events, end, units_per_tick, tempo, per_second, warning } =
            match clip::is_in(bytes) {
                true => clip::read(bytes),
                false => tracks(file, bytes)?,
            };
        let mut warnings: Vec<String> = warning.into_iter().collect();
        // Stable: events of one tick keep the order of tracks.
        events.sort_by_key(|event| event.tick);
        let selected = parts::select(&mut events, parts);
        let (ports, told) = selected.map_err(|error| MidiFileError(format!("{file}: {error}")))?;
        warnings.extend(told);
        let mut score = Self { events: Vec::new(), per_second, warnings };
        let (mut time, mut last, mut tempo) = (0u128, 0u64, u128::from(tempo));
        let mut tunings = Tunings::default();
        for Placed { tick, port, kind, .. } in events {
            time += u128::from(tick - last) * units_per_tick.unwrap_or(tempo);
            last = tick;
            let mut send = |message| score.events.push((time, message));
            match kind {
                Kind::Tempo(new) => tempo = u128::from(new),
                Kind::Message(message) => {
                    send(message);
                    if let InputMessage::Controller { channel, number, value } = message {
                        tunings.control(channel, number, seven_bits(value), send);
                    }
                }
                Kind::Program(..) => {}
                Kind::System(data) => {
                    let channels = ports.get(&port).unwrap_or(&OWN_CHANNELS);
                    tunings.system_exclusive(&data, channels, send);
                }
            }
        }
        let joined = doubles::join(&mut score.events);
        if joined > 0 {
            score.warnings.push(format!(
                "note-ons of a key that is struck at the same time, joined: {joined}"
            ));
        }
        time += u128::from(end.saturating_sub(last)) * units_per_tick.unwrap_or(tempo);
        let mended = releases::mend(&mut score.events);
        score.warnings.extend(mended.text());
        let ended = score.end_with_music();
        score.warnings.extend(ended);
        score.warnings.iter_mut().for_each(|warning| warning.insert_str(0, &format!("{file}: ")));
        Ok((score, time))
    }

    /// Reads `parts` of a file's bytes for a piano with these pedals: short lifts are made longer where the settings
    /// say so, and reported in the warnings.
    ///
    /// # Errors
    /// Errors of [`Score::read_parts`].
    pub fn read_repaired(
        file: &str,
        bytes: &[u8],
        parts: &Parts,
        pedals: &PedalSettings,
    ) -> Result<(Self, ShortLifts), MidiFileError> {
        let mut score = Self::read_parts(file, bytes, parts)?;
        let lifts = score.repair_pedals(pedals);
        score.warnings.extend(lifts.text().map(|text| format!("{file}: {text}")));
        Ok((score, lifts))
    }

    /// The sample nearest to `time` at `rate` Hz.
    #[must_use]
    pub fn sample(&self, time: u128, rate: u32) -> u64 {
        let (n, d) = (time.saturating_mul(2 * u128::from(rate)), self.per_second);
        u64::try_from(n.saturating_add(d) / (2 * d)).unwrap_or(u64::MAX)
    }

    /// Time of the last event, s; 0 without events.
    #[must_use]
    pub fn end(&self) -> f64 {
        self.events.last().map_or(0.0, |(t, _)| *t as f64 / self.per_second as f64)
    }
}

/// The events of a file and their unit of time.
struct Timed<'a> {
    events: Vec<Placed<'a>>,
    /// Tick of the end of the last track.
    end: u64,
    /// Time units per tick; `None` where the tempo determines them.
    units_per_tick: Option<u128>,
    /// Tempo before the first tempo event.
    tempo: u32,
    per_second: u128,
    /// What was wrong in the file.
    warning: Option<String>,
}

/// The events of a Standard MIDI file, track by track.
fn tracks<'a>(file: &str, bytes: &'a [u8]) -> Result<Timed<'a>, MidiFileError> {
    let Raw { units_per_tick, per_second, is_sequential, tracks, damage } =
        chunks::read(file, bytes)?;
    let warning = damage.text(tracks.len());
    let devices = Devices::of(tracks.iter().map(|track| &*track.events));
    let (mut events, mut begin, mut end) = (Vec::new(), 0, 0);
    for (index, mut track) in tracks.into_iter().enumerate() {
        xp::reorder(&mut track.events);
        if is_sequential {
            let (track, kind) = (u16::MAX, Kind::Tempo(DEFAULT_TEMPO));
            events.push(Placed { tick: begin, track, port: 0, kind });
        }
        devices.placed(track.events, begin, index, &mut events);
        end = end.max(begin + track.end);
        begin += if is_sequential { track.end } else { 0 };
    }
    Ok(Timed { events, end, units_per_tick, tempo: DEFAULT_TEMPO, per_second, warning })
}

/// A place in a score that is played in portions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cursor {
    /// Index of the next event.
    next: usize,
}

impl Cursor {
    /// The next message of `score` at `rate` Hz, and its offset, if it falls before the end of the samples
    /// `span`.
    pub fn next(
        &mut self,
        score: &Score,
        rate: u32,
        span: &Range<u64>,
    ) -> Option<(u32, InputMessage)> {
        let (time, message) = score.events.get(self.next)?;
        let sample = score.sample(*time, rate);
        if sample >= span.end {
            return None;
        }
        self.next += 1;
        let offset = sample.saturating_sub(span.start);
        Some((u32::try_from(offset).unwrap_or(u32::MAX), *message))
    }

    /// Whether all messages of `score` have been sent.
    #[must_use]
    pub fn is_at_end(&self, score: &Score) -> bool {
        self.next >= score.events.len()
    }
}

/// The instrument's message for a MIDI message; `None` where a piano ignores it.
#[must_use]
pub fn message(channel: u8, message: MidiMessage) -> Option<InputMessage> {
    let seven_bit = |value: midly::num::u7| f64::from(value.as_int()) / 127.0;
    Some(match message {
        MidiMessage::NoteOn { key, vel } => {
            InputMessage::NoteOn { channel, note: key.as_int(), id: None, velocity: seven_bit(vel) }
        }
        MidiMessage::NoteOff { key, vel } => InputMessage::NoteOff {
            to: Address::note(channel, key.as_int()),
            velocity: seven_bit(vel),
        },
        MidiMessage::Aftertouch { key, vel } => InputMessage::Pressure {
            to: Address::note(channel, key.as_int()),
            value: seven_bit(vel),
        },
        MidiMessage::Controller { controller, value } => InputMessage::Controller {
            channel,
            number: controller.as_int(),
            value: seven_bit(value),
        },
        MidiMessage::PitchBend { bend } => {
            let value = midi::bend(f64::from(bend.0.as_int()) / 16_383.0);
            InputMessage::Bend { channel, value }
        }
        MidiMessage::ChannelAftertouch { vel } => {
            InputMessage::ChannelPressure { channel, value: seven_bit(vel) }
        }
        MidiMessage::ProgramChange { .. } => return None,
    })
}

#[cfg(test)]
mod tests;
