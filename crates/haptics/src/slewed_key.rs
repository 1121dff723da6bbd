//! A simulated key with slewed regulation. Servo and twin step it in the same way.

use touchback_action::Drive;
use touchback_action::interface::key::{Key, OnEvent};
use touchback_action::interface::slew::{Progress, Slew};
use touchback_core::math::compass::KeyNumber;

/// A simulated key and its progress on the slewed settings.
#[derive(Clone, Debug)]
pub struct SlewedKey {
    number: KeyNumber,
    key: Box<dyn Key>,
    /// Progress at the last application; none before the first.
    applied: Option<Progress>,
    /// Energy that changes of regulation have given the key, J.
    turned: f64,
    /// Work of the drives before the key was last put to rest, J.
    earlier_work: f64,
}

impl SlewedKey {
    /// The key `number`, which applies the settings before its next step.
    #[must_use]
    pub const fn new(number: KeyNumber, key: Box<dyn Key>) -> Self {
        Self { number, key, applied: None, turned: 0.0, earlier_work: 0.0 }
    }

    /// Applies the settings as they are after `begun` steps have begun. Returns whether they have changed.
    pub fn apply(&mut self, settings: &Slew, begun: u64) -> bool {
        let wanted = Some(settings.progress(begun));
        let has_changed = self.applied != wanted;
        if has_changed {
            self.applied = wanted;
            self.turned += self.key.regulate(&settings.of(self.number, begun));
        }
        has_changed
    }

    /// Like [`Key::step`] for the step number `step`, after applying its settings.
    pub fn step(&mut self, settings: &Slew, step: u64, drive: Drive, on_event: &mut OnEvent<'_>) {
        self.apply(settings, step + 1);
        self.key.step(drive, on_event);
    }

    /// Puts the key to rest.
    pub fn reset_to_rest(&mut self) {
        let before = self.work();
        self.key.reset_to_rest();
        // A state that became non-finite is replaced; its work is unknown.
        if before.is_finite() {
            self.earlier_work = before - self.key.work();
        }
    }

    /// Work of the drives since the beginning, J. [`Key::work`] begins anew at every rest.
    #[must_use]
    pub fn work(&self) -> f64 {
        self.earlier_work + self.key.work()
    }

    /// Forgets the applied settings after a restart of the slew.
    pub const fn forget(&mut self) {
        self.applied = None;
    }

    /// Energy that changes of regulation have given the key, J.
    #[must_use]
    pub const fn turned(&self) -> f64 {
        self.turned
    }

    /// The key.
    #[must_use]
    pub fn key(&self) -> &dyn Key {
        &*self.key
    }

    /// The key, mutable.
    pub fn key_mut(&mut self) -> &mut dyn Key {
        &mut *self.key
    }
}
