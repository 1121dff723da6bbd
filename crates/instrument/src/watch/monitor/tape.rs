//! The performance of the last minutes as MIDI messages: recorded by the audio thread, whether a window is
//! open or not, and read by the window.
//!
//! The tape records the host's notes, pedals, controllers, bends and pressures, the window's events, and, on
//! a channel of their own, the strikes of a motorized keyboard. Time counts processed samples since the
//! instance's creation; it stops while the host does not process the plugin.

use crate::host::midi::{InputMessage, controller, seven_bits, split_velocity};
use crate::{Event, Settings};
use touchback_action::KeyEvent;
use touchback_core::exchange::recent::{self, Item, RecentReader, RecentWriter};
use touchback_core::math::cast::{byte, floor_index};
use touchback_core::math::compass::KeyNumber;

/// Most messages kept: 109 per second for ten minutes. The densest ten seconds of recorded Chopin, Mozart
/// and Schubert on a computer-controlled grand, with continuous pedals, have 74 per second.
pub const CAPACITY: usize = 1 << 16;
/// MIDI channel, from 0, of a motorized keyboard's strikes.
const HAPTIC: u8 = 1;

/// One MIDI message and its time.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub struct TimedMessage {
    /// Time since the instance's creation, s.
    pub time: f64,
    /// Status and two data bytes; a third byte that the message does not have is 0.
    pub bytes: [u8; 3],
}

impl TimedMessage {
    fn item(self) -> Item {
        let [a, b, c] = self.bytes.map(u64::from);
        [self.time.to_bits(), a << 16 | b << 8 | c]
    }

    fn of([time, bytes]: Item) -> Self {
        let [c, b, a, ..] = bytes.to_le_bytes();
        Self { time: f64::from_bits(time), bytes: [a, b, c] }
    }

    const fn kind(&self) -> u8 {
        self.bytes[0] >> 4
    }

    /// Velocity 1…127 of a note-on.
    #[must_use]
    pub fn velocity(&self) -> Option<u8> {
        (self.kind() == 0x9 && self.bytes[2] > 0).then_some(self.bytes[2])
    }

    /// Value of the controller `number`.
    #[must_use]
    pub fn controller(&self, number: u8) -> Option<u8> {
        (self.kind() == 0xb && self.bytes[1] == number).then_some(self.bytes[2])
    }
}

/// The audio thread's end.
pub struct Tape {
    writer: RecentWriter,
    /// Time at the beginning of the current block, s.
    time: f64,
}

/// The reading end.
pub struct Take {
    reader: RecentReader,
    items: Vec<Item>,
}

/// Both ends. Allocates one mebibyte.
#[must_use]
pub fn tape() -> (Tape, Take) {
    let (writer, reader) = recent::recent(CAPACITY);
    (Tape { writer, time: 0.0 }, Take { reader, items: Vec::new() })
}

impl Tape {
    /// Advances the time by a block of `length` s.
    pub fn advance(&mut self, length: f64) {
        self.time += length;
    }

    fn put(&mut self, after: f64, bytes: [u8; 3]) {
        self.writer.put(TimedMessage { time: self.time + after, bytes }.item());
    }

    /// Records `message` at `after` s within the current block.
    pub fn record(&mut self, after: f64, message: &InputMessage) {
        match *message {
            InputMessage::NoteOn { channel, note, velocity, .. } if velocity.is_finite() => {
                self.note_on(after, channel & 15, note & 127, velocity);
            }
            InputMessage::NoteOff { to, velocity } => {
                let channel = to.channel.unwrap_or(0) & 15;
                match (to.note, to.id) {
                    (Some(note), _) => {
                        self.put(after, [0x80 | channel, note & 127, seven_bits(velocity)])
                    }
                    (None, None) => {
                        self.put(after, [0xb0 | channel, controller::ALL_NOTES_OFF, 0]);
                    }
                    // A note identified by the host's id alone has no MIDI note.
                    (None, Some(_)) => {}
                }
            }
            InputMessage::Choke(to) => {
                let channel = to.channel.unwrap_or(0) & 15;
                let end = [0xb0 | channel, controller::ALL_SOUND_OFF, 0];
                self.put(after, to.note.map_or(end, |note| [0x80 | channel, note & 127, 127]));
            }
            InputMessage::Pressure { to, value } => {
                if let Some(note) = to.note {
                    let channel = to.channel.unwrap_or(0) & 15;
                    self.put(after, [0xa0 | channel, note & 127, seven_bits(value)]);
                }
            }
            InputMessage::ChannelPressure { channel, value } => {
                self.put(after, [0xd0 | channel & 15, seven_bits(value), 0]);
            }
            InputMessage::Bend { channel, value } => {
                let steps = if value < 0.0 { 8192.0 } else { 8191.0 };
                let bend = floor_index((8192.0 + steps * value).round().clamp(0.0, 16_383.0));
                self.put(after, [0xe0 | channel & 15, byte(bend & 127), byte(bend >> 7)]);
            }
            InputMessage::Controller { channel, number, value } => {
                self.put(after, [0xb0 | channel & 15, number & 127, seven_bits(value)]);
            }
            InputMessage::Pedal { pedal, travel } => {
                self.put(after, [0xb0, pedal.controller(), seven_bits(travel)]);
            }
            InputMessage::NoteOn { .. }
            | InputMessage::Tuning { .. }
            | InputMessage::Retune { .. }
            | InputMessage::Master(_)
            | InputMessage::Unsupported => {}
        }
    }

