//! A host's block, handed to the framework's wrapper in parts that the wrapper stands: events in
//! order and inside the part, no more than it has room for, two channels that are there.
//!
//! The same sound comes of one part as of many (`block_sizes_do_not_change_a_sample`).

use std::collections::BinaryHeap;

use clap_sys::audio_buffer::clap_audio_buffer;
use clap_sys::events::{clap_input_events, clap_output_events};
use clap_sys::process::{
    CLAP_PROCESS_CONTINUE, CLAP_PROCESS_ERROR, clap_process, clap_process_status,
};

use super::event::{Event, EventList, HostEvents, Key, ShiftedOutput};
use crate::plugin::part::{Carried, SPARE_FRAMES, Spare};

/// What remains between blocks, and the room to order one.
pub(super) struct BlockFeeder {
    /// Events the wrapper takes at once.
    room: usize,
    /// Events that wait for the next block's first sample: notes of blocks without samples, and
    /// what was more than the samples of a block had room for.
    carried: Carried<Event>,
    /// Working memory of [`select`].
    keys: Vec<Key>,
    spare: Box<Spare>,
}

impl BlockFeeder {
    /// Hands on up to `room` events a part, and keeps up to as many between blocks.
    pub(super) fn new(room: usize) -> Self {
        Self {
            room,
            carried: Carried::with_room(room),
            keys: Vec::with_capacity(room),
            spare: Spare::new(),
        }
    }

    /// Drops what waits.
    pub(super) fn silence(&mut self) {
        self.carried.silence();
    }

    /// Drops what waits; how many events found no room since the last time.
    pub(super) fn forget(&mut self) -> u64 {
        self.carried.forget()
    }

    /// Passes a block without samples: values to `flush`, notes kept.
    ///
    /// # Safety
    /// The block's lists of events are null or valid.
    pub(super) unsafe fn flush(
        &mut self,
        block: &clap_process,
        flush: impl FnOnce(*const clap_input_events, *const clap_output_events),
    ) {
        // SAFETY: the caller's promise.
        let host = unsafe { HostEvents::new(block.in_events) };
        self.keys.clear();
        for index in 0..host.length {
            let Some((_, mut event)) = host.get(index) else { continue };
            if !event.is_parameter() {
                event.stamp(0);
                self.carried.keep(event);
            } else if self.keys.len() < self.room {
                self.keys.push((0, index));
            } else {
                self.carried.leave_out(1);
            }
        }
        let list = EventList::new(&[], host, &self.keys, 0);
        let inputs = list.as_clap();
        flush(&raw const inputs, block.out_events);
    }

    /// Hands a block of one sample or more to `process`, in parts; its last answer.
    ///
    /// # Safety
    /// What the block points at is null or valid, as CLAP says.
    pub(super) unsafe fn feed(
        &mut self,
        block: &clap_process,
        mut process: impl FnMut(&clap_process) -> clap_process_status,
    ) -> clap_process_status {
        let frames = block.frames_count;
        // SAFETY: the caller's promise.
        let (host, channels) =
            unsafe { (HostEvents::new(block.in_events), channels(block, frames)) };
        let is_whole = channels.iter().all(|channel| !channel.is_null());
        let longest = if is_whole { frames } else { u32::try_from(SPARE_FRAMES).unwrap_or(1) };
        let (mut start, mut last, mut status) = (0, None, CLAP_PROCESS_CONTINUE);
        while start < frames {
            let mut keys = std::mem::take(&mut self.keys);
            let more = select(&mut keys, self.room, &self.carried, &host, frames, last);
            let mut end = frames.min(start.saturating_add(longest));
            if more {
                let until = keys.last().map_or(end, |key| key.0);
                end = end.min(until.max(start + 1));
            }
            keys.truncate(keys.partition_point(|key| key.0 < end));
            last = keys.last().copied().or(last);
            // SAFETY: the part lies inside the block.
            status = unsafe {
                let list = EventList::new(&self.carried, host, &keys, start);
                part(block, &channels, &mut self.spare, start..end, &list, &mut process)
            };
            self.keys = keys;
            if status == CLAP_PROCESS_ERROR {
                break;
            }
            start = end;
        }
        self.carry(&host, frames, last);
        status
    }

