//! Rear lengths: the strings between bridge and hitch pins, which no damper reaches.
//!
//! Behind the bridge every string goes on for 5 to 50 cm to its hitch pin. At wave speeds of 250 to 420 m/s
//! these lengths have their modes from 250 Hz up. The bridge drives all of them with every blow, and so does the
//! plate, into which the hitch pins are driven: a faint, dense ring that lasts for seconds after a short treble
//! note. Audio thread, except `new`.

use std::f64::consts::TAU;
use std::ops::Range;

use crate::strings::bank::{BLOCK, DrivenMode, DrivenModes};
use touchback_core::math::complex::polar;
use touchback_core::math::kernel::Kernel;
use touchback_core::math::power::square;
use touchback_core::math::random;

/// Modes that are simulated.
const MODES: usize = 64;

/// Frequencies between which the modes lie, evenly by octaves: where two recorded grands of different makers
/// ring on after the notes of the top two octaves, Hz.
const BAND_HZ: [f64; 2] = [900.0, 3_500.0];

/// Decay time (60 dB) of low modes, s, and frequency at which it is half as long, Hz: the late decay of those
/// recorded notes is 5 to 10 s at 1 and 2 kHz.
const T60: f64 = 8.0;
const HALF_HZ: f64 = 4_000.0;

/// Force on the board per momentum of a force on the bridge, 1/s: fitted to those notes from 0.4 s on. The
/// noise of the recordings lies at −50 dB and is not followed.
const GAIN: f64 = 1.2;

/// Zones of the bridges whose rear lengths ring.
const ZONES: Range<usize> = 2..4;

/// All rear lengths, at rest. Their input is the force of bridge and plate in the last block. Allocates.
#[must_use]
pub fn new(sample_rate: f64, kernel: Kernel) -> DrivenModes {
    let [low, high] = BAND_HZ;
    let each = (0..MODES).map(|i| {
        let place = (i as f64 + 0.5 + 0.5 * random::of_pair(31, i as u64)) / MODES as f64;
        let hz = low * libm::pow(high / low, place);
        let sigma = libm::log(1000.0) / T60 * (1.0 + square(hz / HALF_HZ));
        // The force arrives a block late: turned forward, it meets the mode in the phase without delay.
        let drive = polar(GAIN / sample_rate, TAU * hz * BLOCK as f64 / sample_rate);
        // The bridge lies between the lengths and the board: half of them arrive upside down.
        DrivenMode { hz, sigma, drive, sign: if i % 2 == 0 { 1.0 } else { -1.0 } }
    });
    DrivenModes::new(sample_rate, kernel, ZONES, each)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blow_rings_for_seconds_and_then_rests() {
        let mut lengths = new(48_000.0, Kernel::detect());
        let mut blow = [0.0; BLOCK];
        blow[0] = 1000.0;
        let levels: Vec<f32> = (0..16_000)
            .map(|block| {
                let mut inputs = [[0.0; BLOCK]; crate::strings::bridge::ZONES];
                let bridge = if block == 0 { blow } else { [0.0; BLOCK] };
                lengths.process(&bridge, 1e-3, &mut inputs);
                inputs[2].iter().fold(0.0f32, |most, x| x.abs().max(most))
            })
            .collect();
        let loudest = |from: usize| levels[from..from + 75].iter().fold(0.0f32, |m, x| m.max(*x));
        let fall = 20.0 * (loudest(750) / loudest(1500)).log10();
        // From 7.9 dB/s at the lowest mode to 13.2 at the highest.
        assert!((7.5..13.5).contains(&fall), "{fall} dB from 1 to 2 s");
        assert!(lengths.is_silent() && levels[15_999] == 0.0);
    }
}
