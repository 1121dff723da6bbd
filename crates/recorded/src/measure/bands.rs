//! Levels of a note in bands and windows, what of them is above the recording's noise, and the distance of two notes.

use super::Measured;
use crate::pairs::Notes;

/// Least number of keys that tell noise from notes.
const FEWEST_KEYS: usize = 4;

/// Level above the noise from which on a band counts, dB.
const OVER_NOISE: f64 = 6.0;

/// Share of a note's bands that have decayed to the noise at its end (chosen; the others may still sound).
const DECAYED: usize = 8;

/// Levels of one note, window after window.
#[derive(Clone, Debug)]
pub struct Bands {
    /// Levels, dB relative to the loudest.
    pub levels: Vec<f64>,
    /// Level from which on each band counts, dB relative to the loudest; minus infinity without known noise.
    limits: Vec<f64>,
    /// Level of each band at the end of the note, dBFS.
    last: Vec<f64>,
    /// Level of the loudest, dBFS.
    most: f64,
    /// Lowest level that counts without noise, dB relative to the loudest.
    lowest: f64,
}

fn decibels(power: f64) -> f64 {
    10.0 * libm::log10(power.max(f64::MIN_POSITIVE))
}

impl Bands {
    /// `powers` window after window and mean powers `last` at the note's end; levels end `range` dB under the loudest.
    pub fn new(powers: &[f64], last: &[f64], range: f64) -> Self {
        let most = decibels(powers.iter().copied().fold(f64::MIN_POSITIVE, f64::max));
        let level = |power: &f64| (decibels(*power) - most).max(-range);
        let levels: Vec<f64> = powers.iter().map(level).collect();
        Self {
            lowest: levels.iter().copied().fold(f64::INFINITY, f64::min) + 1.0,
            levels,
            limits: vec![f64::NEG_INFINITY; last.len()],
            last: last.iter().copied().map(decibels).collect(),
            most,
        }
    }

    /// Limit by the noise at `index`, dB relative to the loudest.
    fn limit(&self, index: usize) -> f64 {
        self.limits[index % self.limits.len()]
    }

    /// Whether the level at `index` counts.
    pub fn is_over(&self, index: usize) -> bool {
        self.levels[index] > self.lowest.max(self.limit(index))
    }

    /// Whether the level at `index` is that of the recording's noise.
    fn is_noise(&self, index: usize) -> bool {
        self.levels[index] > self.lowest && self.levels[index] <= self.limit(index)
    }
}

/// Share of the levels of the body of all notes that are the recordings' own noise.
#[must_use]
pub fn noise(notes: &Notes) -> f64 {
    let bodies = notes.values().flat_map(|layers| layers.values().map(|note| &note.body));
    let (mut noisy, mut all) = (0, 0usize);
    for body in bodies {
        noisy += (0..body.levels.len()).filter(|index| body.is_noise(*index)).count();
        all += body.levels.len();
    }
    noisy as f64 / all.max(1) as f64
}

/// Finds the noise of one piano's recordings in the part `of` them. Its spectrum is in each band the least of all notes
/// at their ends, its level in a note that of the lowest eighth of the bands: recordings are trimmed and normalized one
/// by one. Too few keys cannot tell noise from notes and stay as they are.
pub fn mask(notes: &mut Notes, of: fn(&mut Measured) -> &mut Bands) {
    if notes.len() < FEWEST_KEYS {
        return;
    }
    let mut all: Vec<&mut Bands> =
        notes.values_mut().flat_map(|key| key.values_mut()).map(of).collect();
    let count = all.first().map_or(0, |one| one.last.len());
    let least = |band: usize| all.iter().map(|one| one.last[band]).fold(f64::INFINITY, f64::min);
    let spectrum: Vec<f64> = (0..count).map(least).collect();
    for one in &mut all {
        let mut over: Vec<f64> = one.last.iter().zip(&spectrum).map(|(a, b)| a - b).collect();
        over.sort_by(f64::total_cmp);
        let gain = over[count / DECAYED] - one.most + OVER_NOISE;
        one.limits = spectrum.iter().map(|level| level + gain).collect();
    }
}

