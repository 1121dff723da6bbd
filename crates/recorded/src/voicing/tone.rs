//! Closed-form fit of the keys' tones: level and decay time of their partials, and level of the key.
//!
//! Of each recorded note and the nearest rendering, the difference in every band and frame of body and
//! attack is a gain, plus the change of level of the band's partials, less the change of their decay rate
//! times the time. These are linear equations for each key.

use nalgebra::{DMatrix, DVector};

use crate::measure::bands::Bands;
use crate::measure::{Measured, attack_bands, body_bands, body_frames};
use crate::pairs::Found;
use touchback_core::math::compass::{KeyNumber, fundamental};
use touchback_core::math::line::Line;
use touchback_core::mech::key_tones::{COUNT, KeyTones, ToneQuantity, shares};

/// Weight of a change of 1 dB or 1 dB/s against a deviation of 1 dB in one band and frame, and of a difference of
/// 1 between neighbouring partials (chosen: deviations of two takes of one key scatter by 5 dB a band, tones of
/// two grands differ by 8 dB a partial, and four bands scatter together).
const SMALL: f64 = 0.8;
const SMOOTH: f64 = 0.4;

/// Largest changes in one step, dB and octaves (chosen).
const MOST: [f64; 2] = [15.0, 1.5];

/// Slowest decay of a rendered band, dB/s, and least share of it that a change may leave (chosen).
const SLOWEST: f64 = 2.0;
const LEAST_SHARE: f64 = 0.2;

/// Largest change of the level of a key, dB (chosen).
const MOST_LEVEL: f64 = 6.0;

/// Partials below this share of the first are knocks and noise, no string.
const LOWEST: f64 = 0.7;

