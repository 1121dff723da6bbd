//! Which keys move, which are held still and which sleep.

use crate::math::compass::KeyNumber;
use crate::math::key_set::KeySet;

/// What a key does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Activity {
    /// In its rest pose, untouched.
    Asleep,
    /// Held, and nothing moves.
    Still,
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
            Activity::Still
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
            Activity::Still => self.still.insert(key),
            Activity::Moving => self.moving.insert(key),
        }
    }

    /// The keys that move.
    pub(super) const fn moving(&self) -> KeySet {
        self.moving
    }

    /// First indices of the blocks of `width` keys with a key that needs a step: one that moves, or,
    /// when the piano is `disturbed`, is held still.
    pub(super) fn due(&self, width: usize, disturbed: bool) -> impl Iterator<Item = usize> + use<> {
        let mut left = if disturbed { self.moving.union(self.still) } else { self.moving };
        std::iter::from_fn(move || {
            let next = left.iter().next()?.index();
            let first = next - next % width;
            left = left.from(first + width);
            Some(first)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_with_something_to_do_come_once_and_in_order() {
        let key = |i| KeyNumber::from_index(i).unwrap();
        let mut keys = Activities::default();
        for i in [3, 7, 8, 40, 87] {
            keys.set(key(i), Activity::Moving);
        }
        keys.set(key(21), Activity::Still);
        keys.set(key(8), Activity::Asleep);
        let due = |width, disturbed| keys.due(width, disturbed).collect::<Vec<_>>();
        assert_eq!(due(1, false), [3, 7, 40, 87]);
        assert_eq!(due(8, false), [0, 40, 80]);
        assert_eq!(due(8, true), [0, 16, 40, 80]);
        assert_eq!(due(4, true), [0, 4, 20, 40, 84]);
        assert_eq!(keys.moving().len(), 4);
        assert_eq!((keys.of(key(8)), keys.of(key(21))), (Activity::Asleep, Activity::Still));
    }
}
