//! Sample clock, action steps and scheduled sounds.

use crate::play::clock::Clock;
use crate::play::event_queue::{Entry, EventQueue, Sounding};
use touchback_action::interface::events::EventList;
use touchback_core::math::compass::KeyNumber;
use touchback_sound::Knock;

/// The time base of a piano, and its scheduled sounds.
pub(super) struct Time {
    pub(super) clock: Clock,
    /// Strikes, knocks, dampers and pitches of coming samples.
    pub(super) queue: EventQueue,
    /// Events of the action step in progress.
    pub(super) events: EventList,
}

impl Time {
    /// Sample 0 at `sample_rate` Hz, nothing scheduled. Allocates.
    pub(super) fn new(sample_rate: f64) -> Self {
        let (clock, queue) = (Clock::new(sample_rate), EventQueue::new());
        Self { clock, queue, events: EventList::default() }
    }

    /// Sample 0, nothing scheduled, counters at 0.
    pub(super) fn reset(&mut self) {
        self.clock.reset();
        self.queue.reset();
        self.events = EventList::default();
    }

    /// Schedules `what` for `delay` samples (0…1) after `sample`.
    pub(super) fn schedule(&mut self, (sample, delay): (u64, f64), what: Sounding) {
        self.queue.add(Entry { sample, delay, what });
    }

    /// Schedules `what` for the present sample.
    pub(super) fn schedule_now(&mut self, what: Sounding) {
        self.schedule((self.clock.now(), 0.0), what);
    }

    /// Schedules a knock of `key`; `speed` in m/s.
    pub(super) fn schedule_knock(
        &mut self,
        at: (u64, f64),
        key: KeyNumber,
        knock: Knock,
        speed: f64,
    ) {
        self.schedule(at, Sounding::Knock { key, knock, speed });
    }

    /// Events and entries lost since reset because a list was full.
    pub(super) const fn lost(&self) -> u64 {
        self.queue.dropped() + self.events.dropped() as u64
    }
}
