//! The ring of plate and case after a blow, where the tone of a key has one.
//!
//! In each half octave of [`BLOW_HZ`] three modes ring at the hammer's force F: a ∫ F(t − s) e^{−σs} sin ωs ds. A
//! plate's modes are the same for all keys; how a key drives them differs in sign. With a² = 8 ρ s² p B σ/3, B the
//! width of the half octave, s the plate's share of the force and p its power, the ring has ρ times the energy that the
//! plate's own modes have there: the level is 10 log (1 + ρ). Audio thread, except `new`.

use std::f64::consts::TAU;

use num_complex::Complex64;

use crate::strings::bank::{self, BLOCK, BridgeInput, LANES, ModeState};
use crate::strings::plate;
use touchback_core::math::cast::single;
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::kernel::Kernel;
use touchback_core::math::power::square;
use touchback_core::math::{complex, random};
use touchback_core::mech::key_tones::{BLOW_COUNT, BLOW_HZ, KeyTones, ToneQuantity};

/// Modes of a half octave: two or three in each band of the distance from a recording (chosen).
const MODES: usize = 3;

/// Width of a half octave over its middle: 2^¼ − 2^−¼.
const WIDTH: f64 = 0.348_310_699_749_006;

/// Groups of lanes.
const GROUPS: usize = BLOW_COUNT * MODES / LANES;

/// Decay time (60 dB) of the ring where the key's tone does not change it, s (chosen: that of the noise between the
/// partials of three recorded grands, 0.2 to 0.5 s).
const TIME: f64 = 0.3;

/// Share of the gate below which the ring ends.
const SOFTEST: f32 = 0.1;

/// The ring of one note.
#[derive(Debug)]
pub(super) struct BlowRing {
    modes: [ModeState; GROUPS],
    drives: [BridgeInput; GROUPS],
    /// The tone of the key has a ring.
    has_ring: bool,
    /// Below audibility until the next blow.
    is_silent: bool,
}

impl BlowRing {
    pub(super) fn new() -> Self {
        Self {
            modes: [ModeState::default(); GROUPS],
            drives: [BridgeInput::default(); GROUPS],
            has_ring: false,
            is_silent: true,
        }
    }

    /// Sets level and decay of the ring of `key` to those of `tones`; the level is heard from the next blow on.
    pub(super) fn load(&mut self, key: KeyNumber, tones: &KeyTones, sample_rate: f64) {
        self.drives = [BridgeInput::default(); GROUPS];
        self.has_ring = false;
        for (half, middle) in BLOW_HZ.into_iter().enumerate() {
            let level = tones.get(key, ToneQuantity::Blow, half);
            if level <= 0.0 {
                continue;
            }
            let middle = f64::from(middle);
            let sigma = libm::log(1000.0) / time(tones, key, half);
            let energy = libm::pow(10.0, level / 10.0) - 1.0;
            let width = WIDTH * middle;
            let power = energy * plate::power(middle);
            let amplitude = f64::from(plate::share(key))
                * (8.0 * power * width * sigma / MODES as f64).sqrt()
                / sample_rate;
            for i in 0..MODES {
                let mode = half * MODES + i;
                // Half a step about even places over the logarithm of frequency.
                let place = i as f64 + 0.5 * random::of_pair(PLACES, mode as u64);
                let place = place - 0.5 * (MODES - 1) as f64;
                let hz = middle * libm::exp2(0.5 * place / MODES as f64);
                if hz > 0.45 * sample_rate {
                    continue;
                }
                let pole = complex::exp(Complex64::new(-sigma, TAU * hz) / sample_rate);
                let sign = random::of_pair(PLACES + 1 + key.index() as u64, mode as u64);
                let (group, lane) = (mode / LANES, mode % LANES);
                let state = &mut self.modes[group];
                (state.pole_re[lane], state.pole_im[lane]) = (single(pole.re), single(pole.im));
                state.bridge[lane] = 1.0;
                // −i: a sine.
                self.drives[group].im[lane] = -single(amplitude.copysign(sign));
            }
            self.has_ring = true;
        }
    }

    /// Sets the modes to rest.
    pub(super) fn reset(&mut self) {
        bank::clear(&mut self.modes);
        self.is_silent = true;
    }

    pub(super) const fn is_ringing(&self) -> bool {
        !self.is_silent
    }

