//! Messages at their samples: a block is rendered in portions between them.
//!
//! The audio does not depend on where the host cuts its blocks: at one sample, settings change
//! before events are applied, and events keep the host's order. In look-ahead timing both are later by
//! a latency that is fixed when the scheduler is made. So is the delay of the output guard's limiter, which
//! follows the piano.

use std::ops::Range;

use arrayvec::ArrayVec;

use crate::limiter::{self, Limiter};
use crate::look_ahead::{Lateness, LookAhead};
use crate::midi::{Ignored, InputMessage, Midi, Reading};
use crate::record::Counts;
use crate::settings::Switch;
use crate::{Event, Piano, Settings};
use touchback_sound::microphones::{Distant, part};

/// Largest number of messages deferred to the next block. The framework cuts a block where a parameter
/// changes and may have delivered messages of the cut's own sample; 256 exceed any chord.
const DEFERRED: usize = 256;

/// Source of a piano's messages, and receiver of its events and strikes.
pub trait Host {
    /// The next message of the block and its offset in samples.
    fn next(&mut self) -> Option<(u32, InputMessage)>;

    /// The settings in force from a message on, at its sample, if the message changes them.
    fn steer(&mut self, _message: &InputMessage) -> Option<&Settings> {
        None
    }

    /// Called with every event of a message, before the piano handles it.
    fn on_event(&mut self, _event: &Event, _settings: &Settings) {}

    /// Called whenever `piano` has rendered some samples of the block that began at sample `begin`.
    fn rendered(&mut self, _piano: &Piano, _begin: u64) {}
}

/// A piano and the messages that wait for their samples.
pub struct EventScheduler {
    piano: Piano,
    midi: Midi,
    schedule: Schedule<InputMessage>,
    ahead: Option<Box<LookAhead>>,
    /// Output guards of the chosen pair of microphones and of the distant pair.
    limiters: [Limiter; 2],
}

/// Latency of an [`EventScheduler`] made with `settings` at `rate` Hz, samples.
#[must_use]
pub fn latency_samples(settings: &Settings, rate: f64) -> u32 {
    settings.touch.latency_samples(rate) + guard_latency(settings, rate)
}

/// Delay of the output guard of `settings` at `rate` Hz, samples.
pub(crate) fn guard_latency(settings: &Settings, rate: f64) -> u32 {
    if settings.output_guard == Switch::On { limiter::latency(rate) } else { 0 }
}

impl EventScheduler {
    /// `piano` with no message waiting. Allocates; in look-ahead timing the first one of a process
    /// measures how long presses take.
    #[must_use]
    pub fn new(piano: Piano) -> Self {
        let ahead = LookAhead::new(&piano);
        let (rate, delay) =
            (piano.sample_rate(), guard_latency(piano.settings(), piano.sample_rate()));
        let limiters = [(); 2].map(|()| Limiter::new(rate, delay));
        Self { piano, midi: Midi::default(), schedule: Schedule::default(), ahead, limiters }
    }

    /// Constant latency of the output, samples: that of the look-ahead timing and the delay of the output
    /// guard.
    #[must_use]
    pub fn latency(&self) -> u64 {
        self.event_latency() + self.limiters[0].delay() as u64
    }

    /// Constant latency of strikes, samples; 0 unless the timing looks ahead.
    #[must_use]
    pub fn event_latency(&self) -> u64 {
        self.ahead.as_ref().map_or(0, |ahead| ahead.latency())
    }

    /// Least gain of the output guard since the last call; 1 if it has changed nothing.
    pub fn take_least_gain(&mut self) -> f64 {
        self.limiters.iter_mut().map(Limiter::take_least).fold(1.0, f64::min)
    }

    /// Notes that could not be played in time.
    #[must_use]
    pub fn lateness(&self) -> Lateness {
        self.ahead.as_ref().map_or_else(Lateness::default, |ahead| ahead.lateness())
    }

