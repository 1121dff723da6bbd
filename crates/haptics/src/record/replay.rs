//! Replay of a recorded log on the audio clock, by a twin of the servo's keys.
//!
//! The first step sounds at the first sample and a step lasts 125 µs of the audio clock, whatever the block size.
//! Nothing allocates, locks or calls the system after creation, except where entries are supplied.

use std::cell::RefCell;
use std::collections::VecDeque;

use crate::action::Action;
use crate::record::log::{Entry, Twin};
use crate::record::publish::KeyStep;
use touchback_action::{ActionSettings, KeyEvent, STEP, TimedEvent};
use touchback_core::math::compass::{KEYS, KeyNumber};

/// Source of the entries.
#[derive(Debug)]
enum Source {
    /// A recorded log, and the index of its next entry.
    Recorded(Vec<Entry>, usize),
    /// Entries that are supplied in pieces.
    Supplied(VecDeque<Entry>),
}

/// Output for the audio thread, of a replay or a running servo.
#[derive(Clone, Copy, Debug)]
pub enum ReplayEvent<'a> {
    /// An event, and its time after the beginning of the block, samples.
    Event(f64, &'a TimedEvent),
    /// A key after one of its steps.
    Step(&'a KeyStep),
}

/// Lift of each damper as last reported, 0…1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lifts([f64; KEYS]);

impl Default for Lifts {
    fn default() -> Self {
        Self([0.0; KEYS])
    }
}

impl Lifts {
    /// No damper is lifted.
    pub(super) const fn forget(&mut self) {
        self.0 = [0.0; KEYS];
    }

    /// Calls `on_event` if the damper of `key`, which is at `lift` before `step`, has moved.
    pub(super) fn report(
        &mut self,
        key: KeyNumber,
        step: u64,
        lift: f64,
        on_event: impl FnOnce(&TimedEvent),
    ) {
        let reported = &mut self.0[key.index()];
        if lift.to_bits() != reported.to_bits() && lift.is_finite() {
            *reported = lift;
            on_event(&damper(key, step, lift));
        }
    }

    /// Lowers every damper that was reported as lifted, and calls `on_event` for each.
    pub(super) fn lower(&mut self, mut on_event: impl FnMut(&TimedEvent)) {
        for (key, reported) in KeyNumber::all().zip(&mut self.0) {
            if std::mem::take(reported) > 0.0 {
                on_event(&damper(key, 0, 0.0));
            }
        }
    }
}

/// The event of a damper of `key` at `lift` before `step`.
const fn damper(key: KeyNumber, step: u64, lift: f64) -> TimedEvent {
    TimedEvent { key, step, offset: 0.0, event: KeyEvent::Damper { lift } }
}

/// The replay of one servo's log.
#[derive(Debug)]
pub struct Replay {
    source: Source,
    twin: Twin,
    /// Samples per step.
    step_samples: f64,
    /// Sample at which step 0 sounds; none before the first entry.
    origin: Option<f64>,
    lifts: Lifts,
}

impl Replay {
    /// A replay of a recorded log of `action` at `sample_rate` Hz. Allocates.
    #[must_use]
    pub fn recorded(entries: Vec<Entry>, action: Action, sample_rate: f64) -> Self {
        let first = entries.iter().find_map(|entry| match entry {
            Entry::Setting { settings, .. } => Some(settings.clone()),
            _ => None,
        });
        let settings = first.unwrap_or_default();
        Self::from_source(Source::Recorded(entries, 0), action, settings, sample_rate)
    }

    /// A replay of a log of `action`, which begins with `settings`, at `sample_rate` Hz, whose entries are
    /// [supplied](Self::supply) where it [needs](Self::needs_entries) them. It cannot restart.
    #[must_use]
    pub fn supplied(action: Action, settings: ActionSettings, sample_rate: f64) -> Self {
        Self::from_source(Source::Supplied(VecDeque::new()), action, settings, sample_rate)
    }

    fn from_source(
        source: Source,
        action: Action,
        settings: ActionSettings,
        sample_rate: f64,
    ) -> Self {
        Self {
            source,
            twin: Twin::fixed(action, settings),
            step_samples: sample_rate * STEP,
            origin: None,
            lifts: Lifts::default(),
        }
    }

    /// Whether the `length` samples from `now` on may need more entries than were supplied.
    #[must_use]
    pub fn needs_entries(&self, now: u64, length: usize) -> bool {
        let Source::Supplied(waiting) = &self.source else { return false };
        let (Some(first), Some(last)) = (waiting.front(), waiting.back()) else { return true };
        let origin = self.origin.unwrap_or(now as f64 - first.step() as f64 * self.step_samples);
        origin + last.step() as f64 * self.step_samples < (now + length as u64) as f64
    }

    /// Adds the next entry of the log. Allocates.
    pub fn supply(&mut self, entry: Entry) {
        if let Source::Supplied(waiting) = &mut self.source {
            waiting.push_back(entry);
        }
    }

    /// Restarts the count of samples at 0: a recorded log begins again.
    pub fn restart(&mut self) {
        self.origin = None;
        self.lifts.forget();
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
    pub fn lower_dampers(&mut self, on_event: impl FnMut(&TimedEvent)) {
        self.lifts.lower(on_event);
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
        let (now, length) = (now as f64, length as f64);
        loop {
            let entry = match &self.source {
                Source::Recorded(entries, next) => entries.get(*next),
                Source::Supplied(waiting) => waiting.front(),
            };
            let Some(entry) = entry.cloned() else { return };
            let origin = *self.origin.get_or_insert(now - entry.step() as f64 * self.step_samples);
            if origin + entry.step() as f64 * self.step_samples >= now + length {
                return;
            }
            match &mut self.source {
                Source::Recorded(_, next) => *next += 1,
                Source::Supplied(waiting) => drop(waiting.pop_front()),
            }
            self.sound(&entry, origin, now, &mut emit);
        }
    }

    /// Replays `entry`. In a recording also the keys that host notes moved sound: the notes do not sound by themselves.
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
        // Both callbacks use `emit`, one after the other.
        let shared = RefCell::new(&mut *emit);
        self.twin.watch(
            entry,
            |event| {
                shared.borrow_mut()(ReplayEvent::Event(at(event.step, event.offset), event));
            },
            |step, drive, simulated| {
                if let Some(key) = key {
                    let step = KeyStep::new(key, step, drive, simulated);
                    shared.borrow_mut()(ReplayEvent::Step(&step));
                }
            },
        );
        let Some(key) = key else { return };
        if let Some((simulated, step)) = self.twin.key(key) {
            self.lifts.report(key, step, simulated.damper_lift(), |event| {
                emit(ReplayEvent::Event(at(step, 0.0), event));
            });
        }
    }
}
