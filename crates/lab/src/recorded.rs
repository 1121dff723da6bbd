//! `touchback lab recorded`: the piano beside a folder of recorded notes, key by key.
//!
//! Every recorded note has a distance from each of eight renderings of its key, from soft to loud;
//! the nearest counts, so that touch maps do not enter. `touchback match` fits a voicing by it.

mod measure;
mod names;
mod sound_file;
#[cfg(test)]
mod tests;
pub mod voicing;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::bench::manifest::{self, Finished, Manifest};
use crate::bench::{DataTable, Folder, Report, TargetBand, short};
use crate::controls;
use crate::output::{self, progress};
use crate::parallel;
use crate::plot::{Axis, Figure, Series, Shape, Subplot, palette};
use measure::{Measure, Measured, TIMES, distance};
use sound_file::Note;
use touchback::instrument::{Event, Piano, Settings};
use touchback::math::cast::floor_index;
use touchback::math::compass::KeyNumber;

/// Sample rate of what is rendered, Hz.
const RATE: f64 = 48_000.0;

/// How long a key is held, and until the next, s.
const HELD: f64 = 5.0;
const NEXT: f64 = 2.0;

/// Most files looked at, and how deep the folder is searched.
const MOST_FILES: usize = 20_000;
const DEEPEST: usize = 8;

/// Registers: name, number of the last key.
const REGISTERS: [(&str, u8); 4] = [("A0–B1", 15), ("C2–B3", 39), ("C4–B5", 63), ("C6–C8", 88)];

/// Targets in every register, dB: body, attack. Two recorded concert grands of different makers
/// differ by 6.3 and 4.5 over all keys by this measure.
const AS_RECORDED: [f64; 2] = [6.3, 4.7];

/// What to compare.
#[derive(clap::Args, Debug)]
pub struct RecordedOptions {
    /// Folder of single notes (.wav, .flac, .ogg; searched with its folders), the key and layer of
    /// each in its name: A0v1, C#4v10, Ds3.mf, 060-vel100
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// MIDI velocities that are rendered, with commas between
    #[arg(long, value_name = "LIST", value_delimiter = ',',
          default_values_t = [16, 32, 48, 64, 80, 96, 112, 127],
          value_parser = clap::value_parser!(u8).range(1..=127))]
    velocities: Vec<u8>,
    /// Factory piano to compare, or a preset file
    #[arg(long, value_name = "NAME|FILE.toml", default_value = "concert")]
    preset: String,
    /// Sets a parameter, in its unit or by the choice's name (repeatable)
    #[arg(long, value_name = "ID=VALUE")]
    set: Vec<String>,
    /// Folder for data and figures [default: touchback-lab-own]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Notes of one piano by key, then layer or velocity.
type Notes = BTreeMap<u8, BTreeMap<u32, Measured>>;

/// A recorded note and how far it is from the nearest rendered one of its key, dB.
struct Found<'a> {
    number: u8,
    layer: u32,
    note: &'a Measured,
    /// Body, attack.
    apart: [f64; 2],
    /// The rendering with the nearest body.
    nearest: &'a Measured,
}

/// Compares, prints the table of distances, and writes tables and figures.
///
/// # Errors
/// No recorded note in the folder, a damaged file, bad options; nothing is written then.
pub fn run(options: &RecordedOptions) -> Result<()> {
    let begin = Instant::now();
    let mut settings = controls::preset(&options.preset)?;
    controls::set(&mut settings, &options.set)?;
    let files = files(&options.folder)?;
    let recorded = recorded(&files)?;
    let keys: Vec<u8> = recorded.keys().copied().collect();
    let mut velocities = options.velocities.clone();
    velocities.sort_unstable();
    velocities.dedup();
    let rendered = rendered(&settings, &keys, &velocities);
    let found = compare(&recorded, &rendered);
    write(options, &found, begin)
}

/// The sound files under `folder` whose names tell a key, with key and layer, sorted.
fn files(folder: &Path) -> Result<Vec<(PathBuf, KeyNumber, u32)>> {
    let show = folder.display();
    let mut places = vec![(folder.to_owned(), 0)];
    let (mut found, mut seen) = (Vec::new(), 0);
    while let Some((place, depth)) = places.pop() {
        let entries = std::fs::read_dir(&place)
            .with_context(|| format!("{}: cannot read this folder", place.display()))?;
        for entry in entries {
            let path = entry.with_context(|| format!("{}: cannot read", place.display()))?.path();
            seen += 1;
            if seen > MOST_FILES {
                bail!("{show}: holds more than {MOST_FILES} files");
            }
            if path.is_dir() && depth < DEEPEST {
                places.push((path, depth + 1));
            } else if sound_file::is_sound(&path)
                && let Some(stem) = path.file_stem().and_then(|s| s.to_str())
                && let Some((key, layer)) = names::key_and_layer(stem)
            {
                found.push((path, key, layer));
            }
        }
    }
    if found.is_empty() {
        bail!(
            "{show}: no .wav, .flac or .ogg file whose name tells a key, as A0v1.wav or C#4.flac"
        );
    }
    found.sort_by(|a, b| (a.1, a.2, &a.0).cmp(&(b.1, b.2, &b.0)));
    if let Some(pair) = found.windows(2).find(|p| (p[0].1, p[0].2) == (p[1].1, p[1].2)) {
        bail!(
            "{} and {} are both layer {} of key {}; compare one take at a time",
            pair[0].0.display(),
            pair[1].0.display(),
            pair[0].2,
            pair[0].1.number()
        );
    }
    Ok(found)
}