    /// The settings set last, in force or waiting.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        self.ahead.as_ref().map_or_else(|| self.piano.settings(), |ahead| ahead.newest(&self.piano))
    }

    /// The piano, between blocks.
    pub const fn piano(&mut self) -> &mut Piano {
        &mut self.piano
    }

    /// Resets piano, held notes and waiting messages; the settings set last stay.
    pub fn reset(&mut self) {
        self.schedule.deferred.clear();
        self.midi.reset();
        if let Some(ahead) = &mut self.ahead {
            let settings = ahead.reset(&self.piano);
            self.piano.set(&settings);
        }
        self.piano.reset();
        self.limiters.iter_mut().for_each(Limiter::reset);
    }

    /// Forgets held notes, pedals and controllers after everything was stopped.
    pub fn forget(&mut self) {
        self.midi.reset();
        if let Some(ahead) = &mut self.ahead {
            ahead.forget();
        }
    }

    /// Sets new settings at the present sample: [`Piano::set`]. In look-ahead timing they wait for the
    /// latency, unless nothing sounds, moves or waits.
    pub fn set(&mut self, settings: &Settings) {
        match &mut self.ahead {
            Some(ahead) => ahead.set(settings, &mut self.piano),
            None => self.piano.set(settings),
        }
    }

    /// Whether nothing moves, sounds or waits.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.schedule.deferred.is_empty()
            && self.ahead.as_ref().is_none_or(|ahead| ahead.is_empty())
            && self.limiters.iter().all(Limiter::is_silent)
            && self.piano.is_idle()
    }

    /// Upper bound of the samples until the scheduler is idle, if no message comes.
    #[must_use]
    pub fn tail(&self) -> u32 {
        let waits = self.ahead.as_ref().map_or(0, |ahead| ahead.remaining(self.piano.sample()));
        // An idle piano may still sound in the delay of the guard.
        let delay = if self.is_idle() { 0 } else { self.limiters[0].delay() as u64 };
        u32::try_from(self.piano.longest_tail(waits) + delay).unwrap_or(u32::MAX)
    }

    /// The sample to be rendered next.
    #[must_use]
    pub const fn sample(&self) -> u64 {
        self.piano.sample()
    }

    /// Applies an event of a motorized keyboard at once, without latency; call it before the block in which
    /// the event sounds.
    pub fn haptic(&mut self, event: Event) {
        self.piano.handle(event);
    }

    /// Messages ignored since creation.
    #[must_use]
    pub const fn ignored(&self) -> Ignored {
        self.midi.ignored()
    }

    /// Counters of the piano since creation or reset.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.piano.counts()
    }

    /// Writes one block of both channels under the messages of `host`.
    pub fn process(&mut self, left: &mut [f32], right: &mut [f32], host: &mut impl Host) {
        self.process_with(left, right, None, host);
    }

    /// Like [`EventScheduler::process`], and writes the `distant` pair of microphones too (equal lengths).
    pub fn process_with(
        &mut self,
        left: &mut [f32],
        right: &mut [f32],
        mut distant: Distant,
        host: &mut impl Host,
    ) {
        let Self { piano, midi, schedule, ahead, limiters } = self;
        let begin = piano.sample();
        schedule.run(left.len().min(right.len()), host, Host::next, |host, act| match act {
            ScheduledAction::Handle(message) => {
                if let Some(settings) = host.steer(&message) {
                    match ahead {
                        Some(ahead) => ahead.set(settings, piano),
                        None => piano.set(settings),
                    }
                }
                let newest = ahead.as_ref().map_or_else(|| piano.settings(), |a| a.newest(piano));
                midi.translate(&message, Reading::from(newest), |event| {
                    let due = match ahead {
                        Some(ahead) => {
                            let due = ahead.add(event, piano);
                            piano.set_late_notes(ahead.lateness().notes);
                            due
                        }
                        None => Some(event),
                    };
                    if let Some(event) = due {
                        apply(event, piano, host);
                    }
                });
            }
            ScheduledAction::Render(span) => {
                let Some(ahead) = ahead else {
                    let (left, right) = (&mut left[span.clone()], &mut right[span.clone()]);
                    render(piano, limiters, left, right, part(&mut distant, &span));
                    host.rendered(piano, begin);
                    return;
                };
                let mut from = span.start;
                while from < span.end {
                    while let Some(settings) = ahead.take_settings(piano.sample()) {
                        piano.set(&settings);
                    }
                    while let Some(event) = ahead.take_event(piano.sample()) {
                        apply(event, piano, host);
                    }
                    let rest = ahead.next().map_or(u64::MAX, |sample| sample - piano.sample());
                    let rest = usize::try_from(rest).unwrap_or(usize::MAX);
                    let to = span.end.min(from.saturating_add(rest));
                    let far = part(&mut distant, &(from..to));
                    render(piano, limiters, &mut left[from..to], &mut right[from..to], far);
                    host.rendered(piano, begin);
                    from = to;
                }
            }
        });
    }
}

/// Renders the next samples of `piano` under the output guard; a distant pair that is not rendered is silent.
fn render(
    piano: &mut Piano,
    [near, far]: &mut [Limiter; 2],
    left: &mut [f32],
    right: &mut [f32],
    mut distant: Distant,
) {
    let is_on = piano.settings().output_guard == Switch::On;
    let range = 0..left.len();
    piano.process_with(left, right, part(&mut distant, &range));
    if piano.is_ahead() {
        // The other end of the pipeline has an output guard of its own.
        return;
    }
    near.process(left, right, is_on);
    match distant {
        Some([left, right]) => far.process(left, right, is_on),
        None => far.reset(),
    }
}

/// Applies `event` at the present sample of `piano`.
fn apply(event: Event, piano: &mut Piano, host: &mut impl Host) {
    host.on_event(&event, piano.settings());
    piano.handle(event);
}

