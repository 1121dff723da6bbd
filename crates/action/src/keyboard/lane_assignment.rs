//! Assignment of the moving keys to the lanes of packs, independent of their position on the keyboard.
//!
//! A key keeps its slot while it moves, unless packs are merged, so that the constants of a pack change
//! only when keys wake or fall asleep. The assignment changes no result.

use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_core::math::key_set::KeySet;
use touchback_core::math::real::MOST_LANES;

/// The keys of one pack, by lane.
pub(super) type Pack = [Option<KeyNumber>; MOST_LANES];

/// Number of packs with the fewest lanes, two.
const MOST_PACKS: usize = KEYS / 2;

/// The slots of the moving keys; slot s is lane s mod `width` of pack s / `width`.
#[derive(Debug)]
pub(super) struct LaneAssignment {
    /// Number of keys in a pack, at most [`MOST_LANES`].
    width: usize,
    packs: [Pack; MOST_PACKS],
    /// Packs whose keys or their constants have changed.
    stale: [bool; MOST_PACKS],
    assigned: KeySet,
}

impl LaneAssignment {
    /// An empty assignment to packs of `width` keys, 2…[`MOST_LANES`].
    pub(super) fn new(width: usize) -> Self {
        Self {
            width: width.clamp(2, MOST_LANES),
            packs: [[None; MOST_LANES]; MOST_PACKS],
            stale: [false; MOST_PACKS],
            assigned: KeySet::EMPTY,
        }
    }

    /// Number of packs in use: the fewest that hold the assigned keys.
    pub(super) const fn used(&self) -> usize {
        self.assigned.len().div_ceil(self.width)
    }

    /// The keys of pack `which`.
    pub(super) const fn pack(&self, which: usize) -> &Pack {
        &self.packs[which]
    }

    /// Whether the constants of pack `which` must be gathered again; resets the mark.
    pub(super) const fn take_stale(&mut self, which: usize) -> bool {
        std::mem::replace(&mut self.stale[which], false)
    }

    /// Assigns slots to exactly the keys `moving`.
    pub(super) fn assign(&mut self, moving: KeySet) {
        if moving == self.assigned {
            return;
        }
        let leaving = self.assigned.without(moving);
        for slot in 0..self.slots() {
            if self.at(slot).is_some_and(|key| leaving.contains(key)) {
                self.put(slot, None);
            }
        }
        let mut free = 0;
        for key in moving.without(self.assigned).iter() {
            free = self.first_free(free);
            self.put(free, Some(key));
        }
        self.assigned = moving;
        // Keys beyond the packs needed move into free slots of these.
        let needed = self.used() * self.width;
        free = 0;
        for slot in needed..self.slots() {
            if let Some(key) = self.at(slot) {
                free = self.first_free(free);
                self.put(slot, None);
                self.put(free, Some(key));
            }
        }
    }

    /// Marks the pack of `key`, whose constants have changed.
    pub(super) fn mark_changed(&mut self, key: KeyNumber) {
        if self.assigned.contains(key) {
            let pack = (0..self.used()).find(|which| self.packs[*which].contains(&Some(key)));
            pack.into_iter().for_each(|which| self.stale[which] = true);
        }
    }

    /// Number of slots.
    const fn slots(&self) -> usize {
        KEYS.div_ceil(self.width) * self.width
    }

    const fn at(&self, slot: usize) -> Option<KeyNumber> {
        self.packs[slot / self.width][slot % self.width]
    }

    const fn put(&mut self, slot: usize, key: Option<KeyNumber>) {
        let which = slot / self.width;
        self.packs[which][slot % self.width] = key;
        self.stale[which] = true;
    }

    /// The first free slot from `from` on; there is a slot for every key.
    fn first_free(&self, from: usize) -> usize {
        (from..self.slots()).find(|slot| self.at(*slot).is_none()).unwrap_or(from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn set(keys: impl IntoIterator<Item = usize>) -> KeySet {
        let mut set = KeySet::EMPTY;
        keys.into_iter().for_each(|i| set.insert(KeyNumber::from_index(i).unwrap()));
        set
    }

    fn assigned(lane_assignment: &LaneAssignment) -> Vec<usize> {
        let keys = (0..lane_assignment.used()).flat_map(|which| lane_assignment.pack(which));
        keys.flatten().map(|key| key.index()).collect()
    }

    #[test]
    fn a_spread_chord_fills_packs_and_keeps_its_slots() {
        let mut lane_assignment = LaneAssignment::new(4);
        lane_assignment.assign(set([3, 20, 41, 60, 80]));
        assert_eq!(
            (assigned(&lane_assignment), lane_assignment.used()),
            (vec![3, 20, 41, 60, 80], 2)
        );
        assert!(
            lane_assignment.take_stale(0)
                && lane_assignment.take_stale(1)
                && !lane_assignment.take_stale(0)
        );
        lane_assignment.assign(set([3, 20, 60, 80, 87]));
        assert_eq!(assigned(&lane_assignment), [3, 20, 87, 60, 80]);
        assert!(lane_assignment.take_stale(0) && !lane_assignment.take_stale(1));
        lane_assignment.assign(set([3, 60, 80, 87]));
        assert_eq!((assigned(&lane_assignment), lane_assignment.used()), (vec![3, 80, 87, 60], 1));
        lane_assignment.take_stale(0);
        lane_assignment.mark_changed(KeyNumber::from_index(20).unwrap());
        assert!(!lane_assignment.take_stale(0));
        lane_assignment.mark_changed(KeyNumber::from_index(87).unwrap());
        assert!(lane_assignment.take_stale(0));
    }

    proptest! {
        /// For any history of moving keys, each is assigned once, in the fewest packs.
        #[test]
        fn every_moving_key_has_one_slot(
            width in 2..=MOST_LANES,
            history in prop::collection::vec(any::<u128>(), 1..40),
        ) {
            let mut lane_assignment = LaneAssignment::new(width);
            for bits in history {
                let moving = set((0..KEYS).filter(|i| bits >> i & 1 == 1));
                lane_assignment.assign(moving);
                let mut now = assigned(&lane_assignment);
                now.sort_unstable();
                prop_assert_eq!(now, moving.iter().map(|key| key.index()).collect::<Vec<_>>());
            }
        }
    }
}
