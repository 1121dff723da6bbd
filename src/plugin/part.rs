//! What the feeders of both formats share: messages that wait for the next block, and samples
//! that stand in for channels a host does not give.

use std::ops::Deref;

/// Samples of a part whose channels the host does not give.
pub(super) const SPARE_FRAMES: usize = 1_024;

/// Messages that wait for the next block's first sample, a fixed number at most.
pub(super) struct Carried<T> {
    waiting: Vec<T>,
    /// Messages that found no room, since [`Self::forget`].
    left_out: u64,
}

impl<T> Carried<T> {
    /// Holds up to `room` messages.
    pub(super) fn with_room(room: usize) -> Self {
        Self { waiting: Vec::with_capacity(room), left_out: 0 }
    }

    /// Keeps a message, or counts it where there is no room.
    pub(super) fn keep(&mut self, message: T) {
        if self.waiting.len() < self.waiting.capacity() {
            self.waiting.push(message);
        } else {
            self.left_out += 1;
        }
    }

    /// Counts messages that found no room elsewhere.
    pub(super) fn leave_out(&mut self, messages: u64) {
        self.left_out += messages;
    }

    /// Drops the first `used` messages.
    pub(super) fn drop_first(&mut self, used: usize) {
        self.waiting.drain(..used);
    }

    /// Drops what waits.
    pub(super) fn silence(&mut self) {
        self.waiting.clear();
    }

    /// Drops what waits; how many messages found no room since the last time.
    pub(super) fn forget(&mut self) -> u64 {
        self.silence();
        std::mem::take(&mut self.left_out)
    }
}

impl<T> Deref for Carried<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.waiting
    }
}

/// Samples that stand in for channels that a host does not give.
pub(super) struct Spare([[f32; SPARE_FRAMES]; 2]);

impl Spare {
    pub(super) fn new() -> Box<Self> {
        Box::new(Self([[0.0; SPARE_FRAMES]; 2]))
    }

    /// The two channels of a part that begins at sample `begin`: the host's, or these samples
    /// where it gives none (null).
    ///
    /// # Safety
    /// Channels that are not null are longer than `begin`.
    pub(super) unsafe fn stand_in(
        &mut self,
        channels: &[*mut f32; 2],
        begin: usize,
    ) -> [*mut f32; 2] {
        let mut pointers = *channels;
        for (pointer, spare) in pointers.iter_mut().zip(&mut self.0) {
            *pointer = if pointer.is_null() {
                spare.as_mut_ptr()
            } else {
                // SAFETY: the caller's promise.
                unsafe { pointer.add(begin) }
            };
        }
        pointers
    }
}
