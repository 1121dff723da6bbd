//! What comes with a host's block: values and events, inside the block and in order.

use std::collections::BinaryHeap;

use nice_plug::wrapper::vst3::vst3::ComRef;
use nice_plug::wrapper::vst3::vst3::Steinberg::Vst::{
    Event, Event_::EventTypes_, IEventList, IEventListTrait, IParamValueQueueTrait,
    IParameterChanges, IParameterChangesTrait, ParamID, ParamValue, ProcessData,
};
use nice_plug::wrapper::vst3::vst3::Steinberg::{int32, kResultOk};

/// What a host sends at a sample.
#[derive(Clone, Copy)]
pub(super) enum Message {
    Value(ParamID, ParamValue),
    Event(Event),
}

/// Where a message stands: its sample, then its place among carried ones, values and events.
pub(super) type Key = (u32, u32);

/// A message and where it stands, by which it is ordered.
#[derive(Clone, Copy)]
pub(super) struct Item {
    pub(super) key: Key,
    pub(super) message: Message,
}

impl PartialEq for Item {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for Item {}

impl PartialOrd for Item {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Item {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key.cmp(&other.key)
    }
}

/// The place of what stands at `index`.
pub(super) fn place_of(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// The first messages after `last`, in order, as many as `items` has room for; whether there are
/// more.
pub(super) fn select(
    items: &mut Vec<Item>,
    carried: &[Message],
    host: &HostMessages<'_>,
    frames: u32,
    last: Option<Key>,
) -> bool {
    items.clear();
    let room = items.capacity();
    let mut heap = BinaryHeap::from(std::mem::take(items));
    let mut more = false;
    let mut take = |item: Item| {
        if Some(item.key) <= last {
            return;
        }
        if heap.len() < room {
            heap.push(item);
        } else {
            more = true;
            if let Some(mut greatest) = heap.peek_mut()
                && item < *greatest
            {
                *greatest = item;
            }
        }
    };
    for (index, message) in carried.iter().enumerate() {
        take(Item { key: (0, place_of(index)), message: *message });
    }
    let mut place = place_of(carried.len());
    host.each(frames, &mut |time, message| {
        take(Item { key: (time, place), message });
        place = place.saturating_add(1);
    });
    *items = heap.into_sorted_vec();
    more
}

/// The values and events that come with a host's block.
pub(super) struct HostMessages<'a> {
    changes: Option<ComRef<'a, IParameterChanges>>,
    events: Option<ComRef<'a, IEventList>>,
}

impl HostMessages<'_> {
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

    /// Calls `take` with the sample, inside `frames`, and the message: values first.
    pub(super) fn each(&self, frames: u32, take: &mut dyn FnMut(u32, Message)) {
        let inside = |offset: int32| u32::try_from(offset).unwrap_or(0).min(frames - 1);
        // SAFETY: the lists were valid where this was made, indices are their own.
        unsafe {
            if let Some(changes) = self.changes {
                for index in 0..changes.getParameterCount() {
                    let queue = changes.getParameterData(index);
                    let Some(queue) = ComRef::from_raw(queue) else { continue };
                    let id = queue.getParameterId();
                    for point in 0..queue.getPointCount() {
                        let (mut offset, mut value) = (0, f64::NAN);
                        if queue.getPoint(point, &raw mut offset, &raw mut value) == kResultOk {
                            take(inside(offset), Message::Value(id, value));
                        }
                    }
                }
            }
            if let Some(events) = self.events {
                for index in 0..events.getEventCount() {
                    let mut event = std::mem::zeroed::<Event>();
                    if events.getEvent(index, &raw mut event) == kResultOk && is_heard(&event) {
                        take(inside(event.sampleOffset), Message::Event(event));
                    }
                }
            }
        }
    }
}

/// A piano reads notes, their pressure and their expressions; other kinds point at memory of the
/// host's.
fn is_heard(event: &Event) -> bool {
    [
        EventTypes_::kNoteOnEvent,
        EventTypes_::kNoteOffEvent,
        EventTypes_::kPolyPressureEvent,
        EventTypes_::kNoteExpressionValueEvent,
    ]
    .iter()
    .any(|kind| i64::from(*kind) == i64::from(event.r#type))
}