    /// Records an event of the window or of a motorized keyboard, `after` s within the current block, played
    /// with `settings`.
    pub fn play(&mut self, after: f64, event: &Event, settings: &Settings) {
        // The note that a host would send for this key, before transposition.
        let shift = settings.midi.transpose;
        let note = |key: KeyNumber| {
            byte(floor_index((f64::from(key.midi()) - shift).round().clamp(0.0, 127.0)))
        };
        match *event {
            Event::NoteOn { key, velocity } => self.note_on(after, 0, note(key), velocity),
            Event::NoteOff { key, velocity } => {
                self.put(after, [0x80, note(key), seven_bits(velocity)]);
            }
            Event::Pressure { key, depth } => self.put(after, [0xa0, note(key), seven_bits(depth)]),
            Event::Sustain(down) => self.put(after, [0xb0, controller::SUSTAIN, seven_bits(down)]),
            Event::Haptic { key, event: KeyEvent::Strike { speed }, .. } => {
                self.note_on(after, HAPTIC, note(key), settings.touch.velocity(speed));
            }
            Event::Haptic { key, event: KeyEvent::DamperFall { .. }, .. } => {
                self.put(after, [0x80 | HAPTIC, note(key), 64]);
            }
            Event::AllSoundOff => self.put(after, [0xb0, controller::ALL_SOUND_OFF, 0]),
            _ => {}
        }
    }

    /// Records a note-on, preceded by CC 88 if the velocity lies between MIDI's steps.
    fn note_on(&mut self, after: f64, channel: u8, note: u8, velocity: f64) {
        // Velocity 0 means note-off; any other velocity is at least 1.
        let (coarse, fine) = if velocity > 0.0 { split_velocity(velocity) } else { (0, 0) };
        if fine > 0 {
            self.put(after, [0xb0 | channel, controller::VELOCITY_PREFIX, fine]);
        }
        self.put(after, [0x90 | channel, note, coarse]);
    }
}

impl Take {
    /// Appends the messages recorded since the last call.
    pub fn take_new(&mut self, messages: &mut Vec<TimedMessage>) {
        self.items.clear();
        self.reader.take_new(&mut self.items);
        messages.extend(self.items.iter().map(|item| TimedMessage::of(*item)));
    }

    /// Marks all recorded messages as read.
    pub fn skip(&mut self) {
        self.reader.skip();
    }

    /// All recorded messages, oldest first; up to `CAPACITY`.
    #[must_use]
    pub fn all(&self) -> Vec<TimedMessage> {
        self.reader.all().into_iter().map(TimedMessage::of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::midi::Address;

    #[test]
    fn events_of_the_window_and_of_haptic_keys_are_recorded() {
        let (mut tape, take) = tape();
        let mut settings = Settings::default();
        settings.midi.transpose = 12.0;
        let key = KeyNumber::from_midi(60).unwrap();
        let strike = Event::Haptic { key, event: KeyEvent::Strike { speed: 1.0 }, ahead: 0.0 };
        for event in [
            Event::NoteOn { key, velocity: 1.0 },
            Event::NoteOff { key, velocity: 0.5 },
            Event::Sustain(0.5),
            strike,
            Event::AllSoundOff,
        ] {
            tape.play(0.0, &event, &settings);
        }
        let bytes: Vec<_> = take.all().iter().map(|h| h.bytes).collect();
        assert_eq!(
            bytes,
            [[0x90, 48, 127], [0x80, 48, 64], [0xb0, 64, 64], [0x91, 48, 52], [0xb0, 120, 0]]
        );
    }

    #[test]
    fn messages_without_a_finite_value_are_not_recorded() {
        let (mut tape, take) = tape();
        let no_number = InputMessage::NoteOn { channel: 0, note: 60, id: None, velocity: f64::NAN };
        tape.record(0.0, &no_number);
        tape.record(0.0, &InputMessage::Unsupported);
        tape.record(0.0, &InputMessage::Bend { channel: 0, value: 0.0 });
        tape.record(0.0, &InputMessage::Bend { channel: 3, value: -1.0 });
        tape.record(0.0, &InputMessage::ChannelPressure { channel: 3, value: 1.0 });
        tape.record(0.0, &InputMessage::Choke(Address::default()));
        let bytes: Vec<_> = take.all().iter().map(|h| h.bytes).collect();
        assert_eq!(bytes, [[0xe0, 0, 64], [0xe3, 0, 0], [0xd3, 127, 0], [0xb0, 120, 0]]);
    }
}
