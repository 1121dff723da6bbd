//! The steps of a match: each is taken where it is nearer on all keys.

use std::ops::RangeInclusive;

use anyhow::Result;

use super::super::pairs::{Found, Notes, compare};
use super::super::rendered;
use super::super::takes::Take;
use super::super::verdict::{mean, registers};
use super::fit::Fitted;
use super::gradient::{self, Gradient};
use super::spread::{Spread, Spreading};
use super::tone;
use crate::interrupt;
use crate::output;
use touchback_action::interface::key_sheet::KeySheet;
use touchback_core::math::compass::KeyNumber;
use touchback_instrument::Settings;

/// Share of the closed-form solution that a key moves in a step: the nearest rendering changes with the tone
/// (chosen).
const SHARE: f64 = 0.8;

/// Shares of the gradient's solution that are tried in each step: the farther, the less linear (chosen).
const SHARES: [f64; 3] = [1.0, 0.5, 0.25];

/// Distances that differ by less are equal, dB: what other keys have left ringing changes a note by as much.
const EQUAL: f64 = 0.005;

/// The nearest piano found so far, on all keys.
pub struct Matching<'a> {
    /// The piano at the beginning.
    start: Settings,
    /// The nearest piano.
    pub settings: Settings,
    takes: &'a [Take],
    recorded: &'a Notes,
    velocities: &'a [u8],
    keys: &'a [u8],
    /// Renderings of `settings`.
    ours: Notes,
    /// Distances at the beginning and of `settings`.
    first: Vec<Apart>,
    apart: Vec<Apart>,
    /// How the keys between get their tones, by register.
    spreading: Vec<Spreading>,
}

impl<'a> Matching<'a> {
    pub fn begin(
        settings: Settings,
        takes: &'a [Take],
        recorded: &'a Notes,
        velocities: &'a [u8],
        keys: &'a [u8],
    ) -> Self {
        let ours = rendered(&settings, keys, velocities);
        let first = apart(takes, recorded, &ours);
        let start = settings;
        Self {
            start,
            settings,
            takes,
            recorded,
            velocities,
            keys,
            ours,
            apart: first.clone(),
            first,
            spreading: registers().map(|_| Spreading::NONE).collect(),
        }
    }

    /// Distances of the nearest piano, with the name of the step that led to it.
    pub fn line(&self, step: &str) -> String {
        let [body, attack] = [0, 1].map(|part| {
            let each = self.apart.iter().map(|one| one.decibels[part]);
            mean(each).unwrap_or(f64::NAN)
        });
        format!("{step:<28} body {body:.2}, attack {attack:.2}\n")
    }

    /// Takes `settings` if it is nearer, and in no register farther than the start.
    fn offer(&mut self, settings: Settings) -> bool {
        let ours = rendered(&settings, self.keys, self.velocities);
        let apart = apart(self.takes, self.recorded, &ours);
        let is_nearer = whole(&apart) < whole(&self.apart)
            && registers().all(|(_, keys)| is_no_farther(&apart, &self.first, &keys));
        if is_nearer {
            (self.settings, self.ours, self.apart) = (settings, ours, apart);
        }
        is_nearer
    }

    /// Tries the candidates of a fit to a few keys.
    pub fn try_all(&mut self, fitted: &Fitted) -> Result<()> {
        // A perspective is chosen by the channels' differences, and may increase the distance.
        for candidate in std::iter::once(&fitted.start).chain(&fitted.candidates) {
            if *candidate != self.settings && !interrupt::was_received() {
                self.offer(*candidate);
            }
        }
        output::print(&self.line(&format!("felt, {} iterations", fitted.iterations)))
    }

    /// At most `steps` closed-form steps of the tones.
    pub fn fit_tones(&mut self, steps: usize) -> Result<()> {
        self.fit_keys("tones", steps, &[SHARE], |matching, found| {
            let mut sheet = matching.settings.action.keys;
            sheet.tones = tone::step(&sheet.tones, found);
            Some(sheet)
        })
    }

    /// At most `steps` steps of tones and felt of single keys by gradient.
    pub fn fit_by_gradient(&mut self, steps: usize) -> Result<()> {
        let velocity = self.velocities[self.velocities.len() / 2];
        self.fit_keys("gradient", steps, &SHARES, |matching, found| {
            let gradient = Gradient::of(&matching.settings, matching.keys, velocity)?;
            Some(gradient.step(&matching.settings.action.keys, found))
        })
    }

