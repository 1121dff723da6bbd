//! Flue pipes of an organ, one for each key, beside the strings: wind goes in, pressure at the microphones comes out.
//!
//! They sound in the air, not through the soundboard. Without wind they cost nothing. Audio thread, except `new`.

mod pipe;

use std::f64::consts::FRAC_PI_2;

use crate::SoundSettings;
use crate::signal::convolve::CHANNELS;
use crate::strings::bank::BLOCK;
use crate::tuning::stretch;
use pipe::Pipe;
use touchback_core::math::cast::single;
use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_core::math::key_set::KeySet;

/// Full scale per pascal at 1 m: ten pipes of the middle octaves stay below it.
const FULL_SCALE: f64 = 0.08;

/// Directions of the lowest and the highest pipe, as shares of the way from left to right.
const PLACES: [f64; 2] = [0.35, 0.65];

/// All pipes, at one sample rate.
pub(crate) struct Pipes {
    pipes: Vec<Pipe>,
    /// Pipes with wind, and those that fade.
    speaking: KeySet,
    /// Detuning of each key, cents.
    cents: [f64; KEYS],
    /// Shares of each pipe in both channels.
    shares: [[f32; CHANNELS]; KEYS],
}

impl Pipes {
    /// Pipes without wind, for `sample_rate` Hz. Allocates.
    pub(crate) fn new(sample_rate: f64) -> Self {
        let shares = std::array::from_fn(|i| {
            let place = PLACES[0] + (PLACES[1] - PLACES[0]) * i as f64 / (KEYS - 1) as f64;
            let (sine, cosine) = libm::sincos(FRAC_PI_2 * place);
            [cosine, sine].map(|share| single(FULL_SCALE * share))
        });
        let pipes = KeyNumber::all().map(|key| Pipe::new(key, sample_rate)).collect();
        Self { pipes, speaking: KeySet::EMPTY, cents: [0.0; KEYS], shares }
    }

    /// Takes the wind away, without a fade, and every detuning.
    pub(crate) fn reset(&mut self) {
        self.speaking.iter().for_each(|key| self.pipes[key.index()].silence());
        self.speaking = KeySet::EMPTY;
        self.cents = [0.0; KEYS];
    }

    /// The frequency of `key`, Hz.
    fn frequency(&self, key: KeyNumber, settings: &SoundSettings) -> f64 {
        let cents = self.cents[key.index()];
        stretch::fundamental(key, settings) * libm::exp2(cents / 1200.0)
    }

    /// Wind of `pressure` Pa at the foot of `key`'s pipe.
    pub(crate) fn blow(&mut self, key: KeyNumber, pressure: f64, settings: &SoundSettings) {
        if pressure > 0.0 && !self.speaking.contains(key) {
            let frequency = self.frequency(key, settings);
            self.pipes[key.index()].tune(frequency);
            self.speaking.insert(key);
        }
        self.pipes[key.index()].blow(pressure);
    }

    /// Detunes `key` by `cents`.
    pub(crate) fn retune(&mut self, key: KeyNumber, cents: f64, settings: &SoundSettings) {
        self.cents[key.index()] = cents;
        if self.speaking.contains(key) {
            let frequency = self.frequency(key, settings);
            self.pipes[key.index()].tune(frequency);
        }
    }

    /// Tunes the pipes that speak to new `settings`.
    pub(crate) fn set(&mut self, settings: &SoundSettings) {
        for key in self.speaking.iter() {
            let frequency = self.frequency(key, settings);
            self.pipes[key.index()].tune(frequency);
        }
    }

    /// Whether no pipe speaks.
    pub(crate) const fn is_silent(&self) -> bool {
        self.speaking.is_empty()
    }

    /// Control work at a block's beginning: pipes that have faded end.
    pub(crate) fn begin_block(&mut self) {
        for key in self.speaking.iter() {
            let pipe = &mut self.pipes[key.index()];
            if pipe.has_faded() {
                pipe.silence();
                self.speaking.remove(key);
            }
        }
    }

