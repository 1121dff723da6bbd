//! New hammers on their way to the strings: a few keys an action step, so that no step is expensive; the
//! hammer of a key that strikes, before the strike.

use crate::play::engine_traits::Strings;
use crate::play::sink::Sink;
use touchback_action::ActionSettings;
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::key_set::KeySet;

/// Action steps in which the hammers of all keys are sent to the strings: 64 ms.
const TURNS: u64 = 512;

/// Keys whose hammer may differ from the one that the strings have.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct PendingHammers(KeySet);

impl PendingHammers {
    /// The hammers of all keys may have changed.
    pub(super) const fn mark_all(&mut self) {
        self.0 = KeySet::ALL;
    }

    /// Sends the hammer of `key` in the regulation `action` to `sink`, if it is pending.
    pub(super) fn apply(
        &mut self,
        key: KeyNumber,
        action: &ActionSettings,
        sink: &mut Sink<impl Strings>,
    ) {
        if self.0.remove(key) {
            sink.set_hammer(key, &action.of(key).hammers());
        }
    }

    /// Sends the pending hammers of the keys whose turn is the action step `step`.
    pub(super) fn step(
        &mut self,
        step: u64,
        action: &ActionSettings,
        sink: &mut Sink<impl Strings>,
    ) {
        self.0.in_turn(step, TURNS).iter().for_each(|key| self.apply(key, action, sink));
    }

    /// Sends all pending hammers.
    pub(super) fn apply_all(&mut self, action: &ActionSettings, sink: &mut Sink<impl Strings>) {
        self.0.iter().for_each(|key| self.apply(key, action, sink));
    }
}
