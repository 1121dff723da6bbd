//! CLAP events as they pass between host and wrapper: copied, checked, and stamped with the sample
//! inside a part of the block.

use std::cell::UnsafeCell;
use std::ffi::c_void;

use clap_sys::events::{
    CLAP_CORE_EVENT_SPACE_ID, CLAP_EVENT_MIDI, CLAP_EVENT_MIDI_SYSEX, CLAP_EVENT_NOTE_CHOKE,
    CLAP_EVENT_NOTE_EXPRESSION, CLAP_EVENT_NOTE_OFF, CLAP_EVENT_NOTE_ON,
    CLAP_EVENT_PARAM_GESTURE_BEGIN, CLAP_EVENT_PARAM_GESTURE_END, CLAP_EVENT_PARAM_MOD,
    CLAP_EVENT_PARAM_VALUE, clap_event_header, clap_event_midi, clap_event_midi_sysex,
    clap_event_note, clap_event_note_expression, clap_event_param_gesture, clap_event_param_mod,
    clap_event_param_value, clap_input_events, clap_output_events,
};

use clap_sys::id::clap_id;

use crate::ordered_events::{Deferrable, HostMessages, Item};
use crate::system_exclusive::is_followed_at;

/// A change of a parameter, in CLAP's units: 0…1, or the index of a choice.
#[derive(Clone, Copy, Debug)]
pub(super) enum Change {
    Value(f64),
    /// Offset from the value.
    Modulation(f64),
}

/// An event of the kind that its header names.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) union Event {
    header: clap_event_header,
    note: clap_event_note,
    expression: clap_event_note_expression,
    value: clap_event_param_value,
    modulation: clap_event_param_mod,
    gesture: clap_event_param_gesture,
    midi: clap_event_midi,
    system: clap_event_midi_sysex,
}

impl Event {
    const EMPTY: Self = Self {
        value: clap_event_param_value {
            header: clap_event_header { size: 0, time: 0, space_id: 0, type_: 0, flags: 0 },
            param_id: 0,
            cookie: std::ptr::null_mut(),
            note_id: 0,
            port_index: 0,
            channel: 0,
            key: 0,
            value: 0.0,
        },
    };

    /// A copy of an event. Returns none for kinds that a piano does not read (transport), for system exclusive
    /// messages that it does not follow, for unknown kinds, and for events shorter than their kind.
    ///
    /// # Safety
    /// `event` is null or points at as many bytes as the header's first field says; a system exclusive message
    /// points at its bytes.
    pub(super) unsafe fn copy(event: *const clap_event_header) -> Option<Self> {
        if event.is_null() {
            return None;
        }
        // SAFETY: the caller's promise.
        let length = unsafe { event.cast::<u32>().read_unaligned() };
        let length = usize::try_from(length).unwrap_or(0);
        if length < size_of::<clap_event_header>() {
            return None;
        }
        // SAFETY: the event is as long as a header.
        let header = unsafe { event.read_unaligned() };
        if header.space_id != CLAP_CORE_EVENT_SPACE_ID {
            return None;
        }
        let size = match header.type_ {
            CLAP_EVENT_NOTE_ON | CLAP_EVENT_NOTE_OFF | CLAP_EVENT_NOTE_CHOKE => {
                size_of::<clap_event_note>()
            }
            CLAP_EVENT_NOTE_EXPRESSION => size_of::<clap_event_note_expression>(),
            CLAP_EVENT_PARAM_VALUE => size_of::<clap_event_param_value>(),
            CLAP_EVENT_PARAM_MOD => size_of::<clap_event_param_mod>(),
            CLAP_EVENT_PARAM_GESTURE_BEGIN | CLAP_EVENT_PARAM_GESTURE_END => {
                size_of::<clap_event_param_gesture>()
            }
            CLAP_EVENT_MIDI => size_of::<clap_event_midi>(),
            CLAP_EVENT_MIDI_SYSEX => size_of::<clap_event_midi_sysex>(),
            _ => return None,
        };
        if length < size {
            return None;
        }
        let mut copy = Self::EMPTY;
        // SAFETY: the event is as long as its kind, and the union has room for each of them.
        unsafe {
            std::ptr::copy_nonoverlapping(event.cast::<u8>(), (&raw mut copy).cast::<u8>(), size);
        }
        // SAFETY: the event is of this kind; the caller's promise.
        let is_read = copy.outlasts_block()
            || unsafe { is_followed_at(copy.system.buffer, copy.system.size) };
        is_read.then_some(copy)
    }

    /// The event's sample.
    fn time(&self) -> u32 {
        // SAFETY: every event begins with a header.
        unsafe { self.header }.time
    }

