//! Messages at their samples: a block is rendered in portions between them.
//!
//! The audio does not depend on where the host cuts its blocks: at one sample, settings change
//! before events are applied, and events keep the host's order. In look-ahead timing both are later by
//! a latency that is fixed when the scheduler is made. So is the delay of the output guard's limiter, which
//! follows the piano.

use std::ops::Range;

use arrayvec::ArrayVec;

use crate::host::midi::{Ignored, InputMessage, Midi, Reading};
use crate::host::thinning::{Admission, Change, Thinning};
use crate::play::limiter::{self, Limiter};
use crate::play::look_ahead::{Lateness, LookAhead};
use crate::play::record::Counts;
use crate::settings::Switch;
use crate::{Event, Piano, Settings};
use touchback_sound::board::microphones::{Distant, part};

/// Largest number of messages deferred to the next block. The framework cuts a block where a parameter
/// changes and may have delivered messages of the cut's own sample; 256 exceed any chord.
const DEFERRED: usize = 256;

/// Source of a piano's messages, and receiver of its events and strikes.
pub trait Host {
    /// The next message of the block and its offset in samples.
    fn next(&mut self) -> Option<(u32, InputMessage)>;

    /// Takes a message that moves a parameter; returns whether it does.
    fn steer(&mut self, _message: &InputMessage) -> bool {
        false
    }

    /// The settings after the messages that moved parameters.
    fn steered(&mut self) -> Option<&Settings> {
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
    // In boxes, so that a scheduler is made with little stack.
    midi: Box<Midi>,
    schedule: Box<Schedule<InputMessage>>,
    thinning: Thinning,
    ahead: Option<Box<LookAhead>>,
    /// Output guards of the chosen pair of microphones and of the distant pair.
    limiters: [Limiter; 2],
}

/// Latency of an [`EventScheduler`] made with `settings` at `rate` Hz, samples.
#[must_use]
pub fn latency_samples(settings: &Settings, rate: f64) -> u32 {
    settings.touch.latency_samples(rate) + limiter::latency_of(settings, rate)
}

impl EventScheduler {
    /// `piano` with no message waiting. Allocates; in look-ahead timing the first one of a process
    /// measures how long presses take.
    #[must_use]
    pub fn new(piano: Piano) -> Self {
        let ahead = LookAhead::new(&piano);
        let rate = piano.sample_rate();
        let delay = limiter::latency_of(piano.settings(), rate);
        let limiters = [(); 2].map(|()| Limiter::new(rate, delay));
        let (midi, schedule, thinning) = (Box::default(), Box::default(), Thinning::new(rate));
        Self { piano, midi, schedule, thinning, ahead, limiters }
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
        self.thinning.reset();
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
        while self.thinning.take(self.piano.sample()).is_some() {}
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

    /// Whether parameters that messages have moved wait for a coming sample.
    #[must_use]
    pub fn holds_settings(&self) -> bool {
        self.thinning.holds_settings()
    }

    /// Whether nothing moves, sounds or waits.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.schedule.deferred.is_empty()
            && !self.thinning.is_waiting()
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
        distant: Distant,
        host: &mut impl Host,
    ) {
        let Self { piano, midi, schedule, thinning, ahead, limiters } = self;
        let length = left.len().min(right.len());
        let begin = piano.sample();
        let mut block =
            Block { piano, thinning, ahead, limiters, left, right, distant, begin, done: 0 };
        schedule.run(length, host, Host::next, |host, at, message| {
            block.release_until(at, host);
            if host.steer(&message) {
                block.change(Change::Settings, at, host);
            }
            let reading = Reading::from(block.newest());
            midi.translate(&message, reading, |event| block.change(Change::Event(event), at, host));
        });
        block.render(length, host);
    }
}

/// A block in progress.
struct Block<'a> {
    piano: &'a mut Piano,
    thinning: &'a mut Thinning,
    ahead: &'a mut Option<Box<LookAhead>>,
    limiters: &'a mut [Limiter; 2],
    left: &'a mut [f32],
    right: &'a mut [f32],
    distant: Distant<'a>,
    /// The block's first sample.
    begin: u64,
    /// Samples rendered.
    done: usize,
}

