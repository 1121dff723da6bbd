//! Measurements on the engine and on rendered sound, for tests and the laboratory.
//!
//! All functions render offline and return numbers; not for the audio thread.

pub mod blow;
pub mod sympathetic_resonance;
pub mod whole_string;

use std::f64::consts::{PI, TAU};

use num_complex::Complex64;

use crate::strings::unison::Unison;
use crate::tuning::scale::StringSpec;
use crate::{Sound, SoundSettings};
use touchback_core::exchange::cancel;
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::complex;
use touchback_core::math::line::Line;
use touchback_core::math::power::square;

/// Decay over the first 20 dB, as time for 60 dB, s: key, published span, seconds rendered. The
/// band is the span with a factor of 1.5 at both ends; C3 and F#4 lie between their neighbours.
pub const FREE_DECAY: [(usize, f64, f64, f64); 9] = [
    (1, 10.0, 20.0, 8.0),
    (16, 10.0, 20.0, 8.0),
    (28, 6.0, 13.0, 7.0),
    (40, 4.0, 8.0, 4.0),
    (46, 3.2, 6.5, 3.5),
    (52, 2.5, 5.0, 3.0),
    (64, 1.0, 2.5, 1.5),
    (76, 0.3, 0.8, 0.8),
    (88, 0.15, 0.3, 0.4),
];

/// Decay after the damper has fallen, s, within a factor of 1.6.
pub const DAMPED_DECAY: [(usize, f64); 5] =
    [(1, 1.7), (16, 1.1), (28, 0.63), (40, 0.51), (52, 0.37)];

/// One rendered note: mean of both channels.
#[derive(Clone, PartialEq, Debug)]
pub struct RenderedNote {
    /// Samples, full scale ±1.
    pub samples: Vec<f64>,
    /// Sample rate, Hz.
    pub rate: f64,
}

/// Number of samples that are rendered at once, between two checks for a cancellation.
const AT_ONCE: usize = 4096;

/// Renders `seconds` and returns the mean of both channels.
#[must_use]
pub fn render(sound: &mut Sound, seconds: f64, rate: f64) -> RenderedNote {
    let count = floor_index(seconds * rate);
    let (mut left, mut right) = (vec![0.0f32; count], vec![0.0f32; count]);
    for (left, right) in left.chunks_mut(AT_ONCE).zip(right.chunks_mut(AT_ONCE)) {
        cancel::check();
        sound.process(left, right);
    }
    let middle = |(l, r): (&f32, &f32)| 0.5 * (f64::from(*l) + f64::from(*r));
    RenderedNote { samples: left.iter().zip(&right).map(middle).collect(), rate }
}

/// Renders one note with its damper clear for `seconds`, on an engine that is reset first.
#[must_use]
pub fn strike_free(
    sound: &mut Sound,
    key: KeyNumber,
    speed: f64,
    seconds: f64,
    rate: f64,
) -> RenderedNote {
    sound.reset();
    sound.damper(key, 1.0);
    sound.strike(key, speed, 0.0);
    render(sound, seconds, rate)
}

impl RenderedNote {
    /// Largest magnitude, dB full scale.
    #[must_use]
    pub fn peak_db(&self) -> f64 {
        db(self.samples.iter().fold(0.0, |m: f64, x| m.max(x.abs())))
    }

    /// Root mean square between two instants, dB full scale.
    #[must_use]
    pub fn rms_db(&self, from: f64, to: f64) -> f64 {
        let part = self.part(from, to);
        let mean = part.iter().map(|x| x * x).sum::<f64>() / part.len().max(1) as f64;
        db(mean.sqrt())
    }

    fn part(&self, from: f64, to: f64) -> &[f64] {
        let at = |t: f64| floor_index(t * self.rate).min(self.samples.len());
        &self.samples[at(from)..at(to)]
    }

    /// Hann-weighted amplitude at `hz` between two instants.
    #[must_use]
    pub fn amplitude(&self, hz: f64, from: f64, to: f64) -> f64 {
        cancel::check();
        let part = self.part(from, to);
        let turn = complex::polar(1.0, -TAU * hz / self.rate);
        let slope = TAU / part.len() as f64;
        let (mut w, mut sum, mut weight) = (Complex64::ONE, Complex64::ZERO, 0.0);
        for (n, x) in part.iter().enumerate() {
            let hann = 0.5 - 0.5 * libm::cos(slope * n as f64);
            sum += w * (hann * x);
            weight += hann;
            w *= turn;
        }
        2.0 * complex::modulus(sum) / weight
    }

