//! The published events of a running servo on the audio clock.
//!
//! Steps are counted by the keyboard's clock, samples by the audio clock. The newest received step shows the keyboard's
//! time; its distance from the audio time, filtered over 1 s, is kept constant. With 200 ppm of drift and 2 ms of
//! jitter the distances between strikes are right within 1 ms. Nothing allocates, locks or calls the system after
//! creation, and no key is stepped.

use std::collections::VecDeque;

use crate::action::Action;
use crate::record::publish::{KeyStep, Published, PublishedReceiver};
use crate::record::replay::{Lifts, ReplayEvent};
use touchback_action::{STEP, TimedEvent};
use touchback_core::math::pages;

/// Capacity of waiting items: more than the largest latency of ten keys, or 0.1 s of 88.
const CAPACITY: usize = 8192;
/// Largest duration of the transmission from the keyboard, s: two states and the servo's wait.
const JITTER: f64 = 6e-3;
/// Time constant of the drift's correction, s.
const SETTLING: f64 = 1.0;
/// Largest correction, as a share of time: twice the drift of two poor crystals.
const MAX_CORRECTION: f64 = 1e-3;
/// Error of the distance, s, from which it is set anew instead of corrected.
const MAX_ERROR: f64 = 0.05;
/// Number of late batches of items within [`LATE_TIME`] from which the latency is increased, and the largest latency, s:
/// states of a single key in chunks of 4096 bytes come every 0.15 s.
const LATE_BATCHES: u32 = 4;
/// See [`LATE_BATCHES`]; s.
const LATE_TIME: f64 = 2.0;
/// See [`LATE_BATCHES`]; s.
const MAX_LATENCY: f64 = 0.25;
/// Least lateness of a batch that counts, s.
const LEAST_LATE: f64 = 1e-3;
/// Lateness from which an event no longer sounds, s: after a pause of the host all that was played in it would sound at
/// once.
const TOO_LATE: f64 = 0.5;
/// Time by which items are taken before they are due, s: of keys that a message reports one after another, each by the
/// steps of two messages.
const AHEAD: f64 = 2e-3;

/// The events of one running servo.
#[derive(Debug)]
pub struct LiveReplay {
    receiver: PublishedReceiver,
    action: Action,
    waiting: VecDeque<Published>,
    /// The next step to be drawn.
    next_step: Option<KeyStep>,
    /// Samples per step.
    step_samples: f64,
    /// Time from the arrival of a step to its sound, samples.
    latency: f64,
    /// Sample at which step 0 sounds; none before the first item.
    origin: Option<f64>,
    /// Step after the newest received item.
    newest: u64,
    lifts: Lifts,
    /// Late batches of items: number, sample of the first, largest lateness, samples.
    late_batches: (u32, f64, f64),
    /// Number of times that the distance was set anew.
    pub jumps: u64,
    /// Number of items that came after their time.
    pub late: u64,
}

impl LiveReplay {
    /// The events of keys with this `action` at `sample_rate` Hz with blocks of at most `block` samples. Allocates.
    #[must_use]
    pub fn new(
        receiver: PublishedReceiver,
        action: Action,
        sample_rate: f64,
        block: usize,
    ) -> Self {
        Self {
            receiver,
            action,
            waiting: pages::room(CAPACITY).into(),
            next_step: None,
            step_samples: sample_rate * STEP,
            latency: block as f64 + JITTER * sample_rate,
            origin: None,
            newest: 0,
            lifts: Lifts::default(),
            late_batches: (0, 0.0, 0.0),
            jumps: 0,
            late: 0,
        }
    }

    /// Restarts the count of samples at 0: the distance is set anew.
    pub const fn restart(&mut self) {
        self.origin = None;
        self.lifts.forget();
    }

    /// Time from the motion of a key to its sound, samples, without the transmission to the host.
    #[must_use]
    pub const fn latency(&self) -> f64 {
        self.latency
    }

    /// The keys' action.
    #[must_use]
    pub const fn action(&self) -> Action {
        self.action
    }

    /// Lowers every damper that was reported as lifted, and calls `on_event` for each.
    pub fn lower_dampers(&mut self, on_event: impl FnMut(&TimedEvent)) {
        self.lifts.lower(on_event);
    }

