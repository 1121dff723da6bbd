//! Third-octave measurements of a note: spectra at six times, energy decay relief (remaining energy), early
//! decay, and channel correlation.

use std::sync::Arc;

use num_complex::Complex32;
use touchback_sound::signal::fourier::RealToComplex;

use super::{BEFORE, LENGTH, hann};
use touchback_core::math::cast::floor_index;
use touchback_core::math::line::Line;
use touchback_core::math::power::square;

/// Number of bands: 40 Hz to 16 kHz.
pub const BANDS: usize = 27;

/// Times of the spectra after the onset, s.
pub const SPECTRA: [f64; 6] = [0.005, 0.02, 0.05, 0.1, 0.3, 1.0];

/// Times of the decay relief after the onset, s.
pub const RELIEF: [f64; 4] = [0.0, 0.1, 0.3, 1.0];

/// Shortest and longest window of a spectrum, s; between these limits the window is as long as the time
/// after the onset.
const SHORTEST: f64 = 0.01;
const LONGEST: f64 = 0.08;

/// Window and hop of the decay relief, s.
const WINDOW: f64 = 0.05;
const HOP: f64 = 0.02;

/// The early decay: range below the beginning, dB; largest distance of a band from the loudest, dB; least
/// number of points.
const EARLY: [f64; 2] = [1.0, 11.0];
const AUDIBLE: f64 = 40.0;
const POINTS: usize = 3;

/// Third-octave measurements of a note; NaN where a band cannot be measured.
#[derive(Clone, Debug)]
pub struct Thirds {
    /// Level at each of [`SPECTRA`], dB relative to the loudest band of all.
    pub spectra: [[f64; BANDS]; SPECTRA.len()],
    /// Energy from each of [`RELIEF`] on, dB relative to the total of the loudest band.
    pub relief: [[f64; BANDS]; RELIEF.len()],
    /// Time for the remaining energy to fall by 60 dB, extrapolated from its first 10 dB, s.
    pub early_t60: [f64; BANDS],
    /// Correlation of the channels over the first second.
    pub correlation: [f64; BANDS],
}

/// Centre frequency of band `index`, Hz.
#[must_use]
pub fn middle(index: usize) -> f64 {
    1000.0 * libm::exp2((index as f64 - 14.0) / 3.0)
}

/// A window length: its transform, and the share of each bin in the bands.
struct Frame {
    window: Vec<f32>,
    transform: Arc<dyn RealToComplex<f32>>,
    /// Band by band: bin, share.
    shares: Vec<Vec<(usize, f64)>>,
}

impl Frame {
    fn new(rate: f64, seconds: f64) -> Self {
        let window = hann(floor_index(seconds * rate + 0.5));
        let width = rate / window.len() as f64;
        let share = |band: usize| {
            let [low, high] = [-1.0, 1.0].map(|side| middle(band) * libm::exp2(side / 6.0));
            let covers = |bin: usize| {
                let [from, to] = [-0.5, 0.5].map(|side| (bin as f64 + side) * width);
                (bin, (to.min(high) - from.max(low)) / width)
            };
            // One bin more on each side than the band reaches, for rounding.
            let from = floor_index(low / width).saturating_sub(1);
            let to = (floor_index(high / width) + 2).min(window.len() / 2);
            (from..=to).map(covers).filter(|(_, share)| *share > 0.0).collect()
        };
        let shares = (0..BANDS).map(share).collect();
        Self { transform: touchback_sound::signal::fourier::forward(window.len()), window, shares }
    }

    /// Powers of left and right and their product in each band, from sample `start` on.
    fn bands(&self, channels: &[Vec<f32>; 2], start: usize) -> [[f64; 3]; BANDS] {
        let spectrum = |channel: &Vec<f32>| {
            let part = &channel[start..start + self.window.len()];
            let mut input: Vec<f32> = part.iter().zip(&self.window).map(|(x, w)| x * w).collect();
            let mut output = vec![Complex32::default(); input.len() / 2 + 1];
            // Fails only for wrong lengths; these lengths are the transform's.
            let _ = self.transform.process(&mut input, &mut output);
            output
        };
        let [left, right] = channels.each_ref().map(spectrum);
        // Normalizes the power to the window length.
        let scale = 1.0 / square(self.window.len() as f64);
        std::array::from_fn(|band| {
            self.shares[band].iter().fold([0.0; 3], |sums, (bin, share)| {
                let (l, r) = (left[*bin], right[*bin]);
                let parts = [l.norm_sqr(), r.norm_sqr(), (l * r.conj()).re];
                std::array::from_fn(|i| sums[i] + scale * share * f64::from(parts[i]))
            })
        })
    }
}

/// The measure at one sample rate.
pub struct ThirdsMeasure {
    rate: f64,
    spectra: Vec<Frame>,
    relief: Frame,
}

impl ThirdsMeasure {
    /// For notes at `rate` Hz.
    pub fn new(rate: f64) -> Self {
        let spectra = SPECTRA.map(|t| Frame::new(rate, t.clamp(SHORTEST, LONGEST)));
        Self { rate, spectra: spectra.into(), relief: Frame::new(rate, WINDOW) }
    }

