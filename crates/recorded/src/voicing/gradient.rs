//! Fit of single keys by gradient: level and decay time of their partials, the noise of their blow, and their felt.
//!
//! Each unknown is moved by a small step and the keys are rendered again; the changes of all bands and frames of
//! body and attack are its derivatives, which include what the closed form of [`tone`](super::tone) leaves out:
//! partials in one band, the level between partials, the loudest band as reference. One Gauss–Newton step a key
//! follows.

use std::collections::BTreeMap;

use nalgebra::{DMatrix, DVector};

use crate::compare::{RATE, played};
use crate::measure::bands::{Bands, differences, distance};
use crate::measure::{BANDS_LENGTH, BLOW_FRAMES, BLOW_LENGTH, Measure, Measured, body_frames};
use crate::pairs::{Found, Notes};
use touchback_action::interface::key_sheet::{KeySheet, QUANTITIES};
use touchback_core::math::compass::{KeyNumber, fundamental};
use touchback_core::mech::key_tones::{BLOW_HZ, PARTIALS, ToneQuantity};
use touchback_instrument::Settings;
use touchback_offline::output::progress;
use touchback_offline::{interrupt, parallel};

/// Column of the key sheet with the felt of single keys.
const FELT: &str = "hammer_hardness";

/// Mean square, dB², that a change by [`Unknown::usual`] must gain in every note (chosen: two takes of one key of a
/// sampled grand scatter by as much), and the share of it for differences between neighbouring partials.
const WORTH: f64 = 0.01;
const SMOOTH: f64 = 0.5;

/// Largest change in one step over the usual difference (chosen).
const MOST: f64 = 2.0;

/// Highest partial with a derivative, Hz: the last band ends at 14 kHz.
const HIGHEST_HZ: f64 = 14_000.0;

/// First key whose partials leave room for the noise of the blow below [`OVER_BASS_HZ`] (C4: partials that are farther
/// apart than the bands there are wide), and the lowest half octave that is fitted below it, Hz.
const FIRST_WITH_BLOW: u8 = 40;
const OVER_BASS_HZ: u16 = 2000;

/// Whether the blow of `key` is heard beside the partials in a half octave.
fn is_blow_heard(key: KeyNumber, half: usize) -> bool {
    key.number() >= FIRST_WITH_BLOW || BLOW_HZ[half] >= OVER_BASS_HZ
}

/// A quantity of a key that is fitted.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Unknown {
    /// A property of the tone, at an index.
    Tone(ToneQuantity, usize),
    /// Hardness of the hammer's felt.
    Felt,
}

impl Unknown {
    /// All unknowns; tones first, neighbouring partials and octaves side by side.
    fn all() -> Vec<Self> {
        let tones = ToneQuantity::ALL.into_iter().flat_map(|q| (0..q.count()).map(move |i| (q, i)));
        tones.map(|(q, i)| Self::Tone(q, i)).chain([Self::Felt]).collect()
    }

    /// Whether the unknown is the noise of the blow, which has decayed when the last frames begin.
    const fn is_of_blow(self) -> bool {
        use ToneQuantity::{Blow, BlowDecay, Knock};
        matches!(self, Self::Tone(Blow | BlowDecay | Knock, _))
    }

    /// Usual difference between pianos, dB or octaves (chosen: tones of two grands differ by 8 dB a partial).
    const fn usual(self) -> f64 {
        match self {
            Self::Tone(ToneQuantity::Level | ToneQuantity::Blow | ToneQuantity::Knock, _) => 8.0,
            Self::Tone(ToneQuantity::Decay | ToneQuantity::BlowDecay, _) => 1.0,
            Self::Felt => 0.5,
        }
    }

    /// Step of the derivative, dB or octaves (chosen: beats add a ripple to smaller ones, and a ring must stand out
    /// from the partials beside it).
    const fn step(self) -> f64 {
        match self {
            Self::Tone(ToneQuantity::Level | ToneQuantity::Knock, _) => 3.0,
            Self::Tone(ToneQuantity::Blow, _) => 6.0,
            _ => 0.3,
        }
    }