    /// Frequency of the spectral peak within `cents` of `hz` between two instants.
    #[must_use]
    pub fn peak_hz(&self, hz: f64, cents: f64, from: f64, to: f64) -> f64 {
        let at = |c: f64| hz * libm::exp2(c / 1200.0);
        let level = |c: f64| self.amplitude(at(c), from, to);
        // A coarse scan, then golden section in the best bracket.
        let steps = 24;
        let step = 2.0 * cents / f64::from(steps);
        let best = (0..=steps)
            .map(|i| -cents + step * f64::from(i))
            .max_by(|a, b| level(*a).total_cmp(&level(*b)))
            .unwrap_or(0.0);
        let (mut low, mut high) = (best - step, best + step);
        for _ in 0..30 {
            let a = high - 0.618_034 * (high - low);
            let b = low + 0.618_034 * (high - low);
            if level(a) > level(b) { high = b } else { low = a }
        }
        at(0.5 * (low + high))
    }

    /// Amplitude around `hz`, dB, every `step` seconds from the start on; each value spans `window`
    /// seconds.
    #[must_use]
    pub fn envelope_db(&self, hz: f64, window: f64, step: f64) -> Vec<(f64, f64)> {
        let end = self.samples.len() as f64 / self.rate;
        (0..)
            .map(|i| f64::from(i) * step)
            .take_while(|t| t + window <= end)
            .map(|t| (t + 0.5 * window, db(self.amplitude(hz, t, t + window))))
            .collect()
    }
}

/// 20 log10, floored at −300 dB.
#[must_use]
pub fn db(x: f64) -> f64 {
    20.0 * libm::log10(x.max(1e-15))
}

/// Decay time for 60 dB of the straight line through the part of `envelope` between `from_db` and
/// `to_db` below its maximum; `None` if it does not fall so far.
#[must_use]
pub fn decay_time(envelope: &[(f64, f64)], from_db: f64, to_db: f64) -> Option<f64> {
    let (top, peak) = envelope
        .iter()
        .enumerate()
        .max_by(|a, b| a.1.1.total_cmp(&b.1.1))
        .map(|(i, e)| (i, e.1))?;
    let falling = &envelope[top..];
    let first = falling.iter().position(|e| e.1 <= peak - from_db)?;
    let last = falling.iter().position(|e| e.1 <= peak - to_db)?;
    let slope = Line::through(&falling[first..=last])?.slope;
    (slope < 0.0).then(|| -60.0 / slope)
}

/// Length of a window that separates neighbouring partials of `hz`, s.
fn window(hz: f64) -> f64 {
    (5.0 / hz).max(0.03)
}

/// Decay of the fundamental of a free note over its first 20 dB, as time for 60 dB, s.
#[must_use]
pub fn early_decay(
    sound: &mut Sound,
    settings: &SoundSettings,
    key: KeyNumber,
    rate: f64,
    seconds: f64,
) -> Option<f64> {
    let hz = StringSpec::of(key, settings).partial_hz(1);
    let recording = strike_free(sound, key, 2.0, seconds, rate);
    let window = window(hz);
    decay_time(&recording.envelope_db(hz, window, 0.5 * window), 0.0, 20.0)
}

/// Decay of the whole sound after its damper falls at 0.3 s, between 5 and 30 dB down, s.
#[must_use]
pub fn damped_decay(sound: &mut Sound, key: KeyNumber, rate: f64) -> Option<f64> {
    sound.reset();
    sound.damper(key, 1.0);
    sound.strike(key, 2.0, 0.0);
    let _ = render(sound, 0.3, rate);
    sound.damper(key, 0.0);
    let recording = render(sound, 2.5, rate);
    let levels: Vec<(f64, f64)> =
        (0..125).map(|i| f64::from(i) * 0.02).map(|t| (t, recording.rms_db(t, t + 0.04))).collect();
    decay_time(&levels, 5.0, 30.0)
}

/// Measured fundamental of a free note against the stretch law, cents.
#[must_use]
pub fn tuning_error_cents(
    sound: &mut Sound,
    settings: &SoundSettings,
    key: KeyNumber,
    rate: f64,
) -> f64 {
    let hz = StringSpec::of(key, settings).partial_hz(1);
    // Long enough for 1 cent at low keys, short enough that high notes still sound.
    let seconds = (400.0 / hz).clamp(0.15, 2.0);
    let recording = strike_free(sound, key, 2.0, seconds + 0.02, rate);
    let found = recording.peak_hz(hz, 12.0, 0.02, 0.02 + seconds);
    1200.0 * libm::log2(found / hz)
}

