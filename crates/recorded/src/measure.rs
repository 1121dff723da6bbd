//! Measurements of a note: log-mel spectra of body and attack, level over time, partials, decay in
//! third-octave bands, and differences between the channels.

pub mod bands;
pub mod partials;
pub mod thirds;

use std::ops::Range;
use std::sync::Arc;

use num_complex::Complex32;
use touchback_sound::signal::fourier::RealToComplex;

use crate::sound_file::Note;
use bands::Bands;
use partials::PARTIALS;
use thirds::{Thirds, ThirdsMeasure};
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::{KeyNumber, fundamental};
use touchback_core::math::power::square;

/// Start of the body's windows, s, from [`BEFORE`] the onset on.
const BODY: [f64; 7] = [0.0, 0.1, 0.2, 0.4, 0.8, 1.6, 3.0];

/// Length of the body's windows, s; number of bands, lowest edge, Hz, and floor below the loudest, dB.
const BODY_WINDOW: f64 = 0.1;
const BODY_BANDS: (usize, f64, f64) = (64, 40.0, 65.0);

/// The attack's windows: number, length and hop, s; bands as above.
const ATTACK: usize = 10;
const ATTACK_WINDOW: f64 = 512.0 / 48_000.0;
const ATTACK_HOP: f64 = 256.0 / 48_000.0;
const ATTACK_BANDS: (usize, f64, f64) = (24, 150.0, 50.0);

/// Highest edge of the bands, Hz.
const TOP_HZ: f64 = 14_000.0;

/// Time kept before the onset, s, and length of a note, s.
const BEFORE: f64 = 0.005;
const LENGTH: f64 = 4.6;

/// Length of a rendered note that has all bands of body and attack, s: the last window ends 3.1 s after an onset
/// that follows within 0.3 s.
pub const BANDS_LENGTH: f64 = 3.4;

/// Frames of the body that a shorter note has, and its length, s: what of a blow rings after a second is softer than
/// the strings.
pub const BLOW_FRAMES: usize = 5;
pub const BLOW_LENGTH: f64 = BODY[BLOW_FRAMES - 1] + BODY_WINDOW + 0.3;

/// Times of the level after the onset, s.
pub const TIMES: [f64; 7] = [0.004, 0.02, 0.05, 0.1, 0.3, 1.0, 3.0];

/// Hop of the trace of a note's level, s.
pub const TRACE_HOP: f64 = 0.02;

/// Length of the end of a note that has its noise, s.
const QUIET: f64 = 0.5;

/// Length of the window of the spectral centroid, s.
const CENTROID: f64 = 0.2;

/// Edge `i` of `bands` bands, evenly spaced in mel from `lowest` Hz to [`TOP_HZ`], Hz; band `i` lies between the
/// edges `i` and `i + 2`.
fn edge(i: usize, bands: usize, lowest: f64) -> f64 {
    let mel = |hz: f64| 2595.0 * libm::log10(1.0 + hz / 700.0);
    let share = i as f64 / (bands + 1) as f64;
    let at = mel(lowest) + share * (mel(TOP_HZ) - mel(lowest));
    700.0 * (libm::pow(10.0, at / 2595.0) - 1.0)
}

/// Middles of the bands of the body, Hz.
pub fn body_bands() -> Vec<f64> {
    (1..=BODY_BANDS.0).map(|i| edge(i, BODY_BANDS.0, BODY_BANDS.1)).collect()
}

/// Middles of the bands of the attack, Hz.
pub fn attack_bands() -> Vec<f64> {
    (1..=ATTACK_BANDS.0).map(|i| edge(i, ATTACK_BANDS.0, ATTACK_BANDS.1)).collect()
}

/// Middles of the frames of the body, s after the onset.
pub fn body_frames() -> Vec<f64> {
    BODY.iter().map(|start| start + 0.5 * BODY_WINDOW).collect()
}

/// A bank of mel bands: a window, its transform, and the weights of each band over the bins.
struct Bank {
    window: Vec<f32>,
    transform: Arc<dyn RealToComplex<f32>>,
    bands: Vec<Vec<(usize, f64)>>,
    floor: f64,
}