    /// Keeps what comes after `last` for the next block.
    fn carry(&mut self, host: &HostEvents, frames: u32, last: Option<Key>) {
        if self.carried.is_empty() && host.length == 0 {
            return;
        }
        let mut keys = std::mem::take(&mut self.keys);
        let more = select(&mut keys, self.room, &self.carried, host, frames, last);
        // Carried events come before all others, so those that remain are the last of them.
        let waiting = self.carried.len();
        let old = keys.partition_point(|key| usize::try_from(key.1).is_ok_and(|i| i < waiting));
        self.carried.drop_first(waiting - old);
        for (_, place) in &keys[old..] {
            let index = place - self::place(waiting, 0);
            let Some((_, mut event)) = host.get(index) else { continue };
            event.stamp(0);
            self.carried.keep(event);
        }
        if more {
            // Rare enough to be counted by a second look.
            let beyond = keys.last().copied();
            let rest = (0..host.length).filter(|index| {
                let place = place(waiting, *index);
                let key = host.get(*index).map(|(time, _)| (time.min(frames - 1), place));
                key.is_some() && key > beyond
            });
            self.carried.leave_out(rest.count() as u64);
        }
        self.keys = keys;
    }
}

/// Place of the host's event at `index` behind `carried` others.
fn place(carried: usize, index: u32) -> u32 {
    u32::try_from(carried).unwrap_or(u32::MAX).saturating_add(index)
}

/// The first `room` events after `last`, in order, into `keys` (of that capacity); whether there are more.
fn select(
    keys: &mut Vec<Key>,
    room: usize,
    carried: &[Event],
    host: &HostEvents,
    frames: u32,
    last: Option<Key>,
) -> bool {
    keys.clear();
    let mut heap = BinaryHeap::from(std::mem::take(keys));
    let mut more = false;
    let carried_keys = (0..carried.len()).map(|i| Some((0, place(i, 0))));
    let host_keys = (0..host.length).map(|index| {
        let (time, _) = host.get(index)?;
        Some((time.min(frames - 1), place(carried.len(), index)))
    });
    for key in carried_keys.chain(host_keys).flatten().filter(|key| Some(*key) > last) {
        if heap.len() < room {
            heap.push(key);
        } else {
            more = true;
            if let Some(mut greatest) = heap.peek_mut()
                && key < *greatest
            {
                *greatest = key;
            }
        }
    }
    *keys = heap.into_sorted_vec();
    more
}

/// The host's two channels, null where there is none; what it has beside them is silenced.
///
/// # Safety
/// The block's first output is null or valid, its channels null or `frames` samples long.
unsafe fn channels(block: &clap_process, frames: u32) -> [*mut f32; 2] {
    let mut channels = [std::ptr::null_mut(); 2];
    if block.audio_outputs_count == 0 {
        return channels;
    }
    // SAFETY: the caller's promise.
    unsafe {
        let Some(output) = block.audio_outputs.as_mut() else { return channels };
        // What was constant in the host's last use of the buffer is not now.
        output.constant_mask = 0;
        if output.data32.is_null() {
            return channels;
        }
        for index in 0..usize::try_from(output.channel_count).unwrap_or(0) {
            let channel = *output.data32.add(index);
            if let Some(ours) = channels.get_mut(index) {
                *ours = channel;
            } else if !channel.is_null() {
                std::slice::from_raw_parts_mut(channel, usize::try_from(frames).unwrap_or(0))
                    .fill(0.0);
            }
        }
    }
    channels
}

/// Hands the samples `range` of the block to `process`.
///
/// # Safety
/// The range lies inside the block and, where a channel is null, inside `spare`.
unsafe fn part(
    block: &clap_process,
    channels: &[*mut f32; 2],
    spare: &mut Spare,
    range: std::ops::Range<u32>,
    list: &EventList<'_>,
    process: &mut impl FnMut(&clap_process) -> clap_process_status,
) -> clap_process_status {
    let begin = usize::try_from(range.start).unwrap_or(0);
    // SAFETY: the caller's promise.
    let mut pointers = unsafe { spare.stand_in(channels, begin) };
    let mut output = clap_audio_buffer {
        data32: pointers.as_mut_ptr(),
        data64: std::ptr::null_mut(),
        channel_count: 2,
        latency: 0,
        constant_mask: 0,
    };
    let inputs = list.as_clap();
    let shifted = ShiftedOutput { host: block.out_events, start: range.start };
    let outputs = shifted.as_clap();
    process(&clap_process {
        steady_time: match block.steady_time {
            time @ 0.. => time.saturating_add(i64::from(range.start)),
            unknown => unknown,
        },
        frames_count: range.end - range.start,
        // Nothing in a piano follows the song's position.
        transport: std::ptr::null(),
        audio_inputs: std::ptr::null(),
        audio_outputs: &raw mut output,
        audio_inputs_count: 0,
        audio_outputs_count: 1,
        in_events: &raw const inputs,
        out_events: if block.out_events.is_null() { std::ptr::null() } else { &raw const outputs },
    })
}

#[cfg(test)]
mod tests;
