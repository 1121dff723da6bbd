//! New hammers on their way to the strings: of a few keys an action step, so that no step is dear; of a
//! key that strikes, before it does.

use crate::engine_traits::Strings;
use touchback_action::ActionSettings;
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::key_set::KeySet;

/// Action steps in which the strings hear of the hammers of all keys: 64 ms.
const TURNS: u64 = 512;

/// Keys of whose present hammer the strings have not heard.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct HammerNews(KeySet);

impl HammerNews {
    /// The hammers of all keys may have changed.
    pub(super) const fn come(&mut self) {
        self.0 = KeySet::ALL;
    }

    /// Tells `strings` of the hammer of `key`, as `action` has it, if that is news.
    pub(super) fn tell(
        &mut self,
        key: KeyNumber,
        action: &ActionSettings,
        strings: &mut impl Strings,
    ) {
        if self.0.remove(key) {
            strings.set_hammer(key, &action.of(key).hammers());
        }
    }

    /// Tells of those keys whose turn it is at the action step `step`.
    pub(super) fn step(&mut self, step: u64, action: &ActionSettings, strings: &mut impl Strings) {
        self.0.in_turn(step, TURNS).iter().for_each(|key| self.tell(key, action, strings));
    }

    /// Tells of all keys.
    pub(super) fn tell_all(&mut self, action: &ActionSettings, strings: &mut impl Strings) {
        self.0.iter().for_each(|key| self.tell(key, action, strings));
    }
}