    /// Calls `emit` for every event of the `length` samples from `now` on, with its time after `now`, samples, from 0 to
    /// 2 ms beyond `length`, for every position, and for every step of the key that was pressed last.
    pub fn watch(&mut self, now: u64, length: usize, mut emit: impl FnMut(ReplayEvent<'_>)) {
        let (now, length) = (now as f64, length as f64);
        let mut first = None;
        while self.waiting.len() < CAPACITY {
            let Some(item) = self.receiver.items.receive() else { break };
            // The keyboard has restarted its count.
            if item.step() + 80_000 < self.newest {
                (self.origin, self.newest) = (None, 0);
            }
            self.newest = self.newest.max(item.end());
            first = first.or(Some(item.step()));
            self.waiting.push_back(item);
        }
        if let Some(first) = first {
            self.wait_for_chunks(now, first);
            self.steer(now, length);
        }
        let Some(origin) = self.origin else { return };
        let (step_samples, rate) = (self.step_samples, self.step_samples / STEP);
        let at =
            |step: u64, offset: f64| origin + (step as f64 + offset / STEP) * step_samples - now;
        let is_due = |ahead: f64| ahead < length + AHEAD * rate;
        // What is farther ahead than any item was counted before the keyboard restarted its count.
        let is_old = |ahead: f64| ahead > length + rate;
        while let Some(item) = self.waiting.front().copied() {
            let ahead = at(item.step(), 0.0);
            if !is_due(ahead) && !is_old(ahead) {
                break;
            }
            self.waiting.pop_front();
            // A corrected origin may reach back over a block's edge by a share of a sample.
            self.late += u64::from(ahead < -1.0);
            match item {
                Published::Event(event) if ahead >= -TOO_LATE * rate && !is_old(ahead) => {
                    let ahead = at(event.step, event.offset).max(0.0);
                    emit(ReplayEvent::Event(ahead, &event));
                }
                Published::Event(_) => {}
                Published::Slot { key, depth, lift, .. } => {
                    let end = item.end();
                    let moment = if is_old(ahead) { 0.0 } else { at(end, 0.0).max(0.0) };
                    self.lifts.report(key, end, lift, |event| {
                        emit(ReplayEvent::Event(moment, event));
                    });
                    let (step, depth) = (end.saturating_sub(1), f64::from(depth));
                    emit(ReplayEvent::Step(&KeyStep { key, step, depth, lift, picture: None }));
                }
            }
        }
        while let Some(step) = self.next_step.take().or_else(|| self.receiver.steps.receive()) {
            let ahead = at(step.step, 0.0);
            if is_due(ahead) {
                emit(ReplayEvent::Step(&step));
            } else if !is_old(ahead) {
                self.next_step = Some(step);
                break;
            }
        }
    }

    /// Increases the latency where batches of items, of which the step `first` is the earliest, come late again and
    /// again: a keyboard without motors whose states come in chunks.
    fn wait_for_chunks(&mut self, now: f64, first: u64) {
        let Some(origin) = &mut self.origin else { return };
        let rate = self.step_samples / STEP;
        let late = now - (*origin + first as f64 * self.step_samples);
        if late < LEAST_LATE * rate || late > MAX_LATENCY * rate {
            return;
        }
        let (count, begin, most) = &mut self.late_batches;
        if *count == 0 || now - *begin > LATE_TIME * rate {
            (*count, *begin, *most) = (0, now, 0.0);
        }
        *count += 1;
        *most = most.max(late);
        if *count < LATE_BATCHES {
            return;
        }
        let more = (*most + JITTER * rate).min(MAX_LATENCY * rate - self.latency).max(0.0);
        *count = 0;
        self.latency += more;
        *origin += more;
    }

    /// Sets or corrects the sample of step 0.
    fn steer(&mut self, now: f64, length: f64) {
        let wanted = now + self.latency - self.newest as f64 * self.step_samples;
        let rate = self.step_samples / STEP;
        match &mut self.origin {
            Some(origin) if (wanted - *origin).abs() < MAX_ERROR * rate => {
                let limit = MAX_CORRECTION * length;
                let share = length / (SETTLING * rate);
                *origin += ((wanted - *origin) * share).clamp(-limit, limit);
            }
            _ => {
                self.jumps += u64::from(self.origin.is_some());
                self.origin = Some(wanted);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::publish::publisher;
    use touchback_core::exchange::queue::{Sender, bounded};
    use touchback_core::math::compass::KeyNumber;

    const RATE: f64 = 48_000.0;
    const BLOCK: usize = 256;

    /// A replay, and the sender of its items.
    fn replay(sample_rate: f64, block: usize) -> (Sender<Published>, LiveReplay) {
        let (sender, items) = bounded(16_384);
        let (_, PublishedReceiver { steps, .. }) = publisher();
        let receiver = PublishedReceiver { items, steps };
        (sender, LiveReplay::new(receiver, Action::GRAND, sample_rate, block))
    }

    /// The slot of 1 ms with this number.
    fn slot(number: u64) -> Published {
        let key = KeyNumber::from_midi(60).unwrap();
        Published::Slot { step: 8 * number, steps: 8, key, depth: 0.0, lift: 0.0 }
    }

    /// A replay after 2 s in which it received slots of 1 ms: the first at its end, the others `delay` s after
    /// their ends.
    fn delayed(delay: f64) -> LiveReplay {
        let (sender, mut replay) = replay(RATE, BLOCK);
        let mut slots = (0..2000u64).peekable();
        for now in (0..96_000u64).step_by(BLOCK) {
            let time = now as f64 / RATE;
            let has_arrived = |slot: &u64| {
                let end = (*slot + 1) as f64 * 1e-3;
                end + if *slot > 0 { delay } else { 0.0 } <= time
            };
            while let Some(number) = slots.next_if(has_arrived) {
                sender.send(slot(number)).unwrap();
            }
            replay.watch(now, BLOCK, |_| ());
        }
        replay
    }

    #[test]
    fn the_latency_is_one_block_and_the_jitter() {
        for (rate, block) in [(48_000.0, 64), (44_100.0, 1000), (192_000.0, 1)] {
            let (_, replay) = replay(rate, block);
            assert_eq!(replay.latency(), block as f64 + JITTER * rate, "{rate} Hz, {block}");
        }
    }

    /// A slot arrives after its end, so that the jitter left for it is shorter by its length of 1 ms.
    #[test]
    fn items_within_the_jitter_are_in_time_and_later_ones_are_late() {
        let within = delayed(JITTER - 1e-3);
        assert_eq!((within.late, within.jumps), (0, 0));
        assert!(within.waiting.len() < 100, "all due items have sounded");
        let beyond = delayed(JITTER + BLOCK as f64 / RATE);
        assert!(beyond.late > 0 && beyond.jumps == 0, "{} late", beyond.late);
    }

    /// Items that come in chunks sound late at first, then the latency covers a chunk and none is late any more; items in
    /// time, or late now and then, leave it.
    #[test]
    fn the_latency_grows_to_that_of_chunks() {
        let run = |chunk: u64, pause_every: u64| {
            let (sender, mut replay) = replay(RATE, BLOCK);
            let (mut sent, mut late) = (0, 0);
            for now in (0..192_000u64).step_by(BLOCK) {
                let ms = now / 48;
                let is_paused = pause_every > 0 && ms % pause_every < 30;
                while !is_paused && sent < ms / chunk * chunk {
                    sender.send(slot(sent)).unwrap();
                    sent += 1;
                }
                replay.watch(now, BLOCK, |_| ());
                late = if ms < 2000 { replay.late } else { late };
            }
            (replay.latency() / RATE, replay.late - late)
        };
        let usual = JITTER + BLOCK as f64 / RATE;
        assert_eq!(run(1, 0), (usual, 0));
        assert_eq!(run(1, 900).0, usual);
        for chunk in [16, 150] {
            let (latency, late) = run(chunk, 0);
            let least = chunk as f64 * 1e-3;
            assert!(latency > least && latency < least + 0.03 && late == 0, "{latency} s, {late}");
        }
    }

    /// A keyboard that was switched on again counts from 0: its events sound, the old count's do not delay them.
    #[test]
    fn a_restarted_count_sounds_at_once() {
        let (sender, mut replay) = replay(RATE, BLOCK);
        let mut newest = 0;
        for (start, slots) in [(1_000_000, 100), (0, 100)] {
            for number in start..start + slots {
                sender.send(slot(number)).unwrap();
            }
            for now in (0..24_000u64).step_by(BLOCK) {
                replay.watch(now, BLOCK, |output| {
                    if let ReplayEvent::Step(step) = output {
                        newest = step.step;
                    }
                });
            }
            assert_eq!(newest, 8 * (start + slots) - 1);
        }
    }
}
