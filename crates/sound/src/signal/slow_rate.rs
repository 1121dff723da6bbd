//! A slower sample rate for signals without high partials: decimator and interpolator.
//!
//! Both use one filter: a sinc in a Kaiser window, which passes frequencies below 0.22 of the slow
//! rate within 0.01 dB and attenuates those that would fold onto them by 65 dB. Audio thread, except
//! `new`.

use std::f64::consts::PI;

use crate::strings::bank::BLOCK;
use touchback_core::math::cast::{floor_index, single};
use touchback_core::math::power::square;

/// Slowest rate of damped strings, Hz: partials up to 2.2 kHz are in the filter's passband.
const SLOWEST_HZ: f64 = 10_000.0;
/// Slowest rate of the undamped top strings, Hz: all fundamentals are in the filter's passband.
const SLOWEST_TOP_HZ: f64 = 22_000.0;

/// Length of the filter, slow samples (chosen for the values above).
const SPAN: usize = 8;
/// Shape of the Kaiser window (chosen for the values above).
const SHAPE: f64 = 6.8;

/// A sample rate divided by a power of two.
#[derive(Clone, Debug)]
pub struct SlowRate {
    /// Samples per slow sample.
    factor: usize,
    /// Taps of the filter; their sum is `factor`.
    taps: Vec<f32>,
    /// Delay before the decimator, samples: strings resonate beside their frequencies too, in a phase that the
    /// lag turns, so that it lasts as long as at 48 kHz at the least.
    wait: usize,
}

/// Modified Bessel function of order 0.
fn bessel(x: f64) -> f64 {
    let (mut sum, mut term, mut k) = (1.0, 1.0, 1.0);
    while term > 1e-16 * sum {
        term *= square(0.5 * x / k);
        sum += term;
        k += 1.0;
    }
    sum
}

impl SlowRate {
    /// The slowest rates that `sample_rate` Hz allows: of damped strings, and of the undamped top
    /// ones, up to 4.7 kHz.
    #[must_use]
    pub fn both(sample_rate: f64) -> [Self; 2] {
        [SLOWEST_HZ, SLOWEST_TOP_HZ].map(|slowest| {
            let mut rate = Self::above(slowest, sample_rate);
            let lag = Self::above(slowest, 48_000.0).lag() as f64 * sample_rate / 48_000.0;
            rate.wait = floor_index(lag + 0.5).saturating_sub(rate.lag());
            rate
        })
    }

    fn above(slowest: f64, sample_rate: f64) -> Self {
        let octaves = libm::log2(sample_rate / slowest).floor().max(0.0);
        let factor = floor_index(libm::exp2(octaves)).clamp(1, BLOCK);
        if factor == 1 {
            return Self { factor, taps: vec![1.0], wait: 0 };
        }
        // Symmetric about a tap, so that the delay is a whole number; the last tap is 0.
        let (count, middle) = (SPAN * factor, SPAN * factor / 2 - 1);
        let tap = |i: usize| {
            let x = i as f64 - middle as f64;
            let (turns, part) = (PI * x / factor as f64, x / (middle + 1) as f64);
            let window = bessel(SHAPE * (1.0 - part * part).max(0.0).sqrt());
            if x == 0.0 { window } else { libm::sin(turns) / turns * window }
        };
        let mut taps: Vec<f64> = (0..count).map(tap).collect();
        taps[count - 1] = 0.0;
        let scale = factor as f64 / taps.iter().sum::<f64>();
        Self { factor, taps: taps.iter().map(|tap| single(scale * tap)).collect(), wait: 0 }
    }

    /// Samples per slow sample.
    #[must_use]
    pub const fn factor(&self) -> usize {
        self.factor
    }

    /// Slow samples per block.
    #[must_use]
    pub const fn block(&self) -> usize {
        BLOCK / self.factor
    }

    /// Delay of the interpolator, samples.
    #[must_use]
    pub const fn delay(&self) -> usize {
        if self.factor == 1 { 0 } else { self.taps.len() / 2 - 1 }
    }

    /// Delay of decimator and interpolator together, with a whole block between them, samples.
    #[must_use]
    pub const fn lag(&self) -> usize {
        BLOCK + 2 * self.delay() + 1 - self.factor + self.wait
    }

    /// Slow samples before the present one that the interpolator needs.
    #[must_use]
    pub const fn memory(&self) -> usize {
        self.taps.len() / self.factor - 1
    }

    /// Blocks of zeros after which both filters hold only zeros.
    #[must_use]
    pub const fn tail(&self) -> usize {
        2 + (self.taps.len() + self.wait) / BLOCK
    }
}

/// Decimator: each slow sample is the sum of `factor` smoothed samples.
#[derive(Clone, Debug)]
pub struct Decimator {
    rate: SlowRate,
    /// Samples of earlier blocks that the filter needs, and the present block.
    recent: Vec<f32>,
}

impl Decimator {
    /// History of zeros. Allocates.
    #[must_use]
    pub fn new(rate: SlowRate) -> Self {
        let recent = vec![0.0; rate.wait + rate.taps.len() - 1 + BLOCK];
        Self { rate, recent }
    }

    /// Sets the history to 0.
    pub fn reset(&mut self) {
        self.recent.fill(0.0);
    }

    /// Decimates a block into [`SlowRate::block`] slow samples.
    pub fn process(&mut self, input: &[f32; BLOCK], out: &mut [f32]) {
        let earlier = self.recent.len() - BLOCK;
        self.recent.copy_within(BLOCK.., 0);
        self.recent[earlier..].copy_from_slice(input);
        // The block is complete, so the last sample of each slow one is known.
        let windows = self.recent[self.rate.factor - 1..].windows(self.rate.taps.len());
        for (out, samples) in out.iter_mut().zip(windows.step_by(self.rate.factor)) {
            *out = samples.iter().rev().zip(&self.rate.taps).map(|(x, tap)| x * tap).sum();
        }
    }
}

