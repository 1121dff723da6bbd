//! The last items that one thread wrote, as many as there is room for, read by another at any time.
//!
//! The writer overwrites what is oldest and never waits, whether anybody reads or not. Reading
//! takes nothing away. An item is two words; the reader leaves out what was overwritten while it
//! looked (a sequence lock over the whole ring, after H.-J. Boehm, "Can seqlocks get along with
//! programming language memory models?", MSPC 2012).

#[cfg(loom)]
use loom::sync::Arc;
#[cfg(loom)]
use loom::sync::atomic::{AtomicU64, Ordering, fence};
#[cfg(not(loom))]
use std::sync::Arc;
#[cfg(not(loom))]
use std::sync::atomic::{AtomicU64, Ordering, fence};

/// One item: two words of any meaning.
pub type Item = [u64; 2];

#[derive(Debug)]
struct SeqlockRing {
    slots: Box<[[AtomicU64; 2]]>,
    /// Items written since creation.
    written: AtomicU64,
}

impl SeqlockRing {
    fn slot(&self, number: u64) -> &[AtomicU64; 2] {
        let count = self.slots.len() as u64;
        // The remainder is below a length in memory.
        &self.slots[usize::try_from(number % count).unwrap_or(0)]
    }
}

/// The writing end.
#[derive(Debug)]
pub struct RecentWriter {
    ring: Arc<SeqlockRing>,
    written: u64,
}

/// The reading end.
#[derive(Debug)]
pub struct RecentReader {
    ring: Arc<SeqlockRing>,
    /// Number of the next item [`RecentReader::take_new`] looks for.
    next: u64,
}

/// Both ends of a ring of `capacity` (at least one) items. Allocates.
#[must_use]
pub fn recent(capacity: usize) -> (RecentWriter, RecentReader) {
    let slots = (0..capacity.max(1)).map(|_| [AtomicU64::new(0), AtomicU64::new(0)]).collect();
    let ring = Arc::new(SeqlockRing { slots, written: AtomicU64::new(0) });
    (RecentWriter { ring: ring.clone(), written: 0 }, RecentReader { ring, next: 0 })
}

impl RecentWriter {
    /// Keeps `item` in the place of the oldest.
    pub fn put(&mut self, item: Item) {
        // A reader that sees a word of this item also sees, in the count, that the old one is gone.
        fence(Ordering::Release);
        for (word, value) in self.ring.slot(self.written).iter().zip(item) {
            word.store(value, Ordering::Relaxed);
        }
        self.written += 1;
        self.ring.written.store(self.written, Ordering::Release);
    }
}

impl RecentReader {
    /// Items kept since creation, also those that are gone.
    #[must_use]
    pub fn written(&self) -> u64 {
        self.ring.written.load(Ordering::Acquire)
    }

    /// All items that are still there, oldest first.
    #[must_use]
    pub fn all(&self) -> Vec<Item> {
        let mut items = Vec::new();
        self.since(0, &mut items);
        items
    }

    /// Appends the items that came since the last call and are still there; `items` keeps its
    /// room, so that looking costs no memory.
    pub fn take_new(&mut self, items: &mut Vec<Item>) {
        self.next = self.since(self.next, items);
    }

    /// Marks everything written so far as taken.
    pub fn skip(&mut self) {
        self.next = self.written();
    }

    fn since(&self, first: u64, items: &mut Vec<Item>) -> u64 {
        let count = self.ring.slots.len() as u64;
        let end = self.ring.written.load(Ordering::Acquire);
        let first = first.max(end.saturating_sub(count)).min(end);
        let begin = items.len();
        for number in first..end {
            let [a, b] = self.ring.slot(number);
            items.push([a.load(Ordering::Relaxed), b.load(Ordering::Relaxed)]);
        }
        fence(Ordering::Acquire);
        // The item being written now overwrites the one a round before it.
        let now = self.ring.written.load(Ordering::Relaxed);
        let spoilt = (now + 1).saturating_sub(count).max(first).min(end) - first;
        items.drain(begin..begin + usize::try_from(spoilt).unwrap_or(0));
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_items_are_there_whether_or_not_they_were_seen() {
        let (mut recorder, mut recall) = recent(4);
        assert_eq!(recall.all(), Vec::<Item>::new());
        let mut news = Vec::new();
        for i in 0..3 {
            recorder.put([i, 10 * i]);
        }
        recall.take_new(&mut news);
        assert_eq!((news.len(), news[2]), (3, [2, 20]));
        for i in 3..9 {
            recorder.put([i, 10 * i]);
        }
        // The place of the oldest may be written to at any moment.
        assert_eq!(recall.all(), [[6, 60], [7, 70], [8, 80]]);
        news.clear();
        recall.take_new(&mut news);
        assert_eq!(news, recall.all());
        news.clear();
        recall.take_new(&mut news);
        assert_eq!((news.len(), recall.written()), (0, 9));
        recorder.put([9, 90]);
        recall.skip();
        recall.take_new(&mut news);
        assert!(news.is_empty());
    }

    #[test]
    fn what_is_read_beside_the_writer_is_whole_and_in_order() {
        const LAST: u64 = if cfg!(miri) { 300 } else { 400_000 };
        let (mut recorder, recall) = recent(64);
        let writing = std::thread::spawn(move || {
            for i in 1..=LAST {
                recorder.put([i, i.wrapping_mul(0x9e37_79b9_7f4a_7c15)]);
            }
        });
        let mut last = 0;
        while last < LAST {
            let items = recall.all();
            for pair in items.windows(2) {
                assert_eq!(pair[1][0], pair[0][0] + 1);
            }
            for [i, mark] in &items {
                assert_eq!(*mark, i.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            }
            if let Some([i, _]) = items.last() {
                assert!(*i >= last);
                last = *i;
            }
        }
        writing.join().unwrap();
    }
}
