//! A short phrase that previews a piano. The audio thread plays it, so that its timing follows the sample
//! clock. It repeats until it is stopped, and then releases all keys and the pedal.

use crate::Event;
use touchback_core::math::compass::KeyNumber;

/// Length including the pause at the end, s.
const LENGTH: f64 = 7.5;

/// Start, s; MIDI note; velocity, 1…127; length, s. Soft and loud notes, from the lowest octave to the
/// highest.
const NOTES: [(f64, u8, u8, f64); 19] = [
    (0.0, 38, 58, 2.6),
    (0.35, 57, 44, 0.35),
    (0.7, 62, 50, 0.35),
    (1.05, 65, 58, 0.35),
    (1.4, 69, 74, 0.65),
    (2.1, 67, 62, 0.33),
    (2.45, 65, 54, 0.33),
    (2.8, 33, 66, 1.3),
    (2.8, 64, 60, 0.35),
    (3.15, 61, 46, 0.35),
    (3.5, 76, 86, 0.6),
    (4.2, 26, 98, 2.2),
    (4.2, 50, 84, 2.2),
    (4.2, 65, 86, 2.0),
    (4.2, 69, 86, 2.0),
    (4.2, 74, 102, 2.0),
    (5.0, 86, 48, 0.3),
    (5.25, 98, 40, 0.3),
    (5.5, 105, 34, 0.3),
];

/// Sustain pedal: time, s, and whether down.
const PEDAL: [(f64, bool); 6] =
    [(0.05, true), (2.7, false), (2.88, true), (4.1, false), (4.28, true), (6.5, false)];

/// Velocity of every release.
const RELEASE: f64 = 0.5;

/// The phrase and its progress.
#[derive(Clone, Debug, Default)]
pub(super) struct Phrase {
    /// Time since the start, s; none while the phrase is off.
    time: Option<f64>,
    /// Events up to this time have been sent, s.
    sent: f64,
    /// Held keys: bit `i` for the key of index `i`.
    held: u128,
    is_pedal_down: bool,
}

impl Phrase {
    /// Sends the events that are due, or releases everything if the phrase is no longer `wanted`.
    pub(super) fn play(&mut self, wanted: bool, mut send: impl FnMut(Event)) {
        match self.time {
            None if wanted => (self.time, self.sent) = (Some(0.0), -1.0),
            Some(_) if !wanted => self.stop(&mut send),
            _ => {}
        }
        let Some(mut time) = self.time else { return };
        if time >= LENGTH {
            self.send_until(LENGTH, &mut send);
            time %= LENGTH;
            self.sent = -1.0;
        }
        self.send_until(time, &mut send);
        self.time = Some(time);
    }

    /// Advances the time by a block of `length` s.
    pub(super) fn advance(&mut self, length: f64) {
        if let Some(time) = &mut self.time {
            *time += length;
        }
    }

    /// Sends the events after those already sent, up to and including `time`, releases first.
    fn send_until(&mut self, time: f64, send: &mut impl FnMut(Event)) {
        let since = self.sent;
        let is_due = |at: f64| since < at && at <= time;
        let keys = || NOTES.iter().filter_map(|note| Some((note, KeyNumber::from_midi(note.1)?)));
        for ((start, .., length), key) in keys() {
            let bit = 1u128 << key.index();
            if is_due(start + length) && self.held & bit != 0 {
                self.held &= !bit;
                send(Event::NoteOff { key, velocity: RELEASE });
            }
        }
        for (_, down) in PEDAL.iter().filter(|(at, _)| is_due(*at)) {
            self.is_pedal_down = *down;
            send(Event::Sustain(if *down { 1.0 } else { 0.0 }));
        }
        for ((start, _, velocity, length), key) in keys() {
            // A note that starts and ends within one block is skipped.
            if is_due(*start) && !is_due(start + length) {
                self.held |= 1u128 << key.index();
                send(Event::NoteOn { key, velocity: f64::from(*velocity) / 127.0 });
            }
        }
        self.sent = time;
    }

    fn stop(&mut self, send: &mut impl FnMut(Event)) {
        for key in KeyNumber::all().filter(|key| self.held & (1u128 << key.index()) != 0) {
            send(Event::NoteOff { key, velocity: RELEASE });
        }
        if self.is_pedal_down {
            send(Event::Sustain(0.0));
        }
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The events, the number of presses that each key is held by, and the pedal, after `blocks` of `length` s
    /// and a stop.
    fn played(length: f64, blocks: usize) -> (Vec<Event>, [i32; 88], f64) {
        let (mut phrase, mut events) = (Phrase::default(), Vec::new());
        for block in 0..=blocks {
            phrase.play(block < blocks, |event| events.push(event));
            phrase.advance(length);
        }
        let (mut held, mut pedal) = ([0; 88], 0.0);
        for event in &events {
            match event {
                Event::NoteOn { key, .. } => held[key.index()] += 1,
                Event::NoteOff { key, .. } => held[key.index()] -= 1,
                Event::Sustain(down) => pedal = *down,
                _ => unreachable!("{event:?}"),
            }
            assert!(held.iter().all(|held| (0..=1).contains(held)), "{event:?}");
        }
        (events, held, pedal)
    }

    #[test]
    fn nothing_stays_held_after_a_stop() {
        for length in [0.001, 0.0107, 0.17, 2.0, 9.0] {
            for blocks in [1, 2, 7, 100, 437, 900] {
                let (_, held, pedal) = played(length, blocks);
                assert_eq!((held, pedal), ([0; 88], 0.0), "{length} {blocks}");
            }
        }
    }

    #[test]
    fn the_phrase_repeats() {
        let ons = |blocks| {
            let (events, ..) = played(0.01, blocks);
            events.iter().filter(|event| matches!(event, Event::NoteOn { .. })).count()
        };
        assert_eq!((ons(740), ons(1480)), (NOTES.len(), 2 * NOTES.len()));
        assert!(NOTES.iter().all(|(start, _, _, length)| start + length < LENGTH));
    }
}
