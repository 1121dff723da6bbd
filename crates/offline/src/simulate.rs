//! `touchback simulate`: one key under one gesture, step by step; writes data and a figure.

pub mod balance;
mod batch;
mod figure;
mod forces;
pub mod numbers;
pub mod plants;
mod step_comparison;
mod stream;
mod take;

use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};

use balance::Balance;
use forces::Forces;
use step_comparison::Trace;

use crate::gesture::{Gesture, KeyView};
use crate::output::{self, Draft, Shown as _, progress};
use crate::paths::{BatchFolder, InputPath, OutputFile, OutputFileOrFolder};
use crate::{controls, plot};
use touchback_action::interface::elements::Elements;
use touchback_action::interface::readout::Table;
use touchback_action::{ActionKind, Drive, Key, Readout, TimedEvent, step_time};
use touchback_core::math::compass::KeyNumber;
use touchback_haptics::record::recording::Recording;
use touchback_instrument::Settings;
use touchback_instrument::host::mechanism;

/// Least length of a gesture with a progress bar, steps: 10 s.
const LONG: usize = 80_000;

/// Options of `touchback simulate`.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct SimulateOptions {
    /// Gesture: CSV (t_s and one of key_m, force_n, finger_m, d_rad) or TOML; or a servo's log from
    /// `touchback feel --log`, replayed bit for bit
    #[arg(value_name = "GESTURE", required_unless_present_any = ["batch", "stdin"])]
    gesture: Option<InputPath>,
    /// Simulates every gesture of a folder on all cores; -o and --events then name folders, and a
    /// table of the strikes goes to stdout
    #[arg(long, value_name = "DIR", conflicts_with_all = ["gesture", "plot"])]
    batch: Option<BatchFolder>,
    /// Reads t_s and one of key_m, force_n, finger_m, d_rad from standard input and writes one row of
    /// the run to standard output for each line
    #[arg(long, conflicts_with_all = ["gesture", "batch", "plot", "output"])]
    stdin: bool,
    /// Writes the run to standard output instead of a file (-o)
    #[arg(long, conflicts_with_all = ["batch", "output", "stdin"])]
    stdout: bool,
    /// Action of the key, by name or as FILE.mechanism.toml [default: grand; a log names its own]
    #[arg(long, value_name = "NAME")]
    action: Option<String>,
    /// Action of the key from a file that describes the mechanism
    #[arg(long, value_name = "FILE.mechanism.toml", conflicts_with_all = ["action", "model"])]
    mechanism: Option<InputPath>,
    /// Key dimensions and masses from a file written by `touchback model export`
    #[arg(long, value_name = "FILE.toml")]
    model: Option<InputPath>,
    /// Key, 1 to 88 or A0 to C8 [default: 40; for a log, its first touched key]
    #[arg(long, value_name = "KEY", value_parser = controls::key_number)]
    key: Option<u8>,
    /// Sets a parameter: a number in its unit, or a choice by name (repeatable)
    #[arg(long, value_name = "ID=VALUE")]
    set: Vec<String>,
    /// Offsets of single keys: a sheet with a column `key` and any of let_off_mm, drop_mm, …
    #[arg(long, value_name = "SHEET.csv")]
    keys: Option<InputPath>,
    /// Writes one row per action step: state, forces, energies, heat of each friction element
    #[arg(short, long, value_name = "RUN.csv")]
    output: Option<OutputFileOrFolder>,
    /// Writes the events with their times, as JSON or as CSV
    #[arg(long, value_name = "E.json|E.csv")]
    events: Option<OutputFileOrFolder>,
    /// Writes force and heat of every contact, spring and friction element, one row per action step
    #[arg(long, value_name = "FORCES.csv", conflicts_with = "stdin")]
    forces: Option<OutputFileOrFolder>,
    /// Draws key, hammer, speeds and forces (.png or .svg)
    #[arg(long, value_name = "F.png")]
    plot: Option<OutputFile>,
    /// Prints the events as JSON; with --batch the table of the strikes as a JSON array
    #[arg(long, conflicts_with_all = ["stdin", "stdout", "step_us"])]
    json: bool,
    /// Integrates in steps of 125 µs divided by a whole number, as 62.5, and prints what they change
    #[arg(long, value_name = "US", conflicts_with_all = ["batch", "stdin", "stdout"])]
    step_us: Option<f64>,
}

