//! Level equalization: a gain for each key against the board's peaks, as a voicer's needling of hammers.
//!
//! Neighbouring keys meet different peaks of the board, up to 5 dB apart. A voicer evens them out hammer by hammer;
//! here each key's force on the board is scaled by its level's distance from the mean of its neighbours. The board's
//! response at a frequency is the same at every sample rate, and so are the gains.

use std::ops::RangeInclusive;

use touchback_core::math::cast::single;
use touchback_core::math::compass::{KEYS, KeyNumber};

/// Number of neighbours on either side with which a key is compared.
const NEIGHBOURS: usize = 4;

/// Gain of each key, dB: its distance from the mean of the keys [`around`] it by K-weighted level of the first 0.4 s of
/// a blow of 2 m/s, so that neighbours are even as rendered. Fitted in steps at 48 kHz: `touchback lab sound` writes the
/// distances that remain to `sound.csv` (quantity `correction_db`), which are added here.
#[rustfmt::skip]
const DECIBELS: [f64; KEYS] = [
    0.0, -0.56, -0.69, 0.14, 0.67, 0.17, 0.19, 1.30, -0.70, -0.38, -0.85,
    -1.16, -0.74, -1.90, -1.18, -1.00, 0.67, 0.44, -0.43, -0.58, -0.13, 0.64,
    0.05, -0.22, -0.96, -1.82, -0.14, 0.10, 3.52, 2.68, 1.01, -1.81, 0.67,
    -1.19, -0.81, 3.98, 0.09, -0.06, 2.12, -1.03, 0.23, -1.50, -2.99, -1.33,
    0.84, -2.03, -1.68, 1.56, -2.53, 2.34, 1.16, -1.24, 2.26, -2.92, -1.11,
    -1.29, -4.01, 0.68, 3.50, 1.25, -0.34, -0.14, 1.63, 0.73, 0.54, 3.25,
    0.61, -2.84, -3.09, -1.95, 1.98, 1.23, -6.36, -3.75, -1.14, -4.26, -2.01,
    3.00, 0.52, 2.76, 3.79, 0.09, 1.16, -0.24, 1.48, 0.14, -0.26, 0.0,
];

/// Indices of the keys around key `i` with which it is compared. Equal numbers on both sides, because otherwise the
/// trend along the compass would be flattened.
#[must_use]
pub fn around(i: usize) -> RangeInclusive<usize> {
    let reach = NEIGHBOURS.min(i).min(KEYS - 1 - i);
    i - reach..=i + reach
}

/// Factor on the force of `key` on the board.
#[must_use]
pub fn factor(key: KeyNumber) -> f32 {
    single(libm::pow(10.0, DECIBELS[key.index()] / 20.0))
}
