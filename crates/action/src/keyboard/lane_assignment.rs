//! Which keys are stepped side by side: those that move, wherever they lie on the keyboard.
//!
//! A key keeps its assign while it moves, so the numbers of a pack change only when keys wake or
//! sleep. Seats decide what is computed together, never what comes of it.

use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_core::math::key_set::KeySet;
use touchback_core::math::real::MOST_LANES;

/// The keys of one pack by lane.
pub(super) type Pack = [Option<KeyNumber>; MOST_LANES];

/// Packs of the narrowest lanes, two keys each.
const MOST_PACKS: usize = KEYS / 2;

/// The seats of the keys that move.
#[derive(Debug)]
pub(super) struct LaneAssignment {
    /// Keys a pack, at most [`MOST_LANES`].
    width: usize,
    packs: [Pack; MOST_PACKS],
    /// Packs whose members or their numbers have changed.
    stale: [bool; MOST_PACKS],
    assigned: KeySet,
}

impl LaneAssignment {
    /// Nobody assigned; packs of `width` keys, 2…[`MOST_LANES`].
    pub(super) fn new(width: usize) -> Self {
        Self {
            width: width.clamp(2, MOST_LANES),
            packs: [[None; MOST_LANES]; MOST_PACKS],
            stale: [false; MOST_PACKS],
            assigned: KeySet::EMPTY,
        }
    }

    /// Packs in use: as few as hold the keys that are assigned.
    pub(super) const fn used(&self) -> usize {
        self.assigned.len().div_ceil(self.width)
    }

    /// The keys of pack `which`.
    pub(super) const fn pack(&self, which: usize) -> &Pack {
        &self.packs[which]
    }

    /// Whether the numbers of pack `which` must be gathered anew; then they count as gathered.
    pub(super) const fn take_stale(&mut self, which: usize) -> bool {
        std::mem::replace(&mut self.stale[which], false)
    }

    /// Seats exactly the keys `moving`.
    pub(super) fn assign(&mut self, moving: KeySet) {
        if moving == self.assigned {
            return;
        }
        let leaving = self.assigned.without(moving);
        for place in 0..self.places() {
            if self.at(place).is_some_and(|key| leaving.contains(key)) {
                self.put(place, None);
            }
        }
        let mut free = 0;
        for key in moving.without(self.assigned).iter() {
            free = self.first_free(free);
            self.put(free, Some(key));
        }
        self.assigned = moving;
        // Those beyond the packs needed fill the gaps before them.
        let needed = self.used() * self.width;
        free = 0;
        for place in needed..self.places() {
            if let Some(key) = self.at(place) {
                free = self.first_free(free);
                self.put(place, None);
                self.put(free, Some(key));
            }
        }
    }

    /// Call when the numbers of `key` have changed.
    pub(super) fn renew(&mut self, key: KeyNumber) {
        if self.assigned.contains(key) {
            let of = (0..self.used()).find(|which| self.packs[*which].contains(&Some(key)));
            of.into_iter().for_each(|which| self.stale[which] = true);
        }
    }

    /// Seats there are, pack by pack.
    const fn places(&self) -> usize {
        KEYS.div_ceil(self.width) * self.width
    }

    const fn at(&self, place: usize) -> Option<KeyNumber> {
        self.packs[place / self.width][place % self.width]
    }

    const fn put(&mut self, place: usize, key: Option<KeyNumber>) {
        let which = place / self.width;
        self.packs[which][place % self.width] = key;
        self.stale[which] = true;
    }

    /// The first place from `from` on that is free; there is one for every key.
    fn first_free(&self, from: usize) -> usize {
        (from..self.places()).find(|place| self.at(*place).is_none()).unwrap_or(from)
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
    fn a_spread_chord_sits_together_and_keeps_its_seats() {
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
        lane_assignment.renew(KeyNumber::from_index(20).unwrap());
        assert!(!lane_assignment.take_stale(0));
        lane_assignment.renew(KeyNumber::from_index(87).unwrap());
        assert!(lane_assignment.take_stale(0));
    }

    proptest! {
        /// Whoever comes and goes: each is assigned once, in as few packs as can be.
        #[test]
        fn everybody_has_one_seat(
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
