//! A trial of repetition: a hand presses a key at an even rate and lifts off once the key is down; the
//! sounding strokes are counted.

use super::{Press, Stroke};
use touchback_action::{ActionSettings, STEP};
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::KeyNumber;

/// Strokes of one trial.
pub const STROKES: u32 = 12;
/// Rates of a trial, strokes per second: no hand is faster.
pub const RATES: (u32, u32) = (2, 20);
/// Depth at which the finger leaves, fraction of the dip.
const DOWN: f64 = 0.97;
/// Fraction of a stroke's time after which the finger leaves at the latest.
const LATEST: f64 = 0.6;

/// The result of a trial.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Repeated {
    /// Strokes in which the hammer met the string.
    pub sounded: u32,
    /// Strokes in which the hammer did not meet the string.
    pub missed: u32,
    /// Strokes in which the hammer met the string more than once.
    pub doubled: u32,
}

impl Repeated {
    /// Whether every stroke sounded once.
    #[must_use]
    pub(crate) const fn is_clean(&self) -> bool {
        self.missed == 0 && self.doubled == 0
    }
}

/// Strikes `key` under `settings` [`STROKES`] times at `rate` strokes per second. The press is one that
/// throws the hammer of a key at rest at `speed` m/s. Allocates; takes tens of milliseconds.
#[must_use]
pub fn repeated(key: KeyNumber, settings: &ActionSettings, rate: u32, speed: f64) -> Repeated {
    let stroke = Stroke::at_rest(key, settings);
    let mut press = Press::for_hammer(&stroke, speed);
    let mut found = Repeated::default();
    let steps = floor_index(1.0 / (f64::from(rate.max(1)) * STEP));
    let latest = floor_index(LATEST * steps as f64);
    for number in 0..STROKES {
        if number > 0 {
            press.again();
        }
        let (mut hits, mut has_left) = (0, false);
        for step in 0..steps {
            let (row, hit) = press.step();
            hits += u32::from(hit);
            if !has_left && (row.view.key >= DOWN * press.dip() || step >= latest) {
                press.release();
                has_left = true;
            }
        }
        found.sounded += u32::from(hits > 0);
        found.missed += u32::from(hits == 0);
        found.doubled += u32::from(hits > 1);
    }
    found
}

/// The largest integer rate, strokes per second, up to which every stroke sounds once.
#[must_use]
pub fn fastest(key: KeyNumber, settings: &ActionSettings, speed: f64) -> Option<u32> {
    let is_clean = |rate: &u32| repeated(key, settings, *rate, speed).is_clean();
    (RATES.0..=RATES.1).take_while(is_clean).last()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_repeats_up_to_a_rate_and_misses_beyond_it() {
        let (key, settings) = (KeyNumber::from_midi(60).unwrap(), ActionSettings::default());
        let fastest = fastest(key, &settings, 1.5).unwrap();
        // Concert grands reach about 12 strokes per second; the finger's own rise limits this press.
        assert!((5..=16).contains(&fastest), "{fastest}");
        let slow = repeated(key, &settings, 4, 1.5);
        assert_eq!(slow, Repeated { sounded: STROKES, missed: 0, doubled: 0 });
        let fast = repeated(key, &settings, RATES.1, 1.5);
        assert!(fast.missed > 0 && fast.sounded + fast.missed == STROKES, "{fast:?}");
    }
}