/// Inharmonicity B of a free note from its partials 1 and `k`.
#[must_use]
pub fn inharmonicity(
    sound: &mut Sound,
    settings: &SoundSettings,
    key: KeyNumber,
    k: usize,
    rate: f64,
) -> f64 {
    let string = StringSpec::of(key, settings);
    let seconds = (200.0 / string.partial_hz(1)).clamp(0.15, 1.0);
    let recording = strike_free(sound, key, 3.0, seconds, rate);
    let peak = |k: usize| recording.peak_hz(string.partial_hz(k), 15.0, 0.01, seconds);
    // (f_k / k f_1)² = (1 + B k²)/(1 + B).
    let ratio = square(peak(k) / (k as f64 * peak(1)));
    (ratio - 1.0) / ((k * k) as f64 - ratio)
}

/// Level of a free note in its first 0.3 s at `speed`, dB.
#[must_use]
pub fn level_db(sound: &mut Sound, key: KeyNumber, speed: f64, rate: f64) -> f64 {
    strike_free(sound, key, speed, 0.3, rate).rms_db(0.0, 0.3)
}

/// Slopes of the early and the late decay of a free fundamental, dB/s, and the level below the start at
/// which their lines cross, dB; from the modes themselves: first 8 dB, and 30 to 55 dB down.
#[must_use]
pub fn two_stages(key: KeyNumber, settings: &SoundSettings) -> (f64, f64, f64) {
    let unison = Unison::new(key, settings);
    let (group, (sideways, weight)) = (unison.group(1), unison.sideways(1));
    let weights = group.weights(unison.blow());
    let level = |t: f64| {
        let upright = (0..unison.string().strings)
            .map(|j| weights[j] * complex::exp(group.poles[j] * t))
            .sum::<Complex64>();
        db(complex::modulus(upright + weight * complex::exp(sideways * t)))
    };
    let levels: Vec<(f64, f64)> =
        (0..20_000).map(|i| f64::from(i) * 0.004).map(|t| (t, level(t))).collect();
    let start = levels[0].1;
    let below = |db: f64| levels.iter().position(|l| l.1 < start - db).unwrap_or(levels.len());
    let above = |db: f64| levels.iter().rposition(|l| l.1 > start - db).unwrap_or(0);
    let flat = Line { slope: 0.0, x: 0.0, y: start };
    let line = |part: &[(f64, f64)]| Line::through(part).unwrap_or(flat);
    let early = line(&levels[..below(8.0)]).slope;
    let late = line(&levels[below(30.0).min(above(55.0))..=above(55.0)]);
    let crossing = (late.at(0.0) - start) / (early - late.slope);
    (early, late.slope, -early * crossing)
}

/// Amplitude-weighted mean frequency of the forces of one strike, Hz.
#[must_use]
pub fn force_centroid(forces: &[f64], rate: f64) -> f64 {
    let (mut weighted, mut sum) = (0.0, 0.0);
    for i in 1..400 {
        let hz = f64::from(i) * 25.0;
        let turn = complex::polar(1.0, -2.0 * PI * hz / rate);
        let (mut w, mut spectrum) = (Complex64::ONE, Complex64::ZERO);
        for f in forces {
            spectrum += w * *f;
            w *= turn;
        }
        weighted += hz * complex::modulus(spectrum);
        sum += complex::modulus(spectrum);
    }
    weighted / sum
}

/// Frequency at which an impulse response has risen to −3 dB of its mean level at 150–600 Hz, Hz.
#[must_use]
pub fn corner_hz(response: &[f32], rate: f64) -> f64 {
    let power = |hz: f64| {
        let turn = complex::polar(1.0, -TAU * hz / rate);
        let step = |(w, sum): (Complex64, Complex64), x: &f32| (w * turn, sum + w * f64::from(*x));
        response.iter().fold((Complex64::ONE, Complex64::ZERO), step).1.norm_sqr()
    };
    // In thirds of an octave: a single mode is no corner.
    let band =
        |hz: f64| (0..9).map(|i| power(hz * libm::exp2(f64::from(i - 4) / 24.0))).sum::<f64>();
    let level = |i: i32| band(150.0 * libm::exp2(f64::from(i) / 6.0));
    let mean = (0..=12).map(level).sum::<f64>() / 13.0;
    (0..60)
        .map(|i| 20.0 * libm::exp2(f64::from(i) / 12.0))
        .find(|&hz| band(hz) > 0.5 * mean)
        .unwrap_or(f64::NAN)
}
