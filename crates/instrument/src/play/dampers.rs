//! Dampers: from the keyboard to the strings, whenever one has moved.
//!
//! Three things change the lift of a damper between action and strings. The sostenuto rod keeps up the
//! dampers that were up when its pedal went down; the action ignores that their weight is then on the rod
//! and not on their keys. A choked key has its damper down until the action's own damper is down, or
//! the key is played again. A hammer that the regulation keeps at its string damps the string too.

use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_core::math::key_set::KeySet;

/// Steps after a change of settings in which all dampers are read: 0.25 s outlast any slew (chosen).
const WATCH_STEPS: u32 = 2000;

/// Lift from which the sostenuto rod gets under a damper's lip. Chosen: the rod passes under the
/// lips of dampers about half way up.
const CAUGHT: f64 = 0.5;

/// Steps at its string from which a hammer blocks the string, 25 ms: a bass hammer's blow takes 6 ms,
/// the softest hammers turn round within 20 ms.
const BLOCKS: u16 = 200;

/// Distance within which a hammer is at its string, m: the amplitude of a string at its strike point
/// (chosen, for a mezzo-piano).
const SWING: f64 = 1e-4;

/// Lift of every damper.
#[derive(Clone, Debug)]
pub struct Dampers {
    /// Lift as last taken for the strings, 0…1; NaN before the first.
    reported: [f64; KEYS],
    /// Lifts of the dampers of keys whose action runs elsewhere, 0…1.
    elsewhere: [f64; KEYS],
    /// Steps in which all dampers are still to be read.
    watch: u32,
    /// Keys whose dampers are to be read in the next step, whether they move or not.
    due: KeySet,
    /// The keys that moved in the last step, and the height of the tray, m.
    moved: KeySet,
    tray: f64,
    /// Kept up by the sostenuto rod.
    caught: KeySet,
    /// Kept down by a choke.
    choked: KeySet,
    /// Steps that each hammer has been at its string, and the keys whose hammer blocks it.
    at_string: [u16; KEYS],
    blocked: KeySet,
}

impl Dampers {
    /// Every damper's lift still to be reported.
    pub const fn new() -> Self {
        Self {
            reported: [f64::NAN; KEYS],
            elsewhere: [0.0; KEYS],
            watch: WATCH_STEPS,
            due: KeySet::EMPTY,
            moved: KeySet::EMPTY,
            tray: f64::NAN,
            caught: KeySet::EMPTY,
            choked: KeySet::EMPTY,
            at_string: [0; KEYS],
            blocked: KeySet::EMPTY,
        }
    }

    /// The damper of `key`, whose action runs elsewhere, is at `lift`, 0…1.
    pub(crate) const fn lifted_elsewhere(&mut self, key: KeyNumber, lift: f64) {
        self.elsewhere[key.index()] = lift;
        self.due.insert(key);
    }

    /// Lift of the damper of `key`, 0…1: the higher of its `own` action's and of one elsewhere.
    fn lift(&self, key: KeyNumber, own: f64) -> f64 {
        own.max(self.elsewhere[key.index()])
    }

    /// The sostenuto rod turns: `down`, it catches the dampers that are up (`own`: lift by the key's own
    /// action); up, it releases all.
    pub fn rod(&mut self, down: bool, own: impl Fn(KeyNumber) -> f64) {
        self.read_all();
        self.caught = KeySet::EMPTY;
        if down {
            for key in KeyNumber::all() {
                if self.lift(key, own(key)) > CAUGHT {
                    self.caught.insert(key);
                }
            }
        }
    }

    /// Whether the rod keeps the damper of `key` up.
    pub const fn is_caught(&self, key: KeyNumber) -> bool {
        self.caught.contains(key)
    }

    /// Whether the damper of `key` was last reported to be on its strings.
    pub fn is_down(&self, key: KeyNumber) -> bool {
        self.reported[key.index()] <= 0.0
    }

    /// Puts the damper of `key` on its strings until its action's own damper is there or the key is
    /// [`Dampers::played`].
    pub const fn choke(&mut self, key: KeyNumber) {
        self.choked.insert(key);
    }

    /// `key` is played anew.
    pub const fn played(&mut self, key: KeyNumber) {
        self.choked.remove(key);
    }

    /// Call once a step while `key` moves, its hammer `height` m above the string at rest: a hammer that
    /// stays at the string damps it.
    pub fn hammer(&mut self, key: KeyNumber, height: f64) {
        let steps = &mut self.at_string[key.index()];
        *steps = if height >= -SWING { steps.saturating_add(1) } else { 0 };
        if *steps >= BLOCKS {
            self.blocked.insert(key);
        } else {
            self.blocked.remove(key);
        }
    }

    /// All dampers are to be read in the next step.
    pub const fn read_all(&mut self) {
        self.due = KeySet::ALL;
    }

    /// Settings change that move dampers gradually: all dampers are to be read for 0.25 s.
    pub const fn watch(&mut self) {
        self.watch = WATCH_STEPS;
    }

