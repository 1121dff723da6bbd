//! A constructed strike sounds from its speed alone: the steps of its action wait until the hammers at the strings,
//! the most expensive samples of a note, have passed. Those of the blow itself follow at half their pace, because
//! they are divided most; the others are caught up two at a time.
//!
//! The key goes the same way as without waiting, step by step. What it reports meanwhile sounds late by the steps
//! that it is behind less one, but for its meeting the bed, which is foreseen.

use super::Piano;
use crate::play::engine_traits::{Keys, Strings};
use touchback_action::{Drive, KeyEvent, STEP};
use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_core::math::key_set::KeySet;

/// Steps after the strike in which none is taken, 2.5 ms (chosen: two blocks of 64 samples at 48 kHz, after which most
/// hammers have left the strings).
const NONE: u8 = 20;

/// Steps after the strike until which every second one is taken, 5 ms (chosen: those of the blow last 1 ms).
const HALF: u8 = 40;

/// Steps after which a key is no longer behind: as many as were left out are caught up.
const ALL: u8 = HALF + NONE + (HALF - NONE) / 2;

/// Keys whose steps wait or are caught up.
#[derive(Debug)]
pub(super) struct Deferral {
    keys: KeySet,
    /// Of these, those that do not take the present step.
    waiting: KeySet,
    /// Steps since the strike of each key.
    ages: [u8; KEYS],
    /// Steps that each key is behind.
    owed: [u8; KEYS],
    /// Keys whose meeting the bed was foreseen and has not been reported.
    foreseen: KeySet,
}

impl Deferral {
    /// No key waits.
    pub(super) const fn new() -> Self {
        let none = KeySet::EMPTY;
        Self { keys: none, waiting: none, ages: [0; KEYS], owed: [0; KEYS], foreseen: none }
    }

    /// The keys that do not take the present step.
    pub(super) const fn waiting(&self) -> KeySet {
        self.waiting
    }

    /// Time by which `key` is behind, s.
    pub(super) fn lag(&self, key: KeyNumber) -> f64 {
        f64::from(self.owed[key.index()]) * STEP
    }

    /// Number of the step that `key` takes in step `step`.
    pub(super) fn step_of(&self, key: KeyNumber, step: u64) -> u64 {
        step.saturating_sub(u64::from(self.owed[key.index()]))
    }

    /// Whether the bed that `key` meets has sounded; once.
    pub(super) const fn take_foreseen(&mut self, key: KeyNumber) -> bool {
        self.foreseen.remove(key)
    }

    const fn begin(&mut self, key: KeyNumber) {
        self.keys.insert(key);
        self.waiting.insert(key);
        self.ages[key.index()] = 0;
    }

    /// The steps that `key` is behind are left out: it is touched anew.
    pub(super) const fn end(&mut self, key: KeyNumber) {
        self.keys.remove(key);
        self.waiting.remove(key);
        self.foreseen.remove(key);
        self.owed[key.index()] = 0;
    }

    /// After a step: the keys that take one more, behind by so many fewer.
    fn catch_up(&mut self) -> KeySet {
        let mut catching = KeySet::EMPTY;
        for key in self.keys.iter() {
            let (age, owed) = (&mut self.ages[key.index()], &mut self.owed[key.index()]);
            if self.waiting.remove(key) {
                *owed += 1;
            } else if *age >= HALF {
                *owed -= 1;
                catching.insert(key);
            }
            *age += 1;
            if *age < NONE || (*age < HALF && age.is_multiple_of(2)) {
                self.waiting.insert(key);
            }
        }
        catching
    }

    /// Keys of `caught` that are no longer behind have ended.
    fn leave(&mut self, caught: KeySet) {
        for key in caught.iter().filter(|key| self.owed[key.index()] == 0) {
            self.keys.remove(key);
        }
    }
}

/// A key that meets its bed: s after the strike, and at how many m/s.
struct Bed {
    time: f64,
    speed: f64,
}

impl<K: Keys, S: Strings> Piano<K, S> {
    /// The steps of `key`, whose strike was constructed at the present sample, begin to wait.
    pub(super) fn defer(&mut self, key: KeyNumber) {
        let Some(bed) = self.foresee_bed(key) else { return };
        self.deferral.begin(key);
        // Later it is reported in time.
        if bed.time < f64::from(ALL) * STEP {
            self.deferral.foreseen.insert(key);
            let ahead = (bed.time + STEP - self.time.clock.elapsed()) * self.time.clock.rate();
            let event = KeyEvent::KeyBottom { speed: bed.speed };
            self.schedule_event(key, event, f64::NAN, self.due(ahead));
        }
    }

    /// How `key` meets its bed under its finger at rest: as one mass on the spring of the fingertip, with the present
    /// acceleration. None where its steps cannot wait.
    fn foresee_bed(&self, key: KeyNumber) -> Option<Bed> {
        /// Distance over which the stiffness is measured, m.
        const APART: f64 = 1e-4;
        let keys = &self.mechanism.keys;
        let target = self.fingers.of(key).target();
        let [slower, quicker] =
            [0.0, APART].map(|more| keys.key_acceleration(key, Drive::Finger([target + more; 2])));
        let (start, quicker) = (slower?, quicker?);
        // Fall of the acceleration over the depth, 1/s².
        let stiffness = ((quicker - start) / APART).max(0.0);
        let mut gap = self.mechanism.travel(key, &self.settings.action).dip - keys.key_depth(key);
        let (mut speed, mut sunk) = (keys.key_speed(key), 0.0);
        for step in 0..ALL {
            let acceleration = start - stiffness * sunk;
            let way = (speed + 0.5 * STEP * acceleration) * STEP;
            if way >= gap {
                let part = gap / way;
                let time = (f64::from(step) + part) * STEP;
                return Some(Bed { time, speed: speed + part * STEP * acceleration });
            }
            (gap, sunk, speed) = (gap - way, sunk + way, speed + STEP * acceleration);
        }
        Some(Bed { time: f64::INFINITY, speed })
    }

    /// The keys that are behind take one step more.
    pub(super) fn catch_up(&mut self) {
        let catching = self.deferral.catch_up();
        if catching.is_empty() {
            return;
        }
        self.move_fingers(catching);
        self.time.events.begin(self.time.clock.step());
        self.mechanism.keys.catch_up(catching, &mut self.time.events);
        self.record_trace(catching);
        self.take_events();
        self.deferral.leave(catching);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_wait_follow_at_half_pace_and_are_caught_up() {
        let key = KeyNumber::from_midi(60).unwrap();
        let mut deferral = Deferral::new();
        deferral.begin(key);
        let mut taken = Vec::new();
        for step in 0..2 * ALL {
            let own = u8::from(!deferral.waiting().contains(key));
            let more = deferral.catch_up();
            taken.push(taken.last().unwrap_or(&0) + own + u8::from(more.contains(key)));
            deferral.leave(more);
            let lag = f64::from(step + 1 - taken[usize::from(step)]) * STEP;
            assert!((deferral.lag(key) - lag).abs() < 1e-12, "step {step}");
        }
        let after = |steps: u8| taken[usize::from(steps) - 1];
        assert_eq!([NONE, HALF, ALL, 2 * ALL].map(after), [0, (HALF - NONE) / 2, ALL, 2 * ALL]);
    }
}
