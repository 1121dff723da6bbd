//! `touchback lab`: experiments and validations, each a table of targets and measured values.

mod agreement;
mod arpeggio;
mod automation;
mod ball;
mod calculated;
mod catalogue;
mod contact;
mod control;
mod dynamic_object;
mod edges;
mod efforts;
mod energy;
pub mod figure;
mod finger;
mod fit;
mod geometry;
pub mod haptics;
pub mod help;
mod identifiability;
mod impedance;
mod key_design;
mod lines;
pub mod listening;
mod long_run;
mod mechanism;
mod missed;
mod models_ab;
mod pianissimo;
mod position_sensors;
mod press;
pub mod rolling_knuckle;
mod seeds;
mod sound;
mod state_graphs;
mod string_law;
pub mod sweep;
mod sweeps;
mod thesis_run;
mod touch;
mod two_switches;
mod unilateral;
mod validate;
mod wall_damping;
mod wall_display;
mod wall_map;
mod walls;
mod weight_drop;

use std::path::Path;

use anyhow::{Context as _, Result, bail};

use clap::builder::ArgPredicate;

pub use catalogue::EXPERIMENTS;
use touchback_core::text::near;
use touchback_core::text::numbers::Numbers;
use touchback_offline::bench::key_source::OwnNumbers;
use touchback_offline::bench::manifest::Finished;
use touchback_offline::bench::runner::{self, Experiment, ExperimentKind, ExperimentResult, Work};
use touchback_offline::bench::session::{Session, wrote};
use touchback_offline::bench::{KeySource, Report, RowKind, record};
use touchback_offline::output;
use touchback_offline::paths::{OutputFolder, PianoName};
use touchback_recorded::blind_test;

/// The lists of experiments that a program offers.
pub type Catalogue = &'static [&'static [Experiment]];

/// The experiments of this package.
pub const STANDARD: Catalogue = &[EXPERIMENTS];

fn all(catalogue: Catalogue) -> impl Iterator<Item = &'static Experiment> + Clone {
    catalogue.iter().copied().flatten()
}

/// Options of `lab`.
#[derive(clap::Args, Debug)]
pub struct LabOptions {
    /// Names of experiments, `all`, or `list` to print the names
    #[arg(value_name = "NAME", required = true)]
    names: Vec<String>,
    /// Also writes report.md (all tables and figures), seeds.md (results for the systems of the source
    /// documents) and missed.md (causes of missed targets)
    #[arg(long)]
    report: bool,
    /// Prints a JSON array: with `list` the experiments, otherwise the record of each
    #[arg(long)]
    json: bool,
    /// Exits with code 1 if a target is missed
    #[arg(long)]
    strict: bool,
    /// Number of random gestures of each kind, for `edges`
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    count: Option<u32>,
    /// Writes a blind listening test of these as a page for a browser, with `listening`: factory pianos, preset
    /// files, parameters (let_off_mm=3,lid=0.5), folders of recorded notes; the first is the reference
    /// (repeatable)
    #[arg(long, value_name = "PIANO|ID=VALUE|FOLDER")]
    web: Vec<PianoName>,
    #[command(flatten)]
    own: OwnNumbers,
    /// Folder for data and figures; the default is touchback-lab-own with --preset, --set, --keys,
    /// --model, --mechanism or --key
    #[arg(long, value_name = "DIR", default_value = "touchback-lab", default_value_ifs =
          OwnNumbers::IDS.map(|id| (id, ArgPredicate::IsPresent, "touchback-lab-own")))]
    pub out: OutputFolder,
}

impl LabOptions {
    /// The experiments `names`, with files in `out`.
    fn of(names: &[String], out: &OutputFolder, json: bool) -> Self {
        Self {
            names: names.to_vec(),
            report: false,
            json,
            strict: false,
            count: None,
            web: Vec::new(),
            own: OwnNumbers::default(),
            out: out.clone(),
        }
    }
}

