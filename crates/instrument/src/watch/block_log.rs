//! Records of the last rendered block, for files, windows and other instruments.

use touchback_core::math::pages;

/// Largest number of records of a block: 4096 in 8192 samples; further ones are counted, not listed.
const CAPACITY: usize = 4096;

/// Records in the order in which they happened.
#[derive(Debug)]
pub struct BlockLog<T> {
    records: Vec<T>,
    /// Number of records of the last block; later ones belong to the coming block.
    shown: usize,
    dropped: u64,
}

impl<T> BlockLog<T> {
    /// An empty log. Allocates; nothing else here does.
    pub fn new() -> Self {
        Self { records: pages::room(CAPACITY), shown: 0, dropped: 0 }
    }

    /// Removes all records and the count of unlisted ones.
    pub fn reset(&mut self) {
        self.records.clear();
        self.shown = 0;
        self.dropped = 0;
    }

    /// Call before a block: removes the records of the last one.
    pub fn begin(&mut self) {
        self.records.drain(..self.shown);
        self.shown = 0;
    }

    /// Adds a record at or after the present sample.
    pub fn push(&mut self, record: T) {
        if self.records.len() < CAPACITY {
            self.records.push(record);
        } else {
            self.dropped += 1;
        }
    }

    /// Call after a block: its records may be read.
    pub const fn finish(&mut self) {
        self.shown = self.records.len();
    }

    /// Records of the last block.
    pub fn shown(&self) -> &[T] {
        &self.records[..self.shown]
    }

    /// Records dropped since reset.
    pub const fn dropped(&self) -> u64 {
        self.dropped
    }
}
