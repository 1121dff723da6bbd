//! The lists through which the wrapper reads a part of a block and sends its own events.

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

/// Items of a part, in order, with room that is made once.
struct Items<T>(UnsafeCell<Vec<T>>);

impl<T: Copy> Items<T> {
    fn with_room(room: usize) -> Self {
        Self(UnsafeCell::new(Vec::with_capacity(room)))
    }

    /// Takes `items`, no more than there is room for.
    fn fill(&self, items: impl Iterator<Item = T>) {
        // SAFETY: one thread fills and reads, and no reference outlives a call.
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

/// A part's values: each a queue of one point, which is one and the same object, because the
/// wrapper reads each before it asks for the next.
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

/// One parameter's one value.
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

/// The host's list of what the plugin sends, for a part that begins inside the block.
pub(super) struct ShiftedOutput {
    /// The host's list while a part is played, else null.
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
        // SAFETY: the wrapper's event, and the host's list while its block is played.
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
