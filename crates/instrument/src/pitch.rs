//! Pitch against the tuning: note expressions of single keys, the pitch bend of all, and what a
//! tuning from outside asks of each.
//!
//! The strings are told at most once an action step, and only of changes.

use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_core::math::key_set::KeySet;

/// Largest detuning, cents: the ±120 semitones of a note expression would leave the compass.
/// The whole bend of a finger under MPE.
const FARTHEST: f64 = 4800.0;

/// Detuning of all keys, cents: wanted, and as last told to the strings.
#[derive(Clone, Debug)]
pub struct Pitch {
    own: [f64; KEYS],
    outside: [f64; KEYS],
    bend: f64,
    told: [f64; KEYS],
    /// Keys whose detuning may have changed.
    changed: KeySet,
}

impl Pitch {
    /// Every key in tune.
    pub const fn new() -> Self {
        Self {
            own: [0.0; KEYS],
            outside: [0.0; KEYS],
            bend: 0.0,
            told: [0.0; KEYS],
            changed: KeySet::EMPTY,
        }
    }

    /// Every key as a tuning from outside has it, told anew.
    pub fn reset(&mut self) {
        *self = Self { outside: self.outside, ..Self::new() };
        self.untold();
    }

    /// Detunes every key by its own cents, whatever else detunes it.
    pub fn retune(&mut self, cents: &[f64; KEYS]) {
        for (key, (now, new)) in KeyNumber::all().zip(self.outside.iter_mut().zip(cents)) {
            if *now != *new {
                *now = *new;
                self.changed.insert(key);
            }
        }
    }

    /// Detunes one key.
    pub const fn tune(&mut self, key: KeyNumber, cents: f64) {
        self.own[key.index()] = cents;
        self.changed.insert(key);
    }

    /// Detunes all keys.
    pub fn bend(&mut self, cents: f64) {
        if cents != self.bend {
            self.bend = cents;
            KeyNumber::all().for_each(|key| self.changed.insert(key));
        }
    }

    /// Call when the strings were reset: they are in tune and must be told anew.
    pub fn untold(&mut self) {
        self.told = [0.0; KEYS];
        self.changed = KeySet::ALL;
    }

    /// Detuning of `key`, cents.
    pub fn cents(&self, key: KeyNumber) -> f64 {
        let cents = self.own[key.index()] + self.outside[key.index()] + self.bend;
        if cents.is_finite() { cents.clamp(-FARTHEST, FARTHEST) } else { 0.0 }
    }

    /// Hands `tell` the keys whose detuning has changed since it was told.
    pub fn tell(&mut self, mut tell: impl FnMut(KeyNumber, f64)) {
        for key in std::mem::take(&mut self.changed).iter() {
            let cents = self.cents(key);
            if self.told[key.index()] != cents {
                self.told[key.index()] = cents;
                tell(key, cents);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_and_bend_add_up_and_are_told_once() {
        let mut pitch = Pitch::new();
        let key = KeyNumber::from_index(10).unwrap();
        let told = |pitch: &mut Pitch| {
            let mut list = Vec::new();
            pitch.tell(|key, cents| list.push((key, cents)));
            list
        };
        pitch.tune(key, 30.0);
        pitch.tune(key, 50.0);
        assert_eq!(told(&mut pitch), [(key, 50.0)]);
        assert!(told(&mut pitch).is_empty());
        pitch.bend(-100.0);
        let all = told(&mut pitch);
        assert_eq!((all.len(), all[10]), (KEYS, (key, -50.0)));
        pitch.bend(0.0);
        pitch.bend(-100.0);
        assert!(told(&mut pitch).is_empty(), "back before it was told");
        pitch.untold();
        assert_eq!(told(&mut pitch).len(), KEYS);
        // A tuning from outside adds to both, and stays when all else is reset.
        let mut outside = [0.0; KEYS];
        outside[10] = 7.0;
        pitch.retune(&outside);
        assert_eq!(told(&mut pitch), [(key, -43.0)]);
        pitch.reset();
        assert_eq!(told(&mut pitch), [(key, 7.0)]);
        pitch.retune(&[0.0; KEYS]);
        assert_eq!(told(&mut pitch), [(key, 0.0)]);
        for bad in [f64::NAN, f64::INFINITY] {
            pitch.tune(key, bad);
            assert_eq!(pitch.cents(key), 0.0);
        }
        pitch.tune(key, 1e9);
        assert_eq!(pitch.cents(key), FARTHEST);
    }
}