/// Reads and measures the recorded notes on all cores.
fn recorded(files: &[(PathBuf, KeyNumber, u32)]) -> Result<Notes> {
    let bar = progress(files.len() as u64, "reading");
    let all = parallel::map(files, |(path, key, layer)| {
        let note = sound_file::read(path)?;
        let measured = Measure::new(note.rate).of(*key, &note);
        bar.inc(1);
        Ok((key.number(), *layer, measured))
    });
    bar.finish_and_clear();
    Ok(collected(all.into_iter().collect::<Result<Vec<_>>>()?.into_iter()))
}

/// Notes by key and layer.
fn collected(all: impl Iterator<Item = (u8, u32, Measured)>) -> Notes {
    let mut notes = Notes::new();
    for (number, layer, measured) in all {
        notes.entry(number).or_default().insert(layer, measured);
    }
    notes
}

/// Plays and measures `keys` at each of `velocities` on all cores, a piano for each velocity.
fn rendered(settings: &Settings, keys: &[u8], velocities: &[u8]) -> Notes {
    let bar = progress((keys.len() * velocities.len()) as u64, "playing");
    let all = parallel::map(velocities, |velocity| {
        let (measure, mut piano) = (Measure::new(RATE), Piano::new(RATE, settings));
        let mut play = |event: Event, seconds: f64| {
            piano.handle(event);
            let mut channels = [(); 2].map(|()| vec![0.0f32; floor_index(seconds * RATE)]);
            let [left, right] = &mut channels;
            piano.process(left, right);
            channels
        };
        let each = keys.iter().filter_map(|number| {
            let key = KeyNumber::from_index(usize::from(*number) - 1)?;
            let share = f64::from(*velocity) / 127.0;
            let channels = play(Event::NoteOn { key, velocity: share }, HELD);
            play(Event::NoteOff { key, velocity: 0.5 }, NEXT);
            bar.inc(1);
            Some((*number, u32::from(*velocity), measure.of(key, &Note { channels, rate: RATE })))
        });
        each.collect::<Vec<_>>()
    });
    bar.finish_and_clear();
    collected(all.into_iter().flatten())
}

/// Every recorded note beside the nearest rendered one of its key.
fn compare<'a>(recorded: &'a Notes, rendered: &'a Notes) -> Vec<Found<'a>> {
    let each = recorded.iter().flat_map(|(number, layers)| {
        let ours = rendered.get(number).into_iter().flat_map(BTreeMap::values);
        layers.iter().filter_map(move |(layer, note)| {
            let body = |one: &&Measured| distance(&note.body, &one.body);
            let nearest = ours.clone().min_by(|a, b| body(a).total_cmp(&body(b)))?;
            let attack = ours.clone().map(|one| distance(&note.attack, &one.attack));
            let apart = [body(&nearest), attack.fold(f64::INFINITY, f64::min)];
            Some(Found { number: *number, layer: *layer, note, apart, nearest })
        })
    });
    each.collect()
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0.0, 0.0), |(n, s), x| (n + 1.0, s + x));
    (count > 0.0).then(|| sum / count)
}

