//! A host's block, handed to the framework's wrapper in parts that the wrapper stands: values and
//! events inside the part, no more than it orders quickly, every output of the layout in force with
//! two channels that are there. The wrapper reads one output too many where it is given fewer.
//!
//! The same sound comes of one part as of many (`block_sizes_do_not_change_a_sample`).

use std::cell::Cell;
use std::ops::Range;

use nice_plug::prelude::Plugin;
use nice_plug::wrapper::vst3::vst3::Steinberg::Vst::{
    AudioBusBuffers, AudioBusBuffers__type0, Event, IEventList, IParameterChanges, ParamID,
    ProcessData, SymbolicSampleSizes_,
};
use nice_plug::wrapper::vst3::vst3::Steinberg::{int32, kInvalidArgument, kResultOk, tresult};
use nice_plug::wrapper::vst3::vst3::{Class, ComWrapper, Interface};

use super::lists::{PartChanges, PartEvents, Point, ShiftedOutput};
use super::messages::{HostMessages, Item, Key, Message, place_of, select};
use crate::part::{self, CHANNELS, DeferredEvents, HostChannels, OUTPUTS, SPARE_FRAMES, Spare};
use crate::plugin::Touchback;

/// Values and events of a part: the wrapper's ordering takes the square of them.
const ROOM: usize = 1_024;

/// What remains between blocks, and the room to order one.
pub(super) struct BlockFeeder {
    /// Parameters that are MIDI controllers.
    controllers: Range<ParamID>,
    /// Messages that wait for the next block's first sample: notes and controllers of blocks
    /// without samples, and what was more than the samples of a block had room for.
    carried: DeferredEvents<Message>,
    /// Working memory of [`select`].
    items: Vec<Item>,
    spare: Box<Spare>,
    changes: ComWrapper<PartChanges>,
    events: ComWrapper<PartEvents>,
    sent: ComWrapper<ShiftedOutput>,
    /// Outputs of the layout in force.
    outputs: usize,
}

impl BlockFeeder {
    pub(super) fn new(controllers: Range<ParamID>) -> Self {
        let sent = ShiftedOutput { host: Cell::new(std::ptr::null_mut()), start: Cell::new(0) };
        Self {
            controllers,
            carried: DeferredEvents::with_room(Touchback::INPUT_EVENT_CAPACITY),
            items: Vec::with_capacity(ROOM),
            spare: Spare::new(),
            changes: ComWrapper::new(PartChanges::with_room(ROOM)),
            events: ComWrapper::new(PartEvents::with_room(ROOM)),
            sent: ComWrapper::new(sent),
            outputs: 1,
        }
    }

    /// From here on the layout in force has so many outputs.
    pub(super) fn set_outputs(&mut self, outputs: int32) {
        self.outputs = usize::try_from(outputs).unwrap_or(1);
    }

    /// Drops what waits.
    pub(super) fn silence(&mut self) {
        self.carried.silence();
    }

    /// Drops what waits; how many messages found no room since the last time.
    pub(super) fn forget(&mut self) -> u64 {
        self.carried.forget()
    }

    /// Passes a block without samples: values at once, notes and controllers kept.
    ///
    /// # Safety
    /// The block's lists are null or valid.
    pub(super) unsafe fn flush(
        &mut self,
        block: &ProcessData,
        mut process: impl FnMut(&mut ProcessData) -> tresult,
    ) -> tresult {
        let mut items = std::mem::take(&mut self.items);
        items.clear();
        let mut status = kResultOk;
        // SAFETY: the caller's promise.
        let host = unsafe { HostMessages::new(block) };
        host.each(1, &mut |_, message| match message {
            Message::Value(id, _) if !self.controllers.contains(&id) => {
                if items.len() == ROOM {
                    status = self.part(block, &items, 0..0, None, &mut process);
                    items.clear();
                }
                items.push(Item { key: (0, 0), message });
            }
            message => self.carried.keep(message),
        });
        if !items.is_empty() {
            status = self.part(block, &items, 0..0, None, &mut process);
        }
        self.items = items;
        status
    }

