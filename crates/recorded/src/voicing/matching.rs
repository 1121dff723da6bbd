//! The steps of a match: each is taken where it is nearer on all keys.

use std::ops::RangeInclusive;

use anyhow::Result;
use serde_json::Value;

use super::apart::{
    Apart, EQUAL, apart, distances, distances_json, grown, is_no_farther, root_within, whole,
    whole_of, whole_within,
};
use super::fit::Fitted;
use super::gradient::{self, Gradient};
use super::spread::{Spread, Spreading};
use super::{left_over, tone};
use crate::compare::rendered;
use crate::measure::BANDS_LENGTH;
use crate::pairs::{Found, Notes, compare};
use crate::takes::Take;
use crate::verdict::{mean, registers};
use touchback_action::interface::key_sheet::KeySheet;
use touchback_core::math::compass::KeyNumber;
use touchback_instrument::Settings;
use touchback_offline::interrupt;

/// Share of the closed-form solution that a key moves in a step: the nearest rendering changes with the tone
/// (chosen).
const SHARE: f64 = 0.8;

/// Dampings of the gradient's solution that are tried in each step, over that of the key: the farther, the less
/// linear (chosen).
const DAMPINGS: [f64; 3] = [1.0, 8.0, 64.0];

/// Distance, dB, within which recorded keys may be farther with the tones of the keys between: a piano as near as this is
/// the recorded one (chosen, a tenth of what a match reaches on recorded grands).
const SAME: f64 = 0.5;

/// Distance, dB, by which a recorded key that is left out may be farther than at the start, and by which the recorded
/// keys of a register may be farther with the tones of the keys between, which ring along where no damper stops them
/// (chosen: a tenth of what keys between gain in C6–C8 of a recorded grand).
const MOST_LOSS: f64 = 0.1;

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
    /// Prints a step.
    tell: fn(&str) -> Result<()>,
}

