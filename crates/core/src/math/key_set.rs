//! A set of keys as a bit set, iterated in ascending order.

use crate::math::compass::{KEYS, KeyNumber};

/// A subset of the 88 keys, one bit for each.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct KeySet(u128);

impl KeySet {
    /// The empty set.
    pub const EMPTY: Self = Self(0);
    /// All keys.
    pub const ALL: Self = Self((1 << KEYS) - 1);

    /// Adds `key`.
    pub const fn insert(&mut self, key: KeyNumber) {
        self.0 |= 1 << key.index();
    }

    /// Removes `key`; returns whether it was in the set.
    pub const fn remove(&mut self, key: KeyNumber) -> bool {
        let was = self.contains(key);
        self.0 &= !(1 << key.index());
        was
    }

    /// Whether `key` is in the set.
    pub const fn contains(self, key: KeyNumber) -> bool {
        self.0 >> key.index() & 1 == 1
    }

    /// Number of keys in the set.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The keys in either set.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The keys that are not in `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The keys whose turn it is at `step` in a rotation in which each key has its turn every `turns` steps,
    /// neighbours as far apart as possible.
    #[must_use]
    pub fn in_turn(self, step: u64, turns: u64) -> Self {
        let mut turn = Self::EMPTY;
        let apart = (turns / KEYS as u64).max(1);
        let is_next = |key: &KeyNumber| (step + apart * key.index() as u64).is_multiple_of(turns);
        self.iter().filter(is_next).for_each(|key| turn.insert(key));
        turn
    }

    /// The keys in both sets.
    #[must_use]
    pub const fn both(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The keys from the lowest to the highest.
    pub fn iter(self) -> impl Iterator<Item = KeyNumber> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let lowest = (rest != 0).then(|| rest.trailing_zeros())?;
            rest &= rest - 1;
            KeyNumber::from_index(lowest as usize)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_returns_its_keys_in_ascending_order() {
        let mut set = KeySet::default();
        let keys: Vec<_> =
            [87, 0, 40, 64].iter().filter_map(|&i| KeyNumber::from_index(i)).collect();
        for &key in &keys {
            set.insert(key);
        }
        assert_eq!(set.iter().map(KeyNumber::index).collect::<Vec<_>>(), [0, 40, 64, 87]);
        assert_eq!(set.len(), 4);
        let mut some = KeySet::EMPTY;
        some.insert(keys[1]);
        assert_eq!(set.without(some).union(KeySet::EMPTY).iter().count(), 3);
        assert!(set.remove(keys[3]) && !set.remove(keys[3]));
        for key in keys {
            set.remove(key);
        }
        assert!(set.is_empty());
    }
}