    /// Whether the unknown is heard in notes of `key` with the differences `sheet`.
    fn concerns(self, sheet: &KeySheet, key: KeyNumber) -> bool {
        match self {
            Self::Tone(ToneQuantity::Level | ToneQuantity::Decay, index @ 1..) => {
                f64::from(PARTIALS[index - 1] + 1) * fundamental(key) < HIGHEST_HZ
            }
            Self::Tone(ToneQuantity::Blow, half) => is_blow_heard(key, half),
            // Of a blow without a ring there is no decay.
            Self::Tone(ToneQuantity::BlowDecay, octave) => {
                let has_ring = |half| sheet.tones.get(key, ToneQuantity::Blow, half) > 0.0;
                is_blow_heard(key, 2 * octave) && (has_ring(2 * octave) || has_ring(2 * octave + 1))
            }
            _ => true,
        }
    }

    fn get(self, sheet: &KeySheet, key: KeyNumber) -> f64 {
        match self {
            Self::Tone(quantity, index) => sheet.tones.get(key, quantity, index),
            Self::Felt => felt().map_or(0.0, |column| sheet.action.get(key, column)),
        }
    }

    fn add(self, sheet: &mut KeySheet, key: KeyNumber, change: f64) {
        let value = self.get(sheet, key) + change;
        match self {
            Self::Tone(quantity, index) => sheet.tones.set(key, quantity, index, value),
            Self::Felt => {
                felt().into_iter().for_each(|column| sheet.action.set(key, column, value))
            }
        }
    }
}

/// Index of the felt among the columns of the key sheet.
fn felt() -> Option<usize> {
    QUANTITIES.iter().position(|q| q.id == FELT)
}

/// Takes tone and felt of `key` from `other`.
pub fn copy(sheet: &mut KeySheet, other: &KeySheet, key: KeyNumber) {
    sheet.tones.copy(key, &other.tones);
    if let Some(column) = felt() {
        sheet.action.set(key, column, other.action.get(key, column));
    }
}

/// Derivatives of the notes of all keys, at one velocity.
pub struct Gradient {
    /// Body and attack of the notes about which they are, by key.
    start: BTreeMap<u8, [Bands; 2]>,
    /// Of every unknown: body and attack of the notes with the changed unknown, by key.
    changed: Vec<(Unknown, BTreeMap<u8, [Bands; 2]>)>,
}

impl Gradient {
    /// Derivatives of `keys` about `settings`, whose notes are `ours`, at `velocity`; `None` if interrupted.
    pub fn of(settings: &Settings, keys: &[u8], velocity: u8, ours: &Notes) -> Option<Self> {
        let all = Unknown::all();
        let bar = progress(all.len() as u64, "deriving");
        let measure = Measure::new(RATE);
        let start = ours.iter().filter_map(|(key, layers)| {
            let note = layers.get(&velocity.into())?;
            Some((*key, [note.body.clone(), note.attack.clone()]))
        });
        let start: BTreeMap<u8, [Bands; 2]> = start.collect();
        let changed = parallel::map(&all, |unknown| {
            if interrupt::was_received() {
                return None;
            }
            let mut sheet = settings.key_sheet();
            let concerned = keys.iter().copied().filter(|number| {
                let key = KeyNumber::from_number(*number);
                key.is_some_and(|key| unknown.concerns(&sheet, key))
            });
            let concerned: Vec<u8> = concerned.collect();
            for number in &concerned {
                let key = KeyNumber::from_number(*number);
                key.into_iter().for_each(|key| unknown.add(&mut sheet, key, unknown.step()));
            }
            let mut changed = settings.clone();
            changed.set_key_sheet(sheet);
            let seconds = if unknown.is_of_blow() { BLOW_LENGTH } else { BANDS_LENGTH };
            let notes = played(&changed, &concerned, velocity, seconds, |key, note| {
                let mut bands = measure.bands_of(note);
                if let Some([body, _]) = start.get(&key.number()).filter(|_| unknown.is_of_blow()) {
                    let heard = BLOW_FRAMES * body.levels.len() / body_frames().len();
                    bands[0].levels[heard..].copy_from_slice(&body.levels[heard..]);
                }
                bands
            });
            bar.inc(1);
            Some((*unknown, notes.into_iter().map(|(key, _, bands)| (key, bands)).collect()))
        });
        bar.finish_and_clear();
        let changed = changed.into_iter().collect::<Option<Vec<_>>>()?;
        Some(Self { start, changed })
    }