impl<'a> Matching<'a> {
    pub fn begin(
        settings: Settings,
        takes: &'a [Take],
        recorded: &'a Notes,
        velocities: &'a [u8],
        keys: &'a [u8],
        tell: fn(&str) -> Result<()>,
    ) -> Self {
        let ours = rendered(&settings, keys, velocities, BANDS_LENGTH);
        let first = apart(takes, recorded, &ours);
        let start = settings.clone();
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
            tell,
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
        let ours = rendered(&settings, self.keys, self.velocities, BANDS_LENGTH);
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
                self.offer(candidate.clone());
            }
        }
        (self.tell)(&self.line(&format!("felt, {} iterations", fitted.iterations)))
    }

    /// At most `steps` closed-form steps of the tones. A key that they leave farther goes half as far in the next one.
    pub fn fit_tones(&mut self, steps: usize) -> Result<()> {
        self.fit_keys("tones", steps, [1.0, 0.5], |matching, found, pace| {
            let old = matching.settings.key_sheet();
            let mut moved = old.clone();
            let tones = tone::step(&old.tones, found).into();
            let target = KeySheet { action: old.action.clone(), tones };
            for (key, pace) in pace {
                gradient::copy(&mut moved, &old.toward(&target, SHARE * pace), *key);
            }
            Some([moved])
        })
    }

    /// At most `steps` steps of tones and felt of single keys by gradient, each with the nearest of some dampings, about
    /// which the next step tries.
    pub fn fit_by_gradient(&mut self, steps: usize) -> Result<()> {
        let velocity = self.velocities[self.velocities.len() / 2];
        let slower = [3.0, 1.0, 0.2, 0.02];
        self.fit_keys("gradient", steps, slower, |matching, found, pace| {
            let old = matching.settings.key_sheet();
            let Self { settings, keys, ours, .. } = matching;
            let gradient = Gradient::of(settings, keys, velocity, ours)?;
            let of =
                |key: KeyNumber| pace.iter().find(|(of, _)| *of == key).map_or(1.0, |one| one.1);
            Some(DAMPINGS.map(|damping| gradient.step(&old, found, |key| damping / of(key))))
        })
    }

    /// At most `steps` steps, each key by the nearest of the `TRIED` sheets that `solve` gives for the keys' paces; a
    /// key's pace is multiplied by `paces` of the sheet taken, the last where it stays. Registers are no farther than at
    /// the beginning.
    fn fit_keys<const TRIED: usize, const PACES: usize>(
        &mut self,
        name: &str,
        steps: usize,
        paces: [f64; PACES],
        solve: impl Fn(&Self, &[Found<'_>], &[(KeyNumber, f64)]) -> Option<[KeySheet; TRIED]>,
    ) -> Result<()> {
        let numbers = self.keys.iter();
        let mut keys: Vec<(KeyNumber, f64)> =
            numbers.filter_map(|n| Some((KeyNumber::from_number(*n)?, 1.0))).collect();
        for _ in 0..steps {
            let comparison = compare(self.takes, self.recorded, &self.ours);
            let Some(sheets) = solve(self, &comparison.found, &keys) else { break };
            let mut tried: Vec<(KeySheet, Vec<Apart>)> = Vec::new();
            for sheet in sheets {
                if interrupt::was_received() {
                    return Ok(());
                }
                let mut settings = self.settings.clone();
                settings.set_key_sheet(sheet.clone());
                let ours = rendered(&settings, self.keys, self.velocities, BANDS_LENGTH);
                tried.push((sheet, apart(self.takes, self.recorded, &ours)));
            }
            let taken = self.nearest(&keys, &tried);
            let mut new = self.settings.key_sheet();
            let mut moved = 0;
            for ((key, pace), taken) in keys.iter_mut().zip(taken) {
                if let Some((sheet, _)) = taken.and_then(|taken| tried.get(taken)) {
                    gradient::copy(&mut new, sheet, *key);
                    moved += 1;
                }
                *pace *= paces[taken.unwrap_or(PACES - 1)];
            }
            let mut settings = self.settings.clone();
            settings.set_key_sheet(new);
            if !self.offer(self.with_between(settings.clone())) {
                self.offer(settings);
            }
            (self.tell)(&self.line(&format!("{name}, {moved} keys nearer")))?;
        }
        Ok(())
    }

    /// For each key the index of the nearest of `tried`, `None` where the present sheet is nearer. While a register would
    /// be farther than at the beginning, its key that has grown most stays.
    fn nearest(
        &self,
        keys: &[(KeyNumber, f64)],
        tried: &[(KeySheet, Vec<Apart>)],
    ) -> Vec<Option<usize>> {
        let nearest = |(key, _): &(KeyNumber, f64)| {
            let own = key.number()..=key.number();
            let each = tried.iter().map(|(_, apart)| whole_of(apart, *key)).enumerate();
            let near = each.filter(|(index, whole)| {
                *whole < whole_of(&self.apart, *key)
                    && grown(&tried[*index].1, &self.first, &own, 0).is_none_or(|g| g < EQUAL)
            });
            near.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(index, _)| index)
        };
        let mut taken: Vec<Option<usize>> = keys.iter().map(nearest).collect();
        for (_, register) in registers() {
            loop {
                let of = |(key, taken): (&(KeyNumber, f64), &Option<usize>)| {
                    let apart = taken.map_or(&self.apart, |taken| &tried[taken].1);
                    apart.iter().filter(|one| one.number == key.0.number()).copied().collect()
                };
                let all: Vec<Vec<Apart>> = keys.iter().zip(&taken).map(of).collect();
                if is_no_farther(&all.concat(), &self.first, &register) {
                    break;
                }
                let growth = |index: usize| {
                    let number = keys[index].0.number();
                    let parts = (0..2).filter_map(|part| {
                        grown(&all[index], &self.first, &(number..=number), part)
                    });
                    parts.fold(f64::NEG_INFINITY, f64::max)
                };
                let inside = (0..keys.len()).filter(|index| {
                    register.contains(&keys[*index].0.number()) && taken[*index].is_some()
                });
                let Some(worst) = inside.max_by(|a, b| growth(*a).total_cmp(&growth(*b))) else {
                    break;
                };
                taken[worst] = None;
            }
        }
        taken
    }

    /// One gradient step with tones of the keys between, which ring along with the recorded ones where no damper stops
    /// them. In registers whose recorded keys it leaves farther, it is undone.
    pub fn spread(&mut self) -> Result<()> {
        let (before, apart) = (self.settings.key_sheet(), self.apart.clone());
        self.spreading = self.nearest_spreading();
        self.set(self.with_between(self.settings.clone()));
        // The step may bring recorded keys nearer again, but is taken only where none is farther than at the beginning.
        let first = self.first.clone();
        self.unspread(&before, |now, keys| is_no_farther(now, &first, keys));
        self.fit_by_gradient(1)?;
        self.unspread(&before, |now, keys| {
            let most = (root_within(&apart, keys) + MOST_LOSS).max(SAME);
            let is_equal = root_within(now, keys) <= most;
            is_equal && is_no_farther(now, &first, keys)
        });
        let each = registers().zip(&self.spreading).map(|((name, _), how)| {
            let percent =
                [how.response, how.rest, how.blow].map(|share| format!("{:.0}", 100.0 * share));
            format!("{name} {} %", percent.join(", "))
        });
        let each = each.collect::<Vec<_>>().join(", ");
        (self.tell)(&format!("keys between, response, rest and blow: {each}\n"))?;
        (self.tell)(&self.line("as written"))
    }

    /// In each register the one of [`Spreading::TRIED`] with which its recorded keys, left out one by one, are nearest,
    /// then the share of the blow's noise; none where the register is farther than at the start, or one of these keys by
    /// [`MOST_LOSS`].
    fn nearest_spreading(&self) -> Vec<Spreading> {
        // Of fewer keys none can be left out.
        if self.keys.len() <= 2 {
            return registers().map(|_| Spreading::INTERPOLATED).collect();
        }
        let none = |keys| (Spreading::NONE, whole_within(&self.first, &keys));
        let mut chosen: Vec<(Spreading, f64)> = registers().map(|(_, keys)| none(keys)).collect();
        for how in Spreading::TRIED {
            self.try_spreading(&mut chosen, |_| how);
        }
        let nearest: Vec<Spreading> = chosen.iter().map(|(how, _)| *how).collect();
        for blow in Spreading::BLOWS {
            self.try_spreading(&mut chosen, |register| Spreading { blow, ..nearest[register] });
        }
        chosen.into_iter().map(|(how, _)| how).collect()
    }

    /// Takes into `chosen` what is nearer of `how`, by the index of the register, than what it holds.
    fn try_spreading(&self, chosen: &mut [(Spreading, f64)], how: impl Fn(usize) -> Spreading) {
        if interrupt::was_received() {
            return;
        }
        let (start, tones) = (&self.start.sound.tones, &self.settings.sound.tones);
        let spread = Spread { start, tones, numbers: self.keys };
        let tones = spread.left_out(|number| {
            let register = registers().position(|(_, keys)| keys.contains(&number));
            register.map_or(Spreading::NONE, &how)
        });
        let mut settings = self.settings.clone();
        let action = self.start.action.keys.clone();
        settings.set_key_sheet(KeySheet { action, tones: tones.into() });
        let ours = rendered(&settings, self.keys, self.velocities, BANDS_LENGTH);
        let apart = apart(self.takes, self.recorded, &ours);
        for ((index, (_, keys)), nearest) in registers().enumerate().zip(chosen) {
            let found = whole_within(&apart, &keys);
            let mut inside = self.keys.iter().filter(|number| keys.contains(*number));
            let no_key_loses = inside.all(|number| {
                let of = |apart| root_within(apart, &(*number..=*number));
                of(&apart) < of(&self.first) + MOST_LOSS
            });
            if found < nearest.1 && no_key_loses && is_no_farther(&apart, &self.first, &keys) {
                *nearest = (how(index), found);
            }
        }
    }

    /// `settings` with tones of the keys between from those of the recorded ones.
    fn with_between(&self, mut settings: Settings) -> Settings {
        let (start, tones) = (&self.start.sound.tones, &settings.sound.tones);
        let spread = Spread { start, tones, numbers: self.keys };
        let tones = spread.between(|number| {
            let of = registers().zip(&self.spreading).find(|((_, keys), _)| keys.contains(&number));
            of.map_or(Spreading::NONE, |(_, how)| *how)
        });
        settings.sound.tones = tones.into();
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
            let mut sheet = self.settings.key_sheet();
            for ((index, (_, keys)), bad) in registers().enumerate().zip(bad) {
                // A register that is bad without a spread of its own is so by that of others.
                if bad || !spread {
                    self.spreading[index] = Spreading::NONE;
                    for number in self.keys.iter().filter(|number| keys.contains(*number)) {
                        let key = KeyNumber::from_number(*number);
                        key.into_iter().for_each(|key| gradient::copy(&mut sheet, before, key));
                    }
                }
            }
            let mut settings = self.settings.clone();
            settings.set_key_sheet(sheet);
            self.set(self.with_between(settings));
        }
    }

    /// Takes `settings`, and measures them.
    fn set(&mut self, settings: Settings) {
        self.ours = rendered(&settings, self.keys, self.velocities, BANDS_LENGTH);
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
        let old = &self.settings.sound.tones;
        let mut settings = self.settings.clone();
        settings.sound.tones = tone::levelled(old, &comparison.found).into();
        let ours = rendered(&settings, self.keys, self.velocities, BANDS_LENGTH);
        let levelled = apart(self.takes, self.recorded, &ours);
        for number in self.keys {
            if !is_no_farther(&levelled, &self.first, &(*number..=*number)) {
                let key = KeyNumber::from_number(*number);
                key.into_iter().for_each(|key| settings.sound.tones.copy(key, old));
            }
        }
        self.set(settings);
    }

    /// Mean distances at the beginning and now, one line per register with notes.
    pub fn distances(&self) -> String {
        distances([&self.first, &self.apart])
    }

    /// The same as JSON.
    pub fn distances_json(&self) -> Value {
        distances_json([&self.first, &self.apart])
    }

    /// What is left between the recording and the nearest piano as JSON.
    pub fn left_over_json(&self) -> Value {
        left_over::json(&compare(self.takes, self.recorded, &self.ours).found)
    }

    /// What is left between the recording and the nearest piano, by region and register.
    pub fn left_over(&self) -> String {
        left_over::table(&compare(self.takes, self.recorded, &self.ours).found)
    }
}
