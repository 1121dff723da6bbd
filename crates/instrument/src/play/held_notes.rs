//! Notes held on each key, and presses that stay silent.
//!
//! Note-ons of one key are counted: of two overlapping notes of one key the first note-off
//! releases nothing, the second does, as with two fingers on one key. Every note-on strikes again.

use arrayvec::ArrayVec;
use touchback_action::STEP;
use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_core::math::key_set::KeySet;

/// Time after key bottom or release in which a hammer may still arrive, steps. A hammer in free flight
/// reaches the string or turns back within √(2·blow/g), 0.098 s for the whole blow of 47 mm; here 0.1 s.
const FLIGHT_STEPS: u64 = 800;
const _: () = assert!(STEP == 125e-6, "FLIGHT_STEPS is 0.1 s");

/// Presses of one key that may have to be counted at once: hammers in flight, one that is being thrown
/// and one that waits for it. A key cannot be repeated so quickly that there are more.
const OPEN: usize = 4;

/// A press that has not sounded.
#[derive(Clone, Copy, Debug)]
struct Press {
    /// Time of its note-on, s.
    note_on: f64,
    /// Whether the finger has begun it.
    has_begun: bool,
    /// Whether its hammer has left the jack.
    has_let_off: bool,
    /// Step by which its hammer must have arrived; none while it is still thrown.
    deadline: Option<u64>,
}

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
    /// Presses of each key that have not sounded, the first to strike first.
    open: [ArrayVec<Press, OPEN>; KEYS],
    /// Keys whose first press has a deadline.
    closing: KeySet,
}