/// One action of a block, in order.
#[derive(Clone, PartialEq, Debug)]
enum ScheduledAction<T> {
    Handle(T),
    Render(Range<usize>),
}

/// Orders the messages of a block among its samples.
struct Schedule<T> {
    deferred: ArrayVec<T, DEFERRED>,
}

impl<T> Default for Schedule<T> {
    fn default() -> Self {
        Self { deferred: ArrayVec::new() }
    }
}

impl<T> Schedule<T> {
    /// Calls `act` with `with` for a block of `length` samples: every sample is rendered once, in order, and
    /// every message handled once, before the sample of its offset. A message with an offset at or beyond
    /// the end is deferred to the next block, so that settings that change there come first.
    fn run<W: ?Sized>(
        &mut self,
        length: usize,
        with: &mut W,
        mut next: impl FnMut(&mut W) -> Option<(u32, T)>,
        mut act: impl FnMut(&mut W, ScheduledAction<T>),
    ) {
        if length > 0 {
            self.deferred.drain(..).for_each(|event| act(with, ScheduledAction::Handle(event)));
        }
        let mut done = 0;
        while let Some((offset, event)) = next(with) {
            let offset = usize::try_from(offset).unwrap_or(usize::MAX);
            let upto = offset.min(length);
            // A message with a smaller offset than the last one is handled at once.
            if upto > done && (offset < length || self.deferred.is_full()) {
                act(with, ScheduledAction::Render(done..upto));
                done = upto;
            }
            if offset < length {
                act(with, ScheduledAction::Handle(event));
            } else {
                if self.deferred.is_full() {
                    self.deferred
                        .drain(..)
                        .for_each(|event| act(with, ScheduledAction::Handle(event)));
                }
                self.deferred.push(event);
            }
        }
        if done < length {
            act(with, ScheduledAction::Render(done..length));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn run(
        schedule: &mut Schedule<f64>,
        length: usize,
        events: &[(u32, f64)],
    ) -> Vec<ScheduledAction<f64>> {
        let (mut events, mut acts) = (events.iter().copied(), Vec::new());
        schedule.run(length, &mut (), |()| events.next(), |(), act| acts.push(act));
        acts
    }

    #[test]
    fn events_are_handled_before_their_sample_and_in_order() {
        let events = [(0, 0.1), (3, 0.2), (3, 0.3), (7, 0.4)];
        assert_eq!(
            run(&mut Schedule::default(), 8, &events),
            [
                ScheduledAction::Handle(0.1),
                ScheduledAction::Render(0..3),
                ScheduledAction::Handle(0.2),
                ScheduledAction::Handle(0.3),
                ScheduledAction::Render(3..7),
                ScheduledAction::Handle(0.4),
                ScheduledAction::Render(7..8),
            ]
        );
    }

    #[test]
    fn an_event_at_the_end_of_a_block_is_deferred_to_the_next() {
        let mut schedule = Schedule::default();
        assert_eq!(run(&mut schedule, 4, &[(4, 1.0)]), [ScheduledAction::Render(0..4)]);
        assert_eq!(run(&mut schedule, 0, &[(0, 0.5)]), []);
        assert_eq!(
            run(&mut schedule, 2, &[(0, 0.0)]),
            [
                ScheduledAction::Handle(1.0),
                ScheduledAction::Handle(0.5),
                ScheduledAction::Handle(0.0),
                ScheduledAction::Render(0..2),
            ]
        );
    }

    proptest! {
        /// No event is lost, doubled or reordered, at any number and offsets.
        #[test]
        fn every_sample_and_event_happens_once(
            lengths in prop::collection::vec(0usize..40, 1..6),
            offsets in prop::collection::vec(0u32..60, 0..700),
        ) {
            let mut schedule = Schedule::default();
            let (mut handled, mut sent) = (Vec::new(), Vec::new());
            for length in lengths.into_iter().chain([1]) {
                let events: Vec<_> =
                    offsets.iter().enumerate().map(|(i, o)| (*o, i as f64)).collect();
                let mut sorted = events.clone();
                sorted.sort_by_key(|e| e.0);
                sent.extend(sorted.iter().map(|e| e.1));
                let mut next_sample = 0;
                for act in run(&mut schedule, length, &sorted) {
                    match act {
                        ScheduledAction::Render(span) => {
                            prop_assert_eq!(span.start, next_sample);
                            prop_assert!(span.end > span.start);
                            next_sample = span.end;
                        }
                        ScheduledAction::Handle(event) => handled.push(event),
                    }
                }
                prop_assert_eq!(next_sample, length);
            }
            run(&mut schedule, 1, &[]).into_iter().for_each(|act| {
                if let ScheduledAction::Handle(event) = act { handled.push(event); }
            });
            prop_assert_eq!(handled, sent);
        }
    }
}