impl Bank {
    /// `bands` of equal width in mel over windows of `seconds` at `rate` Hz.
    fn new(rate: f64, seconds: f64, (bands, lowest, floor): (usize, f64, f64)) -> Self {
        let length = floor_index(seconds * rate + 0.5);
        let edge = |i: usize| edge(i, bands, lowest);
        let band = |i: usize| {
            let [low, middle, high] = [edge(i), edge(i + 1), edge(i + 2)];
            let weight = |bin: usize| {
                let hz = bin as f64 * rate / length as f64;
                (bin, ((hz - low) / (middle - low)).min((high - hz) / (high - middle)))
            };
            (0..=length / 2).map(weight).filter(|(_, w)| *w > 0.0).collect()
        };
        Self {
            window: hann(length),
            transform: touchback_sound::signal::fourier::forward(length),
            bands: (0..bands).map(band).collect(),
            floor,
        }
    }

    /// Bands of the windows that begin at `starts`; their noise from the windows of `quiet`.
    fn spectra(
        &self,
        channels: &[Vec<f32>; 2],
        starts: impl Iterator<Item = usize>,
        quiet: Range<usize>,
    ) -> Bands {
        let at = |start: usize| {
            let power = power(channels, start, &self.window, &*self.transform);
            let band = |weights: &Vec<(usize, f64)>| {
                weights.iter().map(|(bin, weight)| weight * power[*bin]).sum::<f64>()
            };
            self.bands.iter().map(band).collect::<Vec<_>>()
        };
        let powers: Vec<f64> = starts.flat_map(at).collect();
        let length = self.window.len();
        let windows = quiet.len() / length;
        let mut last = vec![0.0; self.bands.len()];
        for window in 0..windows {
            let all = at(quiet.start + window * length);
            last.iter_mut().zip(all).for_each(|(sum, power)| *sum += power / windows as f64);
        }
        Bands::new(&powers, &last, self.floor)
    }
}

fn hann(length: usize) -> Vec<f32> {
    let turn = std::f32::consts::TAU / (length - 1) as f32;
    (0..length).map(|i| 0.5 - 0.5 * libm::cosf(turn * i as f32)).collect()
}

/// Mean power spectrum of both channels from `start` on.
fn power(
    channels: &[Vec<f32>; 2],
    start: usize,
    window: &[f32],
    transform: &dyn RealToComplex<f32>,
) -> Vec<f64> {
    let mut sum = vec![0.0; window.len() / 2 + 1];
    for channel in channels {
        let part = &channel[start..start + window.len()];
        let mut input: Vec<f32> = part.iter().zip(window).map(|(x, w)| x * w).collect();
        let mut output = vec![Complex32::default(); sum.len()];
        // Fails only for wrong lengths; these lengths are the transform's.
        let _ = transform.process(&mut input, &mut output);
        sum.iter_mut().zip(&output).for_each(|(s, x)| *s += 0.5 * f64::from(x.norm_sqr()));
    }
    sum
}

/// The measurements of one note.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Bands of seven windows of 0.1 s from 0 to 3 s.
    pub body: Bands,
    /// Bands of ten windows of 10.7 ms from 2.5 ms before the onset on.
    pub attack: Bands,
    /// Level at [`TIMES`], dB relative to the highest of them.
    pub course: [f64; TIMES.len()],
    /// Power below 0.8 times the fundamental relative to the total, first 0.1 s, dB.
    pub below: f64,
    /// Correlation of the channels over the first second.
    pub correlation: f64,
    /// Mean level of the first 0.5 s, dBFS.
    pub level: f64,
    /// Level of the left channel relative to the right one, first second, dB.
    pub left_over_right: f64,
    /// Centroid of the power spectrum of the first 0.2 s, Hz.
    pub centroid: f64,
    /// Power of partials 1…12 over the first 0.3 s, dB; NaN where a partial is not above the noise.
    pub partials: [f64; PARTIALS],
    /// Third-octave measurements.
    pub thirds: Thirds,
    /// Level every [`TRACE_HOP`] from the onset on, dB relative to the highest.
    pub trace: Vec<f64>,
}

/// The measure at one sample rate.
pub struct Measure {
    rate: f64,
    body: Bank,
    attack: Bank,
    start: Plain,
    colour: Plain,
    partials: Plain,
    thirds: ThirdsMeasure,
}

/// A window with its transform.
struct Plain {
    window: Vec<f32>,
    transform: Arc<dyn RealToComplex<f32>>,
}

impl Plain {
    fn new(rate: f64, seconds: f64) -> Self {
        let window = hann(floor_index(seconds * rate + 0.5));
        Self { transform: touchback_sound::signal::fourier::forward(window.len()), window }
    }

    fn power(&self, channels: &[Vec<f32>; 2]) -> Vec<f64> {
        power(channels, 0, &self.window, &*self.transform)
    }
}

