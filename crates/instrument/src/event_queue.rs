//! What sounds at a coming sample: strikes, knocks and damper moves in the order of their moments.

use touchback_core::math::compass::KeyNumber;
use touchback_core::math::pages;
use touchback_sound::Knock;

/// One thing for the strings.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Sounding {
    /// A hammer meets its strings, m/s; the note-on that caused it, s (NaN without one).
    Strike { key: KeyNumber, speed: f64, note_on: f64 },
    /// A plectrum lets the strings go, displaced by so many m; the note-on as of a strike.
    Pluck { key: KeyNumber, displacement: f64, note_on: f64 },
    /// The mechanism knocks, m/s.
    Knock { key: KeyNumber, knock: Knock, speed: f64 },
    /// A damper has moved, 0 resting … 1 clear.
    Damper { key: KeyNumber, lift: f64 },
    /// The damper of a key felt elsewhere stands there.
    HapticDamper { key: KeyNumber, lift: f64 },
    /// The strings of a key are bent by so many cents.
    Pitch { key: KeyNumber, cents: f64 },
}

/// When: a sample since reset and 0…1 samples after its beginning.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Entry {
    /// Sample since reset.
    pub sample: u64,
    /// Samples after it, 0…1.
    pub delay: f64,
    /// What sounds.
    pub what: Sounding,
}

/// Two steps' worth of entries (an event list of which every event sounds thrice, every damper and
/// every pitch) and some in reserve.
const CAPACITY: usize = 4000;

/// A bounded list of entries, earliest first; equals keep the order in which they came.
#[derive(Debug)]
pub struct EventQueue {
    entries: Vec<Entry>,
    dropped: u64,
}

impl EventQueue {
    /// An empty queue. Allocates; nothing else here does.
    pub fn new() -> Self {
        Self { entries: pages::room(CAPACITY), dropped: 0 }
    }

    /// Forgets every entry and the count.
    pub fn reset(&mut self) {
        self.entries.clear();
        self.dropped = 0;
    }

    /// Forgets every entry.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// Adds an entry in its place; without room it is counted and dropped.
    pub fn add(&mut self, entry: Entry) {
        if self.entries.len() == CAPACITY {
            self.dropped += 1;
            return;
        }
        let moment = (entry.sample, entry.delay);
        let place = self.entries.partition_point(|e| (e.sample, e.delay) <= moment);
        self.entries.insert(place, entry);
    }

    /// Sample of the earliest entry.
    pub fn next(&self) -> Option<u64> {
        self.entries.first().map(|e| e.sample)
    }

    /// Takes out what is due at `sample`, earliest first.
    pub fn take(&mut self, sample: u64) -> impl Iterator<Item = Entry> {
        let due = self.entries.partition_point(|e| e.sample <= sample);
        self.entries.drain(..due)
    }

    /// Whether nothing is to come.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Entries that found no room since reset.
    pub const fn dropped(&self) -> u64 {
        self.dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(sample: u64, delay: f64, index: usize) -> Entry {
        let key = KeyNumber::from_index(index).unwrap();
        Entry { sample, delay, what: Sounding::Damper { key, lift: 0.0 } }
    }

    #[test]
    fn entries_come_out_by_moment_and_then_by_arrival() {
        let mut event_queue = EventQueue::new();
        for e in [entry(7, 0.5, 0), entry(5, 0.0, 1), entry(7, 0.2, 2), entry(7, 0.2, 3)] {
            event_queue.add(e);
        }
        assert_eq!(event_queue.next(), Some(5));
        assert_eq!(event_queue.take(6).collect::<Vec<_>>(), [entry(5, 0.0, 1)]);
        let rest: Vec<_> = event_queue.take(7).collect();
        assert_eq!(rest, [entry(7, 0.2, 2), entry(7, 0.2, 3), entry(7, 0.5, 0)]);
        assert!(event_queue.is_empty());
    }

    #[test]
    fn a_full_agenda_counts_what_it_drops() {
        let mut event_queue = EventQueue::new();
        for _ in 0..CAPACITY + 3 {
            event_queue.add(entry(1, 0.0, 0));
        }
        assert_eq!((event_queue.dropped(), event_queue.take(1).count()), (3, CAPACITY));
    }
}
