//! Replay of the servo's log on the audio clock: the twin in the audio thread.
//!
//! Steps are counted by the keyboard's clock, samples by the audio clock. In a live replay the newest
//! received step shows the keyboard's time; its distance from the audio time, filtered over 1 s, is kept
//! constant. With 200 ppm of drift and 2 ms of jitter the distances between strikes are right within 1 ms.
//! In the replay of a recording the first step sounds at the first sample and a step lasts 125 µs of the
//! audio clock, whatever the block size. Nothing allocates, locks or calls the system after creation.

use std::cell::RefCell;
use std::collections::VecDeque;

use crate::action::Action;
use crate::record::log::{Entry, Twin};
use touchback_action::interface::key::Key;
use touchback_action::{Drive, KeyEvent, STEP, TimedEvent};
use touchback_core::exchange::queue;
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_core::math::pages;

/// Capacity of waiting entries: a third of a second of ten keys.
const CAPACITY: usize = 4096;
/// Largest duration of the transmission from the keyboard, s: two states and the servo's wait.
pub(crate) const JITTER: f64 = 6e-3;
/// Time constant of the drift's correction, s.
const SETTLING: f64 = 1.0;
/// Largest correction, as a share of time: twice the drift of two poor crystals.
const MAX_CORRECTION: f64 = 1e-3;
/// Error of the distance, s, from which it is set anew instead of corrected.
const MAX_ERROR: f64 = 0.05;
/// Number of late batches of entries within [`LATE_TIME`] from which the latency is increased, and the largest latency, s:
/// states of a single key in chunks of 4096 bytes come every 0.15 s.
const LATE_BATCHES: u32 = 4;
/// See [`LATE_BATCHES`]; s.
const LATE_TIME: f64 = 2.0;
/// See [`LATE_BATCHES`]; s.
const MAX_LATENCY: f64 = 0.25;
/// Least lateness of a batch that counts, s.
const LEAST_LATE: f64 = 1e-3;
/// Largest replay of a block: share of its length, and further steps. After a pause of the servo the replay
/// catches up over several blocks.
const CATCH_UP: (f64, u64) = (2.0, 8);

/// Source of the entries.
#[derive(Debug)]
enum Source {
    /// A running servo.
    Live(queue::Receiver<Entry>),
    /// A recorded log, and the index of its next entry.
    Recorded(Vec<Entry>, usize),
    /// A recorded log whose entries are supplied in pieces.
    Supplied,
}

