//! Notes held on each key, and presses that stay silent.
//!
//! Note-ons of one key are counted: of two overlapping notes of one key the first note-off
//! releases nothing, the second does, as with two fingers on one key. Every note-on strikes again.

use touchback_action::STEP;
use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_core::math::key_set::KeySet;

/// Time after key bottom or release in which a hammer may still arrive, steps. A hammer in free flight
/// reaches the string or turns back within √(2·blow/g), 0.098 s for the whole blow of 47 mm; here 0.1 s.
const FLIGHT_STEPS: u64 = 800;
const _: () = assert!(STEP == 125e-6, "FLIGHT_STEPS is 0.1 s");

/// Counted presses of all keys.
#[derive(Clone, Debug)]
pub struct HeldNotes {
    /// Number of notes that hold each key.
    held: [u32; KEYS],
    /// Time of the last note-on of each key, s.
    latest: [f64; KEYS],
    /// Time of the note-on of each key's present press, s.
    note_on: [f64; KEYS],
    held_keys: KeySet,
    /// Keys whose present press has not sounded.
    open: KeySet,
    /// Keys of `open` whose press is to be followed by another.
    followed: KeySet,
    /// Keys of `open` whose hammer must arrive before the step in `deadline`.
    closing: KeySet,
    deadline: [u64; KEYS],
}

impl HeldNotes {
    /// Nothing held.
    pub fn new() -> Self {
        Self {
            held: [0; KEYS],
            latest: [f64::NAN; KEYS],
            note_on: [f64::NAN; KEYS],
            held_keys: KeySet::default(),
            open: KeySet::default(),
            followed: KeySet::default(),
            closing: KeySet::default(),
            deadline: [0; KEYS],
        }
    }

    /// A note-on at `time` s. Returns whether the key was held before.
    pub const fn down(&mut self, key: KeyNumber, time: f64) -> bool {
        let held = &mut self.held[key.index()];
        let before = *held > 0;
        *held = held.saturating_add(1);
        self.held_keys.insert(key);
        self.latest[key.index()] = time;
        before
    }

    /// A note-off. Returns whether it releases the key: true for the last of the notes held.
    pub const fn up(&mut self, key: KeyNumber) -> bool {
        let held = &mut self.held[key.index()];
        if *held == 0 {
            return false;
        }
        *held -= 1;
        *held == 0 && self.held_keys.remove(key)
    }

    /// Ends all notes that hold `key`. Returns whether there were any.
    pub const fn lift(&mut self, key: KeyNumber) -> bool {
        self.held[key.index()] = 0;
        self.held_keys.remove(key)
    }

    /// Ends every held note. Returns the keys to be released.
    pub fn all_up(&mut self) -> KeySet {
        self.held = [0; KEYS];
        std::mem::take(&mut self.held_keys)
    }

    /// Time of the note-on of the present press of `key`, s; NaN without one.
    pub const fn note_on(&self, key: KeyNumber) -> f64 {
        self.note_on[key.index()]
    }

    /// A press begins whose hammer is still to strike (`open`) or has struck. Returns whether it ends an
    /// earlier press that stayed silent.
    pub const fn begin(&mut self, key: KeyNumber, open: bool) -> bool {
        self.closing.remove(key);
        self.followed.remove(key);
        self.note_on[key.index()] = self.latest[key.index()];
        let silent = self.open.remove(key);
        if open {
            self.open.insert(key);
        }
        silent
    }

    /// A press is to follow the present one, whose hammer is still to strike. Returns whether it replaces
    /// another press that was to follow.
    pub const fn follow(&mut self, key: KeyNumber) -> bool {
        let is_replaced = self.followed.contains(key);
        self.followed.insert(key);
        is_replaced
    }

    /// The hammer of `key` has struck, or will not; a press that was to follow becomes the present one.
    pub const fn struck(&mut self, key: KeyNumber) {
        self.closing.remove(key);
        if self.followed.remove(key) {
            self.note_on[key.index()] = self.latest[key.index()];
        } else {
            self.open.remove(key);
        }
    }

    /// From step `step` on `key` does not throw its hammer: the key is at its bottom or released.
    pub const fn close(&mut self, key: KeyNumber, step: u64) {
        if self.open.contains(key) && !self.closing.contains(key) {
            self.closing.insert(key);
            self.deadline[key.index()] = step + FLIGHT_STEPS;
        }
    }

    /// Number of presses that have stayed silent by step `step`, since the last call.
    pub fn silent_by(&mut self, step: u64) -> u64 {
        let mut silent = 0;
        for key in self.closing.iter() {
            if self.deadline[key.index()] <= step {
                self.struck(key);
                silent += 1;
            }
        }
        silent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_note_off_releases() {
        let mut held = HeldNotes::new();
        let key = KeyNumber::from_index(10).unwrap();
        assert!(!held.up(key));
        assert!(!held.down(key, 0.0));
        assert!(held.down(key, 1.0));
        assert!(!held.up(key));
        assert!(held.up(key));
        assert!(!held.up(key));
        held.down(key, 2.0);
        held.down(key, 3.0);
        held.begin(key, false);
        assert!(held.all_up().contains(key) && !held.up(key));
        assert_eq!(held.note_on(key), 3.0);
        held.down(key, 4.0);
        held.down(key, 4.0);
        assert!(held.lift(key));
        assert!(!held.lift(key) && !held.up(key));
    }

    #[test]
    fn a_press_is_silent_once_its_hammer_can_no_longer_arrive() {
        let mut held = HeldNotes::new();
        let key = KeyNumber::from_index(10).unwrap();
        assert!(!held.begin(key, true));
        assert_eq!(held.silent_by(1_000_000), 0);
        held.close(key, 100);
        held.close(key, 500);
        assert_eq!(held.silent_by(899), 0);
        assert_eq!(held.silent_by(900), 1);
        assert_eq!(held.silent_by(901), 0);
        assert!(!held.begin(key, true));
        held.close(key, 1000);
        held.struck(key);
        assert_eq!(held.silent_by(5000), 0);
        held.begin(key, true);
        assert!(held.begin(key, false), "pressed again before it sounded");
    }

    #[test]
    fn a_following_press_becomes_the_present_one_after_the_strike() {
        let mut held = HeldNotes::new();
        let key = KeyNumber::from_index(10).unwrap();
        held.down(key, 1.0);
        held.begin(key, true);
        held.down(key, 1.1);
        assert!(!held.follow(key));
        held.down(key, 1.2);
        assert!(held.follow(key), "one replaces the other");
        assert_eq!(held.note_on(key), 1.0);
        held.close(key, 100);
        held.struck(key);
        assert_eq!((held.note_on(key), held.silent_by(5000)), (1.2, 0));
        held.close(key, 5000);
        assert_eq!(held.silent_by(5800), 1);
    }
}
