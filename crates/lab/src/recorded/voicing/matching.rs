//! The steps of a match: each is taken where it is nearer on all keys.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use anyhow::Result;

use super::super::pairs::{Found, Notes, compare};
use super::super::rendered;
use super::super::takes::Take;
use super::super::verdict::{mean, registers};
use super::fit::Fitted;
use super::tone;
use crate::interrupt;
use crate::output;
use touchback_core::math::compass::KeyNumber;
use touchback_instrument::Settings;

/// Share of the closed-form solution that a key moves in its first step: the nearest rendering changes with the
/// tone (chosen).
const SHARE: f64 = 0.8;

/// The nearest piano found so far, on all keys.
pub struct Matching<'a> {
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
        Self { settings, takes, recorded, velocities, keys, ours, apart: first.clone(), first }
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

    /// At most `steps` steps of tones. A key keeps its tone where another one is farther, and goes half as far
    /// in the next step.
    pub fn fit_tones(&mut self, steps: usize) -> Result<()> {
        let mut shares: BTreeMap<u8, f64> = self.keys.iter().map(|key| (*key, SHARE)).collect();
        for _ in 0..steps {
            if interrupt::was_received() {
                break;
            }
            let comparison = compare(self.takes, self.recorded, &self.ours);
            let old = self.settings.action.keys.tones;
            let share = |number| shares.get(&number).copied().unwrap_or(0.0);
            let mut tones = tone::step(&old, &comparison.found, share);
            let mut settings = self.settings;
            settings.action.keys.tones = tone::spread(&tones, self.keys);
            let ours = rendered(&settings, self.keys, self.velocities);
            let apart = apart(self.takes, self.recorded, &ours);
            let mut nearer = 0;
            for (number, share) in &mut shares {
                let key = *number..=*number;
                if whole_of(&apart, *number) < whole_of(&self.apart, *number)
                    && is_no_farther(&apart, &self.first, &key)
                {
                    nearer += 1;
                } else {
                    *share *= 0.5;
                    let key = KeyNumber::from_index(usize::from(*number) - 1);
                    key.into_iter().for_each(|key| tones.copy(key, &old));
                }
            }
            settings.action.keys.tones = tone::spread(&tones, self.keys);
            self.offer(settings);
            output::print(&self.line(&format!("tones, {nearer} keys nearer")))?;
        }
        Ok(())
    }

    /// The level of every recorded key relative to the others as recorded; distances are free of gain.
    pub fn fit_levels(&mut self) {
        let comparison = compare(self.takes, self.recorded, &self.ours);
        if !comparison.is_levelled {
            let tones = tone::levelled(&self.settings.action.keys.tones, &comparison.found);
            self.settings.action.keys.tones = tone::spread(&tones, self.keys);
        }
    }
}

/// Distances of the recorded notes from the renderings `ours`.
fn apart(takes: &[Take], recorded: &Notes, ours: &Notes) -> Vec<Apart> {
    compare(takes, recorded, ours).found.iter().map(Apart::of).collect()
}

/// The objective of one key, dB².
fn whole_of(apart: &[Apart], number: u8) -> f64 {
    let of_key: Vec<Apart> = apart.iter().filter(|one| one.number == number).copied().collect();
    whole(&of_key)
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
    (0..2).all(|part| mean_of(apart, keys, part) <= mean_of(first, keys, part))
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