    /// Hands a block of `frames` samples, one or more, to `process`, in parts; its last answer. What
    /// the host hears of a block that fails, in whole or in part, is for the caller to [`silence`].
    ///
    /// # Safety
    /// What the block points at is null or valid, as VST3 says.
    pub(super) unsafe fn feed(
        &mut self,
        block: &ProcessData,
        frames: u32,
        mut process: impl FnMut(&mut ProcessData) -> tresult,
    ) -> tresult {
        // SAFETY: the caller's promise.
        let (host, channels) =
            unsafe { (HostMessages::new(block), channels(block, frames, self.outputs)) };
        let Some(channels) = channels else { return kInvalidArgument };
        let longest =
            if channels.is_whole() { frames } else { u32::try_from(SPARE_FRAMES).unwrap_or(1) };
        let (mut start, mut last, mut status) = (0, None, kResultOk);
        while start < frames {
            let mut items = std::mem::take(&mut self.items);
            let more = select(&mut items, &self.carried, &host, frames, last);
            let mut end = frames.min(start.saturating_add(longest));
            if more {
                let until = items.last().map_or(end, |item| item.key.0);
                end = end.min(until.max(start + 1));
            }
            items.truncate(items.partition_point(|item| item.key.0 < end));
            last = items.last().map(|item| item.key).or(last);
            let begin = usize::try_from(start).unwrap_or(0);
            // SAFETY: the part lies inside the block.
            let mut starts = unsafe { self.spare.stand_in(&channels, begin) };
            let starts = Some(&mut starts[..channels.outputs()]);
            status = self.part(block, &items, start..end, starts, &mut process);
            self.items = items;
            if status != kResultOk {
                break;
            }
            start = end;
        }
        self.carry(&host, frames, last);
        // SAFETY: the caller's promise.
        for output in unsafe { outputs(block) } {
            // SAFETY: the caller's promise.
            output.silenceFlags = channels.silent(unsafe { starts(output) });
        }
        status
    }

    /// Hands the samples `range` of the block, with `items`, to `process`.
    fn part(
        &self,
        block: &ProcessData,
        items: &[Item],
        range: Range<u32>,
        starts: Option<&mut [[*mut f32; CHANNELS]]>,
        process: &mut impl FnMut(&mut ProcessData) -> tresult,
    ) -> tresult {
        let offset = |item: &Item| {
            int32::try_from(item.key.0.saturating_sub(range.start)).unwrap_or(int32::MAX)
        };
        self.changes.fill(items.iter().filter_map(|item| match item.message {
            Message::Value(id, value) => Some(Point { offset: offset(item), id, value }),
            Message::Event(_) => None,
        }));
        self.events.fill(items.iter().filter_map(|item| match item.message {
            Message::Event(event) => Some(Event { sampleOffset: offset(item), ..event }),
            Message::Value(..) => None,
        }));
        self.sent.host.set(block.outputEvents);
        self.sent.start.set(int32::try_from(range.start).unwrap_or(int32::MAX));
        let none = AudioBusBuffers {
            numChannels: int32::try_from(CHANNELS).unwrap_or(0),
            silenceFlags: 0,
            __field0: AudioBusBuffers__type0 { channelBuffers32: std::ptr::null_mut() },
        };
        let (mut outputs, mut count) = ([none; OUTPUTS], 0);
        for (output, starts) in outputs.iter_mut().zip(starts.into_iter().flatten()) {
            output.__field0.channelBuffers32 = starts.as_mut_ptr();
            count += 1;
        }
        let status = process(&mut ProcessData {
            numSamples: int32::try_from(range.len()).unwrap_or(int32::MAX),
            numInputs: 0,
            inputs: std::ptr::null_mut(),
            numOutputs: count,
            outputs: if count > 0 { outputs.as_mut_ptr() } else { std::ptr::null_mut() },
            inputParameterChanges: pointer::<IParameterChanges, _>(&self.changes),
            inputEvents: pointer::<IEventList, _>(&self.events),
            outputEvents: if block.outputEvents.is_null() {
                std::ptr::null_mut()
            } else {
                pointer::<IEventList, _>(&self.sent)
            },
            // Nothing in a piano follows the song's position.
            processContext: std::ptr::null_mut(),
            ..*block
        });
        self.sent.host.set(std::ptr::null_mut());
        status
    }