/// Simulates; without an output option, prints the events as CSV.
///
/// # Errors
/// A bad option or input, or a file that cannot be written: then no file is written.
/// [`balance::Unbalanced`] after all files are written.
pub fn run(options: &SimulateOptions) -> Result<()> {
    let settings = settings(options)?;
    if options.action.is_some() || options.mechanism.is_some() {
        controls::warn_idle(&settings, &options.set);
    }
    if let Some(folder) = &options.batch {
        return batch::run(options, folder);
    }
    if options.stdin {
        return streamed(options);
    }
    let gesture = options.gesture.as_deref().context("a gesture is missing")?;
    let simulated = one(options, gesture)?;
    if let Some(step_us) = options.step_us {
        let play = SimulateOptions { step_us: None, ..options.clone() };
        let mut source = GestureSource::open(&play, gesture)?;
        let mut trace = Trace::default();
        let events = source.play(|_, readout, _| {
            trace.push(readout);
            Ok(())
        })?;
        let fine = (simulated.events, simulated.trace);
        output::print(&step_comparison::table(&fine, &(events, trace), step_us)?)?;
        return simulated.balance.map_err(Into::into);
    }
    let files = [&options.output, &options.events, &options.forces];
    let writes = options.stdout || options.plot.is_some() || files.iter().any(|f| f.is_some());
    if options.json {
        output::print(&format!("{:#}\n", events_json(&simulated.events)))?;
    } else if !writes {
        output::print(&events_csv(&simulated.events))?;
    }
    simulated.balance.map_err(Into::into)
}

/// Settings of the options, with the mechanism of a file if they name one.
fn settings(options: &SimulateOptions) -> Result<Settings> {
    let mut settings = Settings::default();
    let named = options.action.as_deref().filter(|name| mechanism::is_named(name));
    let file = named.map(Path::new).or(options.mechanism.as_deref());
    controls::mechanism(&mut settings, file)?;
    if let Some(kind) = options.action.as_deref().and_then(ActionKind::named) {
        settings.action.action = kind;
    }
    let action = settings.action.action;
    controls::set(&mut settings, &options.set)?;
    controls::keys(&mut settings, options.keys.as_deref())?;
    if settings.action.action != action {
        bail!("--set action: one key is given its action by --action NAME");
    }
    Ok(settings)
}

/// Simulates a gesture from standard input and writes its run to standard output.
fn streamed(options: &SimulateOptions) -> Result<()> {
    let draft = options.events.as_deref().map(Draft::create).transpose()?;
    let simulated = stream::run(options, std::io::stdin().lock(), output::Stdout::locked())?;
    if let Some(draft) = draft {
        write_events(&draft, &simulated.events)?;
        draft.keep()?;
    }
    simulated.balance.map_err(Into::into)
}

/// The result of one gesture.
struct Simulated {
    /// The events.
    events: Vec<TimedEvent>,
    /// The quantities that are compared with another step.
    trace: Trace,
    /// The check of the energy balance.
    balance: Result<(), balance::Unbalanced>,
}

/// Simulates one gesture; writes its files whether or not the energy balance closes.
fn one(options: &SimulateOptions, gesture: &Path) -> Result<Simulated> {
    if let Some(path) = &options.plot {
        plot::format_of(path)?;
    }
    let mut source = GestureSource::open(options, gesture)?;

    let run_draft = options.output.as_deref().map(Draft::create).transpose()?;
    let events_draft = options.events.as_deref().map(Draft::create).transpose()?;
    let plot_draft = options.plot.as_deref().map(Draft::create).transpose()?;
    let forces_draft = options.forces.as_deref().map(Draft::create).transpose()?;

    let out: Option<Box<dyn Write + '_>> = match &run_draft {
        Some(draft) => Some(Box::new(draft.writer()?)),
        None if options.stdout => Some(Box::new(BufWriter::new(output::Stdout::locked()))),
        None => None,
    };
    let mut table = out.map(Table::new);
    let mut forces = match &forces_draft {
        Some(draft) => Some(Forces::new(draft.writer()?)),
        None => None,
    };
    let (mut traces, mut balance) = (figure::Traces::default(), Balance::default());
    let mut trace = Trace::default();
    let events = source.play(|time, readout, elements| {
        balance.push(readout);
        if options.step_us.is_some() {
            trace.push(readout);
        }
        if plot_draft.is_some() {
            traces.push(time, readout);
        }
        if let Some(forces) = &mut forces {
            forces.row(time, &elements()).with_context(not_written(&forces_draft))?;
        }
        table
            .as_mut()
            .map_or(Ok(()), |t| t.row(time, readout))
            .with_context(not_written(&run_draft))
    });
    let events = events.map_err(|error| with_cause(error, options, gesture))?;
    table.map_or(Ok(()), |t| t.finish().map(drop)).with_context(not_written(&run_draft))?;
    forces.map_or(Ok(()), Forces::finish).with_context(not_written(&forces_draft))?;
    if let Some(draft) = &events_draft {
        write_events(draft, &events)?;
    }
    if let Some(draft) = &plot_draft {
        plot::draw(&traces.figure(&source.title(), &events), draft)?;
    }
    for draft in [run_draft, events_draft, plot_draft, forces_draft].into_iter().flatten() {
        draft.keep()?;
    }
    let balance = match source {
        // A log restarts after each gap, so its energies do not add up across gaps.
        GestureSource::Recording(..) => Ok(()),
        GestureSource::Gesture(..) => balance.check(),
    };
    Ok(Simulated { events, trace, balance })
}