    /// The next `len` samples of both channels, full scale ±1.
    pub(crate) fn process(&mut self, len: usize) -> [[f32; BLOCK]; CHANNELS] {
        let mut out = [[0.0; BLOCK]; CHANNELS];
        for key in self.speaking.iter() {
            let (pipe, shares) = (&mut self.pipes[key.index()], self.shares[key.index()]);
            for i in 0..len {
                let pressure = single(pipe.next());
                out.iter_mut().zip(shares).for_each(|(out, share)| out[i] += share * pressure);
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_core::math::cast::floor_index;

    /// The sound of the pipe of key `number` under `pressure` Pa for a second, and its fall without wind.
    fn sound(number: u8, pressure: f64, rate: f64, portion: usize) -> [Vec<f32>; 2] {
        let key = KeyNumber::from_number(number).unwrap();
        let (mut pipes, settings) = (Pipes::new(rate), SoundSettings::default());
        let second = floor_index(rate / 64.0) * BLOCK;
        let mut part = |pressure: f64, most: usize| {
            let mut out = Vec::new();
            pipes.blow(key, pressure, &settings);
            while out.len() < most && !pipes.is_silent() {
                pipes.begin_block();
                for _ in 0..BLOCK / portion {
                    let [left, right] = pipes.process(portion);
                    out.extend(left.iter().zip(&right).map(|(l, r)| l + r).take(portion));
                }
            }
            out
        };
        let parts = [part(pressure, second), part(0.0, 8 * second)];
        assert!(pipes.is_silent(), "key {number} still speaks");
        parts
    }

    /// Amplitude of `hz` in `samples`, and its phase.
    fn line(samples: &[f32], from: usize, hz: f64, rate: f64) -> (f64, f64) {
        let n = samples.len() as f64;
        let (mut re, mut im) = (0.0, 0.0);
        for (i, x) in samples.iter().enumerate() {
            let window = 1.0 - (std::f64::consts::TAU * i as f64 / n).cos();
            let angle = std::f64::consts::TAU * hz * (from + i) as f64 / rate;
            re += window * f64::from(*x) * angle.cos();
            im -= window * f64::from(*x) * angle.sin();
        }
        (2.0 * re.hypot(im) / n, im.atan2(re))
    }

    /// Error of pitch, cents.
    fn error(sound: &[f32], number: u8, rate: f64) -> f64 {
        let key = KeyNumber::from_number(number).unwrap();
        let hz = stretch::fundamental(key, &SoundSettings::default());
        let [a, b, length] = [0.6, 0.75, 0.15].map(|s| floor_index(s * rate));
        let phases = [a, b].map(|at| line(&sound[at..at + length], at, hz, rate).1);
        let turn = (phases[1] - phases[0] + std::f64::consts::PI).rem_euclid(std::f64::consts::TAU)
            - std::f64::consts::PI;
        1200.0 * (1.0 + turn / (std::f64::consts::TAU * 0.15) / hz).log2()
    }

    fn level(sound: &[f32]) -> f64 {
        (sound.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / sound.len() as f64).sqrt()
    }

    #[test]
    fn pipes_speak_in_tune_at_every_rate_and_fall_silent() {
        for (rate, keys) in
            [(48_000.0, [16, 28, 40, 52, 64, 76]), (22_050.0, [16, 28, 40, 52, 60, 64])]
        {
            for number in keys {
                let [sound, fall] = sound(number, 700.0, rate, BLOCK);
                let cents = error(&sound, number, rate);
                assert!(cents.abs() < 4.0, "key {number} at {rate} Hz: {cents} cents");
                let count = sound.len();
                let [onset, whole] = [&sound[..count / 100], &sound[count * 3 / 4..]].map(level);
                assert!((0.002..0.3).contains(&whole), "key {number}: level {whole}");
                assert!(onset < 0.5 * whole, "key {number} speaks at once: {onset} of {whole}");
                let late = level(&fall[fall.len() * 9 / 10..]);
                assert!(late < 1e-3 * whole, "key {number} fades: {late}");
            }
        }
    }

    #[test]
    fn less_wind_sounds_softer_and_flatter() {
        let [full, half] =
            [700.0, 350.0].map(|pressure| sound(40, pressure, 48_000.0, BLOCK)[0].clone());
        let fall = error(&full, 40, 48_000.0) - error(&half, 40, 48_000.0);
        assert!((2.0..20.0).contains(&fall), "{fall} cents");
        let [full, half] = [&full, &half].map(|sound| level(&sound[30_000..48_000]));
        let db = 20.0 * (full / half).log10();
        assert!((1.0..9.0).contains(&db), "{db} dB");
    }

    #[test]
    fn portions_do_not_change_a_sample_and_no_wind_or_rate_breaks_a_pipe() {
        let [whole, parts] = [64, 8].map(|portion| sound(30, 700.0, 16_384.0, portion).concat());
        assert_eq!(whole.len(), parts.len());
        assert!(whole.iter().zip(&parts).all(|(a, b)| a.to_bits() == b.to_bits()));
        for (number, pressure, rate) in
            [(1, 1e9, 48_000.0), (88, 1e5, 48_000.0), (88, 700.0, 64.0), (44, 1.0, 48_000.0)]
        {
            let sound = sound(number, pressure, rate, BLOCK).concat();
            assert!(sound.iter().all(|x| x.is_finite() && x.abs() < 100.0), "{number} {pressure}");
        }
    }
}
