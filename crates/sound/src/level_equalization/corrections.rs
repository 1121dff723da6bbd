//! What the predicted level equalization leaves of single keys.

use touchback_core::math::compass::KEYS;

/// Gain of each key, dB: its distance from the mean of the keys around it, four on either side, by K-weighted level of
/// the first 0.4 s of a blow of 2 m/s, added up over three runs of `touchback lab sound` (the column
/// `correction_db` of its table), so that a key and its neighbours are even as rendered.
#[rustfmt::skip]
pub(super) const DECIBELS: [f64; KEYS] = [
    0.0, 0.6, -1.7, 0.3, 2.4, 0.5, 0.4, 0.7, -0.8, -2.8, -0.2,
    0.9, -0.8, -1.2, -1.0, 0.2, -0.7, 0.0, 0.0, -1.2, 0.9, -0.9,
    -0.6, 1.1, 0.1, 0.1, 0.4, 1.0, -0.5, 0.6, 0.7, 0.4, 0.5,
    0.4, 1.2, -0.1, 0.5, 0.3, -1.2, 0.3, -0.3, -0.4, -0.6, -1.2,
    -0.8, -0.6, -0.7, -0.1, 0.7, 0.2, -0.8, -0.5, -0.7, -0.9, -0.1,
    0.3, -0.5, -0.4, -0.6, 0.6, 2.0, 0.8, 0.5, 1.4, 0.3, 0.4,
    -0.5, -1.0, -0.4, -0.2, 0.0, -2.9, -1.8, -0.5, -1.5, -1.1, -0.9,
    -2.0, 0.9, 2.0, 1.7, 2.5, 2.4, 2.4, -3.3, 1.2, -0.6, 0.0,
];