    /// Measures a note that begins [`BEFORE`] its onset and is [`LENGTH`] long.
    pub fn of(&self, channels: &[Vec<f32>; 2]) -> Thirds {
        let levels = SPECTRA.iter().zip(&self.spectra).map(|(time, frame)| {
            let length = frame.window.len() as f64 / self.rate;
            let start = (BEFORE + time - 0.5 * length).max(0.0);
            frame.bands(channels, floor_index(start * self.rate)).map(|[l, r, _]| l + r)
        });
        let levels: Vec<[f64; BANDS]> = levels.collect();
        let most = levels.iter().flatten().copied().fold(f64::MIN_POSITIVE, f64::max);
        let last = LENGTH - WINDOW - 1.0 / self.rate;
        let starts = (0..).map(|i| f64::from(i) * HOP).take_while(|t| *t < last);
        let frames: Vec<[[f64; 3]; BANDS]> =
            starts.map(|t| self.relief.bands(channels, floor_index(t * self.rate))).collect();
        let to_come: [Vec<f64>; BANDS] = std::array::from_fn(|band| to_come(&frames, band));
        let whole = to_come.iter().map(|band| band[0]).fold(f64::MIN_POSITIVE, f64::max);
        let at = |time: f64| floor_index(time / HOP + 0.5).min(frames.len() - 1);
        Thirds {
            spectra: std::array::from_fn(|i| levels[i].map(|p| decibels(p, most))),
            relief: RELIEF
                .map(|t| std::array::from_fn(|band| decibels(to_come[band][at(t)], whole))),
            early_t60: std::array::from_fn(|band| early_t60(&to_come[band], whole)),
            correlation: std::array::from_fn(|band| {
                let sums = frames[..at(1.0)].iter().fold([0.0; 3], |sums, frame| {
                    std::array::from_fn(|i| sums[i] + frame[band][i])
                });
                let audible = decibels(to_come[band][0], whole) > -AUDIBLE;
                if audible { sums[2] / (sums[0] * sums[1]).sqrt() } else { f64::NAN }
            }),
        }
    }
}

fn decibels(power: f64, of: f64) -> f64 {
    10.0 * libm::log10(power / of + 1e-12)
}

/// Remaining energy of `band` from each frame on.
fn to_come(frames: &[[[f64; 3]; BANDS]], band: usize) -> Vec<f64> {
    let mut sum = 0.0;
    let backwards = frames.iter().rev().map(|frame| {
        sum += frame[band][0] + frame[band][1];
        sum
    });
    let mut course: Vec<f64> = backwards.collect();
    course.reverse();
    course
}

/// Early T60, s, from the slope of a line through the first 10 dB of `course`.
fn early_t60(course: &[f64], whole: f64) -> f64 {
    if decibels(course[0], whole) < -AUDIBLE {
        return f64::NAN;
    }
    let fall = |(i, energy): (usize, &f64)| (i as f64 * HOP, decibels(*energy, course[0]));
    let inside = |(_, level): &(f64, f64)| -level >= EARLY[0] && -level <= EARLY[1];
    let points: Vec<(f64, f64)> = course.iter().enumerate().map(fall).filter(inside).collect();
    if points.len() < POINTS {
        return f64::NAN;
    }
    let t60 = Line::through(&points).map_or(f64::NAN, |line| -60.0 / line.slope);
    if t60 > 0.0 { t60 } else { f64::NAN }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decay_and_correlation_of_two_bands_are_found() {
        let rate = 48_000.0;
        // 250 Hz, T60 3 s, the same in both channels; 2 kHz, T60 0.8 s, opposite.
        let sample = |i: usize, side: f64| {
            let t = i as f64 / rate - BEFORE;
            let tone = |hz: f64, t60: f64| {
                (-6.9078 * t / t60).exp() * (std::f64::consts::TAU * hz * t).sin()
            };
            let both = tone(250.0, 3.0) + side * tone(2000.0, 0.8);
            touchback_core::math::cast::single(if t < 0.0 { 0.0 } else { 0.1 * both })
        };
        let count = floor_index(LENGTH * rate);
        let channels = [1.0, -1.0].map(|side| (0..count).map(|i| sample(i, side)).collect());
        let found = ThirdsMeasure::new(rate).of(&channels);
        let [low, high] = [8, 17];
        assert!((middle(low) - 250.0).abs() < 0.1 && (middle(high) - 2000.0).abs() < 0.1);
        assert!((found.early_t60[low] / 3.0 - 1.0).abs() < 0.05, "{:?}", found.early_t60);
        assert!((found.early_t60[high] / 0.8 - 1.0).abs() < 0.05, "{:?}", found.early_t60);
        assert!(found.correlation[low] > 0.99 && found.correlation[high] < -0.99);
        assert!(found.early_t60[0].is_nan() && found.correlation[26].is_nan());
        // 1 s: 20 dB down in the low band, 75 in the high one.
        let falls = |band: usize| found.spectra[3][band] - found.spectra[5][band];
        assert!((falls(low) - 0.9 * 20.0).abs() < 0.5 && (falls(high) - 0.9 * 75.0).abs() < 3.0);
        assert!(found.spectra[0][low].abs() < 12.0 && found.relief[0][low].abs() < 0.1);
    }
}
