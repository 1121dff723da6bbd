//! The twin in the audio thread: the servo's log, replayed on the audio clock.
//!
//! Steps are counted by the keyboard's clock, samples by the audio's. Live, what has arrived tells
//! how far the keyboard is; the newest step of a block, filtered over a second, is held at a
//! constant distance ahead: with 200 ppm of drift and 2 ms of jitter, strikes keep their distances
//! within a millisecond. A recorded log needs none of that: its first step sounds at the first
//! sample, 125 µs a step by the audio's clock, and what sounds when does not depend on blocks. No
//! allocation, lock or system call after creation.

use std::cell::RefCell;
use std::collections::VecDeque;

use super::action::Action;
use super::log::{Entry, Twin};
use touchback_action::interface::key::Key;
use touchback_action::{Drive, KeyEvent, STEP, TimedEvent};
use touchback_core::exchange::queue;
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_core::math::pages;

/// Entries that can wait for their time: a third of a second of ten keys.
const ROOM: usize = 4096;
/// What the way from the keyboard may take and vary, s: two states and the servo's wait.
pub const JITTER: f64 = 6e-3;
/// Time constant of the drift's correction, s.
const SETTLING: f64 = 1.0;
/// Largest correction, share of time: twice the drift of two poor crystals.
const MOST: f64 = 1e-3;
/// Farther off than this, s, the distance is set anew instead of corrected.
const LOST: f64 = 0.05;
/// What a block replays at most, as share of its own length, and steps besides: a servo that stood
/// still is caught up with, not all at once.
const CATCH_UP: (f64, u64) = (2.0, 8);

/// Where the entries come from.
#[derive(Debug)]
enum Source {
    /// A servo at work.
    Live(queue::Receiver<Entry>),
    /// Its log, and how much of it has sounded.
    Recorded(Vec<Entry>, usize),
    /// Its log as it is brought.
    Brought,
}