    /// Keeps what comes after `last` for the next block.
    fn carry(&mut self, host: &HostMessages<'_>, frames: u32, last: Option<Key>) {
        let used = last.map_or(0, |(_, place)| usize::try_from(place).map_or(0, |p| p + 1));
        let waiting = self.carried.len();
        // DeferredEvents messages come first of all, so those that remain are the last of them.
        let is_past = last.is_some_and(|(time, _)| time > 0);
        self.carried.drop_first(if is_past { waiting } else { used.min(waiting) });
        let mut place = place_of(waiting);
        host.each(frames, &mut |time, message| {
            if Some((time, place)) > last {
                self.carried.keep(message);
            }
            place = place.saturating_add(1);
        });
    }
}

/// The object's interface `I`, not counted as a reference.
fn pointer<I: Interface, C: Class>(object: &ComWrapper<C>) -> *mut I {
    object.as_com_ref::<I>().map_or(std::ptr::null_mut(), |object| object.as_ptr())
}

/// The outputs that a host gives.
///
/// # Safety
/// The block's outputs are null or as many as it says, live as long as they are used, and nobody else
/// has them.
unsafe fn outputs<'a>(block: *const ProcessData) -> &'a mut [AudioBusBuffers] {
    // SAFETY: the caller's promise.
    unsafe { part::host_array((*block).outputs, (*block).numOutputs) }
}

/// First samples of an output's channels, whatever their precision.
///
/// # Safety
/// The output's channels are null or as many as it says.
unsafe fn starts(output: &AudioBusBuffers) -> &[*mut f32] {
    // SAFETY: pointers of either precision, which lie in the same place.
    unsafe { part::host_array(output.__field0.channelBuffers32, output.numChannels) }
}

/// Silences all of a host's channels; those of the `in_force` outputs. None where a host counts what
/// cannot be counted.
///
/// # Safety
/// The block's outputs and their channels are null or as they say, with samples of 32 bits.
unsafe fn channels(block: &ProcessData, frames: u32, in_force: usize) -> Option<HostChannels> {
    let mut channels = HostChannels::new(in_force, frames);
    let mut is_playable = block.numOutputs >= 0;
    // SAFETY: the caller's promise.
    for (index, output) in unsafe { outputs(block) }.iter_mut().enumerate() {
        output.silenceFlags = u64::MAX;
        is_playable &= output.numChannels >= 0;
        // SAFETY: the caller's promise.
        for (channel, start) in unsafe { starts(output) }.iter().enumerate() {
            // SAFETY: the caller's promise.
            unsafe { channels.take(index, channel, *start) };
        }
    }
    is_playable.then_some(channels)
}

/// Silences all of a host's channels.
///
/// # Safety
/// The block's outputs and their channels are null or as they say.
pub(super) unsafe fn silence(block: &ProcessData) {
    let Ok(frames) = u32::try_from(block.numSamples) else { return };
    if i64::from(block.symbolicSampleSize) != i64::from(SymbolicSampleSizes_::kSample64) {
        // SAFETY: the caller's promise.
        let _: Option<HostChannels> = unsafe { channels(block, frames, 0) };
        return;
    }
    // SAFETY: the caller's promise.
    for output in unsafe { outputs(block) } {
        output.silenceFlags = u64::MAX;
        // SAFETY: the caller's promise.
        for start in unsafe { starts(output) } {
            // SAFETY: the caller's promise; the samples are of 64 bits.
            unsafe { part::silence(start.cast::<f64>(), usize::try_from(frames).unwrap_or(0)) };
        }
    }
}
