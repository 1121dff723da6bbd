//! Queue of coming sounds: strikes, knocks, winds, damper moves and pitches in the order of their times.

use touchback_core::math::compass::KeyNumber;
use touchback_core::math::pages;
use touchback_sound::Knock;

/// One change or excitation of the strings.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Sounding {
    /// A hammer meets its strings at `speed` m/s; `note_on`: time of the note-on that caused it, s (NaN
    /// without one).
    Strike { key: KeyNumber, speed: f64, note_on: f64 },
    /// A plectrum releases the strings, displaced by `displacement` m; `note_on` as in a strike.
    Pluck { key: KeyNumber, displacement: f64, note_on: f64 },
    /// Wind of `pressure` Pa is at the foot of the key's pipe.
    Wind { key: KeyNumber, pressure: f64 },
    /// The mechanism knocks at `speed` m/s.
    Knock { key: KeyNumber, knock: Knock, speed: f64 },
    /// A damper has moved, 0 resting … 1 clear.
    Damper { key: KeyNumber, lift: f64 },
    /// The damper of a haptic key is at `lift`, 0…1.
    HapticDamper { key: KeyNumber, lift: f64 },
    /// The strings of a key are bent by `cents`.
    Pitch { key: KeyNumber, cents: f64 },
}

impl Sounding {
    /// Whether it changes the board's own sound, the pipes, at once: its blocks end there.
    pub const fn is_of_board(&self) -> bool {
        matches!(self, Self::Wind { .. } | Self::Pitch { .. })
    }
}

/// A sound and its time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Entry {
    /// Sample since reset.
    pub sample: u64,
    /// Samples after it, 0…1.
    pub delay: f64,
    /// The sound.
    pub what: Sounding,
}

/// Largest number of entries: those of two action steps (a full event list with three sounds per event,
/// every damper and every pitch) and some in reserve.
const CAPACITY: usize = 4000;

/// A bounded list of entries, earliest first; entries of equal time keep their order of arrival.
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

    /// Removes every entry and restarts the count.
    pub fn reset(&mut self) {
        self.entries.clear();
        self.dropped = 0;
    }

    /// Removes every entry.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// Inserts an entry by its time; if the queue is full, the entry is dropped and counted.
    pub fn add(&mut self, entry: Entry) {
        if self.entries.len() == CAPACITY {
            self.dropped += 1;
            return;
        }
        let time = (entry.sample, entry.delay);
        let index = self.entries.partition_point(|e| (e.sample, e.delay) <= time);
        self.entries.insert(index, entry);
    }

    /// Sample of the earliest entry.
    pub fn next(&self) -> Option<u64> {
        self.entries.first().map(|e| e.sample)
    }

    /// The entries due at `sample`, earliest first.
    pub fn due(&self, sample: u64) -> impl Iterator<Item = &Entry> {
        self.entries.iter().take_while(move |e| e.sample <= sample)
    }

    /// Removes and returns the entries due at `sample`, earliest first.
    pub fn take(&mut self, sample: u64) -> impl Iterator<Item = Entry> {
        let due = self.entries.partition_point(|e| e.sample <= sample);
        self.entries.drain(..due)
    }

    /// Whether the queue is empty.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Entries dropped since reset.
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
    fn entries_come_out_by_time_and_then_by_arrival() {
        let mut queue = EventQueue::new();
        for e in [entry(7, 0.5, 0), entry(5, 0.0, 1), entry(7, 0.2, 2), entry(7, 0.2, 3)] {
            queue.add(e);
        }
        assert_eq!(queue.next(), Some(5));
        assert_eq!(queue.take(6).collect::<Vec<_>>(), [entry(5, 0.0, 1)]);
        let rest: Vec<_> = queue.take(7).collect();
        assert_eq!(rest, [entry(7, 0.2, 2), entry(7, 0.2, 3), entry(7, 0.5, 0)]);
        assert!(queue.is_empty());
    }

    #[test]
    fn a_full_queue_counts_what_it_drops() {
        let mut queue = EventQueue::new();
        for _ in 0..CAPACITY + 3 {
            queue.add(entry(1, 0.0, 0));
        }
        assert_eq!((queue.dropped(), queue.take(1).count()), (3, CAPACITY));
    }
}