    /// The keys whose dampers may have moved since the last step: those that move or have just come to rest,
    /// all where the tray, at the height `tray` m, has moved. Call once a step; `moving` are the keys that
    /// move.
    pub fn poll(&mut self, moving: KeySet, tray: f64) -> KeySet {
        let due = std::mem::replace(&mut self.due, KeySet::EMPTY);
        let moved = std::mem::replace(&mut self.moved, moving);
        let tray_moved = std::mem::replace(&mut self.tray, tray) != tray;
        let is_watching = self.watch > 0;
        self.watch = self.watch.saturating_sub(1);
        if tray_moved || is_watching { KeySet::ALL } else { moving.union(moved).union(due) }
    }

    /// The lift of the damper of `key`, 0…1, whose own action has it at `own`; `None` if it has been
    /// reported.
    pub(crate) fn take_change(&mut self, key: KeyNumber, own: f64) -> Option<f64> {
        if own.is_nan() {
            return None;
        }
        let lift = self.lift(key, own);
        // A choke ends once the action's own damper is down.
        if lift <= 0.0 {
            self.choked.remove(key);
        }
        let lift = if self.choked.contains(key) || self.blocked.contains(key) {
            0.0
        } else if self.caught.contains(key) {
            1.0
        } else {
            lift.clamp(0.0, 1.0)
        };
        if self.reported[key.index()] == lift {
            return None;
        }
        self.reported[key.index()] = lift;
        self.due.insert(key);
        Some(lift)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_changes_are_reported() {
        let mut dampers = Dampers::new();
        let key = KeyNumber::from_index(3).unwrap();
        assert_eq!(dampers.take_change(key, 0.0), Some(0.0));
        assert_eq!(dampers.take_change(key, -1.0), None);
        assert_eq!(dampers.take_change(key, f64::NAN), None);
        assert_eq!(dampers.take_change(key, 0.4), Some(0.4));
        assert_eq!(dampers.take_change(key, 0.4), None);
    }

    #[test]
    fn dampers_that_may_have_moved_are_read() {
        let (mut dampers, tray) = (Dampers::new(), 0.002);
        let [one, other] = [3, 40].map(|i| {
            let mut keys = KeySet::EMPTY;
            keys.insert(KeyNumber::from_index(i).unwrap());
            keys
        });
        let read = (0..10_000).filter(|_| !dampers.poll(KeySet::EMPTY, tray).is_empty()).count();
        assert_eq!(read, 2000);
        assert_eq!(dampers.poll(one, tray), one);
        assert_eq!(dampers.poll(other, tray), one.union(other), "one may just have come to rest");
        assert_eq!(dampers.poll(KeySet::EMPTY, tray), other);
        assert_eq!(dampers.poll(KeySet::EMPTY, tray), KeySet::EMPTY);
        assert_eq!(dampers.poll(KeySet::EMPTY, 0.001), KeySet::ALL);
        assert_eq!(dampers.poll(KeySet::EMPTY, 0.001), KeySet::EMPTY);
        dampers.lifted_elsewhere(KeyNumber::from_index(3).unwrap(), 0.5);
        assert_eq!(dampers.poll(KeySet::EMPTY, 0.001), one);
        dampers.rod(true, |_| 0.0);
        assert_eq!(dampers.poll(KeySet::EMPTY, 0.001), KeySet::ALL);
    }

    #[test]
    fn the_rod_keeps_caught_dampers_up_and_a_choke_overrules_it() {
        let mut dampers = Dampers::new();
        let [held, free] = [3, 4].map(|i| KeyNumber::from_index(i).unwrap());
        let lift = |key| if key == held { 0.8 } else { 0.3 };
        dampers.rod(true, lift);
        assert!(dampers.is_caught(held) && !dampers.is_caught(free));
        assert_eq!(
            (dampers.take_change(held, 0.1), dampers.take_change(free, 0.1)),
            (Some(1.0), Some(0.1))
        );
        dampers.choke(held);
        assert_eq!(dampers.take_change(held, 0.9), Some(0.0));
        dampers.played(held);
        assert_eq!(dampers.take_change(held, 0.9), Some(1.0));
        dampers.rod(false, lift);
        assert_eq!(dampers.take_change(held, 0.0), Some(0.0));
        assert!(dampers.is_down(held) && !Dampers::new().is_down(held));
        dampers.choke(held);
        assert_eq!((dampers.take_change(held, 0.5), dampers.take_change(held, 0.0)), (None, None));
        assert_eq!(dampers.take_change(held, 0.5), Some(0.5), "it had come down");
    }

    #[test]
    fn a_hammer_that_stays_at_its_string_damps_it() {
        let mut dampers = Dampers::new();
        let key = KeyNumber::from_index(80).unwrap();
        assert_eq!(dampers.take_change(key, 1.0), Some(1.0));
        (1..BLOCKS).for_each(|_| dampers.hammer(key, -0.5 * SWING));
        assert_eq!(dampers.take_change(key, 1.0), None, "a blow is no block");
        dampers.hammer(key, -0.5 * SWING);
        assert_eq!(dampers.take_change(key, 1.0), Some(0.0));
        dampers.hammer(key, -2.0 * SWING);
        assert_eq!(dampers.take_change(key, 1.0), Some(1.0));
    }
}