    /// At most `steps` steps, each key by the nearest of `tried` shares of what `solve` gives. A key stays where
    /// all are farther, and goes half as far in the next step.
    fn fit_keys(
        &mut self,
        name: &str,
        steps: usize,
        tried: &[f64],
        solve: impl Fn(&Self, &[Found<'_>]) -> Option<KeySheet>,
    ) -> Result<()> {
        let numbers = self.keys.iter();
        let mut keys: Vec<(KeyNumber, f64)> =
            numbers.filter_map(|n| Some((KeyNumber::from_number(*n)?, 1.0))).collect();
        for _ in 0..steps {
            let comparison = compare(self.takes, self.recorded, &self.ours);
            let old = self.settings.action.keys;
            let Some(target) = solve(self, &comparison.found) else { break };
            let mut nearest: Vec<(f64, KeySheet)> =
                keys.iter().map(|(key, _)| (whole_of(&self.apart, *key), old)).collect();
            let mut settings = self.settings;
            for share in tried {
                if interrupt::was_received() {
                    return Ok(());
                }
                for (key, of_key) in &keys {
                    let moved = old.toward(&target, share * of_key);
                    gradient::copy(&mut settings.action.keys, &moved, *key);
                }
                let ours = rendered(&settings, self.keys, self.velocities);
                let apart = apart(self.takes, self.recorded, &ours);
                for ((key, _), nearest) in keys.iter().zip(&mut nearest) {
                    let (whole, number) = (whole_of(&apart, *key), key.number());
                    if whole < nearest.0 && is_no_farther(&apart, &self.first, &(number..=number)) {
                        *nearest = (whole, settings.action.keys);
                    }
                }
            }
            let mut moved = 0;
            for ((key, share), (_, sheet)) in keys.iter_mut().zip(&nearest) {
                gradient::copy(&mut settings.action.keys, sheet, *key);
                if *sheet == old {
                    *share *= 0.5;
                } else {
                    moved += 1;
                }
            }
            if !self.offer(self.with_between(settings)) {
                self.offer(settings);
            }
            output::print(&self.line(&format!("{name}, {moved} keys nearer")))?;
        }
        Ok(())
    }

    /// One gradient step with tones of the keys between, which ring along with the recorded ones where no damper stops
    /// them. In registers whose recorded keys it leaves farther, it is undone.
    pub fn spread(&mut self) -> Result<()> {
        let (before, apart) = (self.settings.action.keys, self.apart.clone());
        self.spreading = self.nearest_spreading();
        self.set(self.with_between(self.settings));
        // The step may bring recorded keys nearer again, but is taken only where none is farther than at the beginning.
        let first = self.first.clone();
        self.unspread(&before, |now, keys| is_no_farther(now, &first, keys));
        self.fit_by_gradient(1)?;
        self.unspread(&before, |now, keys| {
            let is_equal = root_within(now, keys) <= root_within(&apart, keys) + EQUAL;
            is_equal && is_no_farther(now, &first, keys)
        });
        let each = registers().zip(&self.spreading).map(|((name, _), how)| {
            format!("{name} {:.0} % and {:.0} %", 100.0 * how.response, 100.0 * how.rest)
        });
        let each = each.collect::<Vec<_>>().join(", ");
        output::print(&format!("keys between, response and rest: {each}\n"))?;
        output::print(&self.line("as written"))
    }

    /// In each register the one of [`Spreading::TRIED`] with which its recorded keys, left out one by one, are nearest;
    /// none where all are farther.
    fn nearest_spreading(&self) -> Vec<Spreading> {
        // Of fewer keys none can be left out.
        if self.keys.len() <= 2 {
            return registers().map(|_| Spreading::INTERPOLATED).collect();
        }
        let (start, tones) = (self.start.action.keys, self.settings.action.keys.tones);
        let spread = Spread { start: &start.tones, tones: &tones, numbers: self.keys };
        let none = |keys| (Spreading::NONE, whole_within(&self.first, &keys));
        let mut chosen: Vec<(Spreading, f64)> = registers().map(|(_, keys)| none(keys)).collect();
        for how in Spreading::TRIED {
            if interrupt::was_received() {
                break;
            }
            let mut settings = self.settings;
            settings.action.keys = start;
            settings.action.keys.tones = spread.left_out(how);
            let ours = rendered(&settings, self.keys, self.velocities);
            let apart = apart(self.takes, self.recorded, &ours);
            for ((_, keys), nearest) in registers().zip(&mut chosen) {
                let found = whole_within(&apart, &keys);
                if found < nearest.1 && is_no_farther(&apart, &self.first, &keys) {
                    *nearest = (how, found);
                }
            }
        }
        chosen.into_iter().map(|(how, _)| how).collect()
    }

    /// `settings` with tones of the keys between from those of the recorded ones.
    fn with_between(&self, mut settings: Settings) -> Settings {
        let (start, tones) = (self.start.action.keys.tones, settings.action.keys.tones);
        let spread = Spread { start: &start, tones: &tones, numbers: self.keys };
        settings.action.keys.tones = spread.between(|number| {
            let of = registers().zip(&self.spreading).find(|((_, keys), _)| keys.contains(&number));
            of.map_or(Spreading::NONE, |(_, how)| *how)
        });
        settings
    }

    /// Gives the keys between their tones of the start, and the recorded ones those of `before`, in all registers that
    /// are not `good`, until all are.
    fn unspread(
        &mut self,
        before: &KeySheet,
        good: impl Fn(&[Apart], &RangeInclusive<u8>) -> bool,
    ) {
        // One register more each time.
        for _ in registers() {
            let bad: Vec<bool> = registers().map(|(_, keys)| !good(&self.apart, &keys)).collect();
            let spread =
                bad.iter().zip(&self.spreading).any(|(bad, how)| *bad && *how != Spreading::NONE);
            if !bad.contains(&true) {
                break;
            }
            let mut settings = self.settings;
            for ((index, (_, keys)), bad) in registers().enumerate().zip(bad) {
                // A register that is bad without a spread of its own is so by that of others.
                if bad || !spread {
                    self.spreading[index] = Spreading::NONE;
                    for number in self.keys.iter().filter(|number| keys.contains(*number)) {
                        let key = KeyNumber::from_number(*number);
                        key.into_iter()
                            .for_each(|key| gradient::copy(&mut settings.action.keys, before, key));
                    }
                }
            }
            self.set(self.with_between(settings));
        }
    }

    /// Takes `settings`, and measures them.
    fn set(&mut self, settings: Settings) {
        self.ours = rendered(&settings, self.keys, self.velocities);
        self.apart = apart(self.takes, self.recorded, &self.ours);
        self.settings = settings;
    }

    /// The level of every recorded key relative to the others as recorded. Distances are free of gain, but the level
    /// of the partials against the blow is not: a key that would be farther than at the beginning keeps its level.
    pub fn fit_levels(&mut self) {
        let comparison = compare(self.takes, self.recorded, &self.ours);
        if comparison.is_levelled || interrupt::was_received() {
            return;
        }
        let old = self.settings.action.keys.tones;
        let mut settings = self.settings;
        settings.action.keys.tones = tone::levelled(&old, &comparison.found);
        let ours = rendered(&settings, self.keys, self.velocities);
        let levelled = apart(self.takes, self.recorded, &ours);
        for number in self.keys {
            if !is_no_farther(&levelled, &self.first, &(*number..=*number)) {
                let key = KeyNumber::from_number(*number);
                key.into_iter().for_each(|key| settings.action.keys.tones.copy(key, &old));
            }
        }
        self.set(settings);
    }
}

/// Distances of the recorded notes from the renderings `ours`.
fn apart(takes: &[Take], recorded: &Notes, ours: &Notes) -> Vec<Apart> {
    compare(takes, recorded, ours).found.iter().map(Apart::of).collect()
}

/// The objective of one key, dB².
fn whole_of(apart: &[Apart], key: KeyNumber) -> f64 {
    whole_within(apart, &(key.number()..=key.number()))
}

/// The objective of the keys in a range, dB².
fn whole_within(apart: &[Apart], keys: &RangeInclusive<u8>) -> f64 {
    let inside = apart.iter().filter(|one| keys.contains(&one.number));
    whole(&inside.copied().collect::<Vec<_>>())
}

/// Root of the objective of the keys in a range, dB.
fn root_within(apart: &[Apart], keys: &RangeInclusive<u8>) -> f64 {
    whole_within(apart, keys).sqrt()
}

/// Distance of a recorded note from the nearest rendering.
#[derive(Clone, Copy)]
struct Apart {
    number: u8,
    /// Distances of body and attack, dB.
    decibels: [f64; 2],
}

impl Apart {
    const fn of(found: &Found<'_>) -> Self {
        Self { number: found.number, decibels: found.apart }
    }
}

/// The objective: mean square of all distances, dB².
fn whole(apart: &[Apart]) -> f64 {
    mean(apart.iter().flat_map(|one| one.decibels).map(|d| d * d)).unwrap_or(f64::INFINITY)
}

/// Mean distance of body (part 0) or attack (1) of `keys`, dB; `None` without notes.
fn mean_of(apart: &[Apart], keys: &RangeInclusive<u8>, part: usize) -> Option<f64> {
    mean(apart.iter().filter(|one| keys.contains(&one.number)).map(|one| one.decibels[part]))
}

/// Whether neither body nor attack of `keys` are farther than in `first`.
fn is_no_farther(apart: &[Apart], first: &[Apart], keys: &RangeInclusive<u8>) -> bool {
    let grown = |part| Some(mean_of(apart, keys, part)? - mean_of(first, keys, part)?);
    (0..2).all(|part| grown(part).is_none_or(|grown| grown < EQUAL))
}

impl Matching<'_> {
    /// Mean distances at the beginning and now, one line per register with notes.
    pub fn distances(&self) -> String {
        distances([&self.first, &self.apart])
    }
}

fn distances(apart: [&[Apart]; 2]) -> String {
    let mut text = format!("{:<9} {:>19} {:>19}\n", "dB apart", "body", "attack");
    for (name, keys) in registers().chain([("all keys", 1..=88)]) {
        let cell = |part| Some((mean_of(apart[0], &keys, part)?, mean_of(apart[1], &keys, part)?));
        if let (Some(body), Some(attack)) = (cell(0), cell(1)) {
            let cells = [body, attack].map(|(before, after)| format!("{before:.2} → {after:.2}"));
            text += &format!("{name:<9} {:>19} {:>19}\n", cells[0], cells[1]);
        }
    }
    text
}
