//! A host's block, passed to the framework's wrapper in parts that the wrapper accepts. Audio thread.
//!
//! Values and events are inside the part, at most as many as the wrapper orders quickly. Every output
//! of the current layout has two channels: the wrapper reads one output too many where it receives
//! fewer.

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
use super::messages::{BlockMessages, Message};
use crate::host_channels::{self, CHANNELS, HostChannels, OUTPUTS, SpareChannels};
use crate::ordered_events::{Item, OrderedEvents};
use crate::plugin::Touchback;

/// Most values and events of a part: the wrapper's ordering takes a time that grows with their square.
const ROOM: usize = 1_024;

/// Passes blocks to the wrapper; keeps messages between blocks.
pub(super) struct BlockFeeder {
    /// Parameters that are MIDI controllers.
    controllers: Range<ParamID>,
    /// Orders the messages. Those that wait for the next block are notes and controllers of blocks
    /// without samples, and messages beyond what a block had samples for.
    messages: OrderedEvents<Message>,
    spare: Box<SpareChannels>,
    lists: PartLists,
    /// Outputs of the current layout.
    outputs: usize,
}

impl BlockFeeder {
    /// Allocates.
    pub(super) fn new(controllers: Range<ParamID>) -> Self {
        Self {
            controllers,
            messages: OrderedEvents::new(ROOM, Touchback::INPUT_EVENT_CAPACITY),
            spare: SpareChannels::new(),
            lists: PartLists::new(),
            outputs: 1,
        }
    }

    /// Sets the number of outputs of the current layout.
    pub(super) fn set_outputs(&mut self, outputs: int32) {
        self.outputs = usize::try_from(outputs).unwrap_or(1);
    }

    /// Drops the deferred messages.
    pub(super) fn clear(&mut self) {
        self.messages.deferred.clear();
    }

    /// Drops the deferred messages; returns how many were lost for want of room since the last call.
    pub(super) fn reset(&mut self) -> u64 {
        self.messages.deferred.reset()
    }

    /// Passes the messages of a block without samples: values to `process`; notes and controllers are
    /// deferred. Returns the last status of `process`.
    ///
    /// # Safety
    /// The block's lists are null or valid.
    pub(super) unsafe fn flush(
        &mut self,
        block: &ProcessData,
        mut process: impl FnMut(&mut ProcessData) -> tresult,
    ) -> tresult {
        // SAFETY: the caller's promise.
        let host = unsafe { BlockMessages::new(block) };
        let controllers = &self.controllers;
        let is_value = |message: &Message| matches!(message, Message::Value(id, _) if !controllers.contains(id));
        let mut status = kResultOk;
        self.messages.flush(&host, is_value, |items| {
            status = self.lists.part(block, items, 0..0, None, &mut process);
        });
        status
    }

    /// Passes a block of `frames` samples, one or more, to `process`, in parts; returns the last part's
    /// status. The caller has to [`silence`] a block whose status is an error.
    ///
    /// # Safety
    /// The block's pointers are null or valid, as VST3 requires.
    pub(super) unsafe fn feed(
        &mut self,
        block: &ProcessData,
        frames: u32,
        mut process: impl FnMut(&mut ProcessData) -> tresult,
    ) -> tresult {
        // SAFETY: the caller's promise.
        let (host, channels) =
            unsafe { (BlockMessages::new(block), channels(block, frames, self.outputs)) };
        let Some(channels) = channels else { return kInvalidArgument };
        let mut status = kResultOk;
        self.messages.feed(&host, frames, channels.longest_part(), |range, items| {
            let begin = usize::try_from(range.start).unwrap_or(0);
            // SAFETY: the part lies inside the block and is no longer than the spare channels.
            let mut starts = unsafe { self.spare.substitute(&channels, begin) };
            let starts = Some(&mut starts[..channels.outputs()]);
            status = self.lists.part(block, items, range, starts, &mut process);
            status == kResultOk
        });
        // SAFETY: the caller's promise.
        for output in unsafe { outputs(block) } {
            // SAFETY: the caller's promise.
            output.silenceFlags = channels.silence_flags(unsafe { starts(output) });
        }
        status
    }
}

/// The lists through which the wrapper reads a part and sends its own events.
struct PartLists {
    changes: ComWrapper<PartChanges>,
    events: ComWrapper<PartEvents>,
    sent: ComWrapper<ShiftedOutput>,
}

impl PartLists {
    fn new() -> Self {
        let sent = ShiftedOutput { host: Cell::new(std::ptr::null_mut()), start: Cell::new(0) };
        Self {
            changes: ComWrapper::new(PartChanges::with_room(ROOM)),
            events: ComWrapper::new(PartEvents::with_room(ROOM)),
            sent: ComWrapper::new(sent),
        }
    }

    /// Passes the samples `range` of the block, with `items`, to `process`.
    fn part(
        &self,
        block: &ProcessData,
        items: &[Item<Message>],
        range: Range<u32>,
        starts: Option<&mut [[*mut f32; CHANNELS]]>,
        process: &mut impl FnMut(&mut ProcessData) -> tresult,
    ) -> tresult {
        let offset =
            |item: &Item<Message>| int32::try_from(item.offset(range.start)).unwrap_or(int32::MAX);
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
            // The piano does not use the host's transport.
            processContext: std::ptr::null_mut(),
            ..*block
        });
        self.sent.host.set(std::ptr::null_mut());
        status
    }
}

/// The object's interface `I`, without a reference count of its own.
fn pointer<I: Interface, C: Class>(object: &ComWrapper<C>) -> *mut I {
    object.as_com_ref::<I>().map_or(std::ptr::null_mut(), |object| object.as_ptr())
}

/// The outputs that the host provides.
///
/// # Safety
/// The block's outputs are null or as many as their count, valid as long as the slice, and not borrowed
/// elsewhere.
unsafe fn outputs<'a>(block: *const ProcessData) -> &'a mut [AudioBusBuffers] {
    // SAFETY: the caller's promise.
    unsafe { host_channels::host_array((*block).outputs, (*block).numOutputs) }
}

/// Pointers to the first samples of an output's channels, of either precision.
///
/// # Safety
/// The output's channels are null or as many as their count.
unsafe fn starts(output: &AudioBusBuffers) -> &[*mut f32] {
    // SAFETY: the union's fields for 32 and 64 bits are pointers at the same offset.
    unsafe { host_channels::host_array(output.__field0.channelBuffers32, output.numChannels) }
}

/// Silences all of the host's channels and returns those of the first `used` outputs. Returns none
/// where the host states a negative number of outputs or channels.
///
/// # Safety
/// The block's outputs and their channels are null or match their counts, with samples of 32 bits.
unsafe fn channels(block: &ProcessData, frames: u32, used: usize) -> Option<HostChannels> {
    let mut channels = HostChannels::new(used, frames);
    let mut is_playable = block.numOutputs >= 0;
    // SAFETY: the caller's promise.
    for (index, output) in unsafe { outputs(block) }.iter_mut().enumerate() {
        output.silenceFlags = u64::MAX;
        is_playable &= output.numChannels >= 0;
        // SAFETY: the caller's promise.
        for (channel, start) in unsafe { starts(output) }.iter().enumerate() {
            // SAFETY: the caller's promise.
            unsafe { channels.add(index, channel, *start) };
        }
    }
    is_playable.then_some(channels)
}

/// Silences all of the host's channels.
///
/// # Safety
/// The block's outputs and their channels are null or match their counts.
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
            unsafe {
                host_channels::silence(start.cast::<f64>(), usize::try_from(frames).unwrap_or(0))
            };
        }
    }
}
