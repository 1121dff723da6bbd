//! Tuning: inharmonicity and the stretch of the octaves along the compass.
//!
//! Partial k of a stiff string lies at f_k = k f0 √(1 + B k²); the *fundamental* of a note is its
//! sounding first partial f1 = f0 √(1 + B), which is on the stretch curve.

use crate::SoundSettings;
use touchback_core::math::compass::{KeyNumber, linear};

/// Cents of the fundamental, √(1 + B) included, relative to equal temperament from A4, by key number:
/// median of ten concert grands [Renault 2022]; extrapolated above A7.
const STRETCH_CENTS: [(f64, f64); 15] = [
    (1.0, -12.0),
    (13.0, -6.0),
    (16.0, -5.0),
    (25.0, -4.0),
    (28.0, -4.0),
    (37.0, -3.0),
    (40.0, -2.0),
    (49.0, 0.0),
    (52.0, 1.0),
    (61.0, 4.0),
    (64.0, 6.0),
    (73.0, 15.0),
    (76.0, 20.0),
    (85.0, 52.0),
    (88.0, 72.0),
];

/// Inharmonicity B of a key: sum of a bass and a treble exponential of the MIDI number m,
/// [Rigaud 2011]'s form with the medians of ten concert grands [Renault 2022].
#[must_use]
pub fn inharmonicity(key: KeyNumber) -> f64 {
    let m = f64::from(key.midi());
    libm::exp(-0.1112 * m - 6.867) + libm::exp(0.0946 * m - 13.705)
}

/// Stretch of the median concert grand at `key`, cents relative to equal temperament.
#[must_use]
pub fn stretch_cents(key: KeyNumber) -> f64 {
    linear(&STRETCH_CENTS, f64::from(key.number()))
}

/// Sounding fundamental f1 of `key`, Hz.
#[must_use]
pub fn fundamental(key: KeyNumber, settings: &SoundSettings) -> f64 {
    let semitones = f64::from(key.midi()) - 69.0;
    let cents =
        settings.scale.as_ref().map_or_else(|| settings.temperament.cents(key), |s| s.cents(key));
    let offset = cents + settings.stretch * stretch_cents(key);
    settings.a4_hz * libm::exp2(semitones / 12.0 + offset / 1200.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inharmonicity_agrees_with_the_table_of_concert_grands() {
        // Key number, B × 1e4, as printed: two or three figures.
        let table = [
            (1, 1.09),
            (13, 0.52),
            (16, 0.53),
            (25, 0.86),
            (37, 2.47),
            (40, 3.27),
            (49, 7.6),
            (61, 23.7),
            (76, 98.0),
            (88, 305.0),
        ];
        for (number, b) in table {
            let got = 1e4 * inharmonicity(KeyNumber::from_index(number - 1).unwrap());
            assert!((got / b - 1.0).abs() < 0.02, "key {number}: {got} against {b}");
        }
    }

    #[test]
    fn the_stretch_is_smooth_and_a4_is_440_hz() {
        let settings = SoundSettings::default();
        assert!((fundamental(KeyNumber::from_midi(69).unwrap(), &settings) - 440.0).abs() < 1e-9);
        let cents: Vec<f64> = KeyNumber::all().map(stretch_cents).collect();
        for (i, pair) in cents.windows(2).enumerate().take(72) {
            assert!((pair[1] - pair[0]).abs() < 1.5, "step {} at key {}", pair[1] - pair[0], i + 1);
        }
    }
}
