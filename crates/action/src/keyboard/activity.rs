//! Activity of each key: moving, idle or asleep.

use touchback_core::math::compass::KeyNumber;
use touchback_core::math::key_set::KeySet;

/// Activity of a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Activity {
    /// In its rest pose, untouched.
    Asleep,
    /// Held, with no part moving.
    Idle,
    /// In motion.
    Moving,
}

/// Activity of each key; keys in neither set are asleep.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Activities {
    moving: KeySet,
    idle: KeySet,
}

impl Activities {
    /// Activity of `key`.
    pub(super) const fn of(&self, key: KeyNumber) -> Activity {
        if self.moving.contains(key) {
            Activity::Moving
        } else if self.idle.contains(key) {
            Activity::Idle
        } else {
            Activity::Asleep
        }
    }

    /// Sets the activity of `key`.
    pub(super) const fn set(&mut self, key: KeyNumber, activity: Activity) {
        self.moving.remove(key);
        self.idle.remove(key);
        match activity {
            Activity::Asleep => {}
            Activity::Idle => self.idle.insert(key),
            Activity::Moving => self.moving.insert(key),
        }
    }

    /// The keys that move.
    pub(super) const fn moving(&self) -> KeySet {
        self.moving
    }

    /// Whether every key is asleep.
    pub(super) const fn are_all_asleep(&self) -> bool {
        self.moving.is_empty() && self.idle.is_empty()
    }

    /// The idle keys.
    pub(super) const fn idle(&self) -> KeySet {
        self.idle
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_one_activity_at_a_time() {
        let key = |i| KeyNumber::from_index(i).unwrap();
        let mut keys = Activities::default();
        for i in [3, 7, 8] {
            keys.set(key(i), Activity::Moving);
        }
        keys.set(key(7), Activity::Idle);
        keys.set(key(8), Activity::Asleep);
        assert_eq!((keys.moving().len(), keys.idle().len()), (1, 1));
        assert_eq!(
            [3, 7, 8].map(|i| keys.of(key(i))),
            [Activity::Moving, Activity::Idle, Activity::Asleep]
        );
    }
}
