//! The plate's part of a blow: from the strings' near ends through agraffes or capo bar, plate and rim to the
//! board.
//!
//! A string presses on its near end as the hammer presses on the string. The plate does not pass that force on
//! as it is: it bends, in some 0.03 modes a hertz (cast iron, 1.2 m² at a mean depth of 15 mm), and the force
//! on the rim is what rings in them. So a pulse of 0.25 ms at C8 arrives as a knock of some milliseconds. Each
//! simulated mode stands for the modes in its share of an octave; their number grows with the frequency f and their
//! signs are random, so its amplitude goes with √f. A mode gives the force g ∫ F(t − s) 2σ e^{−σs} sin ωs ds. Audio
//! thread, except `new`.

use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::ops::Range;

use crate::strings::bank::{BLOCK, DrivenMode, DrivenModes};
use touchback_core::math::cast::single;
use touchback_core::math::compass::{KeyNumber, log_linear};
use touchback_core::math::complex::polar;
use touchback_core::math::kernel::Kernel;
use touchback_core::math::power::square;
use touchback_core::math::random;

/// Modes that are simulated.
const MODES: usize = 48;

/// Frequencies between which the modes lie, evenly by octaves, Hz (fitted: with modes from 150 Hz or up to
/// 12 kHz two of three recorded grands are farther).
const BAND_HZ: [f64; 2] = [200.0, 9_000.0];

/// Quality of the modes: a loss factor of 0.02, close to that of the board, to which the rim passes the energy
/// on; cast iron itself loses less. Fitted within 25 to 100.
const QUALITY: f64 = 50.0;

/// Gain at the resonance of a mode at 1 kHz, over the share of [`share`]: fitted to the attacks of three
/// recorded grands (`touchback lab recorded`).
const GAIN: f64 = 1.8;

/// Middle of the first bending modes of the capo bar's sections, Hz: 22.4/(2π l²) √(E/ρ) h/√12 of clamped
/// beams l = 0.3 to 0.4 m long and h = 0.04 m deep, cast iron with E = 110 GPa and ρ = 7200 kg/m³.
const CAPO_HZ: f64 = 1_300.0;

/// Width of their distribution, octaves, and amplitude that they add to the plate's modes there (fitted with
/// [`GAIN`]).
const CAPO: (f64, f64) = (0.35, 0.8);

/// Middle, Hz, of the band in which the modes are stronger, its width, octaves, and by how much, dB: knocks of grands
/// have lines up to 900 Hz [Askenfelt 1994]. Fitted to the attacks of three recorded grands in C6–C8, which had 2 to
/// 6 dB more from 800 to 1400 Hz in the first 50 ms of soft notes.
const KNOCK: (f64, f64, f64) = (800.0, 0.9, 5.0);

/// Seed of the modes' frequencies and signs: of the eight tried, the nearest to three recorded grands.
const SEED: u64 = 73;

/// Share of the hammer's force that drives the plate's modes, by key number: fitted with [`GAIN`]. Agraffes sit
/// in a stiff web of the plate; the capo bar, from C5 on, bends.
const SHARE: [(f64, f64); 3] = [(1.0, 0.05), (52.0, 0.04), (64.0, 0.138)];

/// Zones of the bridges between which the rim moves the board, as the case does.
const ZONES: Range<usize> = 1..3;

/// Share of the hammer's force at `key` that drives the modes.
#[must_use]
pub fn share(key: KeyNumber) -> f32 {
    single(log_linear(&SHARE, f64::from(key.number())))
}

/// Gain at resonance of a mode at `hz`, without its sign.
fn gain(hz: f64) -> f64 {
    let (width, more) = CAPO;
    let capo = 1.0 + more * libm::exp(-0.5 * square(libm::log2(hz / CAPO_HZ) / width));
    let (middle, width, most) = KNOCK;
    let knock = most * libm::exp(-0.5 * square(libm::log2(hz / middle) / width));
    GAIN * (hz / 1000.0).sqrt() * capo * libm::pow(10.0, knock / 20.0)
}