/// Mean distance of the keys up to each register's end, body or attack.
fn report(found: &[Found<'_>]) -> Report {
    let mut report = Report::default();
    for (part, name) in ["body", "attack"].into_iter().enumerate() {
        let mut first = 0;
        for (register, last) in REGISTERS {
            let inside = found.iter().filter(|f| f.number > first && f.number <= last);
            if let Some(apart) = mean(inside.map(|f| f.apart[part])) {
                let aim = AS_RECORDED[part];
                let quantity = format!("{register}: {name}, dB from the recorded piano");
                report.check(&quantity, &short(aim), TargetBand::AtMost(aim), apart);
            }
            first = last;
        }
        if let Some(apart) = mean(found.iter().map(|f| f.apart[part])) {
            let quantity = format!("all keys: {name}, dB from the recorded piano");
            report.check(
                &quantity,
                &short(AS_RECORDED[part]),
                TargetBand::AtMost(AS_RECORDED[part]),
                apart,
            );
        }
    }
    report
}

/// Tables of every note, figures, and their entry in the folder's manifest.
fn write(options: &RecordedOptions, found: &[Found<'_>], begin: Instant) -> Result<()> {
    let mut report = report(found);
    let place = options.out.clone().unwrap_or_else(|| "touchback-lab-own".into());
    let show = place.display();
    std::fs::create_dir_all(&place).with_context(|| format!("{show}: cannot make this folder"))?;
    let own = format!("preset {}{}", options.preset, {
        let set: Vec<String> = options.set.iter().map(|s| format!(", {s}")).collect();
        set.concat()
    });
    let mut folder = Folder::of(&place, Some(&own));
    folder.table("recorded.csv", &table(found))?;
    folder.draw("recorded-distances", &distances(found), &mut report)?;
    folder.draw("recorded-courses", &courses(found), &mut report)?;
    let files = folder.keep()?;
    let keys = found.iter().map(|f| f.number).collect::<std::collections::BTreeSet<_>>().len();
    let about = format!(
        "{} recorded notes of {keys} keys in {} beside {own}",
        found.len(),
        options.folder.display()
    );
    let mut manifest = Manifest::of(&place);
    manifest.enter(&Finished {
        name: "recorded",
        about: &about,
        own_numbers: Some(&own),
        seconds: begin.elapsed().as_secs_f64(),
        count: report.count(),
        files: &files,
    })?;
    let mut index = Folder::new(&place);
    index.write(manifest::MANIFEST, manifest.json()?.as_bytes())?;
    index.write(manifest::README, manifest.page().as_bytes())?;
    let all: Vec<PathBuf> = files.into_iter().chain(index.keep()?).collect();
    let wrote: String = all.iter().map(|p| format!("wrote {}\n", p.display())).collect();
    let (rows, missed) = report.count();
    output::print(&format!(
        "{about}\n\n{}\n{wrote}\n{} of {rows} distances within their targets\n",
        report.text(false),
        rows - missed
    ))
}

/// One row a recorded note: distances, and each quantity of it and of the nearest rendering.
fn table(found: &[Found<'_>]) -> DataTable {
    let mut columns: Vec<String> =
        ["key", "layer", "body_db", "attack_db"].map(String::from).to_vec();
    for whose in ["recorded", "rendered"] {
        columns.extend(TIMES.map(|t| format!("{whose}_level_{:.0}_ms_db", 1e3 * t)));
        let rest = ["below_db", "correlation", "level_dbfs"];
        columns.extend(rest.map(|name| format!("{whose}_{name}")));
    }
    let names: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut table = DataTable::new(&names);
    for one in found {
        let of = |note: &Measured| {
            let rest = [note.below, note.correlation, note.level];
            note.course.into_iter().chain(rest).collect::<Vec<_>>()
        };
        let rest = [vec![f64::from(one.layer)], one.apart.to_vec(), of(one.note), of(one.nearest)];
        let rounded: Vec<f64> = rest.concat().iter().map(|x| (1e3 * x).round() / 1e3).collect();
        table.numbers(&one.number, &rounded);
    }
    table
}

/// Distances over the keys, a dot a layer.
fn distances(found: &[Found<'_>]) -> Figure {
    let dots = |part: usize| {
        let points = found.iter().map(|f| (f64::from(f.number), f.apart[part])).collect();
        let aim = vec![(1.0, AS_RECORDED[part]), (88.0, AS_RECORDED[part])];
        vec![
            Series::new("each layer", points, palette(0), Shape::Dots),
            Series::line("two recorded grands", aim, palette(1)),
        ]
    };
    let panel = |name: &str, part| Subplot::new(Axis::new(name), dots(part));
    Figure {
        title: "Distance from the recorded piano".into(),
        x: Axis::new("key, 1 (A0) to 88 (C8)").within(1.0, 88.0),
        bands: Vec::new(),
        marks: Vec::new(),
        panels: vec![panel("body, dB", 0), panel("attack, dB", 1)],
    }
}

/// Level after 0.3, 1 and 3 s over the keys, middle layer, recorded and rendered.
fn courses(found: &[Found<'_>]) -> Figure {
    let mut by_key: BTreeMap<u8, Vec<&Found<'_>>> = BTreeMap::new();
    found.iter().for_each(|f| by_key.entry(f.number).or_default().push(f));
    let panel = |time: usize| {
        let of = |pick: fn(&Found<'_>) -> [f64; TIMES.len()]| {
            let middle = |layers: &Vec<&Found<'_>>| pick(layers[layers.len() / 2])[time];
            by_key.iter().map(|(number, layers)| (f64::from(*number), middle(layers))).collect()
        };
        let series = vec![
            Series::line("recorded", of(|f| f.note.course), palette(0)),
            Series::line("rendered", of(|f| f.nearest.course), palette(1)),
        ];
        Subplot::new(Axis::new(&format!("at {} s, dB", TIMES[time])), series)
    };
    Figure {
        title: "Level under the most, middle layer".into(),
        x: Axis::new("key, 1 (A0) to 88 (C8)").within(1.0, 88.0),
        bands: Vec::new(),
        marks: Vec::new(),
        panels: vec![panel(4), panel(5), panel(6)],
    }
}