    /// `sheet` with the recorded keys moved by their solutions, each with its `damping` of the step.
    pub fn step(
        &self,
        sheet: &KeySheet,
        found: &[Found<'_>],
        damping: impl Fn(KeyNumber) -> f64,
    ) -> KeySheet {
        let mut new = sheet.clone();
        for notes in found.chunk_by(|a, b| a.number == b.number) {
            let number = notes[0].number;
            let Some(key) = KeyNumber::from_number(number) else { continue };
            for (unknown, change) in self.solve(sheet, key, notes, damping(key)) {
                let most = MOST * unknown.usual();
                unknown.add(&mut new, key, change.clamp(-most, most));
            }
        }
        new
    }

    /// The damped Gauss–Newton step of one key.
    fn solve(
        &self,
        sheet: &KeySheet,
        key: KeyNumber,
        notes: &[Found<'_>],
        damping: f64,
    ) -> Vec<(Unknown, f64)> {
        let Some(start) = self.start.get(&key.number()) else { return Vec::new() };
        let of_key = self.changed.iter().filter_map(|(unknown, notes)| {
            let moved = {
                let mut new = sheet.clone();
                unknown.add(&mut new, key, unknown.step());
                unknown.get(&new, key) - unknown.get(sheet, key)
            };
            let note = notes.get(&key.number())?;
            (moved > 0.0).then_some((*unknown, moved, note))
        });
        let of_key: Vec<_> = of_key.collect();
        let count = of_key.len();
        let mut matrix = DMatrix::<f64>::zeros(count, count);
        let mut right = DVector::<f64>::zeros(count);
        let parts: [fn(&Measured) -> &Bands; 2] = [|m| &m.body, |m| &m.attack];
        for note in notes {
            for (index, part) in parts.into_iter().enumerate() {
                let apart = |one: &&Measured| distance(part(note.note), part(one));
                let nearest = note.ours.values().min_by(|a, b| apart(a).total_cmp(&apart(b)));
                let Some(nearest) = nearest else { continue };
                let columns = of_key.iter().map(|(unknown, moved, changed)| {
                    let scale = unknown.usual() / moved;
                    let both = changed[index].levels.iter().zip(&start[index].levels);
                    both.map(|(to, from)| scale * (to - from)).collect::<Vec<_>>()
                });
                let columns: Vec<Vec<f64>> = columns.collect();
                add_rows(part(note.note), part(nearest), &columns, &mut matrix, &mut right);
            }
        }
        let worth = damping * WORTH * (2 * notes.len()) as f64;
        for i in 0..count {
            matrix[(i, i)] += worth;
        }
        for (i, two) in of_key.windows(2).enumerate() {
            let (Unknown::Tone(a, _), Unknown::Tone(b, _)) = (two[0].0, two[1].0) else { continue };
            if a == b {
                let smooth = SMOOTH * worth;
                for (row, column, weight) in [
                    (i, i, smooth),
                    (i + 1, i + 1, smooth),
                    (i, i + 1, -smooth),
                    (i + 1, i, -smooth),
                ] {
                    matrix[(row, column)] += weight;
                }
            }
        }
        let Some(solved) = matrix.cholesky().map(|c| c.solve(&right)) else { return Vec::new() };
        let each = of_key.iter().zip(solved.iter());
        each.map(|((unknown, ..), x)| (*unknown, x * unknown.usual())).collect()
    }
}

/// Adds the equations of one part of a note, whose mean square is the squared distance: the recording less the
/// rendering is the sum of the changes, up to a gain. Bands of which the rendering is at the floor do not change.
fn add_rows(
    recorded: &Bands,
    ours: &Bands,
    columns: &[Vec<f64>],
    matrix: &mut DMatrix<f64>,
    right: &mut DVector<f64>,
) {
    let differences = differences(recorded, ours);
    let rows: Vec<usize> = (0..differences.len()).filter(|i| differences[*i].is_some()).collect();
    if rows.is_empty() {
        return;
    }
    let count = rows.len() as f64;
    // The best common gain drops out where every column has the mean 0.
    let free = |of: &dyn Fn(usize) -> f64| {
        let mean = rows.iter().map(|i| of(*i)).sum::<f64>() / count;
        rows.iter().map(|i| of(*i) - mean).collect::<Vec<_>>()
    };
    let apart = free(&|i| differences[i].unwrap_or(0.0));
    let columns: Vec<Vec<f64>> = columns
        .iter()
        .map(|column| free(&|i| if ours.is_over(i) { column[i] } else { 0.0 }))
        .collect();
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() / count;
    for (i, column) in columns.iter().enumerate() {
        right[i] += product(column, &apart);
        for (j, other) in columns.iter().enumerate().take(i + 1) {
            let sum = product(column, other);
            matrix[(i, j)] += sum;
            if i != j {
                matrix[(j, i)] += sum;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::rendered;
    use crate::pairs::compare;
    use touchback_core::mech::key_tones::{BLOW_COUNT, COUNT};

    /// A key whose second partial is louder and whose first one decays faster is found in one step.
    #[test]
    #[ignore = "long: `.ci/run` runs it"]
    fn one_step_finds_level_and_decay_of_single_partials() {
        let key = KeyNumber::from_index(63).unwrap();
        let number = key.number();
        let own = Settings::default();
        let level = Unknown::Tone(ToneQuantity::Level, 1);
        let decay = Unknown::Tone(ToneQuantity::Decay, 0);
        let notes = |settings: &Settings| rendered(settings, &[number], &[80], BANDS_LENGTH);
        let moved = |changes: &[(Unknown, f64)]| {
            let mut sheet = own.key_sheet();
            changes.iter().for_each(|(unknown, by)| unknown.add(&mut sheet, key, *by));
            let mut settings = own.clone();
            settings.set_key_sheet(sheet);
            settings
        };
        let recorded = notes(&moved(&[(level, 6.0), (decay, -0.5)]));
        let ours = notes(&own);
        let comparison = compare(&[], &recorded, &ours);
        let gradient = Gradient::of(&own, &[number], 80, &ours).unwrap();
        let sheet = gradient.step(&own.key_sheet(), &comparison.found, |_| 1.0);
        // The gain of the note is free.
        let second =
            level.get(&sheet, key) - Unknown::Tone(ToneQuantity::Level, 0).get(&sheet, key);
        assert!((second - 6.0).abs() < 2.0, "{second}");
        let found = decay.get(&sheet, key);
        assert!((found + 0.5).abs() < 0.2, "{found}");
        let before = comparison.found[0].apart;
        let after = |keep: &dyn Fn(Unknown) -> bool| {
            let kept = Unknown::all().into_iter().filter(|unknown| keep(*unknown));
            let kept: Vec<(Unknown, f64)> = kept.map(|one| (one, one.get(&sheet, key))).collect();
            compare(&[], &recorded, &notes(&moved(&kept))).found[0].apart
        };
        let is_nearer = |after: [f64; 2], share: f64| {
            let told = format!("{before:?} {after:?}");
            assert!(after.iter().zip(before).all(|(a, b)| *a < share * b), "{told}");
        };
        // Levels from the tenth partial on, above 10 kHz and near the floor, are hardly determined: the step moves them by
        // up to 9 dB, no other unchanged partial by 2 dB. Without them it leaves less than half.
        is_nearer(after(&|one| !matches!(one, Unknown::Tone(ToneQuantity::Level, 9..))), 0.5);
        // With them it gains at least a quarter, as the least share that a match tries would if all were linear.
        is_nearer(after(&|_| true), 0.75);
    }

    #[test]
    fn partials_beyond_the_last_band_have_no_derivative() {
        let key = |number: usize| KeyNumber::from_index(number - 1).unwrap();
        let even = KeySheet::EVEN;
        let count =
            |number| Unknown::all().iter().filter(|one| one.concerns(&even, key(number))).count();
        // Blow, knock and felt: of a blow without a ring no decay, in the bass from 2 kHz on.
        assert_eq!(count(16), 2 * COUNT + 6 + 2);
        // C8: the first three partials.
        assert_eq!(count(88), 2 * 3 + BLOW_COUNT + 2);
    }
}
