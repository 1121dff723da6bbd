//! Phantom partials of the bass and duplex lengths of the treble, beside the transverse partials.
//!
//! In the bass the stretching of the strings drives their longitudinal modes: the tension follows the
//! square of the slope, so a pair of partials f_i, f_j sounds at f_i + f_j as well, the *phantoms*,
//! strongest near the longitudinal modes and growing by 12 dB where the note grows by 6 dB
//! [Bank 2005]. A stretch at a string's end gives, by mode m, the force g m e^{−σt} sin ω_m t on
//! the bridge. The string is stretched at the bridge by (F/T)² of the force F there, and at the hammer
//! by the two waves that leave it, 2 (F/2T)², from the first moment on: the longitudinal wave of a low
//! note arrives before the transverse one. The coupling is one-way: the energy that the stretch takes
//! from the transverse motion is negligible. In the treble the duplex lengths behind the bridge ring
//! with the note. Audio thread, except `new`.

use std::f64::consts::TAU;

use num_complex::Complex64;

use crate::strings::bank::{self, BridgeInput, LANES, ModeState};
use crate::tuning::scale::StringSpec;
use touchback_core::math::cast::single;
use touchback_core::math::compass::{KeyNumber, linear, log_linear};
use touchback_core::math::complex;
use touchback_core::math::kernel::Kernel;
use touchback_core::math::power::square;

/// Number of the last key with audible phantoms [Conklin 1999].
const LAST_PHANTOM: u8 = 44;
/// Number of the first key with a duplex [maker's scale].
const FIRST_DUPLEX: u8 = 52;

/// Frequency of the first longitudinal mode over the fundamental by key number: √(E/ρ)/2L of the
/// published strings, with the wrapping's mass on the core.
const LONGITUDINAL: [(f64, f64); 5] =
    [(7.0, 14.1), (16.0, 13.8), (33.0, 15.1), (37.0, 15.0), (53.0, 14.0)];

/// Longitudinal modes of a note.
const MODES: usize = 8;

/// Quality of a longitudinal mode (chosen within the 100–300 of measured decays).
const QUALITY: f64 = 150.0;

/// Share of the longitudinal force that the bridge passes on, by key number: chosen so that phantoms
/// at fortissimo lie 20–45 dB under their neighbours [Etchenique 2015], decays stay the same at every
/// speed, and notes from C2 to B3 grow by 30 dB from the softest blow to the hardest.
const PASSED: [(f64, f64); 7] = [
    (1.0, 0.0075),
    (4.0, 0.003),
    (13.0, 0.007),
    (16.0, 0.007),
    (20.0, 0.032),
    (28.0, 0.023),
    (40.0, 0.012),
];

/// Slope of the two waves that leave the hammer, taken together, over the hammer's force by the
/// tension: 2 (F/2T)² = (F/√2T)².
const BOTH_WAYS: f32 = std::f32::consts::FRAC_1_SQRT_2;

/// Band limit of the slopes before they are multiplied, Hz, so that the products do not fold back.
const BAND_HZ: f64 = 4_500.0;

/// Duplex lengths, tuned by ear to the speaking length's partials: partial (octave, twelfth, double
/// octave), frequency over that partial (off by a few cents, as in pianos), decay time s.
const DUPLEX: [(usize, f64, f64); 3] = [(2, 1.002, 0.7), (3, 1.0037, 0.5), (4, 1.005, 0.35)];

/// Gain of a duplex length at resonance by key number, chosen so that its level, off its partial, is
/// some 35 dB under the note's.
const DUPLEX_GAIN: [(f64, f64); 3] = [(52.0, 0.125), (64.0, 0.32), (76.0, 0.33)];

/// Share of the gate below which the resonators sleep.
const SOFTEST: f32 = 0.1;

/// Sixteen resonators beside the strings of one note.
#[derive(Debug)]
pub struct Overtones {
    kernel: Kernel,
    modes: [ModeState; 1],
    drives: [BridgeInput; 1],
    /// Root of the longitudinal force per force on the bridge, √N per N; 0 for a duplex.
    stretch: f32,
    /// One-pole share of the band limit.
    smooth: f32,
    /// States of the band limit: two for the bridge's force, one for the blow.
    states: [f32; 3],
    /// The note has resonators.
    any: bool,
    /// Below audibility until the next blow.
    asleep: bool,
}

impl Overtones {
    /// The overtones of `key` with strings `string` at `sample_rate` Hz.
    #[must_use]
    pub fn new(key: KeyNumber, string: &StringSpec, sample_rate: f64, kernel: Kernel) -> Self {
        let n = f64::from(key.number());
        let mut overtones = Self {
            kernel,
            modes: [ModeState::default()],
            drives: [BridgeInput::default()],
            stretch: 0.0,
            smooth: single(1.0 - libm::exp(-TAU * BAND_HZ / sample_rate)),
            states: [0.0; 3],
            any: false,
            asleep: false,
        };
        let pitch = string.partial_hz(1);
        if key.number() <= LAST_PHANTOM {
            let first = pitch * linear(&LONGITUDINAL, n);
            // ES = μ c², c = 2 L f; slope at the bridge = force over tension, each string's part.
            let stiffness = string.density * square(2.0 * string.length * first);
            let strings = string.strings as f64;
            let slope = 1.0 / (strings * string.tension());
            let passed = log_linear(&PASSED, n);
            overtones.stretch = single((0.5 * passed * strings * stiffness).sqrt() * slope);
            for m in 1..=MODES {
                let hz = first * m as f64;
                // −i: a sine.
                let gain = Complex64::new(0.0, -TAU * hz);
                overtones.add(m - 1, hz, TAU * hz / (2.0 * QUALITY), gain, sample_rate);
            }
        } else if key.number() >= FIRST_DUPLEX {
            let gain = log_linear(&DUPLEX_GAIN, n);
            for (lane, (k, off, time)) in DUPLEX.into_iter().enumerate() {
                let (hz, sigma) = (off * string.partial_hz(k), libm::log(1000.0) / time);
                overtones.add(lane, hz, sigma, (2.0 * sigma * gain).into(), sample_rate);
            }
        }
        overtones
    }