/// Interpolator of slow samples.
#[derive(Clone, Debug)]
pub struct Interpolator {
    rate: SlowRate,
    /// Slow samples of earlier blocks that the filter needs, and those of the present block.
    recent: Vec<f32>,
}

impl Interpolator {
    /// History of zeros. Allocates.
    #[must_use]
    pub fn new(rate: SlowRate) -> Self {
        let recent = vec![0.0; rate.memory() + rate.block()];
        Self { rate, recent }
    }

    /// Sets the history to 0.
    pub fn reset(&mut self) {
        self.recent.fill(0.0);
    }

    /// Begins a block. Returns its slow samples, all 0, to be written.
    pub fn begin(&mut self) -> &mut [f32] {
        let (block, memory) = (self.rate.block(), self.rate.memory());
        self.recent.copy_within(block.., 0);
        self.recent[memory..].fill(0.0);
        &mut self.recent[memory..]
    }

    /// The slow samples of the present block.
    pub fn present(&mut self) -> &mut [f32] {
        let memory = self.rate.memory();
        &mut self.recent[memory..]
    }

    /// The slow sample `age` before the block that begins next; 1 is the newest.
    pub fn earlier(&mut self, age: usize) -> &mut f32 {
        let end = self.recent.len();
        &mut self.recent[end - age]
    }

    /// Writes the present block.
    pub fn process(&self, out: &mut [f32; BLOCK]) {
        // With a constant factor the sums stay in registers.
        match self.rate.factor {
            2 => self.process_by::<2>(out),
            4 => self.process_by::<4>(out),
            8 => self.process_by::<8>(out),
            16 => self.process_by::<16>(out),
            32 => self.process_by::<32>(out),
            64 => self.process_by::<64>(out),
            _ => self.process_by::<1>(out),
        }
    }

    fn process_by<const FACTOR: usize>(&self, out: &mut [f32; BLOCK]) {
        let (taps, _) = self.rate.taps.as_chunks::<FACTOR>();
        let (outs, _) = out.as_chunks_mut::<FACTOR>();
        for (out, slow) in outs.iter_mut().zip(self.recent.windows(taps.len())) {
            let mut sums = [0.0; FACTOR];
            for (x, taps) in slow.iter().rev().zip(taps) {
                sums.iter_mut().zip(taps).for_each(|(sum, tap)| *sum += tap * x);
            }
            *out = sums;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gain and delay, samples, of a tone of `hz` through decimator and interpolator at `rate` Hz.
    fn round_trip(rate: f64, hz: f64) -> (f64, f64) {
        let slow = SlowRate::above(SLOWEST_HZ, rate);
        let mut decimator = Decimator::new(slow.clone());
        let mut interpolator = Interpolator::new(slow.clone());
        let turn = 2.0 * PI * hz / rate;
        let blocks = floor_index(12.0 * rate / hz / BLOCK as f64).max(400);
        let (mut re, mut im) = (0.0, 0.0);
        for block in 0..blocks + 20 {
            let angle = |i: usize| turn * (block * BLOCK + i) as f64;
            let input = std::array::from_fn(|i| single(angle(i).cos()));
            decimator.process(&input, interpolator.begin());
            let mut out = [0.0; BLOCK];
            interpolator.process(&mut out);
            if block >= 20 {
                for (i, x) in out.iter().enumerate() {
                    let share = ((block - 20) * BLOCK + i) as f64 / (blocks * BLOCK) as f64;
                    let x = f64::from(*x) * (1.0 - (2.0 * PI * share).cos());
                    re += x * angle(i).cos();
                    im += x * angle(i).sin();
                }
            }
        }
        let scale = 2.0 / (blocks * BLOCK) as f64 / slow.factor as f64;
        (scale * f64::hypot(re, im), im.atan2(re) / turn)
    }

    #[test]
    fn low_tones_keep_their_level_and_have_the_stated_delay() {
        for rate in [8_000.0, 22_050.0, 44_100.0, 48_000.0, 96_000.0, 192_000.0, 768_000.0] {
            let slow = SlowRate::above(SLOWEST_HZ, rate);
            assert!(rate / slow.factor() as f64 >= SLOWEST_HZ.min(rate));
            // Without the block that the caller waits.
            let lag = (slow.lag() - BLOCK) as f64;
            for hz in [27.5, 200.0, 1_000.0, 2_200.0] {
                let (gain, delay) = round_trip(rate, hz);
                let period = rate / hz;
                let off = (delay - lag) / period;
                assert!((gain - 1.0).abs() < 2e-3, "{hz} Hz at {rate}: gain {gain}");
                assert!((off - off.round()).abs() < 1e-3, "{hz} Hz at {rate}: {delay} for {lag}");
            }
        }
    }

    #[test]
    fn frequencies_that_would_fold_are_attenuated_by_65_db() {
        for rate in [44_100.0, 96_000.0] {
            let slow = SlowRate::above(SLOWEST_HZ, rate);
            let mut decimator = Decimator::new(slow.clone());
            // Folds onto 2 kHz.
            let turn = 2.0 * PI * (rate / slow.factor() as f64 - 2_000.0) / rate;
            let mut out = vec![0.0; slow.block()];
            for block in 0..50 {
                let at = |i: usize| turn * (block * BLOCK + i) as f64;
                decimator.process(&std::array::from_fn(|i| single(at(i).cos())), &mut out);
            }
            let loudest = out.iter().fold(0.0f32, |m, x| m.max(x.abs())) / slow.factor() as f32;
            assert!(loudest < 10f32.powf(-65.0 / 20.0), "{loudest} at {rate}");
        }
    }
}
