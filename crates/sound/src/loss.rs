//! Losses: inside the string, into the bridge, under the damper.
//!
//! A single string loses σ_k = b1 + b3 ω_k² inside and 2 f0 Z Re Y(f_k) to the bridge
//! [Weinreich 1977], with the wave impedance Z and the bridge mobility Y. N strings in phase lose N
//! times as much to the bridge, which causes the two-stage decay.

use std::f64::consts::PI;

use num_complex::Complex64;

use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::{KeyNumber, log_linear};
use touchback_core::math::power::square;
use touchback_core::math::random;

/// b1 by key number, 1/s: fitted, with b3 and the bridge's mobility, to the decays of two recorded
/// grands of different makers (`touchback lab recorded`), within the bands of measured early decay
/// (10-20 s at A0, 4-8 s at C4, 0.15-0.3 s at C8) and with an aftersound that falls at a quarter to
/// a third of its rate. [Bensa 2003] has 0.25 at C2.
const INTERNAL: [(f64, f64); 7] =
    [(1.0, 0.2), (16.0, 0.135), (28.0, 0.28), (40.0, 0.4), (52.0, 0.6), (64.0, 1.25), (88.0, 1.0)];

/// b3 by key number, s: fitted as b1; [Bensa 2003]'s b2 over the square of the wave speed is 2.9e-9
/// at C2, 2.5e-9 at C4 and 1.2e-8 at C7.
const INTERNAL_SLOPE: [(f64, f64); 4] =
    [(16.0, 2.25e-9), (40.0, 1.2e-9), (76.0, 1.7e-8), (88.0, 2.5e-8)];

/// Mean bridge mobility at low frequency, s/kg, fitted with [`INTERNAL`]; the measured impedance of
/// about 1000 kg/s is mostly that of a spring [Wogram 1990], so that the real part is a fraction of 1e-3.
const MOBILITY: f64 = 3.9e-4;

/// Frequency from which the mobility rises, Hz: above it the ribs guide the waves and less of the board
/// moves [Ege 2013].
const MOBILITY_KNEE: f64 = 1500.0;

/// Mobility along the bridges over the middle's, by key number, fitted as b1: heavy ribs and a wide
/// bridge under the bass, a small thin board toward the top.
const ALONG: [(f64, f64); 4] = [(1.0, 0.65), (28.0, 1.0), (52.0, 1.0), (88.0, 1.1)];

/// Decay time (60 dB) of the first partial under the resting damper by key number, s: fitted so
/// that the whole sound falls in 1.7, 1.1, 0.6, 0.5 and 0.4 s at A0, C2, C3, C4 and C5, as Sondius
/// loop gains; above C5 the times lengthen again. E6 has the last damper.
const DAMPED_T60: [(f64, f64); 7] =
    [(1.0, 2.8), (16.0, 1.6), (28.0, 0.69), (40.0, 0.61), (52.0, 0.57), (64.0, 1.0), (68.0, 1.5)];

/// Number of the last key with a damper, E6.
pub const LAST_DAMPER: u8 = 68;

/// Whether `key` has a damper.
#[must_use]
pub const fn has_damper(key: KeyNumber) -> bool {
    key.number() <= LAST_DAMPER
}

/// Middle and half-width of the damper felt over the string's length. Dampers are above the
/// hammers; the felt is so long that few partials have a node under it.
const DAMPER_FELT: (f64, f64) = (0.13, 0.02);

/// Loss of low partials inside one string of `key`, 1/s.
#[must_use]
pub fn internal(key: KeyNumber) -> f64 {
    log_linear(&INTERNAL, f64::from(key.number()))
}

/// Smallest [`internal`] loss of any key, 1/s.
#[must_use]
pub fn least_internal() -> f64 {
    INTERNAL.iter().fold(f64::INFINITY, |least, (_, loss)| least.min(*loss))
}

/// Growth of the loss inside a string of `key` with ω², s.
#[must_use]
pub fn internal_slope(key: KeyNumber) -> f64 {
    log_linear(&INTERNAL_SLOPE, f64::from(key.number()))
}

/// Mobility of the bridge under `key` at frequency `hz`, s/kg (complex: velocity over force).
///
/// A smooth mean with ±2.5 dB of modal ripple below 1.5 kHz, three ripples an octave, shared by
/// neighbouring keys; the reactive part is up to half the mean, either sign. The ripple is kept
/// smaller than a bare board's ±6 dB so that neighbouring notes decay alike.
#[must_use]
pub fn bridge_mobility(key: KeyNumber, hz: f64) -> Complex64 {
    let along = log_linear(&ALONG, f64::from(key.number()));
    let mean = along * MOBILITY * (1.0 + square(hz / MOBILITY_KNEE)).sqrt();
    let fade = 1.0 / (1.0 + square(square(hz / 1500.0)));
    let position = f64::from(key.number()) / 8.0;
    let octaves = 3.0 * libm::log2((hz / 20.0).max(1.0));
    let ripple = smooth_noise(1, octaves, position) * fade;
    let reactive = 0.5 * smooth_noise(2, octaves, position) * (0.2 + 0.8 * fade);
    Complex64::new(mean * libm::pow(10.0, 0.25 * ripple), mean * reactive)
}

/// Bilinear interpolation of lattice noise, −1…1.
fn smooth_noise(seed: u64, x: f64, y: f64) -> f64 {
    let (i, j) = (floor_index(x), floor_index(y));
    let (u, v) = (x - i as f64, y - j as f64);
    let at = |a: usize, b: usize| random::of_pair(seed * 1009 + a as u64, b as u64);
    let low = at(i, j) + u * (at(i + 1, j) - at(i, j));
    let high = at(i, j + 1) + u * (at(i + 1, j + 1) - at(i, j + 1));
    low + v * (high - low)
}

/// Loss that the resting damper adds to partial `k` of `key`, 1/s; 0 where there is no damper.
///
/// The felt absorbs in proportion to the partial's motion under it, x = sin² averaged over the felt and
/// relative to the first partial's, but not more than arrives there: 2 x/(1 + x) of the first partial's
/// loss. Partials with a node under the felt keep ringing.
#[must_use]
pub fn damper(key: KeyNumber, k: usize) -> f64 {
    if !has_damper(key) {
        return 0.0;
    }
    let (middle, half) = DAMPER_FELT;
    let motion = |k: f64| {
        let a = 2.0 * PI * k * half;
        0.5 - 0.5 * libm::cos(2.0 * PI * k * middle) * libm::sin(a) / a
    };
    let x = motion(k as f64) / motion(1.0);
    2.0 * x / (1.0 + x) * libm::log(1000.0) / log_linear(&DAMPED_T60, f64::from(key.number()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bridge_is_passive() {
        for key in KeyNumber::all() {
            for hz in [25.0, 61.0, 130.0, 440.0, 990.0, 3000.0, 15_000.0] {
                let y = bridge_mobility(key, hz);
                assert!(y.re > 1e-4 && y.norm() < 5e-3, "{key:?} {hz}: {y}");
            }
        }
    }

    #[test]
    fn dampers_end_at_e6() {
        assert!(damper(KeyNumber::from_index(67).unwrap(), 1) > 1.0);
        assert_eq!(damper(KeyNumber::from_index(68).unwrap(), 1), 0.0);
    }
}