    /// Adds a resonator w' = (iω − σ) w + `gain` x with the output Re w; none above the band.
    fn add(&mut self, lane: usize, hz: f64, sigma: f64, gain: Complex64, sample_rate: f64) {
        if hz > 0.45 * sample_rate.min(32_000.0) || lane >= LANES {
            return;
        }
        let pole = Complex64::new(-sigma, TAU * hz) / sample_rate;
        let mode = &mut self.modes[0];
        let pole = complex::exp(pole);
        (mode.pole_re[lane], mode.pole_im[lane]) = (single(pole.re), single(pole.im));
        mode.bridge[lane] = 1.0;
        let gain = gain / sample_rate;
        let drive = &mut self.drives[0];
        (drive.re[lane], drive.im[lane]) = (single(gain.re), single(gain.im));
        self.any = true;
    }

    /// Clears the resonators.
    pub fn reset(&mut self) {
        bank::clear(&mut self.modes);
        self.states = [0.0; 3];
    }

    /// The strings are struck: the resonators may be audible.
    pub const fn wake(&mut self) {
        self.asleep = false;
    }

    /// The strings are struck, and the resonators left out; those that ring go on.
    pub fn leave_out(&mut self) {
        self.asleep |= self.level() == 0.0;
    }

    /// Puts resonators far below `gate` N to sleep: while the strings decay they only get softer, apart
    /// from beats.
    pub(crate) fn silence_below(&mut self, gate: f32) {
        if self.any && !self.asleep && self.level() < square(SOFTEST * gate) {
            self.reset();
            self.asleep = true;
        }
    }

    /// Squared amplitude, N².
    #[must_use]
    pub fn level(&self) -> f32 {
        bank::level(&self.modes)
    }

    /// Sets inaudible states to 0, far above denormals.
    pub(crate) fn flush_denormals(&mut self) {
        bank::flush_denormals(&mut self.modes);
        bank::flush_below(1e-12, &mut self.states);
    }

    /// Adds phantoms or duplex to the `force` of the note's strings on the bridge, N, at most one block;
    /// `blow` is the hammer's force on them, N, for the samples of contact.
    pub fn process(&mut self, force: &mut [f32], blow: &[f32]) {
        if !self.any || self.asleep {
            return;
        }
        let mut input = [0.0f32; bank::BLOCK];
        let input = &mut input[..force.len()];
        if self.stretch > 0.0 {
            let (decay, stretch) = (1.0 - self.smooth, self.smooth * self.stretch);
            let [mut a, mut b, mut c] = self.states;
            let blow = blow.iter().copied().chain(std::iter::repeat(0.0));
            for ((x, force), blow) in input.iter_mut().zip(&*force).zip(blow) {
                a = decay * a + stretch * force;
                b = decay * b + self.smooth * a;
                c = decay * c + stretch * BOTH_WAYS * blow;
                *x = b * b + c * c;
            }
            self.states = [a, b, c];
        } else {
            input.copy_from_slice(force);
        }
        bank::resound(self.kernel, &mut self.modes, &self.drives, input, force);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SoundSettings;
    use crate::measure::{RenderedNote, db};

    const RATE: f64 = 48_000.0;

    /// Overtones of a key under a force of two partials of amplitude `newton`.
    fn added(number: usize, newton: f64) -> (RenderedNote, StringSpec) {
        let key = KeyNumber::from_index(number - 1).unwrap();
        let string = StringSpec::of(key, &SoundSettings::default());
        let mut overtones = Overtones::new(key, &string, RATE, Kernel::detect());
        let mut samples = Vec::new();
        let tone = |k: usize, n: usize| (TAU * string.partial_hz(k) * n as f64 / RATE).sin();
        for start in (0..48_000).step_by(bank::BLOCK) {
            let plain: Vec<f32> = (start..start + bank::BLOCK)
                .map(|n| single(newton * (tone(5, n) + tone(9, n))))
                .collect();
            let mut force = plain.clone();
            overtones.process(&mut force, &[]);
            samples.extend(force.iter().zip(&plain).map(|(a, b)| f64::from(a - b)));
        }
        (RenderedNote { samples, rate: RATE }, string)
    }

    #[test]
    fn phantoms_are_at_sum_frequencies_and_grow_with_the_square() {
        let (soft, string) = added(16, 1.0);
        let (loud, _) = added(16, 2.0);
        let sum = string.partial_hz(5) + string.partial_hz(9);
        let step = db(loud.amplitude(sum, 0.3, 0.9) / soft.amplitude(sum, 0.3, 0.9));
        assert!((step - 12.04).abs() < 0.1, "{step} dB");
        let beside = loud.amplitude(sum + 31.0, 0.3, 0.9);
        assert!(loud.amplitude(sum, 0.3, 0.9) > 100.0 * beside);
    }

    #[test]
    fn a_duplex_is_linear_and_the_middle_register_has_neither() {
        let (soft, string) = added(64, 1.0);
        let (loud, _) = added(64, 2.0);
        let hz = string.partial_hz(5);
        let step = db(loud.amplitude(hz, 0.3, 0.9) / soft.amplitude(hz, 0.3, 0.9));
        assert!((step - 6.02).abs() < 0.1, "{step} dB");
        assert!(added(48, 2.0).0.samples.iter().all(|x| *x == 0.0));
    }
}
