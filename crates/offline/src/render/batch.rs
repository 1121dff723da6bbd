//! Renders several files side by side: those that are named, those below folders, and those of a list.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::Result;
use serde_json::json;

use super::jobs::{self, Job, with_ending};
use super::ledger::Ledger;
use super::rendering::Rendering;
use super::sound::Format;
use super::{Order, RenderOptions};
use crate::bench::manifest::sha256_of;
use crate::output::{self, NewFolder, Shown as _, escaped};
use crate::paths::OutputFileOrFolder;
use crate::{controls, parallel, paths};

/// No single output files: a batch writes into folders.
const NONE: [&Path; 0] = [];

/// The batch while it runs.
struct Batch<'a> {
    options: &'a RenderOptions,
    order: &'a Order,
    format: Format,
    /// Whether each file is rendered in a pipeline of threads.
    is_ahead: bool,
    ledger: Mutex<Ledger>,
}

/// Renders every input into the folders that the options name. Each file is the same as if it were rendered
/// alone.
///
/// # Errors
/// A bad option; two inputs of one name; after all files, the number of those that could not be rendered.
pub(super) fn run(options: &RenderOptions) -> Result<()> {
    if options.plot.is_some() {
        anyhow::bail!("--plot draws one file; render the files one by one");
    }
    let format = Format::chosen(options, false)?;
    if options.output.extension().is_some_and(|ending| {
        ["wav", "flac"].iter().any(|known| ending.eq_ignore_ascii_case(known))
    }) {
        anyhow::bail!(
            "--output {}: several files are rendered into a folder",
            options.output.shown()
        );
    }
    let all = jobs::all(options)?;
    let part = options.part.map_or((0, 1), |part| (part.number - 1, part.of));
    let jobs: Vec<Job> = all.into_iter().skip(part.0).step_by(part.1).collect();
    let order = Order::of(options)?;
    let folders = folders(options);
    paths::check(&jobs.iter().map(|job| &*job.input).collect::<Vec<_>>(), &NONE, &folders)?;
    let created =
        folders.iter().map(|path| output::new_folder(path)).collect::<Result<Vec<_>>>()?;
    controls::warn_idle(&order.settings, &options.set);
    let ledger = Ledger::open(&options.output, options, &order, format)?;
    // With fewer files than cores each is rendered on several cores.
    let cores = options.jobs.map_or_else(parallel::cores, usize::from);
    let (is_ahead, ledger) = (jobs.len() < cores, Mutex::new(ledger));
    let batch = Batch { options, order: &order, format, is_ahead, ledger };
    let bar = output::progress(jobs.len() as u64, "files");
    let failures = parallel::map_on(cores, &jobs, |job| {
        let failure = batch.render(job).err();
        bar.inc(1);
        failure.map(|error| batch.tell_failure(job, &error))
    });
    bar.finish_and_clear();
    let failed = failures.iter().flatten().count();
    let ledger = batch.ledger.into_inner().unwrap_or_else(PoisonError::into_inner);
    // If every rendering failed, the folders are empty and are removed.
    if !ledger.is_empty() {
        ledger.write()?;
        created.into_iter().for_each(NewFolder::keep);
    }
    if failed > 0 {
        anyhow::bail!("{failed} of {} files could not be rendered", jobs.len());
    }
    Ok(())
}

/// The folders into which outputs are written.
fn folders(options: &RenderOptions) -> Vec<&Path> {
    let RenderOptions { output, strikes, events, stats, motion, .. } = options;
    let others = [strikes, events, stats, motion].map(Option::as_ref);
    [Some(output)].into_iter().chain(others).flatten().map(|path| &**path).collect()
}

impl Batch<'_> {
    /// Renders one file, unless its outputs are there and are to be skipped.
    fn render(&self, job: &Job) -> Result<()> {
        let options = self.options;
        let within = |folder: &Option<OutputFileOrFolder>, ending: &str| {
            folder.as_ref().map(|folder| with_ending(&folder.join(&job.name), ending))
        };
        let sound = with_ending(&options.output.join(&job.name), self.format.ending());
        let strikes = within(&options.strikes, "strikes.csv");
        let events = within(&options.events, "events.csv");
        let stats = within(&options.stats, "stats.json");
        let motion = within(&options.motion, "motion.csv");
        let others = [&strikes, &events, &stats, &motion];
        let others: Vec<&PathBuf> = others.into_iter().flatten().collect();
        let name = escaped(&job.name.to_string_lossy());
        // Of a batch that goes on, a file without a record was not finished.
        let is_done = || {
            let ledger = self.lock();
            sound.is_file()
                && others.iter().all(|path| path.is_file())
                && (ledger.has(&name) || !ledger.goes_on)
        };
        if options.skip_existing && is_done() {
            return self.skip(job, &name, &sound);
        }
        for path in others.into_iter().chain([&sound]) {
            output::new_folder(touchback_core::files::draft::folder(path))?.keep();
        }
        let rendering = Rendering {
            options,
            order: self.order,
            input: &job.input,
            output: &sound,
            format: self.format,
            strikes: strikes.as_deref(),
            events: events.as_deref(),
            stats: stats.as_deref(),
            motion: motion.as_deref(),
            is_alone: false,
            is_ahead: self.is_ahead,
        };
        let rendered = rendering.run()?;
        let (bytes, hash) = sha256_of(&sound)?;
        let mut record = rendered.record();
        record["name"] = name.clone().into();
        record["input_sha256"] = sha256_of(&job.input)?.1.into();
        (record["bytes"], record["sha256"]) = (bytes.into(), hash.into());
        self.lock().add(&name, &record)?;
        let input = job.input.shown();
        let line = if options.json {
            record["input"] = input.into();
            record["output"] = sound.shown().into();
            format!("{record}\n")
        } else {
            rendered.line()
        };
        self.tell(&line)
    }

    /// Reports a file that is rendered already, and records it if it is not.
    fn skip(&self, job: &Job, name: &str, sound: &Path) -> Result<()> {
        if !self.lock().has(name) {
            let (bytes, hash) = sha256_of(sound)?;
            let input = sha256_of(&job.input)?.1;
            let record = json!({
                "name": name, "input_sha256": input, "bytes": bytes, "sha256": hash,
            });
            self.lock().add(name, &record)?;
        }
        let line = match self.options.json {
            true => {
                let (input, output) = (job.input.shown(), sound.shown());
                format!("{}\n", json!({ "input": input, "output": output, "skipped": true }))
            }
            false => format!("is there: {}\n", sound.shown()),
        };
        self.tell(&line)
    }

    /// Prints a line of a file that is done; as JSON it is a result and not quiet.
    fn tell(&self, line: &str) -> Result<()> {
        if self.options.json { output::print(line) } else { output::note(line) }
    }

    /// Reports a file that cannot be rendered.
    fn tell_failure(&self, job: &Job, error: &anyhow::Error) {
        let error = format!("{error:#}");
        output::warn(&format!("error: {error}"));
        if self.options.json {
            let line = json!({ "input": job.input.shown(), "error": error });
            let _ = output::print(&format!("{line}\n"));
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