impl HeldNotes {
    /// Nothing held.
    pub fn new() -> Self {
        Self {
            held: [0; KEYS],
            latest: [f64::NAN; KEYS],
            note_on: [f64::NAN; KEYS],
            held_keys: KeySet::default(),
            open: std::array::from_fn(|_| ArrayVec::new()),
            closing: KeySet::default(),
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
    pub(crate) fn all_up(&mut self) -> KeySet {
        self.held = [0; KEYS];
        std::mem::take(&mut self.held_keys)
    }

    /// Time of the note-on of the present press of `key`, s; NaN without one.
    pub const fn note_on(&self, key: KeyNumber) -> f64 {
        self.note_on[key.index()]
    }

    /// A press begins whose hammer is still to strike. Returns the number of earlier presses that it
    /// ends and that stayed silent: those whose hammer has not left the jack.
    pub fn begin(&mut self, key: KeyNumber) -> u64 {
        let open = &mut self.open[key.index()];
        let before = open.len();
        open.retain(|press| press.has_let_off);
        let ended = before - open.len();
        self.push(key, true) + ended as u64
    }

    /// The hammer of a new press is put to the string. Returns the number of earlier presses that stayed
    /// silent.
    pub fn construct(&mut self, key: KeyNumber) -> u64 {
        let open = &mut self.open[key.index()];
        let ended = open.len();
        open.clear();
        self.first_changed(key);
        self.note_on[key.index()] = self.latest[key.index()];
        ended as u64
    }

    /// A press is to follow the present one, whose hammer is still to strike. Returns the number of
    /// presses that it replaces.
    pub fn follow(&mut self, key: KeyNumber) -> u64 {
        let open = &mut self.open[key.index()];
        let is_replaced = open.last().is_some_and(|last| !last.has_begun);
        if is_replaced {
            open.pop();
        }
        self.push(key, false) + u64::from(is_replaced)
    }

    /// The finger goes on to the press that was to follow, if there is one.
    pub(crate) fn go_on(&mut self, key: KeyNumber, step: u64) {
        self.close(key, step);
        if let Some(last) = self.open[key.index()].last_mut() {
            last.has_begun = true;
        }
    }

    /// The hammer of `key` has left the jack.
    pub fn let_off(&mut self, key: KeyNumber) {
        if let Some(press) = self.present(key) {
            press.has_let_off = true;
        }
    }

    /// The hammer of `key` has struck. Returns whether the press that the finger has begun last threw it.
    pub fn struck(&mut self, key: KeyNumber) -> bool {
        self.end_first(key);
        self.present(key).is_none()
    }

    /// The first press of `key` has struck, or will not.
    fn end_first(&mut self, key: KeyNumber) {
        self.open[key.index()].pop_at(0);
        self.first_changed(key);
    }

    /// From step `step` on `key` does not throw its hammer: the key is at its bottom or released.
    pub fn close(&mut self, key: KeyNumber, step: u64) {
        if let Some(press) = self.present(key) {
            press.deadline.get_or_insert(step + FLIGHT_STEPS);
            self.first_changed(key);
        }
    }

    /// Number of presses that have stayed silent by step `step`, since the last call.
    pub(crate) fn silent_by(&mut self, step: u64) -> u64 {
        let mut silent = 0;
        for key in self.closing.iter() {
            let first = self.open[key.index()].first();
            if first.and_then(|press| press.deadline).is_some_and(|deadline| deadline <= step) {
                self.end_first(key);
                silent += 1;
            }
        }
        silent
    }

    /// The press of `key` that the finger has begun last.
    fn present(&mut self, key: KeyNumber) -> Option<&mut Press> {
        self.open[key.index()].iter_mut().rfind(|press| press.has_begun)
    }

    /// Appends a press of the latest note-on. Returns the number of presses that it ends: the first, if
    /// there were too many.
    fn push(&mut self, key: KeyNumber, has_begun: bool) -> u64 {
        let open = &mut self.open[key.index()];
        let ended = if open.is_full() { open.pop_at(0).is_some() } else { false };
        let note_on = self.latest[key.index()];
        open.push(Press { note_on, has_begun, has_let_off: false, deadline: None });
        self.first_changed(key);
        u64::from(ended)
    }

    /// Follows the first of the presses of `key`.
    fn first_changed(&mut self, key: KeyNumber) {
        self.closing.remove(key);
        if let Some(first) = self.open[key.index()].first() {
            self.note_on[key.index()] = first.note_on;
            if first.deadline.is_some() {
                self.closing.insert(key);
            }
        }
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
        held.construct(key);
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
        assert_eq!(held.begin(key), 0);
        assert_eq!(held.silent_by(1_000_000), 0);
        held.close(key, 100);
        held.close(key, 500);
        assert_eq!(held.silent_by(899), 0);
        assert_eq!(held.silent_by(900), 1);
        assert_eq!(held.silent_by(901), 0);
        assert_eq!(held.begin(key), 0);
        held.close(key, 1000);
        assert!(held.struck(key));
        assert_eq!(held.silent_by(5000), 0);
        held.begin(key);
        assert_eq!(held.construct(key), 1, "pressed again before it sounded");
    }

    #[test]
    fn a_following_press_becomes_the_present_one_after_the_strike() {
        let mut held = HeldNotes::new();
        let key = KeyNumber::from_index(10).unwrap();
        held.down(key, 1.0);
        held.begin(key);
        held.down(key, 1.1);
        assert_eq!(held.follow(key), 0);
        held.down(key, 1.2);
        assert_eq!(held.follow(key), 1, "one replaces the other");
        assert_eq!(held.note_on(key), 1.0);
        held.close(key, 100);
        held.struck(key);
        held.go_on(key, 200);
        assert_eq!((held.note_on(key), held.silent_by(5000)), (1.2, 0));
        held.close(key, 5000);
        assert_eq!(held.silent_by(5800), 1);
    }

    #[test]
    fn a_press_begun_while_a_hammer_flies_does_not_end_the_press_before() {
        let mut held = HeldNotes::new();
        let key = KeyNumber::from_index(10).unwrap();
        held.down(key, 1.0);
        held.begin(key);
        held.let_off(key);
        held.down(key, 1.1);
        assert_eq!(held.begin(key), 0);
        assert_eq!(held.note_on(key), 1.0);
        held.close(key, 200);
        assert!(!held.struck(key), "the press before");
        assert_eq!(held.note_on(key), 1.1);
        assert_eq!((held.silent_by(999), held.silent_by(1000)), (0, 1));
    }

    #[test]
    fn more_presses_than_can_be_open_are_counted() {
        let mut held = HeldNotes::new();
        let key = KeyNumber::from_index(10).unwrap();
        let ended: u64 = (0..6)
            .map(|step| {
                let ended = held.begin(key);
                held.let_off(key);
                held.close(key, step);
                ended
            })
            .sum();
        assert_eq!(ended + held.silent_by(10_000), 3);
        assert_eq!((0..5).map(|_| held.silent_by(10_000)).sum::<u64>(), 3);
    }
}
