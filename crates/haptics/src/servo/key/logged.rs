//! Entries of the servo's log for one simulated key, so that a twin can follow.

use crate::record::log::{Entry, Log, damper_moved};
use touchback_action::TimedEvent;
use touchback_action::interface::key::{DynamicsCompensation, Key};
use touchback_core::math::compass::KeyNumber;

/// State of a simulated key as last logged.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Logged {
    /// The log has the state of the simulated key and all its slots since.
    is_placed: bool,
    /// The damper is off the string.
    is_clear: bool,
    /// A host note moves the key.
    is_played: bool,
}

impl Logged {
    /// Nothing of a key that replaces the one logged as `old`, but its damper.
    pub(super) fn new(old: Option<&Self>) -> Self {
        Self { is_clear: old.is_some_and(|old| old.is_clear), ..Self::default() }
    }

    /// The log has the state of the simulated key.
    pub(super) const fn is_placed(&self) -> bool {
        self.is_placed
    }

    /// The simulated key is no longer where the log has it.
    pub(super) const fn displace(&mut self) {
        self.is_placed = false;
    }

    /// Logs the state of the `simulated` key before `step`, unless the log has it. Returns whether it did.
    pub(super) fn place(
        &mut self,
        step: u64,
        key: KeyNumber,
        compensation: &DynamicsCompensation,
        simulated: &dyn Key,
        log: &mut impl Log,
    ) -> bool {
        if self.is_placed {
            return false;
        }
        let (compensation, saved) = (*compensation, simulated.save());
        self.is_placed = log.put(&Entry::Place { step, key, compensation, saved });
        if self.is_placed
            && let Some(event) = damper_moved(&mut self.is_clear, simulated)
        {
            log.on_event(&TimedEvent { key, step, offset: 0.0, event });
        }
        self.is_placed
    }

    /// Logs whether a host note moves the key, where that has changed. Returns whether it did.
    pub(super) fn played(
        &mut self,
        step: u64,
        key: KeyNumber,
        is_played: bool,
        log: &mut impl Log,
    ) -> bool {
        let has_changed = is_played != self.is_played;
        if has_changed {
            let entry = Entry::Played { step, key, is_played };
            self.is_played = is_played == log.put(&entry);
        }
        has_changed
    }

    /// Logs a slot.
    pub(super) fn slot(&mut self, entry: &Entry, log: &mut impl Log) {
        self.is_placed &= log.put(entry);
    }

    /// The events of the `simulated` key, its damper's among them, have been logged.
    pub(super) fn note_damper(&mut self, simulated: &dyn Key) {
        damper_moved(&mut self.is_clear, simulated);
    }
}