impl Measure {
    /// For notes at `rate` Hz.
    #[must_use]
    pub fn new(rate: f64) -> Self {
        Self {
            rate,
            body: Bank::new(rate, BODY_WINDOW, BODY_BANDS),
            attack: Bank::new(rate, ATTACK_WINDOW, ATTACK_BANDS),
            start: Plain::new(rate, BODY_WINDOW),
            colour: Plain::new(rate, CENTROID),
            partials: Plain::new(rate, partials::WINDOW),
            thirds: ThirdsMeasure::new(rate),
        }
    }

    /// Measures `note` of the key `key`.
    #[must_use]
    pub fn of(&self, key: KeyNumber, note: &Note) -> Measured {
        let samples = |seconds: f64| floor_index(seconds * self.rate + 0.5);
        let (channels, end) = self.aligned(note);
        let [body, attack] = self.bands(&channels, end);
        let power = self.start.power(&channels);
        let share = |from: f64, to: f64| {
            let inside = |bin: usize| {
                let hz = bin as f64 * self.rate / self.start.window.len() as f64;
                hz > from && hz < to
            };
            power.iter().enumerate().filter(|(i, _)| inside(*i)).map(|(_, p)| p).sum::<f64>()
        };
        let fundamental = fundamental(key);
        let second = samples(1.0);
        let product = |a: usize, b: usize| {
            let both = channels[a][..second].iter().zip(&channels[b][..second]);
            both.map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>()
        };
        let balance = (product(0, 0) + 1e-20) / (product(1, 1) + 1e-20);
        let Plain { window, transform } = &self.partials;
        Measured {
            body,
            attack,
            course: self.course(&channels),
            below: 10.0
                * libm::log10(
                    share(30.0, 0.8 * fundamental) / share(30.0, f64::INFINITY).max(1e-30) + 1e-12,
                ),
            correlation: product(0, 1) / (product(0, 0) * product(1, 1) + 1e-20).sqrt(),
            level: level(&channels, 0, samples(0.5)),
            left_over_right: 10.0 * libm::log10(balance),
            centroid: self.centroid(&channels),
            partials: partials::partials(&channels, self.rate, fundamental, window, &**transform),
            thirds: self.thirds.of(&channels),
            trace: self.trace(&channels),
        }
    }

    /// Bands of body and attack of `note`, which need [`BANDS_LENGTH`] of it.
    #[must_use]
    pub fn bands_of(&self, note: &Note) -> [Bands; 2] {
        let (channels, end) = self.aligned(note);
        self.bands(&channels, end)
    }

    /// Bands of body and attack of `channels`, which end at the sample `end`.
    fn bands(&self, channels: &[Vec<f32>; 2], end: usize) -> [Bands; 2] {
        let samples = |seconds: f64| floor_index(seconds * self.rate + 0.5);
        let quiet = end - samples(QUIET).min(end)..end;
        let attack = (0..ATTACK).map(|i| samples(0.5 * BEFORE + i as f64 * ATTACK_HOP));
        let body = BODY.iter().map(|t| samples(*t));
        [
            self.body.spectra(channels, body, quiet.clone()),
            self.attack.spectra(channels, attack, quiet),
        ]
    }

    fn centroid(&self, channels: &[Vec<f32>; 2]) -> f64 {
        let power = self.colour.power(channels);
        let bins = power.iter().enumerate();
        let (sum, moment) = bins.fold((0.0, 0.0), |(s, m), (i, p)| (s + p, m + i as f64 * p));
        moment / f64::max(sum, 1e-30) * self.rate / self.colour.window.len() as f64
    }

    fn trace(&self, channels: &[Vec<f32>; 2]) -> Vec<f64> {
        let hop = floor_index(TRACE_HOP * self.rate);
        let first = floor_index(BEFORE * self.rate);
        let count = (channels[0].len() - first) / hop;
        let levels: Vec<f64> = (0..count).map(|i| level(channels, first + i * hop, hop)).collect();
        let most = levels.iter().copied().fold(f64::MIN, f64::max);
        levels.iter().map(|level| level - most).collect()
    }

