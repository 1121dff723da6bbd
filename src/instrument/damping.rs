//! Dampers: from the keyboard to the strings, whenever one has moved.

use crate::math::compass::{KEYS, Key};

/// How many steps after the last thing that can move a damper the dampers are still looked at.
/// Chosen: 0.25 s outlasts any slewed pedal; looking costs 88 reads a step.
const WATCH_STEPS: u32 = 2000;

/// What the strings were last told of every damper.
#[derive(Clone, Debug)]
pub struct Dampers {
    told: [f64; KEYS],
    watch: u32,
}

impl Dampers {
    /// Nothing told yet.
    pub const fn new() -> Self {
        Self { told: [f64::NAN; KEYS], watch: WATCH_STEPS }
    }

    /// Something happened that can move dampers.
    pub const fn watch(&mut self) {
        self.watch = WATCH_STEPS;
    }

    /// Whether the dampers are to be looked at in this step; counts the steps.
    pub const fn look(&mut self, keys_move: bool) -> bool {
        if keys_move {
            self.watch();
        } else {
            self.watch = self.watch.saturating_sub(1);
        }
        self.watch > 0
    }

    /// The lift to tell the strings (0…1), if it is news.
    pub fn news(&mut self, key: Key, lift: f64) -> Option<f64> {
        if lift.is_nan() {
            return None;
        }
        let lift = lift.clamp(0.0, 1.0);
        if self.told[key.index()] == lift {
            return None;
        }
        self.told[key.index()] = lift;
        self.watch();
        Some(lift)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_news_is_told_and_watching_ends() {
        let mut dampers = Dampers::new();
        let key = Key::from_index(3).unwrap();
        assert_eq!(dampers.news(key, 0.0), Some(0.0));
        assert_eq!(dampers.news(key, -1.0), None);
        assert_eq!(dampers.news(key, f64::NAN), None);
        assert_eq!(dampers.news(key, 0.4), Some(0.4));
        assert_eq!(dampers.news(key, 0.4), None);
        let looked = (0..10_000).filter(|_| dampers.look(false)).count();
        assert!(looked < 2001 && !dampers.look(false) && dampers.look(true));
    }
}