/// Runs the named experiments, prints their tables and writes their files.
///
/// # Errors
/// An unknown name, before anything runs; a file that cannot be written; with `--strict`, a missed
/// target ([`Missed`]).
pub fn run(options: &LabOptions, catalogue: Catalogue) -> Result<()> {
    if options.names.iter().any(|n| n == "list") {
        return output::print(&if options.json { json_list(catalogue) } else { list(catalogue) });
    }
    if !options.web.is_empty() {
        if options.names != ["listening"] || !options.own.is_empty() {
            bail!("--web: belongs to `touchback lab listening`, without settings of its own");
        }
        return blind_test::run(&options.web, "", &options.out);
    }
    let chosen = choose(&options.names, catalogue)?;
    let (keys, numbers);
    if let [experiment] = chosen[..]
        && !options.own.has_mechanism()
        && let (own, set) = options.own.without_set()
        && let Some(of) = numbered(experiment, set)?
    {
        check_own_numbers(experiment, &own, catalogue)?;
        (keys, numbers) = (of, set);
    } else {
        for experiment in &chosen {
            check_own_numbers(experiment, &options.own, catalogue)?;
        }
        (keys, numbers) = (KeySource::open(&options.own)?, &[][..]);
    }
    let tell = |text: &str| if options.json { Ok(()) } else { output::print(text) };
    let mut session = Session::open(&options.out)?;
    let mut page = format!("# Touchback {} in the laboratory\n", env!("CARGO_PKG_VERSION"));
    let (mut seeds, mut records) = (String::from(seeds::HEAD), Vec::new());
    let (mut rows, mut missed_rows, mut without_cause, mut of_inputs) = (0, 0, 0, 0);
    let options_of_runs =
        runner::Options { keys: &keys, count: options.count, numbers, path: &options.out };
    runner::run(&chosen, &options_of_runs, |experiment, found| {
        let ExperimentResult { mut report, mut folder, seconds } = found;
        let (name, about) = (experiment.name, experiment.about);
        without_cause += explain(&mut report, name, &keys);
        of_inputs += report.count_of(RowKind::Fitted) + report.count_of(RowKind::Given);
        let record = record::json(name, about, keys.own_numbers(), &report)?;
        folder.write(&format!("{name}.json"), record.as_bytes())?;
        records.push(record.trim_end().to_owned());
        let written = folder.keep()?;
        let count = report.count();
        let own_numbers = keys.own_numbers();
        session.enter(&Finished { name, about, own_numbers, seconds, count, files: &written })?;
        let own =
            keys.own_numbers().map_or(String::new(), |t| format!("Custom parameters: {t}.\n\n"));
        let heading = format!("\n## {name}\n\n{about}\n\n{own}");
        tell(&format!("{heading}{}\n{}", report.text(false), wrote(&written)))?;
        page += &format!("{heading}{}", report.text(true));
        seeds += &report.sourced(experiment.name);
        (rows, missed_rows) = (rows + count.0, missed_rows + count.1);
        Ok(())
    })?;
    let (seeds, missed) = (seeds + &seeds::table(), missed::page());
    let pages = [("report.md", &*page), ("seeds.md", &*seeds), ("missed.md", &*missed)];
    let files = session.finish(if options.report { &pages } else { &[] })?;
    tell(&wrote(&files))?;
    let is_all = options.names.iter().any(|n| n == "all");
    let is_omitted = |e: &&'static Experiment| is_all && chosen.iter().all(|c| c.name != e.name);
    let omitted: Vec<&str> = all(catalogue).filter(is_omitted).map(|e| e.name).collect();
    if !omitted.is_empty() {
        let names = omitted.join(" ");
        tell(&format!("\nnot run, minutes each: touchback lab {names}\n"))?;
    }
    if of_inputs > 0 {
        tell(&format!("\n{of_inputs} rows are fitted or given: inputs decide their values\n"))?;
    }
    let note = match without_cause {
        0 => String::new(),
        _ => format!("; {without_cause} missed targets have no recorded cause"),
    };
    if rows > 0 {
        tell(&format!("\n{} of {rows} targets met{note}\n", rows - missed_rows))?;
    }
    if options.json {
        output::print(&format!("[\n{}\n]\n", records.join(",\n")))?;
    }
    if options.strict && missed_rows > 0 {
        return Err(Missed { missed: missed_rows, rows }.into());
    }
    Ok(())
}

