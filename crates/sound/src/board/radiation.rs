//! Radiation: the sound that the board gives off for a force on each zone of the bridges.

use crate::strings::bridge::ZONES;
use touchback_core::math::compass::linear;
use touchback_core::math::power::square;

/// Frequencies of [`ZONE_DB`], Hz.
const ZONE_HZ: [f64; 20] = [
    60.0, 80.0, 100.0, 125.0, 160.0, 200.0, 250.0, 315.0, 400.0, 500.0, 630.0, 800.0, 1000.0,
    1300.0, 1700.0, 2200.0, 3000.0, 4200.0, 6000.0, 10000.0,
];

/// Level of each zone's radiation over the common law, dB, up to one constant a zone: fitted to the first
/// 0.3 s of the partials of two recorded grands of different makers at every third key, with equal weights
/// (`touchback lab recorded`). The bridges of bass and tenor lie where the lowest modes move most, and the
/// fundamental of the tenor is its strongest partial; from 200 to 800 Hz they radiate less than the treble.
const ZONE_DB: [[f64; 20]; ZONES] = [
    [
        8.5, 10.5, 10.0, 8.5, 3.5, -1.0, -5.0, -8.0, -8.5, -8.5, -6.0, -4.0, -2.0, 0.5, 1.5, 1.0,
        0.0, -1.0, -0.5, 0.5,
    ],
    [
        9.0, 11.0, 10.0, 8.5, 2.0, -2.5, -7.0, -10.5, -10.0, -8.0, -6.0, -4.0, -1.5, 2.0, 2.5, 2.5,
        1.5, 0.0, -0.5, 0.5,
    ],
    [
        9.0, 9.0, 9.0, 9.0, 8.5, 8.0, 6.5, 4.0, 0.5, -1.0, -2.0, -3.5, -5.0, -6.0, -5.5, -5.0,
        -5.0, -9.0, -11.5, -10.0,
    ],
    [
        6.0, 6.0, 6.0, 5.5, 5.5, 5.0, 4.5, 3.5, 2.0, 1.0, 0.0, 1.0, 1.5, 1.5, 0.5, -2.5, -6.5,
        -11.0, -16.0, -13.5,
    ],
];

/// Level of each zone's whole radiation, dB: fitted to the levels of single keys of those grands. The board
/// under the top octaves is small.
const LEVEL_DB: [f64; ZONES] = [2.0, 1.0, -0.5, -6.0];

/// Factor on the whole radiation of `zone`.
#[must_use]
pub fn level(zone: usize) -> f64 {
    libm::pow(10.0, LEVEL_DB[zone] / 20.0)
}

/// The radiated amplitude by frequency, Hz, for a unit force on `zone`, up to a constant.
pub fn amplitude(zone: usize) -> impl Fn(f64) -> f64 {
    let octaves: [(f64, f64); ZONE_HZ.len()] =
        std::array::from_fn(|i| (libm::log2(ZONE_HZ[i]), ZONE_DB[zone][i]));
    move |hz| {
        // The board radiates very little below 100 Hz. Above its coincidence, 1-2 kHz, mobility no longer
        // falls and radiation no longer rises: the spectrum falls (chosen, near −5 dB an octave).
        let low = square(hz / 67.0);
        let high = 1.0 + square(hz / 1735.0);
        let db = linear(&octaves, libm::log2(hz));
        low / (1.0 + low) / high.sqrt() * libm::pow(10.0, db / 20.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tenor_radiates_its_fundamentals_and_the_treble_less_in_all() {
        for zone in [0, 1] {
            assert!(amplitude(zone)(130.0) > 2.0 * amplitude(zone)(400.0));
        }
        assert!(level(3) < 0.6 * level(1));
    }
}
