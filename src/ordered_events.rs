//! The messages of a host's block in order of time, and the parts into which a block is cut, for CLAP
//! and VST3 alike.
//!
//! The framework's wrapper takes a limited number of messages at once, all of them inside the block.
//! A block with more messages is cut into parts at the samples of its messages. Cutting a block
//! changes no sample (`block_sizes_do_not_change_a_sample`). `feed` and `flush` run on the audio
//! thread: they neither allocate nor wait.

use std::collections::BinaryHeap;
use std::ops::{Deref, Range};

/// Sample of a message inside its block, then its position: deferred messages first, the host's after
/// them, in the host's order.
type Key = (u32, u32);

/// A message of a part with the key that orders it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item<M> {
    key: Key,
    pub(super) message: M,
}

impl<M> Item<M> {
    /// The message's sample, counted from sample `start` of the block; 0 for earlier messages.
    pub(super) const fn offset(&self, start: u32) -> u32 {
        self.key.0.saturating_sub(start)
    }
}

impl<M> PartialEq for Item<M> {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl<M> Eq for Item<M> {}

impl<M> PartialOrd for Item<M> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<M> Ord for Item<M> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key.cmp(&other.key)
    }
}

/// A message that may wait for the next block.
pub(super) trait Deferrable: Copy {
    /// Whether all of it is still there after its block: some messages point at memory of the host.
    fn outlasts_block(&self) -> bool {
        true
    }
}

/// The messages that come with a host's block.
pub(super) trait HostMessages<M> {
    /// Calls `visit` with the sample and a copy of each message, in the host's order. Samples outside
    /// a block of `frames` samples are limited to it.
    fn for_each(&self, frames: u32, visit: &mut dyn FnMut(u32, M));
}

/// Messages that wait for the next block's first sample, a fixed number at most.
pub(super) struct DeferredEvents<M> {
    waiting: Vec<M>,
    /// Messages lost for want of room since [`Self::reset`].
    lost: u64,
}

impl<M: Deferrable> DeferredEvents<M> {
    fn with_room(room: usize) -> Self {
        Self { waiting: Vec::with_capacity(room), lost: 0 }
    }

    fn is_full(&self) -> bool {
        self.waiting.len() == self.waiting.capacity()
    }

    /// Keeps a message, or counts it as lost where there is no room or it does not outlast its block.
    pub(super) fn keep(&mut self, message: M) {
        if self.is_full() || !message.outlasts_block() {
            self.lost += 1;
        } else {
            self.waiting.push(message);
        }
    }

    /// Drops the waiting messages.
    pub(super) fn clear(&mut self) {
        self.waiting.clear();
    }

    /// Drops the waiting messages; returns how many were lost since the last call.
    pub(super) fn reset(&mut self) -> u64 {
        self.clear();
        std::mem::take(&mut self.lost)
    }
}

impl<M> Deref for DeferredEvents<M> {
    type Target = [M];

    fn deref(&self) -> &[M] {
        &self.waiting
    }
}

/// Orders the messages of blocks and keeps those that wait between blocks.
pub(super) struct OrderedEvents<M> {
    /// Notes of blocks without samples, and messages beyond what a block had samples for.
    pub(super) deferred: DeferredEvents<M>,
    /// The current part's messages, in order.
    items: Vec<Item<M>>,
    /// Most messages of a part.
    room: usize,
}

impl<M: Deferrable> OrderedEvents<M> {
    /// Up to `room` messages a part, up to `deferred` messages between blocks. Allocates.
    pub(super) fn new(room: usize, deferred: usize) -> Self {
        Self {
            deferred: DeferredEvents::with_room(deferred),
            items: Vec::with_capacity(room),
            room,
        }
    }

