//! The lists through which the wrapper reads the messages of a part and sends its own events. Audio
//! thread: they allocate only when they are made.

use std::cell::{Cell, UnsafeCell};

use nice_plug::wrapper::vst3::vst3::Steinberg::Vst::{
    Event, IEventList, IEventListTrait, IParamValueQueue, IParamValueQueueTrait, IParameterChanges,
    IParameterChangesTrait, ParamID, ParamValue,
};
use nice_plug::wrapper::vst3::vst3::Steinberg::{
    int32, kInvalidArgument, kNotImplemented, kResultOk, tresult,
};
use nice_plug::wrapper::vst3::vst3::{Class, ComRef, ComWrapper};

/// A parameter's value at a sample of a part.
#[derive(Clone, Copy)]
pub(super) struct Point {
    pub(super) offset: int32,
    pub(super) id: ParamID,
    pub(super) value: ParamValue,
}

/// Items of a part, in order, with a fixed capacity.
struct Items<T>(UnsafeCell<Vec<T>>);

impl<T: Copy> Items<T> {
    fn with_room(room: usize) -> Self {
        Self(UnsafeCell::new(Vec::with_capacity(room)))
    }

    /// Replaces the items, up to the capacity.
    fn fill(&self, items: impl Iterator<Item = T>) {
        // SAFETY: one thread fills and reads the list, and no reference outlives a call.
        let own = unsafe { &mut *self.0.get() };
        own.clear();
        let room = own.capacity();
        own.extend(items.take(room));
    }

    fn count(&self) -> int32 {
        // SAFETY: as above.
        int32::try_from(unsafe { &*self.0.get() }.len()).unwrap_or(int32::MAX)
    }

    fn get(&self, index: int32) -> Option<T> {
        // SAFETY: as above.
        usize::try_from(index).ok().and_then(|index| unsafe { &*self.0.get() }.get(index).copied())
    }
}

/// A part's events.
pub(super) struct PartEvents(Items<Event>);

impl Class for PartEvents {
    type Interfaces = (IEventList,);
}

impl PartEvents {
    pub(super) fn with_room(room: usize) -> Self {
        Self(Items::with_room(room))
    }

    pub(super) fn fill(&self, events: impl Iterator<Item = Event>) {
        self.0.fill(events);
    }
}

impl IEventListTrait for PartEvents {
    unsafe fn getEventCount(&self) -> int32 {
        self.0.count()
    }

    unsafe fn getEvent(&self, index: int32, event: *mut Event) -> tresult {
        match self.0.get(index) {
            Some(own) if !event.is_null() => {
                // SAFETY: the wrapper's own event.
                unsafe { event.write(own) };
                kResultOk
            }
            _ => kInvalidArgument,
        }
    }

    unsafe fn addEvent(&self, _: *mut Event) -> tresult {
        kNotImplemented
    }
}

/// A part's values, each a queue of one point. One object serves for all queues, because the wrapper
/// reads each queue before it requests the next.
pub(super) struct PartChanges {
    points: Items<Point>,
    queue: ComWrapper<PointQueue>,
}

impl Class for PartChanges {
    type Interfaces = (IParameterChanges,);
}

impl PartChanges {
    pub(super) fn with_room(room: usize) -> Self {
        let point = Point { offset: 0, id: 0, value: 0.0 };
        let queue = ComWrapper::new(PointQueue(Cell::new(point)));
        Self { points: Items::with_room(room), queue }
    }

    pub(super) fn fill(&self, points: impl Iterator<Item = Point>) {
        self.points.fill(points);
    }
}

impl IParameterChangesTrait for PartChanges {
    unsafe fn getParameterCount(&self) -> int32 {
        self.points.count()
    }

    unsafe fn getParameterData(&self, index: int32) -> *mut IParamValueQueue {
        let Some(point) = self.points.get(index) else { return std::ptr::null_mut() };
        self.queue.0.set(point);
        let queue = self.queue.as_com_ref::<IParamValueQueue>();
        queue.map_or(std::ptr::null_mut(), |queue| queue.as_ptr())
    }

    unsafe fn addParameterData(&self, _: *const ParamID, _: *mut int32) -> *mut IParamValueQueue {
        std::ptr::null_mut()
    }
}

/// One value of one parameter.
struct PointQueue(Cell<Point>);

impl Class for PointQueue {
    type Interfaces = (IParamValueQueue,);
}

impl IParamValueQueueTrait for PointQueue {
    unsafe fn getParameterId(&self) -> ParamID {
        self.0.get().id
    }

    unsafe fn getPointCount(&self) -> int32 {
        1
    }

    unsafe fn getPoint(&self, index: int32, offset: *mut int32, value: *mut ParamValue) -> tresult {
        if index != 0 || offset.is_null() || value.is_null() {
            return kInvalidArgument;
        }
        let point = self.0.get();
        // SAFETY: the wrapper's own variables.
        unsafe {
            offset.write(point.offset);
            value.write(point.value);
        }
        kResultOk
    }

    unsafe fn addPoint(&self, _: int32, _: ParamValue, _: *mut int32) -> tresult {
        kNotImplemented
    }
}

/// The host's output list for a part that begins inside the block.
pub(super) struct ShiftedOutput {
    /// The host's list while a part is processed, else null.
    pub(super) host: Cell<*mut IEventList>,
    /// First sample of the part.
    pub(super) start: Cell<int32>,
}

impl Class for ShiftedOutput {
    type Interfaces = (IEventList,);
}

