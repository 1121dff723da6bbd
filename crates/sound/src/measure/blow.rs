//! One blow on the strings: contact, and spectrum on the bridge.

use std::f64::consts::TAU;

use num_complex::Complex64;

use crate::SoundSettings;
use crate::measure::db;
use crate::strings::contact::{ContactReport, strike_offline};
use crate::tuning::scale::StringSpec;
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::complex::{modulus, polar};
use touchback_core::mech::hammer::Hammer;

/// Steps a second of [`strike`]: finer than in the engine.
const RATE: f64 = 384_000.0;

/// Peak force of the whole hammer at 2 m/s, N: key, low, high.
pub const PEAK_FORCE: [(usize, f64, f64); 5] =
    [(16, 25.0, 25.0), (40, 28.0, 28.0), (53, 31.0, 31.0), (71, 43.0, 43.0), (76, 50.0, 60.0)];

/// Partials of the bridge force above −40 dB at 4 m/s: key, fewest, most.
pub const PARTIALS: [(usize, f64, f64); 4] =
    [(16, 55.0, 80.0), (40, 23.0, 23.0), (53, 18.0, 18.0), (76, 7.0, 7.0)];

/// One strike of the concert grand's hammer of `key` on its resting strings.
#[must_use]
pub fn strike(key: KeyNumber, settings: &SoundSettings, speed: f64) -> ContactReport {
    strike_offline(&Hammer::concert(key), &StringSpec::of(key, settings), speed, RATE)
}

/// Frequency, Hz, and amplitude of the partials of a strike on the bridge below 16 kHz, before any loss:
/// the spectrum of the hammer force at the partial times the partial's shape under the hammer.
#[must_use]
pub fn bridge_lines(key: KeyNumber, settings: &SoundSettings, speed: f64) -> Vec<(f64, f64)> {
    let (hammer, string) = (Hammer::concert(key), StringSpec::of(key, settings));
    let report = strike(key, settings, speed);
    let line = |k: usize| {
        let hz = string.partial_hz(k);
        let turn = polar(1.0, -TAU * hz / report.rate);
        let (mut w, mut sum) = (Complex64::ONE, Complex64::ZERO);
        for f in &report.forces {
            sum += w * *f;
            w *= turn;
        }
        (hz, modulus(sum) * string.strike_shape(&hammer, k).abs())
    };
    (1..=string.partials_below(16_000.0)).map(line).collect()
}

/// Power-weighted mean frequency of the lines, Hz.
#[must_use]
pub fn centroid(lines: &[(f64, f64)]) -> f64 {
    let power = lines.iter().map(|(hz, a)| (hz * a * a, a * a));
    let (moment, sum) = power.fold((0.0, 0.0), |(m, s), (x, p)| (m + x, s + p));
    moment / sum
}

/// Lines within `down` dB of the strongest.
#[must_use]
pub fn lines_above(lines: &[(f64, f64)], down: f64) -> usize {
    let top = lines.iter().map(|l| l.1).fold(0.0, f64::max);
    lines.iter().filter(|l| db(l.1 / top) > -down).count()
}