    /// Ends a ring far below `gate` N; with a hammer at the strings it goes on.
    pub(super) fn poll_level(&mut self, gate: f32) {
        if self.is_ringing() {
            bank::flush_denormals(&mut self.modes);
            if bank::level(&self.modes) < square(SOFTEST * gate) {
                self.reset();
            }
        }
    }

    /// Adds the force of the ring, N, at most one block, under the hammer's force on the strings in the first
    /// samples, `blow`.
    pub(super) fn process(&mut self, kernel: Kernel, blow: &[f32], out: &mut [f32]) {
        if self.has_ring && blow.iter().any(|force| *force > 0.0) {
            self.is_silent = false;
            let mut input = [0.0; BLOCK];
            input[..blow.len()].copy_from_slice(blow);
            bank::resound(kernel, &mut self.modes, &self.drives, &input[..out.len()], out);
        } else if self.is_ringing() {
            bank::ring(kernel, &mut self.modes, out);
        }
    }
}

/// Seed of the modes' places; those after it are seeds of the keys' signs.
const PLACES: u64 = 4711;

/// Decay time (60 dB) of the ring of `key` in a half octave, s.
fn time(tones: &KeyTones, key: KeyNumber, half: usize) -> f64 {
    TIME * libm::exp2(tones.get(key, ToneQuantity::BlowDecay, half / 2))
}

/// Slowest decay rate of any ring, 1/s.
pub(crate) fn least_loss(tones: &KeyTones) -> f64 {
    if tones.most(ToneQuantity::Blow) > 0.0 {
        libm::log(1000.0) / (TIME * libm::exp2(tones.most(ToneQuantity::BlowDecay)))
    } else {
        f64::INFINITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: f64 = 48_000.0;

    fn key() -> KeyNumber {
        KeyNumber::from_number(76).unwrap()
    }

    /// Force of the ring after a blow of 1 N in one sample.
    fn ring(values: &[(ToneQuantity, usize, f64)]) -> Vec<f32> {
        let mut tones = KeyTones::EVEN;
        values.iter().for_each(|(quantity, i, value)| tones.set(key(), *quantity, *i, *value));
        let mut ring = BlowRing::new();
        ring.load(key(), &tones, RATE);
        let mut all = vec![0.0; 48_000];
        let (first, rest) = all.split_at_mut(BLOCK);
        ring.process(Kernel::detect(), &[1.0], first);
        rest.chunks_mut(BLOCK).for_each(|part| ring.process(Kernel::detect(), &[], part));
        all
    }

    fn energy(force: &[f32]) -> f64 {
        force.iter().map(|x| square(f64::from(*x))).sum()
    }

    #[test]
    fn a_tone_without_ring_is_silent() {
        for values in
            [&[][..], &[(ToneQuantity::Blow, 3, -12.0)], &[(ToneQuantity::BlowDecay, 3, 1.0)]]
        {
            assert!(ring(values).iter().all(|x| *x == 0.0));
        }
    }

    /// 3 dB more are once the energy of the plate's share in the octave.
    #[test]
    fn the_ring_has_the_energy_that_its_level_tells() {
        for (half, middle) in BLOW_HZ.into_iter().enumerate().skip(2) {
            let decibels = 10.0 * 2.0f64.log10();
            let energy = energy(&ring(&[(ToneQuantity::Blow, half, decibels)]));
            // A pulse's spectrum is even up to half the rate.
            let width = WIDTH * f64::from(middle);
            let own = square(f64::from(plate::share(key()))) * plate::power(BLOW_HZ[half].into());
            let wanted = own * 2.0 * width / RATE;
            assert!((energy / wanted).log2().abs() < 0.7, "{half}: {}", energy / wanted);
        }
    }

    #[test]
    fn the_ring_decays_in_its_time() {
        for octaves in [-1.0, 0.0, 1.0] {
            let all =
                ring(&[(ToneQuantity::Blow, 10, 12.0), (ToneQuantity::BlowDecay, 5, octaves)]);
            let early = energy(&all[..4800]) / energy(&all[4800..9600]);
            let wanted = 60.0 * 0.1 / (TIME * octaves.exp2());
            assert!((10.0 * early.log10() / wanted - 1.0).abs() < 0.25, "{octaves}: {early}");
        }
    }
}
