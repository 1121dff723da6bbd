//! `touchback match`: fits a voicing to a recorded piano and writes it as a preset.
//!
//! Levenberg–Marquardt minimizes the deviations whose rms is the distance of `measure`, over a few keys of
//! the folder; the result is measured on all keys. The felt is fitted by register. The perspective is chosen
//! by the differences between the channels, because power spectra of both do not depend on it.

mod fit;
mod free;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Result, anyhow, bail};

use super::pairs::{Found, Notes, compare};
use super::takes::{Takes, takes};
use super::verdict::{REGISTERS, mean};
use super::{recorded, rendered};
use crate::controls;
use crate::output::{self, Draft, Shown as _};
use crate::paths::{self, InputPath, OutputFile, PianoName};
use fit::fit;
use free::free;
use touchback_instrument::Settings;
use touchback_instrument::preset::file::NamedPiano;
use touchback_instrument::preset::user_presets;

/// Options of `touchback match`.
#[derive(clap::Args, Debug)]
pub struct MatchOptions {
    /// Folder of single notes (.wav, .aiff, .flac, .ogg) or an .sfz file, as for `lab recorded`
    #[arg(value_name = "FOLDER|FILE.sfz")]
    folder: InputPath,
    /// Octaves to add to the names of the notes, instead of those found by their pitch
    #[arg(long, value_name = "N", allow_hyphen_values = true,
          value_parser = clap::value_parser!(i32).range(-4..=4))]
    octave: Option<i32>,
    /// Preset file to write
    #[arg(short, long, value_name = "PRESET.toml")]
    output: OutputFile,
    /// Parameters to fit, comma-separated; hammer_hardness is fitted by register, perspective is the only
    /// choice that can be fitted
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = [
        "hammer_hardness", "strike_point", "unison_width_cents", "sustain", "brightness_loss",
        "board", "knocks", "lid", "perspective",
    ].map(String::from))]
    free: Vec<String>,
    /// Most keys used by the fit, evenly over those of the folder; all keys are measured before and after
    #[arg(long, value_name = "N", default_value_t = 8,
          value_parser = clap::value_parser!(u8).range(1..=88))]
    keys: u8,
    /// Rendered MIDI velocities, comma-separated
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = [32, 80, 127],
          value_parser = clap::value_parser!(u8).range(1..=127))]
    velocities: Vec<u8>,
    /// Factory piano to start from, or a preset file
    #[arg(long, value_name = "NAME|FILE.toml", default_value = "concert")]
    preset: PianoName,
    /// Sets a parameter: a number in its unit, or a choice by name (repeatable)
    #[arg(long, value_name = "ID=VALUE")]
    set: Vec<String>,
}

/// Fits, prints parameters and distances before and after, and writes the preset.
///
/// # Errors
/// No recorded note in the folder, a damaged file, or a bad option; then no file is written.
pub fn run(options: &MatchOptions) -> Result<()> {
    let show = options.output.shown();
    if options.output.extension().is_none_or(|e| e != user_presets::EXTENSION) {
        bail!("--output {show}: a preset is a .toml file");
    }
    let mut start = controls::preset(&options.preset)?;
    controls::set(&mut start, &options.set)?;
    let free = free(&options.free)?;
    let Takes { notes: takes, skipped, files } = takes(&options.folder, options.octave)?;
    paths::check(&files, &[&*options.output], &[] as &[&Path])?;
    let recorded = recorded(&takes)?;
    let draft = Draft::create(&options.output)?;
    let mut velocities = options.velocities.clone();
    velocities.sort_unstable();
    velocities.dedup();
    let keys: Vec<u8> = recorded.keys().copied().collect();
    let few = evenly(&keys, usize::from(options.keys));
    let chosen = recorded.iter().filter(|(key, _)| few.contains(*key));
    let chosen: Notes = chosen.map(|(key, layers)| (*key, layers.clone())).collect();
    let mut fitted = fit(&start, &free, chosen, &velocities)?;
    let beside = |settings: &Settings| {
        let ours = rendered(settings, &keys, &velocities);
        compare(&takes, &recorded, &ours).found.iter().map(Apart::of).collect::<Vec<_>>()
    };
    let before = beside(&start);
    let (mut settings, mut after) = (start, before.clone());
    // A perspective is chosen by channel differences, and may increase the distance.
    let chosen = Some(fitted.start).filter(|chosen| *chosen != start);
    for candidate in chosen.into_iter().chain(std::mem::take(&mut fitted.candidates)) {
        let apart = beside(&candidate);
        if whole(&apart) < whole(&after) {
            (settings, after) = (candidate, apart);
        }
    }
    if settings == start || settings == fitted.start {
        fitted
            .warnings
            .push("nothing that was tried is nearer than the start, which is kept".into());
    }
    let apart = [before, after];
    let piano = NamedPiano {
        name: options.output.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        notes: format!("Matched to {} recorded notes, from {}.", apart[0].len(), options.preset),
        tags: Vec::new(),
        settings,
    };
    draft.write_all(piano.text().map_err(|error| anyhow!(error))?.as_bytes())?;
    draft.keep()?;
    let skipped = skipped.map_or_else(String::new, |told| told + "\n");
    let warnings: String =
        fitted.warnings.iter().map(|told| format!("warning: {told}\n")).collect();
    output::print(&format!(
        "{skipped}{} recorded notes of {} keys, {} of them fitted in {} iterations\n\n{}\n\
         {}\n{warnings}wrote {show}\n",
        apart[0].len(),
        keys.len(),
        few.len(),
        fitted.iterations,
        fitted.moved(&start, &settings),
        distances(&apart),
    ))
}

/// At most `most` of `keys`, evenly spread, with both ends if `most` is at least 2.
fn evenly(keys: &[u8], most: usize) -> BTreeSet<u8> {
    let count = most.min(keys.len());
    let (last, gaps) = (keys.len().saturating_sub(1), count.saturating_sub(1).max(1));
    (0..count).map(|i| keys[if count == 1 { last / 2 } else { i * last / gaps }]).collect()
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

/// Mean distances before and after, one line per register with notes.
fn distances(apart: &[Vec<Apart>; 2]) -> String {
    let firsts = std::iter::once(0).chain(REGISTERS.map(|(_, last)| last));
    let registers = REGISTERS.iter().zip(firsts).map(|((name, last), first)| (*name, first, *last));
    let mut text = format!("{:<9} {:>19} {:>19}\n", "dB apart", "body", "attack");
    for (name, first, last) in registers.chain([("all keys", 0, 88)]) {
        let of = |all: &[Apart], part: usize| {
            let inside = all.iter().filter(|f| f.number > first && f.number <= last);
            mean(inside.map(|f| f.decibels[part]))
        };
        let cell = |part| Some((of(&apart[0], part)?, of(&apart[1], part)?));
        if let (Some(body), Some(attack)) = (cell(0), cell(1)) {
            let cells = [body, attack].map(|(before, after)| format!("{before:.2} → {after:.2}"));
            text += &format!("{name:<9} {:>19} {:>19}\n", cells[0], cells[1]);
        }
    }
    text
}
