//! The strikes of the last rendered block, for files and windows.

use crate::instrument::piano::StrikeRecord;

/// More than ten hands can play into the longest block; further strikes sound but are not listed.
const CAPACITY: usize = 4096;

/// Records in the order in which they sounded.
#[derive(Debug)]
pub struct StrikeLog {
    records: Vec<StrikeRecord>,
    /// How many of them belong to the last block; those after it belong to the coming one.
    shown: usize,
    dropped: u64,
}

impl StrikeLog {
    /// An empty log. Allocates; nothing else here does.
    pub fn new() -> Self {
        Self { records: Vec::with_capacity(CAPACITY), shown: 0, dropped: 0 }
    }

    /// Empty again.
    pub fn reset(&mut self) {
        self.records.clear();
        self.shown = 0;
        self.dropped = 0;
    }

    /// A block begins: the strikes of the last one go.
    pub fn begin(&mut self) {
        self.records.drain(..self.shown);
        self.shown = 0;
    }

    /// A strike at or after the present sample.
    pub fn push(&mut self, record: StrikeRecord) {
        if self.records.len() < CAPACITY {
            self.records.push(record);
        } else {
            self.dropped += 1;
        }
    }

    /// The block has been rendered: its strikes may be read.
    pub const fn finish(&mut self) {
        self.shown = self.records.len();
    }

    /// Strikes of the last block.
    pub fn shown(&self) -> &[StrikeRecord] {
        &self.records[..self.shown]
    }

    /// Strikes that sounded unlisted since reset.
    pub const fn dropped(&self) -> u64 {
        self.dropped
    }
}