/// Output of a replay.
#[derive(Clone, Copy, Debug)]
pub enum ReplayEvent<'a> {
    /// An event, and its time after the beginning of the block, samples.
    Event(f64, &'a TimedEvent),
    /// A key after one of its steps: number of the step, drive, state.
    Step(KeyNumber, u64, Drive, &'a dyn Key),
}

/// The replay of one servo's log.
#[derive(Debug)]
pub struct Replay {
    source: Source,
    twin: Twin,
    waiting: VecDeque<Entry>,
    /// Samples per step.
    step_samples: f64,
    /// Time from the arrival of a step to its sound, samples.
    latency: f64,
    /// Sample at which step 0 sounds; none before the first entry.
    origin: Option<f64>,
    /// Step after the newest received entry.
    newest: u64,
    /// Lift of each damper as last reported, 0…1.
    lifts: [f64; KEYS],
    /// Keys whose events are suppressed, because a host note that sounds by itself moves them.
    silent: [bool; KEYS],
    /// Late batches of entries: number, sample of the first, largest lateness, samples.
    late_batches: (u32, f64, f64),
    /// Number of times that the distance was set anew.
    pub jumps: u64,
    /// Number of entries that came after their time and sounded at once.
    pub late: u64,
}

impl Replay {
    /// A replay of `action` at `sample_rate` Hz with blocks of at most `block` samples. Allocates.
    #[must_use]
    pub fn new(
        log: queue::Receiver<Entry>,
        action: Action,
        sample_rate: f64,
        block: usize,
    ) -> Self {
        let latency = block as f64 + JITTER * sample_rate;
        Self::from_source(Source::Live(log), CAPACITY, action, sample_rate, latency)
    }

    /// A replay of a recorded log of `action` at `sample_rate` Hz. Allocates.
    #[must_use]
    pub fn recorded(entries: Vec<Entry>, action: Action, sample_rate: f64) -> Self {
        Self::from_source(Source::Recorded(entries, 0), 0, action, sample_rate, 0.0)
    }

    /// A replay of a log of `action` at `sample_rate` Hz, whose entries are [supplied](Self::supply) where
    /// it [needs](Self::needs_entries) them. It cannot restart.
    #[must_use]
    pub fn supplied(action: Action, sample_rate: f64) -> Self {
        Self::from_source(Source::Supplied, 0, action, sample_rate, 0.0)
    }

    /// Whether the `length` samples from `now` on may need more entries than were supplied.
    #[must_use]
    pub fn needs_entries(&self, now: u64, length: usize) -> bool {
        let (Some(first), Some(last)) = (self.waiting.front(), self.waiting.back()) else {
            return true;
        };
        let origin = self.origin.unwrap_or(now as f64 - first.step() as f64 * self.step_samples);
        origin + last.step() as f64 * self.step_samples < (now + length as u64) as f64
    }

    /// Adds the next entry of the log. Allocates.
    pub fn supply(&mut self, entry: Entry) {
        self.waiting.push_back(entry);
    }

    fn from_source(
        source: Source,
        capacity: usize,
        action: Action,
        sample_rate: f64,
        latency: f64,
    ) -> Self {
        Self {
            source,
            twin: Twin::fixed(action),
            waiting: pages::room(capacity).into(),
            step_samples: sample_rate * STEP,
            latency,
            origin: None,
            newest: 0,
            lifts: [0.0; KEYS],
            silent: [false; KEYS],
            late_batches: (0, 0.0, 0.0),
            jumps: 0,
            late: 0,
        }
    }

    /// Restarts the count of samples at 0: a recorded log begins again, a live one sets its distance anew.
    pub fn restart(&mut self) {
        self.origin = None;
        self.lifts = [0.0; KEYS];
        self.silent = [false; KEYS];
        if let Source::Recorded(_, next) = &mut self.source {
            *next = 0;
            self.twin.forget();
        }
    }

    /// All entries of a recorded log have sounded.
    #[must_use]
    pub fn is_over(&self) -> bool {
        matches!(&self.source, Source::Recorded(entries, next) if *next >= entries.len())
    }

    /// Time from the motion of a key to its sound, samples, without the transmission to the host.
    #[must_use]
    pub const fn latency(&self) -> f64 {
        self.latency
    }

    /// The replayed action.
    #[must_use]
    pub const fn action(&self) -> Action {
        self.twin.action()
    }

    /// The twin.
    #[must_use]
    pub const fn twin(&self) -> &Twin {
        &self.twin
    }

    /// Lowers every damper that was reported as lifted, and calls `on_event` for each.
    pub fn lower_dampers(&mut self, mut on_event: impl FnMut(&TimedEvent)) {
        for (key, reported) in KeyNumber::all().zip(&mut self.lifts) {
            if std::mem::take(reported) > 0.0 {
                on_event(&damper(key, 0, 0.0));
            }
        }
    }

    /// Replays the `length` samples from `now` on, and calls `on_event` for every event with its time after
    /// `now`, samples: from 0 to a slot beyond `length`.
    pub fn block(&mut self, now: u64, length: usize, mut on_event: impl FnMut(f64, &TimedEvent)) {
        self.watch(now, length, |output| {
            if let ReplayEvent::Event(ahead, event) = output {
                on_event(ahead, event);
            }
        });
    }

    /// Like [`Replay::block`]; calls `emit` for every event and every step of the keys.
    pub fn watch(&mut self, now: u64, length: usize, mut emit: impl FnMut(ReplayEvent<'_>)) {
        let now = now as f64;
        if !matches!(self.source, Source::Live(_)) {
            self.recorded_block(now, length as f64, &mut emit);
            return;
        }
        let mut first = None;
        while self.waiting.len() < CAPACITY {
            let Source::Live(log) = &self.source else { break };
            let Some(entry) = log.receive() else { break };
            self.newest = self.newest.max(end(&entry));
            // The keyboard has restarted its count.
            if entry.step() + 80_000 < self.newest {
                self.origin = None;
                self.newest = end(&entry);
            }
            first = first.or(Some(entry.step()));
            self.waiting.push_back(entry);
        }
        if let Some(first) = first {
            self.wait_for_chunks(now, first);
            self.steer(now, length as f64);
        }
        let Some(origin) = self.origin else { return };
        let Some(first) = self.waiting.front().map(Entry::step) else { return };
        let share = CATCH_UP.0 * length as f64 / self.step_samples;
        let end_step = first + floor_index(share) as u64 + CATCH_UP.1;
        while let Some(step) = self.waiting.front().map(Entry::step) {
            let ahead = origin + step as f64 * self.step_samples - now;
            if ahead >= length as f64 || step >= end_step {
                break;
            }
            let Some(entry) = self.waiting.pop_front() else { break };
            // A corrected origin may reach back over a block's edge by a share of a sample.
            self.late += u64::from(ahead < -1.0);
            self.sound(&entry, origin, now, &mut emit);
        }
    }

    fn recorded_block(&mut self, now: f64, length: f64, emit: &mut impl FnMut(ReplayEvent<'_>)) {
        loop {
            let entry = match &self.source {
                Source::Recorded(entries, next) => entries.get(*next),
                _ => self.waiting.front(),
            };
            let Some(entry) = entry.cloned() else { return };
            let origin = *self.origin.get_or_insert(now - entry.step() as f64 * self.step_samples);
            if origin + entry.step() as f64 * self.step_samples >= now + length {
                return;
            }
            match &mut self.source {
                Source::Recorded(_, next) => *next += 1,
                _ => drop(self.waiting.pop_front()),
            }
            self.sound(&entry, origin, now, emit);
        }
    }

    /// Increases the latency where batches of entries, of which the step `first` is the earliest, come late again and
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

    fn sound(
        &mut self,
        entry: &Entry,
        origin: f64,
        now: f64,
        emit: &mut impl FnMut(ReplayEvent<'_>),
    ) {
        let step_samples = self.step_samples;
        // The absolute sample is rounded once, before the beginning of the block is subtracted, so that
        // the result does not depend on the block size.
        let at = |step: u64, offset: f64| {
            (origin + (step as f64 + offset / STEP) * step_samples - now).max(0.0)
        };
        let key = entry.key();
        if let (Entry::Played { is_played, .. }, Some(key)) = (entry, key) {
            // In a recording the notes do not sound by themselves.
            self.silent[key.index()] = *is_played && matches!(self.source, Source::Live(_));
        }
        let is_silent = key.is_some_and(|key| self.silent[key.index()]);
        // Both callbacks use `emit`, one after the other.
        let shared = RefCell::new(&mut *emit);
        self.twin.watch(
            entry,
            |event| {
                if !is_silent {
                    shared.borrow_mut()(ReplayEvent::Event(at(event.step, event.offset), event));
                }
            },
            |step, drive, simulated| {
                if let Some(key) = key {
                    shared.borrow_mut()(ReplayEvent::Step(key, step, drive, simulated));
                }
            },
        );
        let Some(key) = key else { return };
        if let Some((simulated, step)) = self.twin.key(key) {
            let lift = if is_silent { 0.0 } else { simulated.damper_lift() };
            let reported = &mut self.lifts[key.index()];
            if lift.to_bits() != reported.to_bits() && lift.is_finite() {
                *reported = lift;
                emit(ReplayEvent::Event(at(step, 0.0), &damper(key, step, lift)));
            }
        }
    }
}

/// The event of a damper of `key` at `lift` before `step`.
const fn damper(key: KeyNumber, step: u64, lift: f64) -> TimedEvent {
    TimedEvent { key, step, offset: 0.0, event: KeyEvent::Damper { lift } }
}

/// The first step after an entry.
#[must_use]
pub const fn end(entry: &Entry) -> u64 {
    match entry {
        Entry::Slot { step, steps, .. } => *step + *steps as u64,
        Entry::Setting { step, .. } | Entry::Place { step, .. } | Entry::Played { step, .. } => {
            *step
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: f64 = 48_000.0;
    const BLOCK: usize = 256;

    /// A replay after 2 s in which it received slots of 1 ms: the first at its end, the others `delay` s after
    /// their ends.
    fn delayed(delay: f64) -> Replay {
        let (sender, receiver) = queue::bounded(CAPACITY);
        let mut replay = Replay::new(receiver, Action::GRAND, RATE, BLOCK);
        let key = KeyNumber::from_midi(60).unwrap();
        let mut slots = (0..2000u64).peekable();
        for now in (0..96_000u64).step_by(BLOCK) {
            let time = now as f64 / RATE;
            let has_arrived = |slot: &u64| {
                let end = (*slot + 1) as f64 * 1e-3;
                end + if *slot > 0 { delay } else { 0.0 } <= time
            };
            while let Some(slot) = slots.next_if(has_arrived) {
                let (step, steps) = (8 * slot, 8);
                let entry = Entry::Slot { step, key, steps, force: 0.0, impedance: 0.0 };
                sender.send(entry).unwrap();
            }
            replay.block(now, BLOCK, |_, _| ());
        }
        replay
    }

    #[test]
    fn the_latency_is_one_block_and_the_jitter() {
        for (rate, block) in [(48_000.0, 64), (44_100.0, 1000), (192_000.0, 1)] {
            let (_, receiver) = queue::bounded(1);
            let replay = Replay::new(receiver, Action::GRAND, rate, block);
            assert_eq!(replay.latency(), block as f64 + JITTER * rate, "{rate} Hz, {block}");
        }
    }

    /// A slot arrives after its end, so that the jitter left for it is shorter by its length of 1 ms.
    #[test]
    fn entries_within_the_jitter_are_in_time_and_later_ones_are_late() {
        let within = delayed(JITTER - 1e-3);
        assert_eq!((within.late, within.jumps), (0, 0));
        assert!(within.waiting.len() < 100, "all due entries have sounded");
        let beyond = delayed(JITTER + BLOCK as f64 / RATE);
        assert!(beyond.late > 0 && beyond.jumps == 0, "{} late", beyond.late);
    }
    /// Entries that come in chunks sound late at first, then the latency covers a chunk and none is late any more; entries
    /// in time, or late now and then, leave it.
    #[test]
    fn the_latency_grows_to_that_of_chunks() {
        let run = |chunk: u64, pause_every: u64| {
            let (sender, receiver) = queue::bounded(CAPACITY);
            let mut replay = Replay::new(receiver, Action::GRAND, RATE, BLOCK);
            let key = KeyNumber::from_midi(60).unwrap();
            let (mut sent, mut late) = (0, 0);
            for now in (0..192_000u64).step_by(BLOCK) {
                let ms = now / 48;
                let is_paused = pause_every > 0 && ms % pause_every < 30;
                while !is_paused && sent < ms / chunk * chunk {
                    let entry =
                        Entry::Slot { step: 8 * sent, key, steps: 8, force: 0.0, impedance: 0.0 };
                    sender.send(entry).unwrap();
                    sent += 1;
                }
                replay.block(now, BLOCK, |_, _| ());
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
}
