//! `touchback lab recorded`: compares the piano with a folder of recorded notes, key by key.
//!
//! Each recorded note is compared with eight renderings of its key, from soft to loud; the least distance
//! counts, so that touch maps do not matter. `touchback match` fits a voicing with the same distance.

#[cfg(test)]
pub(crate) mod tests;

use std::path::Path;
use std::time::Instant;

use anyhow::{Result, bail};

use crate::measure::bands::mask;
use crate::measure::{Measure, Measured};
use crate::pairs::{Comparison, Notes, compare};
use crate::sound_file::{self, Note};
use crate::takes::{Take, Takes, takes};
use crate::{figures, tables, verdict};
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::KeyNumber;
use touchback_instrument::{Event, Piano, Settings};
use touchback_offline::bench::manifest::Finished;
use touchback_offline::bench::session::{Session, wrote};
use touchback_offline::bench::{Folder, record};
use touchback_offline::output::{self, Shown as _, progress};
use touchback_offline::paths::{self, InputPath, OutputFolder, PianoName};
use touchback_offline::{controls, parallel};

/// Sample rate of the renderings, Hz.
pub(crate) const RATE: f64 = 48_000.0;

/// Duration of a held key, s.
const HELD: f64 = 5.0;

/// Most keys per rendering piano; pianos run in parallel.
const KEYS_EACH: usize = 12;

/// Options of `touchback lab recorded`.
#[derive(clap::Args, Debug)]
pub struct RecordedOptions {
    /// Folder of single notes (.wav, .aiff, .flac, .ogg; searched with its subfolders), with key and layer in
    /// the file names (A0v1, C#4v10, Ds3.mf, 060-vel100) or in the folder's .sfz file; or that file
    #[arg(value_name = "FOLDER|FILE.sfz")]
    folder: InputPath,
    /// Octaves to add to the names of the notes, instead of those found by their pitch
    #[arg(long, value_name = "N", allow_hyphen_values = true,
          value_parser = clap::value_parser!(i32).range(-4..=4))]
    octave: Option<i32>,
    /// Rendered MIDI velocities, comma-separated
    #[arg(long, value_name = "LIST", value_delimiter = ',',
          default_values_t = [16, 32, 48, 64, 80, 96, 112, 127],
          value_parser = clap::value_parser!(u8).range(1..=127))]
    velocities: Vec<u8>,
    /// Factory piano to compare, or a preset file
    #[arg(long, value_name = "NAME|FILE.toml", default_value = "concert")]
    preset: PianoName,
    /// Compares with these recordings, e.g. of another piano, instead of a rendered piano
    #[arg(long, value_name = "FOLDER|FILE.sfz", conflicts_with_all = ["preset", "set", "velocities"])]
    beside: Option<InputPath>,
    /// Sets a parameter: a number in its unit, or a choice by name (repeatable)
    #[arg(long, value_name = "ID=VALUE")]
    set: Vec<String>,
    /// Folder for data and figures
    #[arg(short, long, value_name = "DIR", default_value = "touchback-lab-own")]
    out: OutputFolder,
    /// Prints the record as JSON instead of the table
    #[arg(long)]
    json: bool,
}

/// Compares, prints the table of distances, and writes tables and figures.
///
/// # Errors
/// No recorded note in the folder, a damaged file, or a bad option; then no file is written.
pub fn run(options: &RecordedOptions) -> Result<()> {
    let begin = Instant::now();
    let mut settings = controls::preset(&options.preset)?;
    controls::set(&mut settings, &options.set)?;
    let Takes { notes: takes, mut skipped, mut files } = takes(&options.folder, options.octave)?;
    let other = options.beside.as_ref().map(|folder| self::takes(folder, None)).transpose()?;
    if let Some(other) = &other {
        files.extend_from_slice(&other.files);
        skipped =
            [skipped, other.skipped.clone()].into_iter().flatten().reduce(|a, b| a + "; " + &b);
    }
    paths::check(&files, &[] as &[&Path], &[&*options.out])?;
    let recorded = recorded(&takes)?;
    let rendered = if let Some(other) = &other {
        self::recorded(&other.notes)?
    } else {
        let keys: Vec<u8> = recorded.keys().copied().collect();
        let mut velocities = options.velocities.clone();
        velocities.sort_unstable();
        velocities.dedup();
        rendered(&settings, &keys, &velocities, HELD)
    };
    let comparison = compare(&takes, &recorded, &rendered);
    if comparison.found.is_empty() {
        bail!("none of the keys is recorded in both");
    }
    write(options, &comparison, skipped.as_deref(), begin)
}