    /// Sets the event's sample.
    const fn stamp(&mut self, time: u32) {
        self.header.time = time;
    }

    /// Id and change of the parameter that the event sets or modulates.
    pub(super) fn parameter(&self) -> Option<(clap_id, Change)> {
        // SAFETY: every event begins with a header, and is of the kind that it names.
        unsafe {
            match self.header.type_ {
                CLAP_EVENT_PARAM_VALUE => {
                    Some((self.value.param_id, Change::Value(self.value.value)))
                }
                CLAP_EVENT_PARAM_MOD => {
                    Some((self.modulation.param_id, Change::Modulation(self.modulation.amount)))
                }
                _ => None,
            }
        }
    }
}

impl Deferrable for Event {
    fn outlasts_block(&self) -> bool {
        // SAFETY: every event begins with a header.
        unsafe { self.header }.type_ != CLAP_EVENT_MIDI_SYSEX
    }
}

/// The events that come with a host's block.
#[derive(Clone, Copy)]
pub(super) struct HostEvents {
    list: *const clap_input_events,
    length: u32,
}

impl HostEvents {
    /// # Safety
    /// `list` is null, or valid and unchanged while this value is used.
    pub(super) unsafe fn new(list: *const clap_input_events) -> Self {
        // SAFETY: valid or null.
        let events = unsafe { list.as_ref() };
        let length = match events.map(|events| (events.size, events.get)) {
            // SAFETY: the list's own function.
            Some((Some(size), Some(_))) => unsafe { size(list) },
            _ => 0,
        };
        Self { list, length }
    }

    /// Sample and copy of the event at `index`, if a piano reads it.
    fn get(&self, index: u32) -> Option<(u32, Event)> {
        if index >= self.length {
            return None;
        }
        // SAFETY: `new` requires a valid list; the index is within its length.
        let event = unsafe { Event::copy(((*self.list).get?)(self.list, index)) }?;
        Some((event.time(), event))
    }
}

impl HostMessages<Event> for HostEvents {
    fn for_each(&self, frames: u32, visit: &mut dyn FnMut(u32, Event)) {
        for (sample, event) in (0..self.length).filter_map(|index| self.get(index)) {
            visit(sample.min(frames - 1), event);
        }
    }
}

/// A part's events as a list for the wrapper, each stamped with its sample inside the part.
pub(super) struct EventList<'a> {
    /// In order.
    items: &'a [Item<Event>],
    /// First sample of the part.
    start: u32,
    /// The event requested last: the wrapper reads each event before it requests the next.
    slot: UnsafeCell<Event>,
}

impl<'a> EventList<'a> {
    pub(super) const fn new(items: &'a [Item<Event>], start: u32) -> Self {
        Self { items, start, slot: UnsafeCell::new(Event::EMPTY) }
    }

    /// The list as the wrapper reads it, valid while `self` is neither moved nor dropped.
    pub(super) fn as_clap(&self) -> clap_input_events {
        clap_input_events {
            ctx: std::ptr::from_ref(self).cast_mut().cast::<c_void>(),
            size: Some(size),
            get: Some(get),
        }
    }
}

