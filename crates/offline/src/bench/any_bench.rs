//! One key of any mechanism on a test bench: driven step by step, with its events.

use super::driven::Driven;
use crate::gesture::KeyView;
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

    /// Kinetic and potential energy, J.
    #[must_use]
    pub fn energy(&self) -> f64 {
        let readout = self.read(Drive::Free);
        readout.kinetic + readout.potential
    }
}

impl Clone for AnyBench {
    fn clone(&self) -> Self {
        let Self { key, events, steps } = self;
        Self { key: key.duplicate(), events: events.clone(), steps: *steps }
    }
}

impl Driven for AnyBench {
    fn now(&self) -> f64 {
        f64::from(self.steps) * STEP
    }

    fn step(&mut self, drive: Drive) {
        cancel::check();
        let (now, events) = (f64::from(self.steps) * STEP, &mut self.events);
        self.key.step(drive, &mut |offset, event| events.push((now + offset, event)));
        self.steps += 1;
    }

    fn view(&self) -> KeyView {
        KeyView::of(&*self.key)
    }

    fn read(&self, drive: Drive) -> Readout {
        self.key.readout(drive)
    }

    fn first(&self, kind: EventKind) -> Option<(f64, f64)> {
        let event = self.events.iter().find(|event| event.1.kind() == kind);
        event.map(|(time, event)| (*time, event.value()))
    }
}
