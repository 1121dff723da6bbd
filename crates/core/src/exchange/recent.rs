//! The most recent items of one writer in a ring, read by another thread at any time.
//!
//! The writer overwrites the oldest item and never waits. Reading removes nothing. An item is two 64-bit
//! words; the reader discards items that were overwritten while it read (a sequence lock over the whole
//! ring, after H.-J. Boehm, "Can seqlocks get along with programming language memory models?", MSPC 2012).

#[cfg(loom)]
use loom::sync::Arc;
#[cfg(loom)]
use loom::sync::atomic::{AtomicU64, Ordering, fence};
#[cfg(not(loom))]
use std::sync::Arc;
#[cfg(not(loom))]
use std::sync::atomic::{AtomicU64, Ordering, fence};

/// One item: two 64-bit words.
pub type Item = [u64; 2];

#[derive(Debug)]
struct SeqlockRing {
    slots: Box<[[AtomicU64; 2]]>,
    /// Number of items written since creation.
    written: AtomicU64,
}

impl SeqlockRing {
    fn slot(&self, number: u64) -> &[AtomicU64; 2] {
        let count = self.slots.len() as u64;
        // The remainder is below the number of slots, so it fits a `usize`.
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
    /// Number of the next item that [`RecentReader::take_new`] returns.
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
    /// Stores `item` in place of the oldest.
    pub fn put(&mut self, item: Item) {
        // A reader that reads a word of this item also reads the count that invalidates the old item.
        fence(Ordering::Release);
        for (word, value) in self.ring.slot(self.written).iter().zip(item) {
            word.store(value, Ordering::Relaxed);
        }
        self.written += 1;
        self.ring.written.store(self.written, Ordering::Release);
    }
}

impl RecentReader {
    /// Number of items written since creation, including overwritten ones.
    #[must_use]
    pub fn written(&self) -> u64 {
        self.ring.written.load(Ordering::Acquire)
    }

    /// All items in the ring, oldest first. Allocates.
    #[must_use]
    pub fn all(&self) -> Vec<Item> {
        let mut items = Vec::new();
        self.since(0, &mut items);
        items
    }

    /// Appends the items written since the last call that are still in the ring. The capacity of `items` can
    /// be reused, so that polling does not allocate.
    pub fn take_new(&mut self, items: &mut Vec<Item>) {
        self.next = self.since(self.next, items);
    }

    /// Skips all items written so far.
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
        // The item that is being written overwrites the one `count` items before it.
        let now = self.ring.written.load(Ordering::Relaxed);
        let invalid = (now + 1).saturating_sub(count).max(first).min(end) - first;
        items.drain(begin..begin + usize::try_from(invalid).unwrap_or(0));
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_items_can_be_read_more_than_once_and_new_ones_once() {
        let (mut writer, mut reader) = recent(4);
        assert_eq!(reader.all(), Vec::<Item>::new());
        let mut items = Vec::new();
        for i in 0..3 {
            writer.put([i, 10 * i]);
        }
        reader.take_new(&mut items);
        assert_eq!((items.len(), items[2]), (3, [2, 20]));
        for i in 3..9 {
            writer.put([i, 10 * i]);
        }
        // The slot of the oldest item may be overwritten at any time, so that one is left out.
        assert_eq!(reader.all(), [[6, 60], [7, 70], [8, 80]]);
        items.clear();
        reader.take_new(&mut items);
        assert_eq!(items, reader.all());
        items.clear();
        reader.take_new(&mut items);
        assert_eq!((items.len(), reader.written()), (0, 9));
        writer.put([9, 90]);
        reader.skip();
        reader.take_new(&mut items);
        assert!(items.is_empty());
    }

    #[test]
    fn items_read_while_the_writer_writes_are_complete_and_in_order() {
        const LAST: u64 = if cfg!(miri) { 300 } else { 400_000 };
        let (mut writer, reader) = recent(64);
        let writing = std::thread::spawn(move || {
            for i in 1..=LAST {
                writer.put([i, i.wrapping_mul(0x9e37_79b9_7f4a_7c15)]);
            }
        });
        let mut last = 0;
        while last < LAST {
            let items = reader.all();
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
