//! A host's block, passed to the framework's wrapper in parts that the wrapper accepts. Audio thread.
//!
//! Events are in order and inside the part, at most as many as the wrapper has room for. Every output
//! of the current layout has two channels: the wrapper reads one output too many where it receives
//! fewer.

use clap_sys::audio_buffer::clap_audio_buffer;
use clap_sys::process::{
    CLAP_PROCESS_CONTINUE, CLAP_PROCESS_ERROR, clap_process, clap_process_status,
};

use super::event::{Event, EventList, HostEvents, ShiftedOutput};
use crate::host_channels::{self, HostChannels, SpareChannels};
use crate::ordered_events::OrderedEvents;

/// Most events of a part: a block with more is cut, which changes no sample, and an instance holds less.
const PART_ROOM: usize = 4_096;

/// Passes blocks to the wrapper; keeps events between blocks.
pub(super) struct BlockFeeder {
    /// Orders the events. Those that wait for the next block are notes of blocks without samples, and
    /// events beyond what a block had samples for.
    events: OrderedEvents<Event>,
    spare: Box<SpareChannels>,
    /// Outputs of the current layout.
    outputs: usize,
}

impl BlockFeeder {
    /// Passes up to `room` events a part, and keeps up to as many between blocks. Allocates.
    pub(super) fn new(room: usize) -> Self {
        Self {
            events: OrderedEvents::new(room.min(PART_ROOM), room),
            spare: SpareChannels::new(),
            outputs: 1,
        }
    }

    /// Sets the number of outputs of the current layout.
    pub(super) fn set_outputs(&mut self, outputs: u32) {
        self.outputs = usize::try_from(outputs).unwrap_or(1);
    }

    /// Keeps an event for the next block's first sample.
    pub(super) fn defer(&mut self, event: Event) {
        self.events.deferred.keep(event);
    }

    /// Drops the deferred events.
    pub(super) fn clear(&mut self) {
        self.events.deferred.clear();
    }

    /// Drops the deferred events; returns how many were lost for want of room since the last call.
    pub(super) fn reset(&mut self) -> u64 {
        self.events.deferred.reset()
    }

    /// Passes a block of one sample or more to `process`, in parts; returns the last part's status.
    /// The caller has to [`silence`] a block whose status is an error.
    ///
    /// # Safety
    /// The block's pointers are null or valid, as CLAP requires.
    pub(super) unsafe fn feed(
        &mut self,
        block: &clap_process,
        mut process: impl FnMut(&clap_process) -> clap_process_status,
    ) -> clap_process_status {
        // SAFETY: the caller's promise.
        let (host, channels) =
            unsafe { (HostEvents::new(block.in_events), channels(block, self.outputs)) };
        let Some(channels) = channels else { return CLAP_PROCESS_ERROR };
        let mut status = CLAP_PROCESS_CONTINUE;
        self.events.feed(&host, block.frames_count, channels.longest_part(), |range, items| {
            let list = EventList::new(items, range.start);
            // SAFETY: the part lies inside the block and is no longer than the spare channels.
            status = unsafe { part(block, &channels, &mut self.spare, range, &list, &mut process) };
            status != CLAP_PROCESS_ERROR
        });
        // SAFETY: the caller's promise.
        for output in unsafe { outputs(block) } {
            // SAFETY: the caller's promise.
            output.constant_mask = channels.silence_flags(unsafe { starts(output) });
        }
        status
    }
}

/// The outputs that the host provides.
///
/// # Safety
/// The block's outputs are null or as many as their count, valid as long as the slice, and not borrowed
/// elsewhere.
unsafe fn outputs<'a>(block: *const clap_process) -> &'a mut [clap_audio_buffer] {
    // SAFETY: the caller's promise.
    unsafe { host_channels::host_array((*block).audio_outputs, (*block).audio_outputs_count) }
}

/// Pointers to the first samples of an output's channels.
///
/// # Safety
/// The output's channels are null or as many as their count.
unsafe fn starts(output: &clap_audio_buffer) -> &[*mut f32] {
    // SAFETY: the caller's promise.
    unsafe { host_channels::host_array(output.data32, output.channel_count) }
}

/// Silences all of the host's channels and returns those of the first `used` outputs. Returns none
/// where the host wants one of these outputs in 64 bits, which the plugin does not offer.
///
/// # Safety
/// The block's outputs and their channels are null or match their counts.
unsafe fn channels(block: &clap_process, used: usize) -> Option<HostChannels> {
    let mut channels = HostChannels::new(used, block.frames_count);
    let mut is_playable = true;
    // SAFETY: the caller's promise.
    for (index, output) in unsafe { outputs(block) }.iter_mut().enumerate() {
        output.constant_mask = u64::MAX;
        // SAFETY: the caller's promise.
        for (channel, start) in unsafe { starts(output) }.iter().enumerate() {
            // SAFETY: the caller's promise.
            unsafe { channels.add(index, channel, *start) };
        }
        if output.data32.is_null() && !output.data64.is_null() && output.data64.is_aligned() {
            is_playable &= index >= used || output.channel_count == 0;
            for channel in 0..usize::try_from(output.channel_count).unwrap_or(0) {
                let frames = usize::try_from(block.frames_count).unwrap_or(0);
                // SAFETY: the caller's promise.
                unsafe { host_channels::silence(*output.data64.add(channel), frames) };
            }
        }
    }
    is_playable.then_some(channels)
}

/// Silences all of the host's channels.
///
/// # Safety
/// The block's outputs and their channels are null or match their counts.
pub(super) unsafe fn silence(block: &clap_process) {
    // SAFETY: the caller's promise.
    let _: Option<HostChannels> = unsafe { channels(block, 0) };
}

/// Passes the samples `range` of the block to `process`.
///
/// # Safety
/// The range lies inside the block and, where a channel is missing, inside `spare`.
unsafe fn part(
    block: &clap_process,
    channels: &HostChannels,
    spare: &mut SpareChannels,
    range: std::ops::Range<u32>,
    list: &EventList<'_>,
    process: &mut impl FnMut(&clap_process) -> clap_process_status,
) -> clap_process_status {
    let begin = usize::try_from(range.start).unwrap_or(0);
    // SAFETY: the caller's promise.
    let mut pointers = unsafe { spare.substitute(channels, begin) };
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
        // The piano does not use the host's transport.
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
