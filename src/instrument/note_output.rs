//! Strikes sent out as notes, so that the action plays another instrument.
//!
//! A hammer strike is a note-on, the landing of its damper the note-off, so that what listens plays
//! what this piano plays. Pedals pass as their controllers say. A key struck again before its damper
//! has landed sends its note-off first, at the same sample: every note sent is ended once.

use crate::instrument::block_log::BlockLog;
use crate::instrument::settings::TouchSettings;
use crate::math::cast::{byte, floor_index};
use crate::math::compass::KeyNumber;
use crate::math::key_set::KeySet;

/// Steps of controller 88 within one of velocity.
const PARTS: f64 = 128.0;

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
    /// The damper of a key that was sent is on its strings, or, without a damper, the key is back.
    Landed(KeyNumber),
    /// A pedal has moved: its MIDI controller and the value 0…1 that came in.
    Pedal {
        /// Controller number.
        number: u8,
        /// Value 0…1.
        value: f64,
    },
    /// Every sound has ended at once.
    Silence,
}

/// A message sent, and when.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SentAt {
    /// Sample since reset.
    pub sample: u64,
    /// The message.
    pub what: Sent,
}

/// The output, when it is switched on.
#[derive(Debug)]
pub struct NoteOutput {
    on: bool,
    /// Notes sent and not ended.
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
    /// Switches on, or off, which ends every note sent.
    pub fn switch(&mut self, on: bool, sample: u64) {
        if self.on && !on {
            self.end_all(sample);
        }
        self.on = on;
    }

    /// Forgets messages and open notes; the switch stays.
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

    /// What was sent in the last block, in order.
    pub fn shown(&self) -> &[SentAt] {
        self.log.shown()
    }
}

/// The velocity 0…1 that stands for a hammer speed, as 7 bits and their finer part 0…127 for
/// controller 88.
#[must_use]
pub fn split_velocity(touch: &TouchSettings, speed: f64) -> (u8, u8) {
    let steps = (127.0 * PARTS * touch.velocity(speed)).round();
    let steps = floor_index(steps.clamp(PARTS, 127.0 * PARTS));
    (byte(steps / 128), byte(steps % 128))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instrument::settings::VelocityMap;

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

    #[test]
    fn speeds_survive_the_split_within_its_resolution() {
        let se290 = TouchSettings::default();
        let disklavier =
            TouchSettings { velocity_map: VelocityMap::Disklavier, ..TouchSettings::default() };
        for touch in [se290, disklavier] {
            for speed in [0.25, 0.4, 1.0, 2.345, 5.0, 7.9] {
                let (coarse, fine) = split_velocity(&touch, speed);
                assert!((1..=127).contains(&coarse) && fine < 128);
                let velocity = (f64::from(coarse) + f64::from(fine) / 128.0) / 127.0;
                let back = touch.hammer_speed(velocity);
                // Half a step of 1/128 velocity: 0.011 % of speed in the steeper map.
                assert!((back / speed - 1.0).abs() < 1.4e-4, "{speed}: {back}");
            }
        }
        assert_eq!(split_velocity(&se290, 0.0), (1, 0));
        assert_eq!(split_velocity(&se290, 99.0), (127, 0));
    }
}