/// Reads and measures the recorded notes on all cores.
pub(crate) fn recorded(takes: &[Take]) -> Result<Notes> {
    let bar = progress(takes.len() as u64, "reading");
    let all = parallel::map(takes, |take| {
        let mut note = sound_file::read(&take.path)?;
        let fault = note.fault.take().map(|fault| format!("{}: {fault}", take.path.shown()));
        let mut measured = Measure::new(note.rate).of(take.key, &note);
        measured.level += take.gain;
        bar.inc(1);
        Ok((fault, (take.key.number(), take.layer, measured)))
    });
    bar.finish_and_clear();
    let (faults, all): (Vec<_>, Vec<_>) =
        all.into_iter().collect::<Result<Vec<_>>>()?.into_iter().unzip();
    let faults: Vec<String> = faults.into_iter().flatten().collect();
    if let Some(first) = faults.first() {
        let more = match faults.len() {
            1 => String::new(),
            n => format!(" (and {} more files)", n - 1),
        };
        output::warn(&format!("warning: {first}{more}; what can be decoded counts"));
    }
    let mut notes = collected(all.into_iter());
    mask(&mut notes, |note| &mut note.body);
    mask(&mut notes, |note| &mut note.attack);
    Ok(notes)
}

/// Sorts notes by key and layer.
pub(crate) fn collected(all: impl Iterator<Item = (u8, u32, Measured)>) -> Notes {
    let mut notes = Notes::new();
    for (number, layer, measured) in all {
        notes.entry(number).or_default().insert(layer, measured);
    }
    notes
}

/// Plays `keys` at each of `velocities` for `seconds` each, and measures them, on all cores.
pub(crate) fn rendered(settings: &Settings, keys: &[u8], velocities: &[u8], seconds: f64) -> Notes {
    let bar = progress((keys.len() * velocities.len()) as u64, "playing");
    let runs: Vec<(u8, &[u8])> = velocities
        .iter()
        .flat_map(|velocity| keys.chunks(KEYS_EACH).map(move |keys| (*velocity, keys)))
        .collect();
    let measure = Measure::new(RATE);
    let all = parallel::map(&runs, |(velocity, keys)| {
        played(settings, keys, *velocity, seconds, |key, note| {
            bar.inc(1);
            measure.of(key, note)
        })
    });
    bar.finish_and_clear();
    collected(all.into_iter().flatten())
}

/// Plays `keys` at `velocity`, each for `seconds` from silence: key, velocity, and what `measure` finds.
pub(crate) fn played<T>(
    settings: &Settings,
    keys: &[u8],
    velocity: u8,
    seconds: f64,
    measure: impl Fn(KeyNumber, &Note) -> T,
) -> Vec<(u8, u32, T)> {
    let mut piano = Piano::new(RATE, settings);
    let each = keys.iter().filter_map(|number| {
        let key = KeyNumber::from_number(*number)?;
        piano.reset();
        piano.handle(Event::NoteOn { key, velocity: f64::from(velocity) / 127.0 });
        let mut channels = [(); 2].map(|()| vec![0.0f32; floor_index(seconds * RATE)]);
        let [left, right] = &mut channels;
        piano.process(left, right);
        let note = Note { channels, rate: RATE, fault: None };
        Some((*number, u32::from(velocity), measure(key, &note)))
    });
    each.collect()
}

/// Writes tables, figures, and their entry in the folder's manifest.
fn write(
    options: &RecordedOptions,
    comparison: &Comparison<'_>,
    skipped: Option<&str>,
    begin: Instant,
) -> Result<()> {
    let found = &comparison.found;
    let mut report = verdict::report(comparison);
    if let Some(text) = skipped {
        report.note(text);
    }
    let mut session = Session::open(&options.out)?;
    let own = options.beside.as_ref().map_or_else(
        || {
            let set: Vec<String> = options.set.iter().map(|s| format!(", {s}")).collect();
            format!("preset {}{}", options.preset, set.concat())
        },
        |folder| folder.shown().to_string(),
    );
    let mut folder = Folder::of(&options.out, Some(&own));
    folder.table("recorded.csv", &tables::notes(found))?;
    folder.table("recorded-partials.csv", &tables::partials(found))?;
    folder.table("recorded-thirds.csv", &tables::thirds(found))?;
    for (name, figure) in figures::all(found) {
        folder.draw(&name, &figure, &mut report)?;
    }
    let keys = found.iter().map(|f| f.number).collect::<std::collections::BTreeSet<_>>().len();
    let about = format!(
        "{} recorded notes of {keys} keys in {} beside {own}",
        found.len(),
        options.folder.shown()
    );
    let record = record::json("recorded", &about, Some(&own), &report)?;
    folder.write("recorded.json", record.as_bytes())?;
    let files = folder.keep()?;
    session.enter(&Finished {
        name: "recorded",
        about: &about,
        own_numbers: Some(&own),
        seconds: begin.elapsed().as_secs_f64(),
        count: report.count(),
        files: &files,
    })?;
    let written = wrote(files.iter().chain(&session.finish(&[])?));
    if options.json {
        return output::print(&record);
    }
    let (rows, missed) = report.count();
    output::print(&format!(
        "{about}\n\n{}\n{written}\n{} of {rows} targets met\n",
        report.text(false),
        rows - missed
    ))
}
