//! `touchback lab rolling-knuckle`: searches an action whose knuckle rolls on the repetition lever with its
//! whole radius.
//!
//! With the whole radius and all other numbers of the grand, the lever carries the hammer through a soft
//! press, and a second strike comes too early (docs/actions.md). An optimizer moves lever, spring, screws,
//! jack and knuckle; each trial is measured on several keys by the gestures of `touchback lab validate`.

mod front;
mod layout;
mod search;
mod trial;

use std::num::NonZero;
use std::time::Instant;

use anyhow::{Context, Result};

use layout::{COUNT, FREE, Layout};
use search::Trial;
use touchback_action::ActionSettings;
use touchback_action::grand::design::concert::{Built, Design};
use touchback_action::grand::key::rest;
use touchback_core::math::compass::KeyNumber;
use touchback_models::catalogue::Model;
use touchback_offline::bench::manifest::Finished;
use touchback_offline::bench::session::{Session, wrote};
use touchback_offline::bench::{DataTable, Folder, Report, key, record, short};
use touchback_offline::paths::OutputFolder;
use touchback_offline::{output, parallel};
use trial::{TARGETS, TargetGroup, Values, measure, missed};

/// The keys of a trial, by number: two of the bass, middle, treble.
const KEYS: [usize; 4] = [1, 16, 40, 71];

/// Name of the files.
const NAME: &str = "rolling-knuckle";

/// Options of `touchback lab rolling-knuckle`.
#[derive(clap::Args, Debug)]
pub struct SearchOptions {
    /// Seed of the search; the same seed gives the same trials
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Number of trials, of a few seconds each
    #[arg(long, value_name = "N", default_value_t = 600,
          value_parser = clap::value_parser!(u32).range(1..))]
    trials: u32,
    /// Share of the ranges around the first trial within which the search begins; 2: the whole ranges
    #[arg(long, value_name = "SHARE", default_value_t = 2.0)]
    width: f64,
    /// Numbers of the first trial, as the tables print them; the default is the grand's
    #[arg(long, value_name = "N,…", value_delimiter = ',', allow_negative_numbers = true)]
    start: Option<Vec<f64>>,
    /// Cores; the default is all
    #[arg(long, value_name = "N")]
    cores: Option<NonZero<usize>>,
    /// Radius with which the knuckle rolls, mm; the default is the knuckle's whole radius
    #[arg(long, value_name = "MM", default_value_t = 5.0)]
    radius_mm: f64,
    /// Folder for data and figure
    #[arg(long, value_name = "DIR", default_value = "touchback-lab-own")]
    out: OutputFolder,
    /// Prints the targets of the best trial as JSON
    #[arg(long)]
    json: bool,
}