unsafe extern "C" fn size(list: *const clap_input_events) -> u32 {
    // SAFETY: made by `as_clap` of a list that is still there.
    let list = unsafe { &*(*list).ctx.cast::<EventList<'_>>() };
    u32::try_from(list.items.len()).unwrap_or(u32::MAX)
}

unsafe extern "C" fn get(list: *const clap_input_events, index: u32) -> *const clap_event_header {
    // SAFETY: made by `as_clap` of a list that is still there.
    let list = unsafe { &*(*list).ctx.cast::<EventList<'_>>() };
    let item = usize::try_from(index).ok().and_then(|index| list.items.get(index));
    let Some(item) = item else { return std::ptr::null() };
    let mut event = item.message;
    event.header.time = item.offset(list.start);
    let slot = list.slot.get();
    // SAFETY: one thread reads the list, and no reference into the slot outlives a call.
    unsafe { *slot = event };
    slot.cast_const().cast()
}

/// The host's output list for a part that begins inside the block.
pub(super) struct ShiftedOutput {
    pub(super) host: *const clap_output_events,
    /// First sample of the part.
    pub(super) start: u32,
}

impl ShiftedOutput {
    /// The list as the wrapper writes to it, valid while `self` is neither moved nor dropped.
    pub(super) fn as_clap(&self) -> clap_output_events {
        clap_output_events {
            ctx: std::ptr::from_ref(self).cast_mut().cast::<c_void>(),
            try_push: Some(try_push),
        }
    }
}

unsafe extern "C" fn try_push(
    list: *const clap_output_events,
    event: *const clap_event_header,
) -> bool {
    // SAFETY: made by `as_clap` of a list that is still there; the wrapper's event.
    unsafe {
        let list = &*(*list).ctx.cast::<ShiftedOutput>();
        let Some(push) = list.host.as_ref().and_then(|host| host.try_push) else { return false };
        let Some(mut shifted) = Event::copy(event) else { return false };
        shifted.stamp(shifted.time().saturating_add(list.start));
        push(list.host, &raw const shifted.header)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A note-on of `key` at a sample.
    pub(in super::super) fn note(time: u32, key: i16) -> Event {
        let header = clap_event_header {
            size: u32::try_from(size_of::<clap_event_note>()).unwrap(),
            time,
            space_id: CLAP_CORE_EVENT_SPACE_ID,
            type_: CLAP_EVENT_NOTE_ON,
            flags: 0,
        };
        let (note_id, port_index, channel) = (-1, 0, 0);
        Event { note: clap_event_note { header, note_id, port_index, channel, key, velocity: 0.5 } }
    }

    /// A parameter's value at a sample; its key reads -1.
    pub(in super::super) fn value(time: u32) -> Event {
        let mut event = Event::EMPTY;
        event.value.key = -1;
        event.header.size = u32::try_from(size_of::<clap_event_param_value>()).unwrap();
        event.header.time = time;
        event.header.type_ = CLAP_EVENT_PARAM_VALUE;
        event
    }

    /// A change of the parameter `id`.
    pub(in super::super) fn set(id: clap_id, change: Change) -> Event {
        let mut event = value(0);
        match change {
            Change::Value(number) => (event.value.param_id, event.value.value) = (id, number),
            Change::Modulation(amount) => {
                event.header.type_ = CLAP_EVENT_PARAM_MOD;
                (event.modulation.param_id, event.modulation.amount) = (id, amount);
            }
        }
        event
    }

    impl Event {
        /// Sample and key.
        pub(in super::super) fn time_and_key(&self) -> (u32, i16) {
            // SAFETY: the tests make notes and values.
            unsafe {
                let key = if self.parameter().is_some() { self.value.key } else { self.note.key };
                (self.header.time, key)
            }
        }
    }

    unsafe extern "C" fn length(list: *const clap_input_events) -> u32 {
        // SAFETY: made below.
        u32::try_from(unsafe { &*(*list).ctx.cast::<Vec<Event>>() }.len()).unwrap()
    }

    unsafe extern "C" fn at(list: *const clap_input_events, i: u32) -> *const clap_event_header {
        // SAFETY: made below.
        let events = unsafe { &*(*list).ctx.cast::<Vec<Event>>() };
        std::ptr::from_ref(&events[usize::try_from(i).unwrap()]).cast()
    }

    /// A host's list.
    pub(in super::super) fn list(events: &Vec<Event>) -> clap_input_events {
        clap_input_events {
            ctx: std::ptr::from_ref(events).cast_mut().cast(),
            size: Some(length),
            get: Some(at),
        }
    }

    #[test]
    fn events_that_a_piano_does_not_read_are_left_out() {
        let mut event = note(5, 60);
        let copy = |event: &Event| {
            // SAFETY: a whole union, larger than what any kind needs.
            unsafe { Event::copy(std::ptr::from_ref(event).cast()) }
        };
        assert_eq!(copy(&event).unwrap().time_and_key(), (5, 60));
        for kind in [9, 11, 12, 999] {
            event.header.type_ = kind;
            assert!(copy(&event).is_none(), "{kind}");
        }
        let mut system = Event::EMPTY;
        for (bytes, is_read) in [
            (&[0xF0, 0x7F, 0x7F, 4, 1, 0, 0x40, 0xF7][..], true),
            (&[0xF0, 0x7E, 0x7F, 9, 1, 0xF7], false),
            (&[], false),
        ] {
            let header = clap_event_header {
                size: u32::try_from(size_of::<clap_event_midi_sysex>()).unwrap(),
                time: 0,
                space_id: CLAP_CORE_EVENT_SPACE_ID,
                type_: CLAP_EVENT_MIDI_SYSEX,
                flags: 0,
            };
            let (buffer, size) = (bytes.as_ptr(), u32::try_from(bytes.len()).unwrap());
            system.system = clap_event_midi_sysex { header, port_index: 0, buffer, size };
            assert_eq!(copy(&system).is_some(), is_read, "{bytes:?}");
        }
        assert!(!system.outlasts_block() && event.outlasts_block());
        event = note(5, 60);
        event.header.space_id = 7;
        assert!(copy(&event).is_none());
        // SAFETY: null is allowed.
        assert!(unsafe { Event::copy(std::ptr::null()) }.is_none());
    }
}