    /// The note from [`BEFORE`] its onset on, and the number of samples before it ends; the onset is where it first
    /// reaches a twentieth of its peak.
    fn aligned(&self, note: &Note) -> ([Vec<f32>; 2], usize) {
        let [left, right] = &note.channels;
        let loud: Vec<f32> = left.iter().zip(right).map(|(l, r)| l.abs().max(r.abs())).collect();
        let second = floor_index(self.rate).min(loud.len());
        let most = loud[..second].iter().copied().fold(0.0, f32::max);
        let onset = loud.iter().position(|x| *x > 0.05 * most).unwrap_or(0);
        let first = onset.saturating_sub(floor_index(BEFORE * self.rate + 0.5));
        let length = floor_index(LENGTH * self.rate);
        let kept = note.channels.each_ref().map(|channel| {
            let mut kept: Vec<f32> = channel[first..].iter().copied().take(length).collect();
            kept.resize(length, 0.0);
            kept
        });
        (kept, (loud.len() - first).min(length))
    }

    fn course(&self, channels: &[Vec<f32>; 2]) -> [f64; TIMES.len()] {
        let levels = TIMES.map(|t| {
            let length = floor_index(if t < 0.02 { 0.012 } else { 0.04 } * self.rate);
            let middle = floor_index((t + BEFORE) * self.rate);
            level(channels, middle.saturating_sub(length / 2), length)
        });
        let most = levels.into_iter().fold(f64::MIN, f64::max);
        levels.map(|level| level - most)
    }
}

/// Mean square of both channels over `length` samples from `start` on, dB.
fn level(channels: &[Vec<f32>; 2], start: usize, length: usize) -> f64 {
    let both = channels.iter().flat_map(|channel| &channel[start..start + length]);
    let sum: f64 = both.map(|x| square(f64::from(*x))).sum();
    10.0 * libm::log10(sum / (2 * length) as f64 + 1e-14)
}

#[cfg(test)]
mod tests {
    use super::bands::distance;
    use super::*;

    /// Four decaying partials of A4; the channels have opposite phase above the first.
    fn tone(rate: f64, decay: f64) -> Note {
        let sample = |i: usize, side: f64| {
            let t = i as f64 / rate - 0.1;
            let partial = |k: f64| {
                let sign = if k > 1.0 { side } else { 1.0 };
                sign * (-decay * k * t).exp() * (std::f64::consts::TAU * 440.0 * k * t).sin() / k
            };
            if t < 0.0 { 0.0 } else { 0.1 * [1.0, 2.0, 5.0, 9.0].map(partial).iter().sum::<f64>() }
        };
        let channel = |side| {
            let count = floor_index(5.0 * rate);
            (0..count).map(|i| touchback_core::math::cast::single(sample(i, side))).collect()
        };
        Note { channels: [channel(1.0), channel(-1.0)], rate, fault: None }
    }

    fn measured(rate: f64, decay: f64) -> Measured {
        Measure::new(rate).of(KeyNumber::from_index(48).unwrap(), &tone(rate, decay))
    }

    #[test]
    fn the_sample_rate_of_a_recording_does_not_matter() {
        let (a, b) = (measured(48_000.0, 1.0), measured(44_100.0, 1.0));
        assert!(distance(&a.body, &b.body) < 0.6, "{}", distance(&a.body, &b.body));
        assert!(distance(&a.attack, &b.attack) < 0.6, "{}", distance(&a.attack, &b.attack));
        assert!((a.level - b.level).abs() < 0.05 && (a.correlation - b.correlation).abs() < 0.01);
        assert!(a.course.iter().zip(b.course).all(|(a, b)| (a - b).abs() < 0.3));
    }

    #[test]
    fn a_gain_adds_no_distance_and_a_decay_does() {
        let (a, b) = (measured(48_000.0, 1.0), measured(48_000.0, 2.0));
        let mut louder = a.attack.clone();
        louder.levels.iter_mut().for_each(|level| *level += 6.0);
        assert!(distance(&a.attack, &louder) < 1e-9);
        assert!(distance(&a.body, &b.body) > 2.0);
        // e^(−2 t) against e^(−t) at 3 s: only the first partial remains.
        let fall = a.course[6] - b.course[6];
        assert!((fall - 3.0 * 8.686).abs() < 2.0, "{fall}");
    }

    #[test]
    fn silence_can_be_measured() {
        let channels = [vec![0.0; 100], vec![0.0; 100]];
        let silence = Note { channels, rate: 48_000.0, fault: None };
        let found = Measure::new(48_000.0).of(KeyNumber::from_index(0).unwrap(), &silence);
        let numbers = found.body.levels.iter().chain(&found.attack.levels).chain(&found.course);
        assert!(numbers.chain([&found.below, &found.correlation]).all(|x| x.is_finite()));
    }
}
