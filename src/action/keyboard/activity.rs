//! Which keys move, which are held still and which sleep.

use crate::math::compass::KEYS;

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

/// What each key does: a bit a key, so that a silent piano is seen to be so at once.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Activities {
    moving: u128,
    still: u128,
}

impl Activities {
    /// What the key of index `i` does.
    pub(super) fn of(&self, i: usize) -> Activity {
        let bit = 1 << i;
        if self.moving & bit != 0 {
            Activity::Moving
        } else if self.still & bit != 0 {
            Activity::Still
        } else {
            Activity::Asleep
        }
    }

    /// The key of index `i` does `what` from now on.
    pub(super) fn set(&mut self, i: usize, what: Activity) {
        let bit = 1 << i;
        self.moving &= !bit;
        self.still &= !bit;
        match what {
            Activity::Asleep => {}
            Activity::Still => self.still |= bit,
            Activity::Moving => self.moving |= bit,
        }
    }

    /// Number of keys that move.
    pub(super) const fn moving(&self) -> usize {
        self.moving.count_ones() as usize
    }

    /// First indices of the blocks of `width` keys with a key that needs a step: one that moves, or,
    /// when the piano is `disturbed`, is held still.
    pub(super) fn due(&self, width: usize, disturbed: bool) -> impl Iterator<Item = usize> + use<> {
        let mut left = if disturbed { self.moving | self.still } else { self.moving };
        std::iter::from_fn(move || {
            let next = left.trailing_zeros() as usize;
            (next < KEYS).then(|| {
                let first = next - next % width;
                let after = first + width;
                left = if after < KEYS { left >> after << after } else { 0 };
                first
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_with_something_to_do_come_once_and_in_order() {
        let mut keys = Activities::default();
        for i in [3, 7, 8, 40, 87] {
            keys.set(i, Activity::Moving);
        }
        keys.set(21, Activity::Still);
        keys.set(8, Activity::Asleep);
        let due = |width, disturbed| keys.due(width, disturbed).collect::<Vec<_>>();
        assert_eq!(due(1, false), [3, 7, 40, 87]);
        assert_eq!(due(8, false), [0, 40, 80]);
        assert_eq!(due(8, true), [0, 16, 40, 80]);
        assert_eq!(due(4, true), [0, 4, 20, 40, 84]);
        assert_eq!(keys.moving(), 4);
        assert_eq!((keys.of(8), keys.of(21)), (Activity::Asleep, Activity::Still));
    }
}