/// The message that `draft`, or standard output, cannot be written.
fn not_written(draft: &Option<Draft>) -> impl FnOnce() -> String {
    move || {
        let target = draft.as_ref().map_or(Path::new("standard output"), Draft::target);
        format!("{}: cannot write", target.shown())
    }
}

/// The state is no longer finite from this time on, s.
#[derive(Debug)]
struct Lost(f64);

impl std::fmt::Display for Lost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the action lost its state at {} s", self.0)
    }
}

impl std::error::Error for Lost {}

/// `error` with the cause of a lost state: the gesture if the action's standard model loses the state
/// too, else the given model.
fn with_cause(error: anyhow::Error, options: &SimulateOptions, gesture: &Path) -> anyhow::Error {
    if !error.is::<Lost>() {
        return error;
    }
    let own = SimulateOptions { model: None, ..options.clone() };
    let holds = options.model.as_deref().is_some_and(|path| {
        let named = plants::name_of(path);
        let own = SimulateOptions { action: named.ok().or(own.action.clone()), ..own };
        GestureSource::open(&own, gesture).and_then(|mut own| own.play(|_, _, _| Ok(()))).is_ok()
    });
    let fault = match (&options.model, holds) {
        (Some(path), true) => {
            format!("the numbers of {} are at fault: the action's own hold", path.shown())
        }
        _ => format!("{}: no action can follow this gesture", gesture.shown()),
    };
    error.context(fault)
}

/// The key numbered `key`, 1 to 88.
fn number(key: u8) -> Result<KeyNumber> {
    KeyNumber::from_index(usize::from(key).saturating_sub(1))
        .with_context(|| format!("--key {key}: keys count from 1 to 88"))
}

/// The key that the options describe, at rest, with its number and a title.
fn mechanism_of(options: &SimulateOptions) -> Result<(Box<dyn Key>, KeyNumber, String)> {
    let settings = settings(options)?;
    let key = number(options.key.unwrap_or(40))?;
    if let Some(file) = &*settings.action.mechanism {
        return Ok((file.key(key), key, format!("{}, key {}", file.title(), key.number())));
    }
    let action = options.action.as_deref().unwrap_or("grand");
    let mechanism = plants::start(action, key, &settings, options.model.as_deref())?;
    Ok((mechanism, key, format!("{action}, key {}", key.number())))
}

/// The source of a key's motion.
enum GestureSource {
    /// A gesture on a key of an action.
    Gesture(Gesture, Box<dyn Key>, KeyNumber, String),
    /// One key of a servo's log.
    Recording(Recording, KeyNumber),
}

impl GestureSource {
    fn open(options: &SimulateOptions, gesture: &Path) -> Result<Self> {
        if !output::is_stdin(gesture) && Recording::is_at(gesture) {
            let own = |is_given: bool, name: &str| match is_given {
                false => Ok(()),
                true => Err(anyhow!("--{name}: a servo's log has its own; leave it out")),
            };
            own(options.action.is_some(), "action")?;
            own(options.mechanism.is_some(), "mechanism")?;
            own(options.model.is_some(), "model")?;
            own(!options.set.is_empty(), "set")?;
            own(options.keys.is_some(), "keys")?;
            own(options.step_us.is_some(), "step-us")?;
            let take = Recording::open(gesture)?;
            let key = match (options.key, take.first_key()) {
                (Some(key), _) => number(key)?,
                (None, Some(key)) => key,
                (None, None) => bail!("{}: no key was touched", gesture.shown()),
            };
            if !take.touches(key) {
                let file = gesture.shown();
                bail!("--key {}: {file} does not touch it", key.number());
            }
            take.action()?;
            return Ok(Self::Recording(take, key));
        }
        let gesture = Gesture::open(gesture)?;
        let (mut mechanism, key, title) = mechanism_of(options)?;
        if let Some(step_us) = options.step_us {
            mechanism.refine(step_comparison::parts(step_us)?);
        }
        Ok(Self::Gesture(gesture, mechanism, key, title))
    }

