//! A host's block, handed to the framework's wrapper in parts that the wrapper stands: events in
//! order and inside the part, no more than it has room for, every output of the layout in force with
//! two channels that are there. The wrapper reads one output too many where it is given fewer.
//!
//! The same sound comes of one part as of many (`block_sizes_do_not_change_a_sample`).

use std::collections::BinaryHeap;

use clap_sys::audio_buffer::clap_audio_buffer;
use clap_sys::events::{clap_input_events, clap_output_events};
use clap_sys::process::{
    CLAP_PROCESS_CONTINUE, CLAP_PROCESS_ERROR, clap_process, clap_process_status,
};

use super::event::{Event, EventList, HostEvents, Key, ShiftedOutput};
use crate::part::{self, DeferredEvents, HostChannels, SPARE_FRAMES, Spare};

/// What remains between blocks, and the room to order one.
pub(super) struct BlockFeeder {
    /// Events the wrapper takes at once.
    room: usize,
    /// Events that wait for the next block's first sample: notes of blocks without samples, and
    /// what was more than the samples of a block had room for.
    carried: DeferredEvents<Event>,
    /// Working memory of [`select`].
    keys: Vec<Key>,
    spare: Box<Spare>,
    /// Outputs of the layout in force.
    outputs: usize,
}

impl BlockFeeder {
    /// Hands on up to `room` events a part, and keeps up to as many between blocks.
    pub(super) fn new(room: usize) -> Self {
        Self {
            room,
            carried: DeferredEvents::with_room(room),
            keys: Vec::with_capacity(room),
            spare: Spare::new(),
            outputs: 1,
        }
    }

    /// From here on the layout in force has so many outputs.
    pub(super) fn set_outputs(&mut self, outputs: u32) {
        self.outputs = usize::try_from(outputs).unwrap_or(1);
    }

    /// Keeps an event for the next block's first sample.
    pub(super) fn keep(&mut self, mut event: Event) {
        event.stamp(0);
        self.carried.keep(event);
    }

    /// Drops what waits.
    pub(super) fn silence(&mut self) {
        self.carried.silence();
    }

    /// Drops what waits; how many events found no room since the last time.
    pub(super) fn forget(&mut self) -> u64 {
        self.carried.forget()
    }

    /// Passes events without samples: values to `flush`, notes kept.
    ///
    /// # Safety
    /// The lists of events are null or valid.
    pub(super) unsafe fn flush(
        &mut self,
        in_events: *const clap_input_events,
        out_events: *const clap_output_events,
        flush: impl FnOnce(*const clap_input_events, *const clap_output_events),
    ) {
        // SAFETY: the caller's promise.
        let host = unsafe { HostEvents::new(in_events) };
        self.keys.clear();
        // Values that wait came before.
        let waiting = self.carried.len();
        let is_value = |index: &usize| self.carried[*index].is_parameter();
        self.keys.extend((0..waiting).filter(is_value).map(|index| (0, place(index, 0))));
        for index in 0..host.length {
            if host.get(index).is_none_or(|(_, event)| !event.is_parameter()) {
                continue;
            }
            if self.keys.len() < self.room {
                self.keys.push((0, place(waiting, index)));
            } else {
                self.carried.leave_out(1);
            }
        }
        let list = EventList::new(&self.carried, host, &self.keys, 0);
        let inputs = list.as_clap();
        let shifted = ShiftedOutput { host: out_events, start: 0 };
        let outputs = shifted.as_clap();
        let outputs = if out_events.is_null() { std::ptr::null() } else { &raw const outputs };
        flush(&raw const inputs, outputs);
        self.carried.retain(|event| !event.is_parameter());
        for (_, event) in (0..host.length).filter_map(|index| host.get(index)) {
            if !event.is_parameter() {
                self.keep(event);
            }
        }
    }

