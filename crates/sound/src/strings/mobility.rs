//! Mobility of the bridge, from the modes that radiate: where a string loses much, it is heard.
//!
//! A mode of the board with the shape φ at a point gives that point the velocity
//! φ² iω/(m (ω_n² − ω² + 2iσ_n ω)) per force. The mean of the real part over frequency is n/4M, with the
//! number n of modes a hertz and the mass M of the board [Ege 2013]; the sum over the modes, divided by
//! that mean, is the ripple round it. Between the modes a partial rings longer and is radiated less.

use std::f64::consts::TAU;
use std::sync::OnceLock;

use num_complex::Complex64;

use crate::board::response::{self, Mode};
use crate::output::perspective::Perspective;
use crate::strings::bridge;
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::{KeyNumber, log_linear};
use touchback_core::math::power::square;

/// Mean real part in the middle of the compass by frequency, s/kg: at 130 to 260 Hz that of a board of 12 kg,
/// n/4M = 0.05/(4 · 12). Above, the mass of the bridge takes hold; the value at 700 Hz is fitted to the decays
/// of two recorded grands of different makers (`touchback lab recorded`), as those at 60 and 90 Hz, where the
/// first modes of the board begin.
const MEAN: [(f64, f64); 5] =
    [(60.0, 3.9e-4), (90.0, 7.8e-4), (130.0, 9.8e-4), (260.0, 9.8e-4), (700.0, BETWEEN_POINTS)];

/// Mean from 700 Hz on, s/kg.
const BETWEEN_POINTS: f64 = 3.9e-4;

/// Frequency from which the mean rises again, Hz: above it the ribs guide the waves and less of the board
/// moves [Ege 2013].
const KNEE_HZ: f64 = 1500.0;

/// Mobility along the bridges over the middle's, by key number, fitted as [`MEAN`]: heavy ribs and a wide
/// bridge under the bass, a small thin board toward the top.
const ALONG: [(f64, f64); 4] = [(1.0, 0.65), (28.0, 1.0), (52.0, 1.0), (88.0, 1.1)];

/// Share of the reactive part that is kept (chosen): it shifts the partials, and those of measured grands
/// lie within a few cents of the stiff string's law.
const REACTIVE: f64 = 0.2;

/// Frequencies between which single modes matter, Hz: below, the case moves with the board, above, the modes
/// overlap.
const SINGLE_HZ: [f64; 2] = [50.0, 3000.0];

/// Range of the table, Hz, and ratio of neighbouring frequencies: three to the lowest mode's half-width.
const TABLE_HZ: [f64; 2] = [20.0, 8000.0];
const RATIO: f64 = 1.004;

/// Sums over the modes at one frequency, for each pair of neighbouring zones z and z + 1: of the products
/// of their shapes z·z, z·(z + 1) and (z + 1)·(z + 1).
type Products = [[Complex64; 3]; bridge::ZONES - 1];

/// Mobility of the bridge under `key` at frequency `hz`, s/kg (complex: velocity over force).
#[must_use]
pub(crate) fn of_bridge(key: KeyNumber, hz: f64) -> Complex64 {
    let mean = scaled(key, hz, log_linear(&MEAN, hz));
    let ripple = ripple(key, hz);
    let [low, high] = [SINGLE_HZ[0] / hz, hz / SINGLE_HZ[1]].map(|x| 1.0 + square(square(x)));
    let single = 1.0 / (low * high);
    let real = 1.0 + single * (ripple.re - 1.0);
    Complex64::new(mean * real, mean * REACTIVE * single * ripple.im.clamp(-2.0, 2.0))
}

/// Mean real mobility by which the bridge under `key` moves other strings at `hz`, s/kg. The modes below
/// 700 Hz that raise [`of_bridge`] are left out: their signs at two distant points are as often opposite.
#[must_use]
pub(crate) fn between_points(key: KeyNumber, hz: f64) -> f64 {
    scaled(key, hz, BETWEEN_POINTS)
}

/// The mobility under `key` at `hz` that is `middle` s/kg in the middle of the compass without the ribs.
fn scaled(key: KeyNumber, hz: f64, middle: f64) -> f64 {
    log_linear(&ALONG, f64::from(key.number())) * middle * (1.0 + square(hz / KNEE_HZ)).sqrt()
}

/// Mobility of the bridge under `key` over its mean real part.
fn ripple(key: KeyNumber, hz: f64) -> Complex64 {
    static TABLE: OnceLock<Vec<Products>> = OnceLock::new();
    let table = TABLE.get_or_init(table);
    let bridge::Place { first, weights } = bridge::place(key);
    let [a, b] = weights.map(f64::from);
    let at = |products: &Products| {
        let [near, both, far] = products[first];
        near * (a * a) + both * (2.0 * a * b) + far * (b * b)
    };
    let place = libm::log(hz / TABLE_HZ[0]) / libm::log(RATIO);
    let place = place.clamp(0.0, (table.len() - 2) as f64);
    let (low, share) = (floor_index(place), place.fract());
    let sum = at(&table[low]) * (1.0 - share) + at(&table[low + 1]) * share;
    sum / response::mean_square_shape([a, b])
}

fn table() -> Vec<Products> {
    let modes = response::modes(Perspective::Player.pair(), 48_000.0);
    let frequencies = std::iter::successors(Some(TABLE_HZ[0]), |hz| Some(hz * RATIO));
    frequencies.take_while(|hz| *hz < TABLE_HZ[1]).map(|hz| products(&modes, hz)).collect()
}

fn products(modes: &[Mode], hz: f64) -> Products {
    let omega = TAU * hz;
    let mut sums = Products::default();
    for mode in modes {
        let own = square(TAU * mode.hz) - square(omega);
        // The mean of one mode's real part over the mean distance of its neighbours is 1/4 n.
        let size = 4.0 * omega / response::density(mode.hz);
        let response = Complex64::new(0.0, size) / Complex64::new(own, 2.0 * mode.sigma * omega);
        for (sums, shapes) in sums.iter_mut().zip(mode.shapes.windows(2)) {
            let pairs = [(0, 0), (0, 1), (1, 1)];
            for (sum, (i, j)) in sums.iter_mut().zip(pairs) {
                *sum += response * (shapes[i] * shapes[j]);
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bridge_is_passive() {
        for key in KeyNumber::all() {
            for hz in [25.0, 61.0, 130.0, 440.0, 990.0, 3000.0, 15_000.0] {
                let y = of_bridge(key, hz);
                assert!(y.re > 0.0 && y.norm() < 8e-3, "{key:?} {hz}: {y}");
            }
        }
    }

    #[test]
    fn the_mean_over_frequency_is_the_boards() {
        for key in [20, 40, 60].map(|i| KeyNumber::from_index(i).unwrap()) {
            let hz = (0..4000).map(|i| 200.0 + 0.2 * f64::from(i));
            let mean = hz.map(|hz| ripple(key, hz).re).sum::<f64>() / 4000.0;
            assert!((mean - 1.0).abs() < 0.25, "{key:?}: {mean}");
        }
    }
}
