//! Which keys move, which are held still and which sleep.

use touchback_core::math::compass::KeyNumber;
use touchback_core::math::key_set::KeySet;

/// What a key does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Activity {
    /// In its rest pose, untouched.
    Asleep,
    /// Held, and nothing moves.
    Idle,
    /// Everything else.
    Moving,
}

/// What each key does.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Activities {
    moving: KeySet,
    still: KeySet,
}

impl Activities {
    /// What `key` does.
    pub(super) const fn of(&self, key: KeyNumber) -> Activity {
        if self.moving.contains(key) {
            Activity::Moving
        } else if self.still.contains(key) {
            Activity::Idle
        } else {
            Activity::Asleep
        }
    }

    /// `key` does `what` from now on.
    pub(super) const fn set(&mut self, key: KeyNumber, what: Activity) {
        self.moving.remove(key);
        self.still.remove(key);
        match what {
            Activity::Asleep => {}
            Activity::Idle => self.still.insert(key),
            Activity::Moving => self.moving.insert(key),
        }
    }

    /// The keys that move.
    pub(super) const fn moving(&self) -> KeySet {
        self.moving
    }

    /// The keys held still.
    pub(super) const fn idle(&self) -> KeySet {
        self.still
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_does_one_thing_at_a_time() {
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
