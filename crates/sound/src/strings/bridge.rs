//! Zones of the bridges: where the strings of a key drive the soundboard.

use std::f64::consts::PI;

use touchback_core::math::cast::{floor_index, single};
use touchback_core::math::compass::{KEYS, KeyNumber};

/// Number of zones along the bridges, in order: bass bridge, tenor, treble, top.
pub const ZONES: usize = 4;

/// Place of a key on the bridges.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Place {
    /// First zone.
    pub first: usize,
    /// Weights of that zone and the next.
    pub weights: [f32; 2],
}

/// Place of `key` on the bridges.
#[must_use]
pub fn place(key: KeyNumber) -> Place {
    let x = key.index() as f64 / (KEYS - 1) as f64 * (ZONES - 1) as f64;
    let first = floor_index(x).min(ZONES - 2);
    let angle = (x - first as f64) * 0.5 * PI;
    Place { first, weights: [single(libm::cos(angle)), single(libm::sin(angle))] }
}

/// Paths on which a force on the bridge reaches other strings: cosine and sine of a wave along the bridges,
/// to the damped strings, and one to the undamped ones.
pub(crate) const PATHS: usize = 3;

/// Phase that a wave of the board gathers along the bridges from a key to its octave, rad.
///
/// A board of the area A with n modes a hertz has waves of the wave number √(4π n f/A): 14.6 rad/m at C5 on
/// 1.4 m² with 0.05 modes a hertz [Ege 2013], 2.4 rad over 12 keys of 13.9 mm. Fitted within 1.8 to 3.1
/// together with the mobility between strings (`note::load`).
const OCTAVE_PHASE: f64 = 2.3;

/// Cosine and sine of the phase of a wave along the bridges at `key`. The real part of the mobility between
/// two strings follows the cosine of their phase difference, so that strings an octave apart push against
/// each other and no set of strings gains energy.
#[must_use]
pub fn wave(key: KeyNumber) -> [f32; 2] {
    let (sine, cosine) = libm::sincos(OCTAVE_PHASE * key.index() as f64 / 12.0);
    [single(cosine), single(sine)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_power_of_every_key_is_whole() {
        for key in KeyNumber::all() {
            let Place { first, weights: [a, b] } = place(key);
            assert!(first + 1 < ZONES && (a * a + b * b - 1.0).abs() < 1e-5 && a >= -1e-6);
        }
    }
}