    /// Passes the values among the messages of a block without samples to `process`, deferred ones
    /// first, at most `room` at once. Defers the other messages.
    pub(super) fn flush(
        &mut self,
        host: &impl HostMessages<M>,
        is_value: impl Fn(&M) -> bool,
        mut process: impl FnMut(&[Item<M>]),
    ) {
        let Self { deferred, items, room } = self;
        items.clear();
        let mut pass = |message| {
            if items.len() == *room {
                process(items);
                items.clear();
            }
            items.push(Item { key: (0, 0), message });
        };
        deferred.iter().filter(|message| is_value(message)).for_each(|message| pass(*message));
        deferred.waiting.retain(|message| !is_value(message));
        host.for_each(1, &mut |_, message| {
            if is_value(&message) {
                pass(message);
            } else {
                deferred.keep(message);
            }
        });
        if !items.is_empty() {
            process(items);
        }
    }

    /// Calls `process` with the samples and the messages of each part of a block of `frames` samples:
    /// at most `longest` samples and `room` messages a part. Ends early where `process` returns false.
    /// Defers the messages that no part contained.
    pub(super) fn feed(
        &mut self,
        host: &impl HostMessages<M>,
        frames: u32,
        longest: u32,
        mut process: impl FnMut(Range<u32>, &[Item<M>]) -> bool,
    ) {
        let (mut start, mut last) = (0, None);
        let mut is_all_passed = false;
        while start < frames {
            let (items, room) = (&mut self.items, self.room);
            let has_more = select(items, room, &self.deferred, 0, host, frames, last);
            let mut end = frames.min(start.saturating_add(longest));
            if has_more {
                // The part ends before the sample of the last selected message, at which there may be more,
                // but has at least one sample.
                let until = items.last().map_or(end, |item| item.key.0);
                end = end.min(until.max(start + 1));
            }
            items.truncate(items.partition_point(|item| item.key.0 < end));
            last = items.last().map(|item| item.key).or(last);
            if !process(start..end, items) {
                break;
            }
            start = end;
            is_all_passed = start == frames && !has_more;
        }
        if is_all_passed {
            self.deferred.clear();
        } else {
            self.defer_after(last, host, frames);
        }
    }

    /// Defers the messages after `last`, the last one of the block's parts.
    fn defer_after(&mut self, mut last: Option<Key>, host: &impl HostMessages<M>, frames: u32) {
        let waiting = self.deferred.len();
        // Deferred messages have sample 0 and come first: those after `last` are the last of them.
        let used = match last {
            None => 0,
            Some((0, position)) => usize::try_from(position).map_or(waiting, |p| p + 1),
            Some(_) => waiting,
        };
        self.deferred.waiting.drain(..used.min(waiting));
        let first = position_of(waiting);
        loop {
            let has_more = select(&mut self.items, self.room, &[], first, host, frames, last);
            for item in &self.items {
                self.deferred.keep(item.message);
            }
            last = self.items.last().map(|item| item.key).or(last);
            if !has_more {
                return;
            }
            if self.deferred.is_full() {
                break;
            }
        }
        let mut position = first;
        host.for_each(frames, &mut |sample, _| {
            self.deferred.lost += u64::from(Some((sample, position)) > last);
            position = position.saturating_add(1);
        });
    }
}

fn position_of(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// Replaces `items`, of capacity `room` at least, with the first `room` messages after `last`, in
/// order; returns whether there are more. The host's messages have positions from `first` on, after
/// the deferred ones.
fn select<M: Copy>(
    items: &mut Vec<Item<M>>,
    room: usize,
    deferred: &[M],
    first: u32,
    host: &impl HostMessages<M>,
    frames: u32,
    last: Option<Key>,
) -> bool {
    items.clear();
    let mut heap = BinaryHeap::from(std::mem::take(items));
    let (mut has_more, mut position) = (false, first);
    let mut visit = |sample, message| {
        let item = Item { key: (sample, position), message };
        position = position.saturating_add(1);
        if Some(item.key) <= last {
            return;
        }
        if heap.len() < room {
            heap.push(item);
        } else {
            has_more = true;
            if let Some(mut greatest) = heap.peek_mut()
                && item < *greatest
            {
                *greatest = item;
            }
        }
    };
    deferred.iter().for_each(|message| visit(0, *message));
    host.for_each(frames, &mut visit);
    *items = heap.into_sorted_vec();
    has_more
}

#[cfg(test)]
mod tests;