impl Block<'_> {
    /// The settings set last, in force or waiting.
    fn newest(&self) -> &Settings {
        self.ahead.as_ref().map_or_else(|| self.piano.settings(), |ahead| ahead.newest(self.piano))
    }

    /// Handles a change at the block's sample `at`. Changes that do not take effect there do not cut the block.
    fn change(&mut self, change: Change, at: usize, host: &mut impl Host) {
        match self.thinning.admit(change, self.begin + at as u64) {
            Admission::Later => return,
            Admission::Now => self.render(at, host),
            Admission::AfterWaiting => {
                self.render(at, host);
                self.apply_waiting(host);
            }
        }
        self.apply(change, host);
    }

    /// Applies the changes that are due before the block's sample `at`. Call it before a message of that sample is
    /// read: it may change what waits.
    fn release_until(&mut self, at: usize, host: &mut impl Host) {
        let due = self.thinning.due();
        if due < self.begin + at as u64 {
            self.render(usize::try_from(due.saturating_sub(self.begin)).unwrap_or(at), host);
            self.apply_waiting(host);
        }
    }

    /// Applies the changes that wait.
    fn apply_waiting(&mut self, host: &mut impl Host) {
        while let Some(change) = self.thinning.take(self.piano.sample()) {
            self.apply(change, host);
        }
    }

    /// Applies a change at the present sample, in look-ahead timing after the latency.
    fn apply(&mut self, change: Change, host: &mut impl Host) {
        let Self { piano, ahead, .. } = self;
        match (change, ahead) {
            (Change::Settings, ahead) => {
                if let Some(settings) = host.steered() {
                    match ahead {
                        Some(ahead) => ahead.set(settings, piano),
                        None => piano.set(settings),
                    }
                }
            }
            (Change::Event(event), None) => apply(event, piano, host),
            (Change::Event(event), Some(ahead)) => {
                let due = ahead.add(event, piano);
                piano.set_late_notes(ahead.lateness().notes);
                if let Some(event) = due {
                    apply(event, piano, host);
                }
            }
        }
    }

    /// Renders up to the block's sample `to`; changes that wait take effect when they are due.
    fn render(&mut self, to: usize, host: &mut impl Host) {
        while self.done < to {
            let rest = self.thinning.due().saturating_sub(self.piano.sample());
            if rest == 0 {
                self.apply_waiting(host);
                continue;
            }
            let upto =
                to.min(self.done.saturating_add(usize::try_from(rest).unwrap_or(usize::MAX)));
            self.render_span(self.done..upto, host);
            self.done = upto;
        }
    }

    /// Renders the samples `span` of the block; events and settings that look ahead take effect at their samples.
    fn render_span(&mut self, span: Range<usize>, host: &mut impl Host) {
        let Self { piano, ahead, limiters, left, right, distant, begin, .. } = self;
        let mut from = span.start;
        while from < span.end {
            let mut to = span.end;
            if let Some(ahead) = ahead {
                while let Some(settings) = ahead.take_settings(piano.sample()) {
                    piano.set(&settings);
                }
                while let Some(event) = ahead.take_event(piano.sample()) {
                    apply(event, piano, host);
                }
                let rest = ahead.next().map_or(u64::MAX, |sample| sample - piano.sample());
                to = to.min(from.saturating_add(usize::try_from(rest).unwrap_or(usize::MAX)));
            }
            let far = part(distant, &(from..to));
            render(piano, limiters, &mut left[from..to], &mut right[from..to], far);
            host.rendered(piano, *begin);
            from = to;
        }
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
    /// Calls `act` with `with` for the messages of a block of `length` samples: every message once, in order, with
    /// its sample. A message with an offset at or beyond the end is deferred to the next block, so that settings
    /// that change there come first.
    fn run<W: ?Sized>(
        &mut self,
        length: usize,
        with: &mut W,
        mut next: impl FnMut(&mut W) -> Option<(u32, T)>,
        mut act: impl FnMut(&mut W, usize, T),
    ) {
        if length > 0 {
            self.deferred.drain(..).for_each(|event| act(with, 0, event));
        }
        let mut at = 0;
        while let Some((offset, event)) = next(with) {
            let offset = usize::try_from(offset).unwrap_or(usize::MAX);
            if offset < length {
                // A message with a smaller offset than the last one is handled at once.
                at = at.max(offset);
                act(with, at, event);
                continue;
            }
            if self.deferred.is_full() {
                at = length;
                self.deferred.drain(..).for_each(|event| act(with, length, event));
            }
            self.deferred.push(event);
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
    ) -> Vec<(usize, f64)> {
        let (mut events, mut acts) = (events.iter().copied(), Vec::new());
        schedule.run(length, &mut (), |()| events.next(), |(), at, event| acts.push((at, event)));
        acts
    }

    #[test]
    fn messages_are_handled_at_their_samples_and_in_order() {
        let events = [(0, 0.1), (3, 0.2), (2, 0.3), (7, 0.4)];
        let handled = [(0, 0.1), (3, 0.2), (3, 0.3), (7, 0.4)];
        assert_eq!(run(&mut Schedule::default(), 8, &events), handled);
    }

    #[test]
    fn a_message_at_the_end_of_a_block_is_deferred_to_the_next() {
        let mut schedule = Schedule::default();
        assert_eq!(run(&mut schedule, 4, &[(4, 1.0)]), []);
        assert_eq!(run(&mut schedule, 0, &[(0, 0.5)]), []);
        assert_eq!(run(&mut schedule, 2, &[(0, 0.0)]), [(0, 1.0), (0, 0.5), (0, 0.0)]);
    }

    proptest! {
        /// No message is lost, doubled or reordered, at any number and offsets.
        #[test]
        fn every_message_is_handled_once_inside_its_block(
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
                let mut last = 0;
                for (at, event) in run(&mut schedule, length, &sorted) {
                    prop_assert!(last <= at && at <= length);
                    last = at;
                    handled.push(event);
                }
            }
            handled.extend(run(&mut schedule, 1, &[]).iter().map(|(_, event)| event));
            prop_assert_eq!(handled, sent);
        }
    }
}
