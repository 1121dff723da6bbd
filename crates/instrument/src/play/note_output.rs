//! Strikes sent out as notes, so that the action plays another instrument.
//!
//! A hammer strike is a note-on, the landing of its damper the note-off, so that the receiver plays
//! the same notes as this piano. Pedals are passed on with their received values. A key struck again before its
//! damper has landed sends its note-off first, at the same sample: every note sent is ended once.

use crate::watch::block_log::BlockLog;
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::key_set::KeySet;

/// One message sent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Sent {
    /// A hammer struck its strings, m/s.
    Strike {
        /// Which key.
        key: KeyNumber,
        /// Hammer speed, m/s.
        speed: f64,
    },
    /// The damper of a key that was sent has landed; without a damper, the key has returned.
    Landed(KeyNumber),
    /// A pedal has moved: its MIDI controller and the received value, 0…1.
    Pedal {
        /// Controller number.
        number: u8,
        /// Value 0…1.
        value: f64,
    },
    /// Every sound has ended at once.
    Silence,
}

/// A message sent, and its sample.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SentAt {
    /// Sample since reset.
    pub sample: u64,
    /// The message.
    pub what: Sent,
}

/// The strike output.
#[derive(Debug)]
pub struct NoteOutput {
    on: bool,
    /// Keys of notes sent and not ended.
    open: KeySet,
    log: BlockLog<SentAt>,
}

impl Default for NoteOutput {
    /// Off. Allocates; nothing else here does.
    fn default() -> Self {
        Self { on: false, open: KeySet::EMPTY, log: BlockLog::new() }
    }
}

impl NoteOutput {
    /// Switches the output on, or off, which ends every note sent.
    pub fn switch(&mut self, on: bool, sample: u64) {
        if self.on && !on {
            self.end_all(sample);
        }
        self.on = on;
    }

    /// Removes messages and open notes; the switch stays.
    pub fn reset(&mut self) {
        self.open = KeySet::EMPTY;
        self.log.reset();
    }

    /// Sends a strike.
    pub fn strike(&mut self, key: KeyNumber, speed: f64, sample: u64) {
        if self.on {
            self.landed(key, sample);
            self.open.insert(key);
            self.log.push(SentAt { sample, what: Sent::Strike { key, speed } });
        }
    }

    /// The damper of `key` has landed.
    pub fn landed(&mut self, key: KeyNumber, sample: u64) {
        if self.open.remove(key) {
            self.log.push(SentAt { sample, what: Sent::Landed(key) });
        }
    }

    /// Sends a pedal's value.
    pub fn pedal(&mut self, number: u8, value: f64, sample: u64) {
        if self.on {
            self.log.push(SentAt { sample, what: Sent::Pedal { number, value } });
        }
    }

    /// Ends every note and sends [`Sent::Silence`].
    pub fn silence(&mut self, sample: u64) {
        self.end_all(sample);
        if self.on {
            self.log.push(SentAt { sample, what: Sent::Silence });
        }
    }

    fn end_all(&mut self, sample: u64) {
        for key in self.open.iter() {
            self.landed(key, sample);
        }
    }

    /// Call before a block, as `BlockLog::begin`.
    pub fn begin(&mut self) {
        self.log.begin();
    }

    /// Call after a block, as `BlockLog::finish`.
    pub const fn finish(&mut self) {
        self.log.finish();
    }

    /// Messages sent in the last block, in order.
    pub fn shown(&self) -> &[SentAt] {
        self.log.shown()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_note_sent_is_ended_once() {
        let mut out = NoteOutput::default();
        let key = KeyNumber::from_index(30).unwrap();
        out.strike(key, 1.0, 0);
        out.pedal(64, 1.0, 0);
        out.finish();
        assert!(out.shown().is_empty(), "off");
        out.begin();
        out.switch(true, 1);
        out.strike(key, 1.0, 2);
        out.strike(key, 2.0, 5);
        out.landed(key, 8);
        out.landed(key, 9);
        out.strike(key, 3.0, 10);
        out.switch(false, 11);
        out.finish();
        let strike = |speed| Sent::Strike { key, speed };
        let expected = [
            (2, strike(1.0)),
            (5, Sent::Landed(key)),
            (5, strike(2.0)),
            (8, Sent::Landed(key)),
            (10, strike(3.0)),
            (11, Sent::Landed(key)),
        ];
        assert_eq!(out.shown(), expected.map(|(sample, what)| SentAt { sample, what }));
    }
}