/// Searches, prints the best trial and the front, and writes trials, figure and model files.
///
/// # Errors
/// A radius that the knuckle cannot have, or a file that cannot be written.
pub fn run(options: &SearchOptions) -> Result<()> {
    let begin = Instant::now();
    let SearchOptions { seed, trials, radius_mm, width, .. } = *options;
    anyhow::ensure!(
        (0.0..=5.0).contains(&radius_mm),
        "lab rolling-knuckle --radius-mm {radius_mm}: 0 to 5"
    );
    anyhow::ensure!(
        width > 0.0 && width <= 2.0,
        "lab rolling-knuckle --width {width}: above 0, to 2"
    );
    let keys = KEYS.iter().map(|n| key(*n)).collect::<Result<Vec<KeyNumber>>>()?;
    let cores = options.cores.map_or_else(parallel::cores, NonZero::get);
    let radius = radius_mm * 1e-3;
    let of = |layout: &Layout| -> Vec<Values> {
        let measured = |key: &KeyNumber| {
            let design = layout::design(*key, layout, radius);
            measure(|settings| design.build(settings))
        };
        keys.iter().map(measured).collect()
    };
    let start = match &options.start {
        Some(start) => <Layout>::try_from(start.as_slice()).map_err(|_| {
            anyhow::anyhow!("lab rolling-knuckle --start: {COUNT} numbers, not {}", start.len())
        })?,
        None => layout::start(keys[keys.len() / 2]),
    };
    let found = search::search(seed, trials as usize, cores, (&start, width), of)
        .context("lab rolling-knuckle")?;
    let standard = |key: &KeyNumber| {
        let design = Design::new(*key);
        measure(|settings| design.build(settings))
    };
    let grand =
        Trial { part: 0, layout: [f64::NAN; COUNT], keys: keys.iter().map(standard).collect() };
    let points: Vec<(f64, f64)> =
        found.iter().map(|t| (front::farthest(t), front::others(t))).collect();
    let chosen = front::front(&points);
    let best = search::best(&found, 1.0).context("lab rolling-knuckle: no trial")?;

    let mut session = Session::open(&options.out)?;
    let mut folder = Folder::new(&options.out);
    folder.table(&format!("{NAME}.csv"), &table(&found))?;
    for (number, key) in KEYS.iter().zip(&keys) {
        let design = layout::design(*key, &best.layout, radius);
        let Built { spec, regulated } = design.build(&ActionSettings::default());
        let model = Model::grand(&rest::pose(&spec, &regulated.rest), spec);
        let text = toml::to_string_pretty(&model)?;
        folder.write(&format!("{NAME}-{number}.toml"), text.as_bytes())?;
    }
    let names = KEYS.map(|n| n.to_string()).join(", ");
    let mut report = Report::default();
    folder.draw(NAME, &front::figure(&found, &chosen, &grand, &names), &mut report)?;
    for (number, values) in KEYS.iter().zip(&best.keys) {
        for ((_, quantity, band, _), value) in TARGETS.iter().zip(values) {
            report.check(&format!("{quantity}, key {number}"), "", *band, *value);
        }
    }
    let files = folder.keep()?;
    let about = format!("Rolling knuckle, seed {seed}, {} trials", found.len());
    session.enter(&Finished {
        name: NAME,
        about: &format!("{about}."),
        own_numbers: Some(&format!("radius {radius_mm} mm")),
        seconds: begin.elapsed().as_secs_f64(),
        count: report.count(),
        files: &files,
    })?;
    let written = wrote(files.iter().chain(&session.finish(&[])?));
    if options.json {
        return output::print(&record::json(NAME, &about, None, &report)?);
    }
    let whole = found.iter().filter(|t| missed(&t.keys) == 0).count();
    let line = |name: &str, t: &Trial| {
        let groups = t.misfits().map(short).join(" | ");
        let numbers = t.layout.map(short).join(" ");
        let farthest = short(front::farthest(t));
        format!("| {name} | {farthest} | {} | {groups} | {numbers} |\n", missed(&t.keys))
    };
    let fronts: String = chosen.iter().map(|i| line(&format!("front {i}"), &found[*i])).collect();
    output::print(&format!(
        "{about}, radius {radius_mm} mm, keys {names}: {whole} trials meet all {} targets.\n\nThe best \
         trial:\n\n{}\nMisfits in units of the targets, mean of the keys; numbers: {}\n\n| trial | soft \
         press, mm | missed | {} | numbers |\n| {} |\n{}{}{fronts}\n{written}",
        TARGETS.len() * KEYS.len(),
        report.text(false),
        FREE.map(|f| f.name).join(" "),
        TargetGroup::ALL.map(TargetGroup::name).join(" | "),
        ["---"; 4 + TargetGroup::ALL.len()].join(" | "),
        line("the grand", &grand),
        line("best", best),
    ))
}

/// All trials: part of the search, missed targets, misfits, free numbers, values of each key.
fn table(trials: &[Trial]) -> DataTable {
    let mut columns: Vec<String> = ["part", "missed"].map(String::from).to_vec();
    columns.extend(TargetGroup::ALL.map(|g| format!("misfit: {}", g.name())));
    columns.extend(FREE.map(|f| f.name.to_owned()));
    for number in KEYS {
        columns.extend(TARGETS.map(|(_, quantity, ..)| format!("{quantity}, key {number}")));
    }
    let mut csv = DataTable::new(&columns.iter().map(String::as_str).collect::<Vec<_>>());
    for t in trials {
        let mut cells = vec![missed(&t.keys) as f64];
        cells.extend(t.misfits());
        cells.extend(t.layout);
        cells.extend(t.keys.iter().flatten());
        csv.numbers(&t.part, &cells);
    }
    csv
}