/// Frequency, Hz, and gain at resonance of mode `i`.
fn mode(i: usize) -> (f64, f64) {
    let [low, high] = BAND_HZ;
    let place = (i as f64 + 0.5 + 0.5 * random::of_pair(SEED, i as u64)) / MODES as f64;
    let hz = low * libm::pow(high / low, place);
    let sign = if random::of_pair(SEED + 1, i as u64) < 0.0 { -1.0 } else { 1.0 };
    (hz, sign * gain(hz))
}

/// Mean power about `hz`, by the law of the modes, of the force on the board over that of [`share`] of a force with
/// an even spectrum.
#[must_use]
pub fn power(hz: f64) -> f64 {
    let [low, high] = BAND_HZ;
    let an_octave = MODES as f64 / libm::log2(high / low);
    // g²σ/2 of a mode times the modes per hertz.
    square(gain(hz)) * (PI / QUALITY) * an_octave / (2.0 * std::f64::consts::LN_2)
}

/// Delay of the force, s: as long as bending waves take from the strings' near ends to the rim.
const DELAY: f64 = BLOCK as f64 / 48_000.0;

/// The plate of one piano, at rest. Its input is the sum of each hammer's force times its key's [`share`], of the
/// last block: the force arrives a block late, and each mode is turned by what that differs from `DELAY`.
/// Allocates.
#[must_use]
pub fn new(sample_rate: f64, kernel: Kernel) -> DrivenModes {
    let late = BLOCK as f64 / sample_rate - DELAY;
    let each = (0..MODES).map(|i| {
        let (hz, gain) = mode(i);
        let sigma = PI * hz / QUALITY;
        let gain = 2.0 * sigma * gain / sample_rate * libm::exp(-sigma * late);
        let drive = polar(gain, TAU * hz * late - FRAC_PI_2);
        DrivenMode { hz, sigma, drive, sign: 1.0 }
    });
    DrivenModes::new(sample_rate, kernel, ZONES, each)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: f64 = 48_000.0;

    /// Force on one zone of the board from a blow of `peak` N that lasts 12 samples, as at C8.
    fn answer(peak: f64) -> Vec<f64> {
        let mut plate = new(RATE, Kernel::detect());
        let pulse =
            |n: usize| if n < 12 { peak * libm::sin(PI * (n as f64 + 0.5) / 12.0) } else { 0.0 };
        let mut force = Vec::new();
        for start in (0..72_000).step_by(BLOCK) {
            let blow = std::array::from_fn(|i| single(pulse(start + i)));
            let mut inputs = [[0.0; BLOCK]; crate::strings::bridge::ZONES];
            plate.process(&blow, 1e-6, &mut inputs);
            assert!(inputs[0] == inputs[3] && inputs[1] == inputs[2]);
            force.extend(inputs[1].iter().map(|x| f64::from(*x)));
        }
        assert!(plate.is_silent() && force.ends_with(&[0.0; BLOCK]));
        force
    }

    #[test]
    fn a_pulse_becomes_a_knock_of_milliseconds() {
        let force = answer(1.0);
        let energy = |part: &[f64]| part.iter().map(|x| x * x).sum::<f64>();
        let (all, first) = (energy(&force), energy(&force[..12]));
        assert!(first < 0.5 * all, "{}", first / all);
        // Most of it follows the pulse, and is over in 10 ms.
        assert!(energy(&force[..480]) > 0.7 * all, "{}", energy(&force[..480]) / all);
        let peak = force.iter().fold(0.0f64, |most, x| most.max(x.abs()));
        assert!((0.1..2.0).contains(&peak), "{peak}");
        assert!(answer(2.0).iter().zip(&force).all(|(a, b)| (a - 2.0 * b).abs() < 1e-3 * peak));
    }

    #[test]
    fn the_modes_power_grows_with_the_frequency_and_their_signs_are_mixed() {
        let modes: Vec<(f64, f64)> = (0..MODES).map(mode).collect();
        assert!(modes.is_sorted_by(|a, b| a.0 < b.0));
        for (hz, gain) in modes.iter().filter(|(hz, _)| *hz > 6000.0) {
            assert!((gain * gain / (GAIN * GAIN * hz / 1000.0) - 1.0).abs() < 0.01, "{hz} {gain}");
        }
        let down = modes.iter().filter(|(_, gain)| *gain < 0.0).count();
        assert!((MODES / 3..=2 * MODES / 3).contains(&down), "{down}");
    }
}