/// What a replay tells of its keys.
#[derive(Clone, Copy, Debug)]
pub enum Felt<'a> {
    /// An event, so many samples after the block's beginning.
    Heard(f64, &'a TimedEvent),
    /// A key after one of its steps, what drove it, and the step's number.
    Moved(KeyNumber, u64, Drive, &'a dyn Key),
}

/// The replay of one servo's log.
#[derive(Debug)]
pub struct Replay {
    source: Source,
    twin: Twin,
    waiting: VecDeque<Entry>,
    /// Samples a step.
    pace: f64,
    /// Distance from a step's arrival to its sounding, samples.
    latency: f64,
    /// Sample at which step 0 sounds; none before the first entry.
    origin: Option<f64>,
    /// End of the newest step that arrived.
    newest: u64,
    /// Height of each damper as last told, 0 … 1.
    lifts: [f64; KEYS],
    /// Keys whose events are silent: a host note that sounds by itself moves them.
    silent: [bool; KEYS],
    /// Times the distance was set anew.
    pub jumps: u64,
    /// Entries that came after their time and sounded at once.
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
        Self::over(Source::Live(log), ROOM, action, sample_rate, latency)
    }

    /// A replay of a recorded log of `action` at `sample_rate` Hz. Allocates.
    #[must_use]
    pub fn recorded(entries: Vec<Entry>, action: Action, sample_rate: f64) -> Self {
        Self::over(Source::Recorded(entries, 0), 0, action, sample_rate, 0.0)
    }

    /// A replay of a log of `action` whose entries are [brought](Self::bring) as it
    /// [lacks](Self::lacks) them, at `sample_rate` Hz. It does not begin anew.
    #[must_use]
    pub fn brought(action: Action, sample_rate: f64) -> Self {
        Self::over(Source::Brought, 0, action, sample_rate, 0.0)
    }

    /// Whether the `length` samples from `now` on may need more entries than were brought.
    #[must_use]
    pub fn lacks(&self, now: u64, length: usize) -> bool {
        let (Some(first), Some(last)) = (self.waiting.front(), self.waiting.back()) else {
            return true;
        };
        let origin = self.origin.unwrap_or(now as f64 - first.step() as f64 * self.pace);
        origin + last.step() as f64 * self.pace < (now + length as u64) as f64
    }

    /// Adds the log's next entry. Allocates.
    pub fn bring(&mut self, entry: Entry) {
        self.waiting.push_back(entry);
    }

    fn over(source: Source, room: usize, action: Action, sample_rate: f64, latency: f64) -> Self {
        Self {
            source,
            twin: Twin::fixed(action),
            waiting: pages::room(room).into(),
            pace: sample_rate * STEP,
            latency,
            origin: None,
            newest: 0,
            lifts: [0.0; KEYS],
            silent: [false; KEYS],
            jumps: 0,
            late: 0,
        }
    }

    /// Samples count from 0 again: a recorded log begins anew, a live one finds its distance anew.
    pub fn restart(&mut self) {
        self.origin = None;
        self.lifts = [0.0; KEYS];
        self.silent = [false; KEYS];
        if let Source::Recorded(_, next) = &mut self.source {
            *next = 0;
            self.twin.forget();
        }
    }

    /// Nothing more will come of a recorded log.
    #[must_use]
    pub fn is_over(&self) -> bool {
        matches!(&self.source, Source::Recorded(entries, next) if *next >= entries.len())
    }

    /// From a key's motion to its sound, samples, the way to the host not counted.
    #[must_use]
    pub const fn latency(&self) -> f64 {
        self.latency
    }

    /// The action that is replayed.
    #[must_use]
    pub const fn action(&self) -> Action {
        self.twin.action()
    }

    /// The twin, to look at.
    #[must_use]
    pub const fn twin(&self) -> &Twin {
        &self.twin
    }

    /// Lets down every damper that was told to be up: `hear` is told so.
    pub fn let_down(&mut self, mut hear: impl FnMut(&TimedEvent)) {
        for (key, told) in KeyNumber::all().zip(&mut self.lifts) {
            if std::mem::take(told) > 0.0 {
                hear(&damper(key, 0, 0.0));
            }
        }
    }

    /// Replays what sounds in the `length` samples from `now` on; `hear` is told of it with its
    /// distance from `now`, samples: from 0 to a slot beyond `length`.
    pub fn block(&mut self, now: u64, length: usize, mut hear: impl FnMut(f64, &TimedEvent)) {
        self.watch(now, length, |felt| {
            if let Felt::Heard(ahead, event) = felt {
                hear(ahead, event);
            }
        });
    }

    /// As [`Replay::block`]; `tell` is told of every step of the keys too.
    pub fn watch(&mut self, now: u64, length: usize, mut tell: impl FnMut(Felt<'_>)) {
        let now = now as f64;
        if !matches!(self.source, Source::Live(_)) {
            self.recorded_block(now, length as f64, &mut tell);
            return;
        }
        let mut has_news = false;
        while self.waiting.len() < ROOM {
            let Source::Live(log) = &self.source else { break };
            let Some(entry) = log.receive() else { break };
            self.newest = self.newest.max(end(&entry));
            // The keyboard began to count anew.
            if entry.step() + 80_000 < self.newest {
                self.origin = None;
                self.newest = end(&entry);
            }
            self.waiting.push_back(entry);
            has_news = true;
        }
        if has_news {
            self.steer(now, length as f64);
        }
        let Some(origin) = self.origin else { return };
        let Some(first) = self.waiting.front().map(Entry::step) else { return };
        let share = CATCH_UP.0 * length as f64 / self.pace;
        let most = first + floor_index(share) as u64 + CATCH_UP.1;
        while let Some(entry) = self.waiting.front().copied() {
            let ahead = origin + entry.step() as f64 * self.pace - now;
            if ahead >= length as f64 || entry.step() >= most {
                break;
            }
            self.waiting.pop_front();
            // A corrected origin may reach back over a block's edge by a share of a sample.
            self.late += u64::from(ahead < -1.0);
            self.sound(&entry, origin, now, &mut tell);
        }
    }

    fn recorded_block(&mut self, now: f64, length: f64, tell: &mut impl FnMut(Felt<'_>)) {
        loop {
            let entry = match &self.source {
                Source::Recorded(entries, next) => entries.get(*next),
                _ => self.waiting.front(),
            };
            let Some(entry) = entry.copied() else { return };
            let origin = *self.origin.get_or_insert(now - entry.step() as f64 * self.pace);
            if origin + entry.step() as f64 * self.pace >= now + length {
                return;
            }
            match &mut self.source {
                Source::Recorded(_, next) => *next += 1,
                _ => drop(self.waiting.pop_front()),
            }
            self.sound(&entry, origin, now, tell);
        }
    }

    /// Sets or corrects where step 0 lies.
    fn steer(&mut self, now: f64, length: f64) {
        let wanted = now + self.latency - self.newest as f64 * self.pace;
        let rate = self.pace / STEP;
        match &mut self.origin {
            Some(origin) if (wanted - *origin).abs() < LOST * rate => {
                let most = MOST * length;
                let share = length / (SETTLING * rate);
                *origin += ((wanted - *origin) * share).clamp(-most, most);
            }
            _ => {
                self.jumps += u64::from(self.origin.is_some());
                self.origin = Some(wanted);
            }
        }
    }

    fn sound(&mut self, entry: &Entry, origin: f64, now: f64, tell: &mut impl FnMut(Felt<'_>)) {
        let pace = self.pace;
        // The absolute sample is rounded once, then the block's own is taken off: the same wherever a
        // block begins.
        let at =
            |step: u64, offset: f64| (origin + (step as f64 + offset / STEP) * pace - now).max(0.0);
        let key = entry.key();
        if let (Entry::Played { is_played, .. }, Some(key)) = (entry, key) {
            // A recorded performance has no notes beside it.
            self.silent[key.index()] = *is_played && matches!(self.source, Source::Live(_));
        }
        let is_silent = key.is_some_and(|key| self.silent[key.index()]);
        // Both ends of a step tell the same listener, one after the other.
        let told = RefCell::new(&mut *tell);
        self.twin.watch(
            entry,
            |heard| {
                if !is_silent {
                    told.borrow_mut()(Felt::Heard(at(heard.step, heard.offset), heard));
                }
            },
            |step, drive, simulated| {
                if let Some(key) = key {
                    told.borrow_mut()(Felt::Moved(key, step, drive, simulated));
                }
            },
        );
        let Some(key) = key else { return };
        if let Some((simulated, step)) = self.twin.key(key) {
            let lift = if is_silent { 0.0 } else { simulated.damper_lift() };
            let told = &mut self.lifts[key.index()];
            if lift.to_bits() != told.to_bits() && lift.is_finite() {
                *told = lift;
                tell(Felt::Heard(at(step, 0.0), &damper(key, step, lift)));
            }
        }
    }
}

/// The damper of `key` stands at `lift` before `step`.
const fn damper(key: KeyNumber, step: u64, lift: f64) -> TimedEvent {
    TimedEvent { key, step, offset: 0.0, event: KeyEvent::Damper { lift } }
}

/// The step after an entry.
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

    /// A replay that is told of slots of 1 ms: the first as soon as it is over, the others `delay` s
    /// later. The replay after two seconds.
    fn delayed(delay: f64) -> Replay {
        let (sender, receiver) = queue::bounded(ROOM);
        let mut replay = Replay::new(receiver, Action::GRAND, RATE, BLOCK);
        let key = KeyNumber::from_midi(60).unwrap();
        let mut slots = (0..2000u64).peekable();
        for now in (0..96_000u64).step_by(BLOCK) {
            let time = now as f64 / RATE;
            let has_come = |slot: &u64| {
                let over = (*slot + 1) as f64 * 1e-3;
                over + if *slot > 0 { delay } else { 0.0 } <= time
            };
            while let Some(slot) = slots.next_if(has_come) {
                let (step, steps) = (8 * slot, 8);
                let entry = Entry::Slot { step, key, steps, force: 0.0, impedance: 0.0 };
                sender.send(entry).unwrap();
            }
            replay.block(now, BLOCK, |_, _| ());
        }
        replay
    }

    /// From a motion to its sound: a block, in which it comes at any time, and the jitter.
    #[test]
    fn the_latency_is_a_block_and_the_jitter() {
        for (rate, block) in [(48_000.0, 64), (44_100.0, 1000), (192_000.0, 1)] {
            let (_, receiver) = queue::bounded(1);
            let replay = Replay::new(receiver, Action::GRAND, rate, block);
            assert_eq!(replay.latency(), block as f64 + JITTER * rate, "{rate} Hz, {block}");
        }
    }

    /// A slot is known when it is over: its first step may come so much later, less its length.
    #[test]
    fn what_comes_within_the_jitter_is_in_time_and_what_comes_after_it_is_late() {
        let within = delayed(JITTER - 1e-3);
        assert_eq!((within.late, within.jumps), (0, 0));
        assert!(within.waiting.len() < 100, "all that was due has sounded");
        let beyond = delayed(JITTER + BLOCK as f64 / RATE);
        assert!(beyond.late > 0 && beyond.jumps == 0, "{} late", beyond.late);
    }
}