/// `tones` of the recorded keys moved by their solutions.
pub fn step(tones: &KeyTones, found: &[Found<'_>]) -> KeyTones {
    let mut new = tones.clone();
    for notes in found.chunk_by(|a, b| a.number == b.number) {
        let Some(key) = KeyNumber::from_index(usize::from(notes[0].number) - 1) else { continue };
        let (levels, decays) = solve(key, notes);
        for index in 0..COUNT {
            for (quantity, change) in
                [(ToneQuantity::Level, levels[index]), (ToneQuantity::Decay, decays[index])]
            {
                new.set(key, quantity, index, tones.get(key, quantity, index) + change);
            }
        }
    }
    new
}

/// `tones` with the mean level of each recorded key as in the recording, relative to the mean of all.
pub fn levelled(tones: &KeyTones, found: &[Found<'_>]) -> KeyTones {
    let of = |note: &Found<'_>| {
        let ours = note.ours.values().map(|one| one.level).sum::<f64>() / note.ours.len() as f64;
        note.note.level - ours
    };
    let keys: Vec<(u8, f64)> = found
        .chunk_by(|a, b| a.number == b.number)
        .map(|notes| (notes[0].number, notes.iter().map(of).sum::<f64>() / notes.len() as f64))
        .collect();
    let mean = keys.iter().map(|(_, level)| level).sum::<f64>() / keys.len().max(1) as f64;
    let mut new = tones.clone();
    for (number, level) in keys {
        let Some(key) = KeyNumber::from_number(number) else { continue };
        let change = (level - mean).clamp(-MOST_LEVEL, MOST_LEVEL);
        for index in 0..COUNT {
            let quantity = ToneQuantity::Level;
            new.set(key, quantity, index, tones.get(key, quantity, index) + change);
        }
    }
    new
}

/// Changes of the levels, dB, and decay times, octaves, of the partials of `key`.
fn solve(key: KeyNumber, notes: &[Found<'_>]) -> ([f64; COUNT], [f64; COUNT]) {
    let fundamental = fundamental(key);
    // Levels, decay rates, and two gains for each note.
    let unknowns = 2 * COUNT + 2 * notes.len();
    let mut matrix = DMatrix::<f64>::zeros(unknowns, unknowns);
    let mut right = DVector::<f64>::zeros(unknowns);
    for (n, note) in notes.iter().enumerate() {
        let body = Spectra::body(note.note, note.nearest);
        let attack = Spectra::attack(note.note, note.nearest);
        for (part, spectra) in [body, attack].into_iter().enumerate() {
            spectra.each(fundamental, |shares, time, recorded, ours| {
                let mut row: Vec<(usize, f64)> = vec![(2 * COUNT + 2 * n + part, 1.0)];
                for (index, share) in shares {
                    row.extend([(*index, *share), (COUNT + index, -share * time)]);
                }
                for (i, a) in &row {
                    right[*i] += a * (recorded - ours);
                    row.iter().for_each(|(j, b)| matrix[(*i, *j)] += a * b);
                }
            });
        }
    }
    for of in [0, COUNT] {
        for i in of..of + COUNT {
            matrix[(i, i)] += SMALL;
        }
        for i in of + 1..of + COUNT {
            for (a, b, weight) in
                [(i, i, SMOOTH), (i - 1, i - 1, SMOOTH), (i, i - 1, -SMOOTH), (i - 1, i, -SMOOTH)]
            {
                matrix[(a, b)] += weight;
            }
        }
    }
    // A note that is nowhere above the floor has no equation for its gains.
    for i in 2 * COUNT..unknowns {
        matrix[(i, i)] += 1e-6;
    }
    let Some(solved) = matrix.cholesky().map(|c| c.solve(&right)) else {
        return ([0.0; COUNT], [0.0; COUNT]);
    };
    let rates = rates(fundamental, notes);
    let limited = |change: f64, most: f64| change.clamp(-most, most);
    (
        std::array::from_fn(|i| limited(solved[i], MOST[0])),
        std::array::from_fn(|i| {
            let left = (rates[i] + solved[COUNT + i]).max(LEAST_SHARE * rates[i]);
            limited(libm::log2(rates[i] / left), MOST[1])
        }),
    )
}

/// Decay rates of the renderings about each of the partials that have values, dB/s.
fn rates(fundamental: f64, notes: &[Found<'_>]) -> [f64; COUNT] {
    let mut sums = [[0.0; 2]; COUNT];
    let (bands, frames) = (body_bands(), body_frames());
    for note in notes {
        let spectra = Spectra::body(note.nearest, note.nearest);
        for (band, hz) in bands.iter().enumerate().filter(|(_, hz)| **hz > LOWEST * fundamental) {
            let points: Vec<(f64, f64)> = (1..frames.len())
                .map(|frame| (frames[frame], frame * bands.len() + band))
                .filter(|(_, at)| spectra.ours.is_over(*at))
                .map(|(time, at)| (time, spectra.ours.levels[at]))
                .collect();
            let Some(line) = Line::through(&points) else { continue };
            for (index, share) in shares(hz / fundamental) {
                sums[index][0] -= share * line.slope;
                sums[index][1] += share;
            }
        }
    }
    let mean = sums.map(|[sum, weight]| if weight > 0.0 { sum / weight } else { f64::NAN });
    let mut last = SLOWEST;
    mean.map(|rate| {
        last = if rate.is_nan() { last } else { rate.max(SLOWEST) };
        last
    })
}

/// Recorded and rendered levels, frame after frame.
struct Spectra<'a> {
    recorded: &'a Bands,
    ours: &'a Bands,
    bands: Vec<f64>,
    frames: Vec<f64>,
}

impl<'a> Spectra<'a> {
    fn body(recorded: &'a Measured, ours: &'a Measured) -> Self {
        let (recorded, ours) = (&recorded.body, &ours.body);
        Self { recorded, ours, bands: body_bands(), frames: body_frames() }
    }

    /// The attack ends before anything has decayed.
    fn attack(recorded: &'a Measured, ours: &'a Measured) -> Self {
        let bands = attack_bands();
        let frames = vec![0.0; recorded.attack.levels.len() / bands.len()];
        Self { recorded: &recorded.attack, ours: &ours.attack, bands, frames }
    }

    /// Calls `take` with the shares of the partials in a band, the time, and both levels, of all levels of
    /// which both are above the floor.
    fn each(&self, fundamental: f64, mut take: impl FnMut(&[(usize, f64)], f64, f64, f64)) {
        for (band, hz) in self.bands.iter().enumerate() {
            let partial = hz / fundamental;
            if partial < LOWEST {
                continue;
            }
            let shares: Vec<(usize, f64)> = shares(partial).collect();
            for (frame, time) in self.frames.iter().enumerate() {
                let at = frame * self.bands.len() + band;
                if self.recorded.is_over(at) && self.ours.is_over(at) {
                    take(&shares, *time, self.recorded.levels[at], self.ours.levels[at]);
                }
            }
        }
    }
}

/// Lists what the recorded keys `numbers` (sorted) with `layers` layers each leave open.
pub fn gaps(numbers: &[u8], layers: usize) -> Vec<String> {
    let mut told = Vec::new();
    let widest = numbers.windows(2).max_by_key(|w| w[1] - w[0]).filter(|w| w[1] - w[0] > 12);
    if let Some(gap) = widest {
        told.push(format!(
            "no key is recorded between keys {} and {}; tones are interpolated over more than an octave",
            gap[0], gap[1]
        ));
    }
    for (number, end, side) in [(numbers.first(), 1u8, "lower"), (numbers.last(), 88, "upper")] {
        if let Some(number) = number.filter(|n| n.abs_diff(end) > 12) {
            told.push(format!(
                "no key is recorded near the {side} end; keys beyond {number} have its tone"
            ));
        }
    }
    if layers < 2 {
        told.push("only one layer is recorded: felt and level range stay the piano's own".into());
    }
    told
}

/// Names the keys with values at an end of their range.
pub fn at_ends(tones: &KeyTones, numbers: &[u8]) -> Option<String> {
    let ends = numbers.iter().filter(|number| {
        let key = KeyNumber::from_number(**number);
        let is_at_end = |key| {
            ToneQuantity::ALL.into_iter().any(|quantity| {
                (0..quantity.count()).any(|i| tones.get(key, quantity, i).abs() >= quantity.most())
            })
        };
        key.is_some_and(is_at_end)
    });
    let ends: Vec<String> = ends.map(u8::to_string).collect();
    (!ends.is_empty())
        .then(|| format!("tones of keys {} are at the end of their range", ends.join(", ")))
}