    /// Plays it; `each` receives the time, s, the readings after every step, and a function that computes the
    /// elements.
    fn play(
        &mut self,
        mut each: impl FnMut(f64, &Readout, &dyn Fn() -> Elements) -> Result<()>,
    ) -> Result<Vec<TimedEvent>> {
        let each = |time: f64, key: &dyn Key, drive: Drive| {
            each(time, &key.readout(drive), &|| key.elements(drive))
        };
        match self {
            Self::Gesture(gesture, mechanism, key, _) => {
                play_key(gesture, mechanism.as_mut(), *key, each)
            }
            Self::Recording(take, key) => take::play(take, *key, each),
        }
    }

    fn title(&self) -> String {
        match self {
            Self::Gesture(.., title) => title.clone(),
            Self::Recording(take, key) => {
                let action = take.action().unwrap_or_default().name();
                format!("{action} as it was felt, key {}", key.number())
            }
        }
    }
}

/// The figure of `gesture` on a key, for reports; writes no files.
///
/// # Errors
/// Errors of [`play`].
pub fn figure_of(
    gesture: &mut Gesture,
    mechanism: &mut dyn Key,
    key: KeyNumber,
    title: &str,
) -> Result<plot::Figure> {
    let mut traces = figure::Traces::default();
    let events = play(gesture, mechanism, key, |time, readout| {
        traces.push(time, readout);
        Ok(())
    })?;
    Ok(traces.figure(title, &events))
}

/// Plays `gesture` on a key; `each` receives the time, s, and the state after every step.
///
/// # Errors
/// Errors of `each`, and a state that is no longer finite.
pub fn play(
    gesture: &mut Gesture,
    mechanism: &mut dyn Key,
    key: KeyNumber,
    mut each: impl FnMut(f64, &Readout) -> Result<()>,
) -> Result<Vec<TimedEvent>> {
    play_key(gesture, mechanism, key, |time, key, drive| each(time, &key.readout(drive)))
}

/// [`play`] with the key and its drive after every step.
///
/// # Errors
/// Errors of [`play`].
pub fn play_key(
    gesture: &mut Gesture,
    mechanism: &mut dyn Key,
    key: KeyNumber,
    mut each: impl FnMut(f64, &dyn Key, Drive) -> Result<()>,
) -> Result<Vec<TimedEvent>> {
    let mut events = Vec::new();
    let mut front = KeyView::of(mechanism);
    let is_long = gesture.steps() > LONG;
    let bar = is_long.then(|| progress(gesture.steps() as u64, "simulating"));
    for (index, step) in (0..gesture.steps()).zip(0u64..) {
        let drive = gesture.drive(index, front);
        mechanism.step(drive, &mut |offset, event| {
            events.push(TimedEvent { key, step, offset, event });
        });
        front = KeyView::of(mechanism);
        let time = step_time(step + 1);
        if !front.depth.is_finite() {
            return Err(Lost(time).into());
        }
        each(time, &*mechanism, drive)?;
        if step % 4096 == 0 {
            bar.iter().for_each(|bar| bar.set_position(step));
        }
    }
    bar.iter().for_each(|bar| bar.finish_and_clear());
    Ok(events)
}

/// Writes the events file: CSV where its name ends so, else JSON.
fn write_events(draft: &Draft, events: &[TimedEvent]) -> Result<()> {
    let ending = draft.target().extension().unwrap_or_default();
    if ending.eq_ignore_ascii_case("csv") {
        return Ok(draft.write_all(events_csv(events).as_bytes())?);
    }
    let mut text = serde_json::to_vec_pretty(&events_json(events))?;
    text.push(b'\n');
    Ok(draft.write_all(&text)?)
}

/// The events as a table.
fn events_csv(events: &[TimedEvent]) -> String {
    let line = |e: &TimedEvent| {
        format!("{:?},{},{:?}\n", e.time(), e.event.kind().name(), e.event.value())
    };
    let lines: String = events.iter().map(line).collect();
    format!("time_s,kind,value\n{lines}")
}

/// The events as the events file has them.
fn events_json(events: &[TimedEvent]) -> serde_json::Value {
    let entry = |e: &TimedEvent| {
        let (kind, value) = (e.event.kind().name(), e.event.value());
        let unit = e.event.kind().unit();
        serde_json::json!({ "kind": kind, "time_s": e.time(), "value": value, "unit": unit })
    };
    serde_json::json!({ "events": events.iter().map(entry).collect::<Vec<_>>() })
}

#[cfg(test)]
mod tests;