/// Levels of `a` less those of `b`, dB, where either counts; what is below the other's noise counts as at the noise.
#[must_use]
pub fn differences(a: &Bands, b: &Bands) -> Vec<Option<f64>> {
    let at = |i: usize| {
        let noise = a.limit(i).max(b.limit(i));
        let counts = [a, b].iter().any(|one| one.levels[i] > one.lowest.max(noise));
        let [one, other] = [a, b].map(|bands| bands.levels[i].max(noise));
        counts.then_some(one - other)
    };
    (0..a.levels.len()).map(at).collect()
}

/// Deviations of two notes' bands after the best common gain, dB divided by the square root of their number; 0 where
/// neither counts. The root of their sum of squares is the distance.
#[must_use]
pub fn deviations(a: &Bands, b: &Bands) -> Vec<f64> {
    let differences = differences(a, b);
    let (count, sum) = differences.iter().flatten().fold((0.0, 0.0), |(n, s), x| (n + 1.0, s + x));
    let (gain, share) = (sum / f64::max(count, 1.0), f64::max(count, 1.0).sqrt());
    differences.iter().map(|x| x.map_or(0.0, |x| (x - gain) / share)).collect()
}

/// Distance of two notes' bands: rms of their deviations, dB.
#[must_use]
pub fn distance(a: &Bands, b: &Bands) -> f64 {
    deviations(a, b).iter().map(|d| d * d).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::super::Measure;
    use super::*;
    use crate::sound_file::Note;
    use touchback_core::math::cast::single;
    use touchback_core::math::compass::{KeyNumber, fundamental};
    use touchback_core::math::random::Random;

    const RATE: f64 = 48_000.0;

    /// Notes of eight keys, each a decaying partial, with noise of `noise` rms; one piano's gain is 12 dB lower.
    fn piano(seed: u64, decay: f64, noise: f64) -> Notes {
        let (mut random, measure) = (Random::new(seed), Measure::new(RATE));
        let mut notes = Notes::new();
        for number in (40..88).step_by(6) {
            let key = KeyNumber::from_number(number).unwrap();
            let gain = if number % 4 == 0 { 1.0 } else { 0.25 };
            let channels = [(); 2].map(|()| {
                let sample = |i: usize| {
                    let t = i as f64 / RATE - 0.1;
                    let hz = std::f64::consts::TAU * fundamental(key);
                    let tone = if t < 0.0 { 0.0 } else { (-decay * t).exp() * (hz * t).sin() };
                    single(gain * (0.2 * tone + noise * (random.share() - 0.5)))
                };
                (0..240_000).map(sample).collect()
            });
            let note = Note { channels, rate: RATE, fault: None };
            notes.entry(number).or_default().insert(1, measure.of(key, &note));
        }
        notes
    }

    /// Mean distance of the bodies.
    fn apart(a: &Notes, b: &Notes) -> f64 {
        let each = a.iter().map(|(key, layers)| distance(&layers[&1].body, &b[key][&1].body));
        each.sum::<f64>() / a.len() as f64
    }

    /// A recording's own noise is no distance from a piano without noise; what is too loud in its place is.
    #[test]
    fn noise_of_a_recording_does_not_count() {
        let (mut noisy, clean, slow) =
            (piano(1, 6.0, 0.01), piano(2, 6.0, 0.0), piano(3, 3.0, 0.0));
        let before = apart(&noisy, &clean);
        mask(&mut noisy, |note| &mut note.body);
        let (after, other) = (apart(&noisy, &clean), apart(&noisy, &slow));
        assert!(before > 4.0 && after < 0.5 && other > 5.0, "{before} {after} {other}");
    }
}
