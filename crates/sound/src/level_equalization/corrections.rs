//! What the predicted level equalization leaves of single keys.

use touchback_core::math::compass::KEYS;

/// Gain of each key, dB: its distance from the mean of the keys around it, four on either side, by K-weighted level of
/// the first 0.4 s of a blow of 2 m/s, added up over three runs of `touchback lab sound` (the column
/// `correction_db` of its table), so that a key and its neighbours are even as rendered.
#[rustfmt::skip]
pub(super) const DECIBELS: [f64; KEYS] = [
    0.0, 0.6, -1.7, 0.3, 2.4, 0.5, 0.4, 0.7, -0.8, -2.7, -0.1,
    1.0, -0.7, -1.1, -0.9, 0.3, -0.6, 0.0, 0.1, -1.1, 1.0, -0.9,
    -0.6, 1.1, 0.1, 0.0, 0.3, 0.9, -0.6, 0.5, 0.6, 0.3, 0.4,
    0.3, 1.2, -0.2, 0.4, 0.3, -1.2, 0.4, -0.2, -0.3, -0.5, -1.0,
    -0.6, -0.5, -0.7, 0.1, 0.8, 0.3, -0.7, -0.5, -0.7, -0.8, -0.1,
    0.4, -0.5, -0.5, -0.8, 0.2, 1.8, 0.7, 0.5, 1.7, 0.4, 0.5,
    -0.4, -1.0, -0.3, -0.2, -0.3, -3.0, -1.7, -0.4, -1.2, -0.6, -0.2,
    -2.4, 1.0, 1.8, 1.7, 3.4, 2.7, 2.4, -4.0, 1.0, -0.4, 0.0,
];