impl IEventListTrait for ShiftedOutput {
    unsafe fn getEventCount(&self) -> int32 {
        0
    }

    unsafe fn getEvent(&self, _: int32, _: *mut Event) -> tresult {
        kInvalidArgument
    }

    unsafe fn addEvent(&self, event: *mut Event) -> tresult {
        // SAFETY: the wrapper's event, and the host's list while its block is processed.
        unsafe {
            let (Some(event), Some(host)) = (event.as_ref(), ComRef::from_raw(self.host.get()))
            else {
                return kInvalidArgument;
            };
            let mut shifted = *event;
            shifted.sampleOffset = shifted.sampleOffset.saturating_add(self.start.get());
            host.addEvent(&raw mut shifted)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A host's list that records sample and bus of each event.
    struct HostList(UnsafeCell<Vec<(int32, int32)>>);

    impl Class for HostList {
        type Interfaces = (IEventList,);
    }

    impl IEventListTrait for HostList {
        unsafe fn getEventCount(&self) -> int32 {
            0
        }

        unsafe fn getEvent(&self, _: int32, _: *mut Event) -> tresult {
            kInvalidArgument
        }

        unsafe fn addEvent(&self, event: *mut Event) -> tresult {
            // SAFETY: one thread, and the event of the list under test.
            unsafe { (*self.0.get()).push(((*event).sampleOffset, (*event).busIndex)) };
            kResultOk
        }
    }

    fn event(offset: int32) -> Event {
        // SAFETY: numbers alone, all of which may be 0.
        let nothing: Event = unsafe { std::mem::zeroed() };
        Event { sampleOffset: offset, busIndex: 7, ..nothing }
    }

    #[test]
    fn sent_events_have_their_sample_inside_the_block() {
        let host = ComWrapper::new(HostList(UnsafeCell::default()));
        let list = host.as_com_ref::<IEventList>().unwrap().as_ptr();
        let sent = ShiftedOutput { host: Cell::new(list), start: Cell::new(0) };
        for (start, offset) in [(0, 5), (64, 0), (64, 63), (int32::MAX, 1)] {
            sent.start.set(start);
            let mut event = event(offset);
            // SAFETY: a list and an event that live here.
            let (status, none) =
                unsafe { (sent.addEvent(&raw mut event), sent.addEvent(std::ptr::null_mut())) };
            assert_eq!((status, none), (kResultOk, kInvalidArgument));
            assert_eq!(event.sampleOffset, offset, "the sender's event stays as it is");
        }
        sent.host.set(std::ptr::null_mut());
        let mut late = event(1);
        // SAFETY: as above; the host's list is null between blocks.
        assert_eq!(unsafe { sent.addEvent(&raw mut late) }, kInvalidArgument);
        // SAFETY: nobody else uses the list.
        let received = unsafe { &*host.0.get() };
        assert_eq!(received[..], [(5, 7), (64, 7), (127, 7), (int32::MAX, 7)]);
    }

    #[test]
    fn a_part_has_its_own_events_up_to_the_capacity() {
        let events = PartEvents::with_room(3);
        events.fill((0..2).map(event));
        events.fill((10..20).map(event));
        let read = |index: int32| {
            let mut read = event(-1);
            // SAFETY: an event that lives here.
            let status = unsafe { events.getEvent(index, &raw mut read) };
            (status, read.sampleOffset)
        };
        // SAFETY: no pointers.
        let count = unsafe { events.getEventCount() };
        assert_eq!(count, 3);
        assert_eq!([0, 1, 2].map(read), [10, 11, 12].map(|offset| (kResultOk, offset)));
        for outside in [-1, 3, int32::MAX] {
            assert_eq!(read(outside), (kInvalidArgument, -1));
        }
        let mut own = event(0);
        // SAFETY: the list refuses null.
        let refused =
            unsafe { (events.getEvent(0, std::ptr::null_mut()), events.addEvent(&raw mut own)) };
        assert_eq!(refused, (kInvalidArgument, kNotImplemented));
    }

    #[test]
    fn each_value_of_a_part_is_a_queue_of_one_point() {
        let changes = PartChanges::with_room(8);
        let point = |index: u8| Point {
            offset: int32::from(index) + 3,
            id: 100 + u32::from(index),
            value: 0.125 * f64::from(index),
        };
        changes.fill((0..4).map(point));
        // SAFETY: no pointers.
        assert_eq!(unsafe { changes.getParameterCount() }, 4);
        for index in [2, 0, 3] {
            // SAFETY: the queue lives as long as the list; the variables live here.
            unsafe {
                let queue = changes.getParameterData(int32::from(index));
                let queue = ComRef::from_raw(queue).unwrap();
                let (mut offset, mut value) = (-1, -1.0);
                assert_eq!((queue.getPointCount(), queue.getParameterId()), (1, point(index).id));
                assert_eq!(queue.getPoint(0, &raw mut offset, &raw mut value), kResultOk);
                assert_eq!((offset, value), (point(index).offset, point(index).value));
                let null = (std::ptr::null_mut(), std::ptr::null_mut());
                for status in [
                    queue.getPoint(1, &raw mut offset, &raw mut value),
                    queue.getPoint(-1, &raw mut offset, &raw mut value),
                    queue.getPoint(0, null.0, &raw mut value),
                    queue.getPoint(0, &raw mut offset, null.1),
                ] {
                    assert_eq!(status, kInvalidArgument);
                }
            }
        }
        // SAFETY: no queue has this number.
        assert!(unsafe { changes.getParameterData(4) }.is_null());
    }
}