/// For an experiment with numbers of its own: keys of the standard piano, marked with those of `set` (`ID=VALUE`) that
/// are not usual.
fn numbered(experiment: &Experiment, set: &[String]) -> Result<Option<KeySource>> {
    let Work::Numbered { numbers, .. } = experiment.run.usual() else { return Ok(None) };
    let changed = Numbers::chosen(numbers, set)
        .with_context(|| format!("lab {}", experiment.name))?
        .changed();
    KeySource::of(&touchback_instrument::Settings::default(), None, None, changed).map(Some)
}

/// Whether the experiment `name` takes numbers of its own.
#[must_use]
pub fn takes_numbers(name: &str) -> bool {
    EXPERIMENTS.iter().any(|e| e.name == name && matches!(e.run.usual(), Work::Numbered { .. }))
}

/// Runs the experiment `name` with numbers of its own, each as `ID=VALUE`, and writes its data and figures into the
/// existing folder `path`.
///
/// # Errors
/// As [`one`]; no such number, or a value out of its range.
pub fn one_with_numbers(name: &str, set: &[String], path: &Path) -> Result<Report> {
    let experiment = named(name)?;
    let keys = numbered(experiment, set)?.unwrap_or_default();
    run_one(experiment, &runner::Options { keys: &keys, count: None, numbers: set, path })
}

/// The experiment `name`.
fn named(name: &str) -> Result<&'static Experiment> {
    let found = EXPERIMENTS.iter().find(|e| e.name == name);
    found.with_context(|| format!("{name}: no such experiment; `touchback lab list` names them"))
}

/// Runs the experiment `name` on `keys` and writes its data and figures into the existing folder `path`. Missed
/// targets of the standard piano have their causes. `count` is the number of systems, where the experiment has
/// one.
///
/// # Errors
/// An unknown name, keys that the experiment does not accept, a file that cannot be written.
pub fn one(name: &str, keys: &KeySource, count: Option<u32>, path: &Path) -> Result<Report> {
    let experiment = named(name)?;
    let is_of_piano = keys.action().is_some() && keys.one(0) == 0;
    if let Some([_, words]) = refused(experiment, keys.own_numbers().is_none(), is_of_piano) {
        bail!("{name} takes no {words}; these do: {}", takers(STANDARD));
    }
    run_one(experiment, &runner::Options { keys, count, numbers: &[], path })
}

fn run_one(experiment: &Experiment, options: &runner::Options<'_>) -> Result<Report> {
    let mut outcome = None;
    runner::run(&[experiment], options, |_, ExperimentResult { mut report, folder, .. }| {
        explain(&mut report, experiment.name, options.keys);
        folder.keep()?;
        outcome = Some(report);
        Ok(())
    })?;
    outcome.with_context(|| experiment.name.to_owned())
}

/// Adds the causes of missed targets to `report`, which hold for the standard piano only. Returns the number of
/// those without a known cause.
fn explain(report: &mut Report, name: &str, keys: &KeySource) -> usize {
    match keys.own_numbers() {
        None => missed::explain(name, report),
        Some(_) => 0,
    }
}

/// Name and description of each experiment.
pub fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
    EXPERIMENTS.iter().map(|e| (e.name, e.about))
}

/// With `--strict`: at least one target was missed.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("{missed} of {rows} targets missed")]
pub struct Missed {
    missed: usize,
    rows: usize,
}

