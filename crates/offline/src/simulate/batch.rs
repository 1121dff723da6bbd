//! Simulates every gesture of a folder on all cores.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::{SimulateOptions, one};
use crate::bench::DataTable;
use crate::output::{self, NewFolder, Shown as _, progress};
use crate::parallel;
use crate::paths::{self, OutputFileOrFolder};
use touchback_action::{KeyEvent, TimedEvent};

/// No single output files: a batch writes into folders.
const NONE: [&Path; 0] = [];

/// The result of a gesture: its events, or an error in one line.
type Outcome = Result<Vec<TimedEvent>, String>;

/// Simulates the gestures in `folder`, in the order of their names.
///
/// # Errors
/// A folder without gestures; an output folder that is the input folder; after all gestures, the number
/// of those that could not be played.
pub fn run(options: &SimulateOptions, folder: &Path) -> Result<()> {
    let gestures = gestures(folder)?;
    let folders: Vec<&Path> = [&options.output, &options.events, &options.forces]
        .into_iter()
        .flatten()
        .map(|path| &**path)
        .collect();
    paths::check(&gestures, &NONE, &folders)?;
    let created =
        folders.iter().map(|path| output::new_folder(path)).collect::<Result<Vec<_>>>()?;
    let bar = progress(gestures.len() as u64, "simulating");
    let outcomes = parallel::map(&gestures, |gesture| {
        let outcome = played(options, gesture);
        bar.inc(1);
        outcome
    });
    bar.finish_and_clear();
    let mut table =
        DataTable::new(&["gesture", "strikes", "first_strike_s", "hammer_velocity_m_s"]);
    let (mut list, mut failed) = (Vec::new(), 0);
    for (gesture, outcome) in gestures.iter().zip(outcomes) {
        let name = gesture.file_name().unwrap_or_default().to_string_lossy();
        match outcome {
            Ok(events) => {
                let strikes = strikes(&events);
                let (time, speed) = strikes.first().copied().unzip();
                list.push(serde_json::json!({
                    "gesture": name,
                    "strikes": strikes.len(),
                    "first_strike_s": time,
                    "hammer_velocity_m_s": speed,
                }));
                let cell = |value: Option<f64>| value.map_or(String::new(), |x| x.to_string());
                table.row(&[&name, &strikes.len(), &cell(time), &cell(speed)]);
            }
            Err(error) => {
                failed += 1;
                output::warn(&format!("error: {error}"));
            }
        }
    }
    output::print(&match options.json {
        true => format!("{:#}\n", serde_json::Value::Array(list)),
        false => String::from_utf8(table.csv()?)?,
    })?;
    // If every gesture failed, the folders are empty and are removed.
    if failed < gestures.len() {
        created.into_iter().for_each(NewFolder::keep);
    }
    if failed > 0 {
        bail!("{failed} of {} gestures could not be played", gestures.len());
    }
    Ok(())
}

/// The files of `folder` ending in .csv or .toml, sorted.
fn gestures(folder: &Path) -> Result<Vec<PathBuf>> {
    let show = folder.shown();
    let entries = std::fs::read_dir(folder).with_context(|| format!("{show}: cannot read"))?;
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.with_context(|| format!("{show}: cannot read"))?.path();
        let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
        if path.is_file() && (ending == "csv" || ending == "toml") {
            found.push(path);
        }
    }
    if found.is_empty() {
        bail!("{show}: no gestures, .csv or .toml, in this folder");
    }
    found.sort();
    Ok(found)
}

/// Simulates one gesture; its outputs are named after it, file ending included.
fn played(options: &SimulateOptions, gesture: &Path) -> Outcome {
    let name = gesture.file_name().unwrap_or_default().to_string_lossy();
    let within = |folder: &Option<OutputFileOrFolder>, ending: &str| {
        folder.as_ref().map(|f| f.join(format!("{name}.{ending}")).into())
    };
    let own = SimulateOptions {
        output: within(&options.output, "run.csv"),
        events: within(&options.events, "events.json"),
        forces: within(&options.forces, "forces.csv"),
        ..options.clone()
    };
    let simulated = one(&own, gesture).map_err(|e| format!("{e:#}"))?;
    simulated.balance.map_err(|e| format!("{}: {e:#}", gesture.shown()))?;
    Ok(simulated.events)
}

/// Times, s, and speeds, m/s, of the strikes.
fn strikes(events: &[TimedEvent]) -> Vec<(f64, f64)> {
    let strike = |e: &TimedEvent| match e.event {
        KeyEvent::Strike { speed } => Some((e.time(), speed)),
        _ => None,
    };
    events.iter().filter_map(strike).collect()
}
