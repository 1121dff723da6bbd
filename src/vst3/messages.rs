//! The values and events that come with a host's block.

use nice_plug::wrapper::vst3::vst3::ComRef;
use nice_plug::wrapper::vst3::vst3::Steinberg::Vst::{
    DataEvent_::DataTypes_, Event, Event_::EventTypes_, IEventList, IEventListTrait,
    IParamValueQueueTrait, IParameterChanges, IParameterChangesTrait, ParamID, ParamValue,
    ProcessData,
};
use nice_plug::wrapper::vst3::vst3::Steinberg::{int32, kResultOk};

use super::controllers::controller_of;
use crate::ordered_events::{Deferrable, HostMessages};
use crate::system_exclusive::is_followed_at;
use touchback_instrument::host::midi::controller::SETUP;

/// A parameter's value or an event.
#[derive(Clone, Copy)]
pub(super) enum Message {
    Value(ParamID, ParamValue),
    Event(Event),
}

impl Deferrable for Message {
    fn outlasts_block(&self) -> bool {
        !matches!(self, Self::Event(event) if is_kind(event, EventTypes_::kDataEvent.into()))
    }
}

/// The values and events that come with a host's block.
pub(super) struct BlockMessages<'a> {
    changes: Option<ComRef<'a, IParameterChanges>>,
    events: Option<ComRef<'a, IEventList>>,
}

impl BlockMessages<'_> {
    /// # Safety
    /// The block's lists are null, or valid and unchanged while this value is used.
    pub(super) unsafe fn new(block: &ProcessData) -> Self {
        // SAFETY: the caller's promise.
        unsafe {
            Self {
                changes: ComRef::from_raw(block.inputParameterChanges),
                events: ComRef::from_raw(block.inputEvents),
            }
        }
    }
}

impl HostMessages<Message> for BlockMessages<'_> {
    /// Values come before events, as the host has one list for each. Controllers of registered parameters
    /// have lists of their own each, which lose the order of one sample: those that select come before those
    /// that enter.
    fn for_each(&self, frames: u32, visit: &mut dyn FnMut(u32, Message)) {
        let inside = |offset: int32| u32::try_from(offset).unwrap_or(0).min(frames - 1);
        // SAFETY: `new` requires valid lists; the indices are within their counts.
        unsafe {
            if let Some(changes) = self.changes {
                let mut setups = 0;
                for index in 0..changes.getParameterCount() {
                    let queue = changes.getParameterData(index);
                    let Some(queue) = ComRef::from_raw(queue) else { continue };
                    let id = queue.getParameterId();
                    if controller_of(id).is_some_and(|number| SETUP.contains(&number)) {
                        setups += 1;
                        continue;
                    }
                    for point in 0..queue.getPointCount() {
                        let (mut offset, mut value) = (0, f64::NAN);
                        if queue.getPoint(point, &raw mut offset, &raw mut value) == kResultOk {
                            visit(inside(offset), Message::Value(id, value));
                        }
                    }
                }
                if setups > 0 {
                    visit_setups(changes, |offset, id, value| {
                        visit(inside(offset), Message::Value(id, value));
                    });
                }
            }
            if let Some(events) = self.events {
                for index in 0..events.getEventCount() {
                    let mut event = std::mem::zeroed::<Event>();
                    if events.getEvent(index, &raw mut event) == kResultOk && is_read(&event) {
                        visit(inside(event.sampleOffset), Message::Event(event));
                    }
                }
            }
        }
    }
}

/// Calls `visit` with sample, id and value of the controllers of registered parameters. Those of one sample
/// come in the order of [`SETUP`]; of several points of a list at one sample, the first of each list come
/// before the second ones.
///
/// # Safety
/// The lists are valid and unchanged during the call.
unsafe fn visit_setups(
    changes: ComRef<'_, IParameterChanges>,
    mut visit: impl FnMut(int32, ParamID, ParamValue),
) {
    for round in 0.. {
        let mut is_over = true;
        for number in SETUP {
            // SAFETY: the caller's promise; the indices are within the counts.
            unsafe {
                for index in 0..changes.getParameterCount() {
                    let queue = changes.getParameterData(index);
                    let Some(queue) = ComRef::from_raw(queue) else { continue };
                    let id = queue.getParameterId();
                    if controller_of(id) != Some(number) {
                        continue;
                    }
                    // Points at one sample before this one.
                    let (mut last, mut before) = (None, 0);
                    for point in 0..queue.getPointCount() {
                        let (mut offset, mut value) = (0, f64::NAN);
                        if queue.getPoint(point, &raw mut offset, &raw mut value) != kResultOk {
                            continue;
                        }
                        before = if last == Some(offset) { before + 1 } else { 0 };
                        last = Some(offset);
                        if before == round {
                            is_over = false;
                            visit(offset, id, value);
                        }
                    }
                }
            }
        }
        if is_over {
            return;
        }
    }
}

fn is_kind(event: &Event, kind: i64) -> bool {
    kind == i64::from(event.r#type)
}

/// Whether a piano reads the event: notes, their pressure and their expressions, and the system exclusive messages
/// that it follows. Some other kinds point at memory of the host.
///
/// # Safety
/// Data points at its bytes.
unsafe fn is_read(event: &Event) -> bool {
    if is_kind(event, EventTypes_::kDataEvent.into()) {
        // SAFETY: the event is of this kind; the caller's promise.
        unsafe {
            let data = event.__field0.data;
            return i64::from(data.r#type) == i64::from(DataTypes_::kMidiSysEx)
                && is_followed_at(data.bytes, data.size);
        }
    }
    [
        EventTypes_::kNoteOnEvent,
        EventTypes_::kNoteOffEvent,
        EventTypes_::kPolyPressureEvent,
        EventTypes_::kNoteExpressionValueEvent,
    ]
    .iter()
    .any(|kind| is_kind(event, (*kind).into()))
}
