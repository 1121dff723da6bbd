//! One key of any mechanism on a test bench: driven step by step, with its events.

use crate::gesture::{Gesture, KeyView};
use touchback_action::{Drive, EventKind, Key, KeyEvent, Readout, STEP};
use touchback_core::exchange::cancel;

/// A key, its events, and the time.
#[derive(Debug)]
pub struct AnyBench {
    key: Box<dyn Key>,
    /// Time, s, and event, in order.
    pub events: Vec<(f64, KeyEvent)>,
    steps: u32,
}

impl AnyBench {
    /// The bench with `key`.
    #[must_use]
    pub const fn new(key: Box<dyn Key>) -> Self {
        Self { key, events: Vec::new(), steps: 0 }
    }

    /// The key.
    #[must_use]
    pub fn key(&self) -> &dyn Key {
        &*self.key
    }

    /// The key, to change it.
    pub fn key_mut(&mut self) -> &mut dyn Key {
        &mut *self.key
    }

    /// Time since the bench began, s.
    #[must_use]
    pub fn now(&self) -> f64 {
        f64::from(self.steps) * STEP
    }

    /// Time, s, and value of the first event of a kind.
    #[must_use]
    pub fn first(&self, kind: EventKind) -> Option<(f64, f64)> {
        let event = self.events.iter().find(|event| event.1.kind() == kind);
        event.map(|(time, event)| (*time, event.value()))
    }

    /// Advances one action step.
    pub fn step(&mut self, drive: Drive) {
        cancel::check();
        let (now, events) = (f64::from(self.steps) * STEP, &mut self.events);
        self.key.step(drive, &mut |offset, event| events.push((now + offset, event)));
        self.steps += 1;
    }

    /// The key's readout under `drive`.
    #[must_use]
    pub fn read(&self, drive: Drive) -> Readout {
        self.key.readout(drive)
    }

    /// Kinetic and potential energy, J.
    #[must_use]
    pub fn energy(&self) -> f64 {
        let readout = self.read(Drive::Free);
        readout.kinetic + readout.potential
    }

    /// Runs for `seconds` s; `drive` receives the times since the call at a step's start and end. `each`
    /// ends the run by returning `false`.
    pub fn run(
        &mut self,
        seconds: f64,
        drive: impl Fn(f64, f64) -> Drive,
        mut each: impl FnMut(&Self, Drive) -> bool,
    ) {
        let start = self.now();
        while self.now() - start < seconds - 0.5 * STEP {
            let t = self.now() - start;
            let drive = drive(t, t + STEP);
            self.step(drive);
            if !each(self, drive) {
                break;
            }
        }
    }

    /// Plays a gesture; `each` ends it by returning `false`.
    pub fn play(&mut self, gesture: &mut Gesture, mut each: impl FnMut(&Self, Drive) -> bool) {
        for step in 0..gesture.steps() {
            let drive = gesture.drive(step, KeyView::of(&*self.key));
            self.step(drive);
            if !each(self, drive) {
                break;
            }
        }
    }
}
