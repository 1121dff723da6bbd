//! `touchback match`: fits a voicing to a recorded piano and writes it as a preset.
//!
//! First the tones of the recorded keys in closed form, then the felt of the registers, then tones and felt of single
//! keys by gradient, before the last step of which the keys between follow.
//!
//! Levenberg–Marquardt minimizes the deviations whose rms is the distance of `measure`, over a few keys of
//! the folder; the result is measured on all keys. The perspective is chosen by the differences between the
//! channels, because power spectra of both do not depend on it.
//!
//! | part | fits |
//! | --- | --- |
//! | `tone` | the tones of single keys in closed form |
//! | `fit` | the felt of the registers and parameters of the whole piano |
//! | `gradient` | tones and felt of single keys from rendered derivatives |
//! | `spread` | the tones of the keys between |
//! | `apart` | distances by key and register |
//! | `matching` | takes what is nearer |
//! | `folder` | reports noise, pitch and swapped channels of the recordings |
//! | `left_over` | what could not be matched, by region |

mod apart;
mod fit;
mod folder;
mod free;
mod gradient;
mod left_over;
mod matching;
mod spread;
#[cfg(test)]
mod tests;
mod tone;

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Result, anyhow, bail};

use crate::blind_test;
use crate::compare::recorded;
use crate::pairs::Notes;
use crate::takes::{Takes, takes};
use fit::{ITERATIONS, ITERATIONS_AFTER_TONES, fit};
use free::free;
use matching::Matching;
use touchback_instrument::host::preset::file::NamedPiano;
use touchback_instrument::host::preset::user_presets;
use touchback_offline::output::{self, Draft, Shown as _};
use touchback_offline::paths::{self, InputPath, OutputFile, OutputFolder, PianoName};
use touchback_offline::{controls, interrupt};

/// Steps of the tones in closed form before the felt, and of single keys by gradient after it; further ones improve the
/// distance by less than 1 % each.
const TONES: usize = 3;
const GRADIENTS: usize = 4;

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
    /// Prints the distances before and after, what was fitted and what is left as JSON
    #[arg(long)]
    json: bool,
    /// Further parameters to fit, comma-separated or `none`; hammer_hardness is fitted by register, perspective
    /// is the only choice that can be fitted
    #[arg(long, value_name = "LIST", value_delimiter = ',',
          default_values_t = ["hammer_hardness", "knocks", "board", "perspective"].map(String::from))]
    free: Vec<String>,
    /// Fits tone and felt of every recorded key; keys between get what these share
    #[arg(long, value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set)]
    tones: bool,
    /// Writes a page of blind comparisons into a folder: the recording, the piano before and after
    #[arg(long, value_name = "DIR")]
    page: Option<OutputFolder>,
    /// Most keys used by the fit, evenly over those of the folder; all keys are measured before and after
    #[arg(long, value_name = "N", default_value_t = 8,
          value_parser = controls::key_number)]
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

/// Fits, prints every step with its distances, and writes the nearest piano found; an interruption ends the
/// fit after the present rendering.
///
/// # Errors
/// No recorded note in the folder, a damaged file, or a bad option; then no file is written.
pub fn run(options: &MatchOptions) -> Result<()> {
    interrupt::watch()?;
    matched(options)
}

fn matched(options: &MatchOptions) -> Result<()> {
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
    let layers = recorded.values().map(|layers| layers.len()).max().unwrap_or(0);
    let tell = if options.json { unsaid } else { output::print };
    if let Some(text) = skipped {
        tell(&(text + "\n"))?;
    }
    let notes: usize = recorded.values().map(|layers| layers.len()).sum();
    tell(&format!("{notes} recorded notes of {} keys; distances in dB\n", keys.len()))?;
    let of_folder = folder::told(&takes, &recorded, &start);
    for sentence in &of_folder {
        tell(&format!("{sentence}\n"))?;
    }
    let mut warnings = tone::gaps(&keys, layers);
    let mut matching = Matching::begin(start.clone(), &takes, &recorded, &velocities, &keys, tell);
    tell(&matching.line("as it is"))?;

    let few = evenly(&keys, usize::from(options.keys));
    let chosen = recorded.iter().filter(|(key, _)| few.contains(*key));
    let chosen: Notes = chosen.map(|(key, layers)| (*key, layers.clone())).collect();
    if options.tones {
        matching.fit_tones(TONES)?;
    }
    let mut moved = Vec::new();
    if !free.is_empty() && !interrupt::was_received() {
        let iterations = if options.tones { ITERATIONS_AFTER_TONES } else { ITERATIONS };
        match fit(&matching.settings, &free, chosen, &velocities, iterations) {
            Ok(fitted) => {
                let before = matching.settings.clone();
                matching.try_all(&fitted)?;
                moved = fitted.moved(&before, &matching.settings);
                warnings.extend(fitted.warnings);
            }
            Err(_) if interrupt::was_received() => (),
            Err(error) => return Err(error),
        }
    }
    if options.tones {
        matching.fit_levels();
        matching.fit_by_gradient(GRADIENTS - 1)?;
        matching.spread()?;
    }
    let settings = matching.settings.clone();
    if settings == start {
        warnings.push("nothing that was tried is nearer than the start, which is kept".into());
    }
    warnings.extend(tone::at_ends(&settings.sound.tones, &keys));
    if interrupt::was_received() {
        warnings.push("interrupted; the nearest piano so far is written".into());
    }
    let piano = NamedPiano {
        name: options.output.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        notes: format!("Matched to {notes} recorded notes, from {}.", options.preset),
        tags: Vec::new(),
        mechanism: None,
        settings,
    };
    draft.write_all(piano.text().map_err(|error| anyhow!(error))?.as_bytes())?;
    draft.keep()?;
    if options.json {
        let record = serde_json::json!({
            "preset": options.preset.to_string(),
            "notes": notes,
            "keys": keys.len(),
            "recordings": of_folder,
            "distances": matching.distances_json(),
            "fitted": fit::moved_json(&moved),
            "left_over": matching.left_over_json(),
            "warnings": &warnings,
        });
        output::print(&format!("{record:#}\n"))?;
    }
    let warnings: String = warnings.iter().map(|told| format!("warning: {told}\n")).collect();
    let reached = format!("{}\n{}", matching.distances(), matching.left_over());
    let moved = fit::moved_text(&moved);
    tell(&format!("\n{moved}\n{reached}\n{warnings}wrote {show}\n"))?;
    if let Some(page) = &options.page {
        let sources = [
            &options.folder.to_string_lossy(),
            &*options.preset,
            &options.output.to_string_lossy(),
        ];
        let about = format!("{reached}\n{warnings}");
        blind_test::run(&sources.map(|source| PianoName::from(source.to_string())), &about, page)?;
    }
    Ok(())
}

/// Prints nothing: the result follows as JSON.
#[expect(clippy::unnecessary_wraps, reason = "stands for `output::print`")]
const fn unsaid(_: &str) -> Result<()> {
    Ok(())
}

/// At most `most` of `keys`, evenly spread, with both ends if `most` is at least 2.
fn evenly(keys: &[u8], most: usize) -> BTreeSet<u8> {
    let count = most.min(keys.len());
    let (last, gaps) = (keys.len().saturating_sub(1), count.saturating_sub(1).max(1));
    (0..count).map(|i| keys[if count == 1 { last / 2 } else { i * last / gaps }]).collect()
}