/// The text of `lab list`: every experiment with its description, and every system of the source
/// documents with the experiment that reproduces it.
fn list(catalogue: Catalogue) -> String {
    let width = all(catalogue).map(|e| e.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for e in all(catalogue) {
        let long = if e.kind == ExperimentKind::Long { " Takes minutes: not in all." } else { "" };
        text += &format!("{:width$}  {}{long}\n", e.name, e.about);
    }
    text + "\nSystems and figures of the source documents (000, 001: Gillespie 1996; 002: 1994; 003: \
            1993; 004: Tsai 1996)\n\n"
        + &seeds::list()
}

/// The experiments as a JSON array.
fn json_list(catalogue: Catalogue) -> String {
    let entry = |e: &Experiment| {
        let is_long = e.kind == ExperimentKind::Long;
        serde_json::json!({ "name": e.name, "about": e.about, "seconds": e.seconds, "is_in_all": !is_long })
    };
    format!("{:#}\n", serde_json::Value::Array(all(catalogue).map(entry).collect()))
}

/// The named experiments, each once, in catalogue order; `all` selects those that do not take
/// minutes.
fn choose(names: &[String], catalogue: Catalogue) -> Result<Vec<&'static Experiment>> {
    for name in names {
        if name != "all" && all(catalogue).all(|e| e.name != name) {
            let near = near::suggestion(name, all(catalogue).map(|e| e.name));
            bail!("lab {name}: no such experiment{near}; `touchback lab list` names them");
        }
    }
    let wanted = |e: &&'static Experiment| {
        names.iter().any(|n| n == e.name || n == "all" && e.kind != ExperimentKind::Long)
    };
    Ok(all(catalogue).filter(wanted).collect())
}

/// Checks that `experiment` accepts the options in `own`.
///
/// # Errors
/// Names the experiment, the options that it does not accept, and the experiments that accept them.
fn check_own_numbers(
    experiment: &Experiment,
    own: &OwnNumbers,
    catalogue: Catalogue,
) -> Result<()> {
    if own.has_mechanism() {
        if matches!(experiment.run, Work::Any { .. }) {
            return Ok(());
        }
        let any = all(catalogue).filter(|e| matches!(e.run, Work::Any { .. }));
        let names = any.map(|e| e.name).collect::<Vec<_>>().join(", ");
        bail!("lab {} takes no --mechanism; these do: {names}", experiment.name);
    }
    match refused(experiment, own.is_empty(), own.is_of_piano()) {
        None => Ok(()),
        Some([options, _]) => {
            bail!("lab {} takes no {options}; these do: {}", experiment.name, takers(catalogue))
        }
    }
}

/// What `experiment` does not accept of keys that are not the standard piano's, or are one key instead of a piano:
/// as options and in words.
const fn refused(
    experiment: &Experiment,
    is_standard: bool,
    is_of_piano: bool,
) -> Option<[&'static str; 2]> {
    match experiment.run.usual() {
        Work::Numbered { .. } if !is_standard => {
            Some(["--preset, --model, --key", "settings, model or key"])
        }
        Work::Fixed(_) | Work::Counted { .. } if !is_standard => {
            Some(["--preset, --set, --model, --key", "settings, model or key"])
        }
        Work::Piano(_) if !is_of_piano => Some(["--model, --key", "model or key"]),
        _ => None,
    }
}

/// The experiments that accept everything.
fn takers(catalogue: Catalogue) -> String {
    let is_keys = |e: &&'static Experiment| matches!(e.run.usual(), Work::Keys(_));
    all(catalogue).filter(is_keys).map(|e| e.name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_single_words_and_all_means_all() {
        let all = choose(&["all".into()], STANDARD).unwrap();
        let short = EXPERIMENTS.iter().filter(|e| e.kind != ExperimentKind::Long).count();
        assert_eq!(all.len(), short);
        assert_eq!(choose(&["all".into(), "haptics".into()], STANDARD).unwrap().len(), short + 1);
        for e in EXPERIMENTS {
            assert!(e.about.ends_with('.') && !e.about.contains('\n'));
            assert!(e.name.chars().all(|c| c.is_ascii_lowercase() || c == '-'));
            assert_eq!(choose(&[e.name.into(), e.name.into()], STANDARD).unwrap().len(), 1);
        }
        let error = choose(&["all".into(), "nothing".into()], STANDARD).unwrap_err().to_string();
        assert!(error.contains("lab nothing: no such experiment"));
    }

    #[test]
    fn an_experiment_is_in_the_file_of_its_name() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/experiment");
        for e in EXPERIMENTS {
            let file = format!("{folder}/{}.rs", e.name.replace('-', "_"));
            assert!(std::fs::exists(&file).unwrap(), "{file}");
        }
    }
}