    /// Hands a block of one sample or more to `process`, in parts; its last answer. What the host
    /// hears of a block that fails, in whole or in part, is for the caller to [`silence`].
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
            unsafe { (HostEvents::new(block.in_events), channels(block, self.outputs)) };
        let Some(channels) = channels else { return CLAP_PROCESS_ERROR };
        let longest =
            if channels.is_whole() { frames } else { u32::try_from(SPARE_FRAMES).unwrap_or(1) };
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
        // SAFETY: the caller's promise.
        for output in unsafe { outputs(block) } {
            // SAFETY: the caller's promise.
            output.constant_mask = channels.silent(unsafe { starts(output) });
        }
        status
    }

    /// Keeps what comes after `last` for the next block.
    fn carry(&mut self, host: &HostEvents, frames: u32, last: Option<Key>) {
        if self.carried.is_empty() && host.length == 0 {
            return;
        }
        let mut keys = std::mem::take(&mut self.keys);
        let more = select(&mut keys, self.room, &self.carried, host, frames, last);
        // DeferredEvents events come before all others, so those that remain are the last of them.
        let waiting = self.carried.len();
        let old = keys.partition_point(|key| usize::try_from(key.1).is_ok_and(|i| i < waiting));
        self.carried.drop_first(waiting - old);
        for (_, place) in &keys[old..] {
            let index = place - self::place(waiting, 0);
            if let Some((_, event)) = host.get(index) {
                self.keep(event);
            }
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

/// The outputs that a host gives.
///
/// # Safety
/// The block's outputs are null or as many as it says, live as long as they are used, and nobody else
/// has them.
unsafe fn outputs<'a>(block: *const clap_process) -> &'a mut [clap_audio_buffer] {
    // SAFETY: the caller's promise.
    unsafe { part::host_array((*block).audio_outputs, (*block).audio_outputs_count) }
}

/// First samples of an output's channels.
///
/// # Safety
/// The output's channels are null or as many as it says.
unsafe fn starts(output: &clap_audio_buffer) -> &[*mut f32] {
    // SAFETY: the caller's promise.
    unsafe { part::host_array(output.data32, output.channel_count) }
}

/// Silences all of a host's channels; those of the `in_force` outputs. None where a host wants an
/// output in a precision that it was not offered.
///
/// # Safety
/// The block's outputs and their channels are null or as they say.
unsafe fn channels(block: &clap_process, in_force: usize) -> Option<HostChannels> {
    let mut channels = HostChannels::new(in_force, block.frames_count);
    let mut is_playable = true;
    // SAFETY: the caller's promise.
    for (index, output) in unsafe { outputs(block) }.iter_mut().enumerate() {
        output.constant_mask = u64::MAX;
        // SAFETY: the caller's promise.
        for (channel, start) in unsafe { starts(output) }.iter().enumerate() {
            // SAFETY: the caller's promise.
            unsafe { channels.take(index, channel, *start) };
        }
        if output.data32.is_null() && !output.data64.is_null() && output.data64.is_aligned() {
            is_playable &= index >= in_force || output.channel_count == 0;
            for channel in 0..usize::try_from(output.channel_count).unwrap_or(0) {
                let frames = usize::try_from(block.frames_count).unwrap_or(0);
                // SAFETY: the caller's promise.
                unsafe { part::silence(*output.data64.add(channel), frames) };
            }
        }
    }
    is_playable.then_some(channels)
}

/// Silences all of a host's channels.
///
/// # Safety
/// The block's outputs and their channels are null or as they say.
pub(super) unsafe fn silence(block: &clap_process) {
    // SAFETY: the caller's promise.
    let _: Option<HostChannels> = unsafe { channels(block, 0) };
}

/// Hands the samples `range` of the block to `process`.
///
/// # Safety
/// The range lies inside the block and, where a channel is missing, inside `spare`.
unsafe fn part(
    block: &clap_process,
    channels: &HostChannels,
    spare: &mut Spare,
    range: std::ops::Range<u32>,
    list: &EventList<'_>,
    process: &mut impl FnMut(&clap_process) -> clap_process_status,
) -> clap_process_status {
    let begin = usize::try_from(range.start).unwrap_or(0);
    // SAFETY: the caller's promise.
    let mut pointers = unsafe { spare.stand_in(channels, begin) };
    let mut outputs = pointers.each_mut().map(|starts| clap_audio_buffer {
        channel_count: u32::try_from(starts.len()).unwrap_or(0),
        data32: starts.as_mut_ptr(),
        data64: std::ptr::null_mut(),
        latency: 0,
        constant_mask: 0,
    });
    let inputs = list.as_clap();
    let shifted = ShiftedOutput { host: block.out_events, start: range.start };
    let sent = shifted.as_clap();
    process(&clap_process {
        steady_time: match block.steady_time {
            time @ 0.. => time.saturating_add(i64::from(range.start)),
            unknown => unknown,
        },
        frames_count: range.end - range.start,
        // Nothing in a piano follows the song's position.
        transport: std::ptr::null(),
        audio_inputs: std::ptr::null(),
        audio_outputs: outputs.as_mut_ptr(),
        audio_inputs_count: 0,
        audio_outputs_count: u32::try_from(channels.outputs()).unwrap_or(0),
        in_events: &raw const inputs,
        out_events: if block.out_events.is_null() { std::ptr::null() } else { &raw const sent },
    })
}

#[cfg(test)]
mod tests;
