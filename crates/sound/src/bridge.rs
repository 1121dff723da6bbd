//! Zones of the bridges: where the strings of a key drive the soundboard.

use std::f64::consts::PI;

use touchback_core::math::cast::{floor_index, single};
use touchback_core::math::compass::{KEYS, KeyNumber};

/// Number of zones along the bridges, in order: bass bridge, tenor, treble, top.
pub const ZONES: usize = 4;

/// First zone of a key, and the weights of that zone and the next.
#[must_use]
pub fn weights(key: KeyNumber) -> (usize, [f32; 2]) {
    let x = key.index() as f64 / (KEYS - 1) as f64 * (ZONES - 1) as f64;
    let first = floor_index(x).min(ZONES - 2);
    let angle = (x - first as f64) * 0.5 * PI;
    (first, [single(libm::cos(angle)), single(libm::sin(angle))])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_power_of_every_key_is_whole() {
        for key in KeyNumber::all() {
            let (first, [a, b]) = weights(key);
            assert!(first + 1 < ZONES && (a * a + b * b - 1.0).abs() < 1e-5 && a >= -1e-6);
        }
    }
}
