//! Times at which jacks have re-set under their knuckles: the limit of strict repetition.

use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_core::math::key_set::KeySet;

/// Readiness of all keys.
#[derive(Clone, Debug)]
pub struct RepetitionLimit {
    /// Time at which the jack of each key re-set, s; NaN while it has not.
    back: [f64; KEYS],
    /// Keys whose jack has not re-set.
    out: KeySet,
}

impl RepetitionLimit {
    /// Every jack re-set, since −∞.
    pub const fn new() -> Self {
        Self { back: [f64::NEG_INFINITY; KEYS], out: KeySet::EMPTY }
    }

    /// The jack of `key` has let off.
    pub const fn let_off(&mut self, key: KeyNumber) {
        self.out.insert(key);
        self.back[key.index()] = f64::NAN;
    }

    /// The jack of `key` has re-set at `time` s, if it had not.
    pub const fn reset(&mut self, key: KeyNumber, time: f64) {
        if self.out.remove(key) {
            self.back[key.index()] = time;
        }
    }

    /// Keys whose jack has not re-set.
    pub const fn out(&self) -> KeySet {
        self.out
    }

    /// Time since the jack of `key` re-set, at `time`, s; NaN while it has not.
    pub(crate) fn back_for(&self, key: KeyNumber, time: f64) -> f64 {
        time - self.back[key.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jack_counts_as_re_set_from_its_first_return() {
        let mut limit = RepetitionLimit::new();
        let key = KeyNumber::from_index(7).unwrap();
        assert_eq!(limit.back_for(key, 0.0), f64::INFINITY);
        limit.let_off(key);
        assert!(limit.back_for(key, 9.0).is_nan() && limit.out().contains(key));
        limit.reset(key, 1.0);
        limit.reset(key, 2.0);
        assert_eq!(limit.back_for(key, 3.0), 2.0);
        assert!(limit.out().is_empty());
    }
}
