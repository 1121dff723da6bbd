//! Standard MIDI files as a piano performance: formats 0 and 1, any tempo map, SMPTE time.
//!
//! All channels play the one piano. A key stays down while any channel holds it, and the sustain
//! pedal is as low as the channel that presses it most.

mod chunks;

use midly::{MetaMessage, MidiMessage, TrackEventKind};

use crate::instrument::Event;
use crate::math::compass::{KEYS, Key};
use chunks::Raw;

/// Tempo before the first tempo event, µs a quarter note (MIDI 1.0, "Set Tempo").
const DEFAULT_TEMPO: u128 = 500_000;

/// A performance: events in time order.
///
/// Times are whole numbers of 1/[`Score::per_second`] s, so that rounding to samples happens once.
#[derive(Clone, Debug)]
pub struct Score {
    /// Time in units of 1/`per_second` s, and what happens.
    pub events: Vec<(u128, Event)>,
    /// Time units a second.
    pub per_second: u128,
    /// Note-ons outside the compass.
    pub ignored_notes: u64,
    /// Harmless oddities of the file, one line each.
    pub warnings: Vec<String>,
}

impl Score {
    /// Reads a file's bytes; `file` names it in errors.
    ///
    /// # Errors
    /// One line naming file and byte: not a MIDI file, format 2, no track, a chunk shorter than it
    /// declares, or an event that breaks off.
    pub fn read(file: &str, bytes: &[u8]) -> anyhow::Result<Self> {
        let Raw { ticks_per_unit, per_second, mut events, warnings } = chunks::read(file, bytes)?;
        // Stable: events of one tick keep the order of tracks.
        events.sort_by_key(|(tick, _)| *tick);
        let mut score = Self { events: Vec::new(), per_second, ignored_notes: 0, warnings };
        let (mut time, mut last, mut tempo) = (0u128, 0u64, DEFAULT_TEMPO);
        let mut hands = Hands::new();
        for (tick, kind) in events {
            time += u128::from(tick - last) * ticks_per_unit.unwrap_or(tempo);
            last = tick;
            match kind {
                TrackEventKind::Meta(MetaMessage::Tempo(t)) => tempo = u128::from(t.as_int()),
                TrackEventKind::Midi { channel, message } => {
                    let channel = usize::from(channel.as_int());
                    if !hands.play(channel, message, |event| score.events.push((time, event))) {
                        score.ignored_notes += 1;
                    }
                }
                _ => {}
            }
        }
        Ok(score)
    }

    /// Sample at which something at `time` falls, nearest, at `rate` Hz.
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

/// What each channel holds down.
struct Hands {
    /// One bit a channel.
    holding: [u16; KEYS],
    /// Note-ons sent and not yet matched: the piano counts presses.
    presses: [u16; KEYS],
    pedal: [f64; 16],
}

impl Hands {
    const fn new() -> Self {
        Self { holding: [0; KEYS], presses: [0; KEYS], pedal: [0.0; 16] }
    }

    /// Translates one message; `false` for a note outside the compass.
    fn play(&mut self, channel: usize, message: MidiMessage, mut out: impl FnMut(Event)) -> bool {
        let bit = 1 << channel;
        match message {
            MidiMessage::NoteOn { key, vel } if vel > 0 => {
                let Some(key) = Key::from_midi(key.as_int()) else { return false };
                self.holding[key.index()] |= bit;
                self.presses[key.index()] = self.presses[key.index()].saturating_add(1);
                out(Event::NoteOn { key, velocity: f64::from(vel.as_int()) / 127.0 });
            }
            // A note-on of velocity 0 is a note-off of the middle velocity (MIDI 1.0).
            MidiMessage::NoteOn { key, .. } => self.lift(bit, key.as_int(), 64, &mut out),
            MidiMessage::NoteOff { key, vel } => {
                self.lift(bit, key.as_int(), vel.as_int(), &mut out);
            }
            MidiMessage::Controller { controller, value } => match controller.as_int() {
                64 => self.pedal(channel, f64::from(value.as_int()) / 127.0, &mut out),
                120 => {
                    self.release_all();
                    out(Event::AllSoundOff);
                }
                // Reset All Controllers raises the pedal (MIDI RP-015).
                121 => self.pedal(channel, 0.0, &mut out),
                // The mode messages 124…127 are also All Notes Off (MIDI 1.0).
                123..=127 => self.lift_all(bit, &mut out),
                _ => {}
            },
            _ => {}
        }
        true
    }

    fn lift(&mut self, bit: u16, note: u8, velocity: u8, out: &mut impl FnMut(Event)) {
        let Some(key) = Key::from_midi(note) else { return };
        self.holding[key.index()] &= !bit;
        if self.holding[key.index()] == 0 {
            let presses = std::mem::take(&mut self.presses[key.index()]);
            // A stray note-off is passed on too: the piano knows what to make of it.
            for _ in 0..presses.max(1) {
                out(Event::NoteOff { key, velocity: f64::from(velocity) / 127.0 });
            }
        }
    }

    const fn release_all(&mut self) {
        self.holding = [0; KEYS];
        self.presses = [0; KEYS];
    }

    fn lift_all(&mut self, bit: u16, out: &mut impl FnMut(Event)) {
        if self.holding.iter().all(|held| held & !bit == 0) {
            self.release_all();
            return out(Event::AllNotesOff);
        }
        for key in Key::all() {
            if self.holding[key.index()] & bit != 0 {
                self.lift(bit, key.midi(), 64, out);
            }
        }
    }

    fn pedal(&mut self, channel: usize, value: f64, out: &mut impl FnMut(Event)) {
        let before = self.pedal.iter().fold(0.0, |a: f64, b| a.max(*b));
        self.pedal[channel] = value;
        let after = self.pedal.iter().fold(0.0, |a: f64, b| a.max(*b));
        if after != before {
            out(Event::Sustain(after));
        }
    }
}

#[cfg(test)]
mod tests;
