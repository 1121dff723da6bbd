//! Detuning of each key against the tuning: note expressions, the pitch bend, an external tuning, and the key's own
//! action, where it bends the string.
//!
//! Detunings are sent to the strings at most once an action step, and only when they have changed.

use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_core::math::key_set::KeySet;

/// Largest detuning, cents: the whole bend of a finger under MPE. The ±120 semitones of a note
/// expression would leave the compass.
const FARTHEST: f64 = 4800.0;

/// Detuning of all keys, cents.
#[derive(Clone, Debug)]
pub struct Pitch {
    /// By note expressions.
    expression: [f64; KEYS],
    /// By an external tuning.
    external: [f64; KEYS],
    /// By the key's own action.
    action: [f64; KEYS],
    bend: f64,
    /// Sum as last sent to the strings.
    sent: [f64; KEYS],
    /// Keys whose detuning may have changed.
    changed: KeySet,
}

impl Pitch {
    /// Every key in tune.
    pub const fn new() -> Self {
        Self {
            expression: [0.0; KEYS],
            external: [0.0; KEYS],
            action: [0.0; KEYS],
            bend: 0.0,
            sent: [0.0; KEYS],
            changed: KeySet::EMPTY,
        }
    }

    /// Every key as the external tuning has it, to be sent again.
    pub fn reset(&mut self) {
        *self = Self { external: self.external, ..Self::new() };
        self.resend();
    }

    /// Sets the external tuning: cents of each key, added to its other detunings.
    pub fn retune(&mut self, cents: &[f64; KEYS]) {
        for (key, (now, new)) in KeyNumber::all().zip(self.external.iter_mut().zip(cents)) {
            if *now != *new {
                *now = *new;
                self.changed.insert(key);
            }
        }
    }

    /// Sets the note expression of one key.
    pub const fn tune(&mut self, key: KeyNumber, cents: f64) {
        self.expression[key.index()] = cents;
        self.changed.insert(key);
    }

    /// Sets the bend of one string by the action of its key.
    pub fn pull(&mut self, key: KeyNumber, cents: f64) {
        let now = &mut self.action[key.index()];
        if *now != cents {
            *now = cents;
            self.changed.insert(key);
        }
    }

    /// Sets the pitch bend of all keys.
    pub fn bend(&mut self, cents: f64) {
        if cents != self.bend {
            self.bend = cents;
            KeyNumber::all().for_each(|key| self.changed.insert(key));
        }
    }

    /// Call when the strings were reset: they are in tune, and every detuning is to be sent again.
    pub(crate) fn resend(&mut self) {
        self.sent = [0.0; KEYS];
        self.changed = KeySet::ALL;
    }

    /// Detuning of `key`, cents.
    pub fn cents(&self, key: KeyNumber) -> f64 {
        let i = key.index();
        let cents = self.expression[i] + self.external[i] + self.action[i] + self.bend;
        if cents.is_finite() { cents.clamp(-FARTHEST, FARTHEST) } else { 0.0 }
    }

    /// Calls `send` with each key whose detuning, cents, has changed since it was last sent.
    pub(crate) fn take_changes(&mut self, mut send: impl FnMut(KeyNumber, f64)) {
        for key in std::mem::take(&mut self.changed).iter() {
            let cents = self.cents(key);
            if self.sent[key.index()] != cents {
                self.sent[key.index()] = cents;
                send(key, cents);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_bend_and_external_tuning_add_up_and_are_sent_once() {
        let mut pitch = Pitch::new();
        let key = KeyNumber::from_index(10).unwrap();
        let changes = |pitch: &mut Pitch| {
            let mut list = Vec::new();
            pitch.take_changes(|key, cents| list.push((key, cents)));
            list
        };
        pitch.tune(key, 30.0);
        pitch.tune(key, 50.0);
        assert_eq!(changes(&mut pitch), [(key, 50.0)]);
        assert!(changes(&mut pitch).is_empty());
        pitch.bend(-100.0);
        let all = changes(&mut pitch);
        assert_eq!((all.len(), all[10]), (KEYS, (key, -50.0)));
        pitch.bend(0.0);
        pitch.bend(-100.0);
        assert!(changes(&mut pitch).is_empty(), "back before it was sent");
        pitch.resend();
        assert_eq!(changes(&mut pitch).len(), KEYS);
        // An external tuning adds to both, and a reset keeps it.
        let mut external = [0.0; KEYS];
        external[10] = 7.0;
        pitch.retune(&external);
        assert_eq!(changes(&mut pitch), [(key, -43.0)]);
        pitch.reset();
        assert_eq!(changes(&mut pitch), [(key, 7.0)]);
        pitch.retune(&[0.0; KEYS]);
        assert_eq!(changes(&mut pitch), [(key, 0.0)]);
        for bad in [f64::NAN, f64::INFINITY] {
            pitch.tune(key, bad);
            assert_eq!(pitch.cents(key), 0.0);
        }
        pitch.tune(key, 1e9);
        assert_eq!(pitch.cents(key), FARTHEST);
    }
}
