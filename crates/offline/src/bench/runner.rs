//! Runs experiments: computed ones in parallel, one per core; timed ones alone.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Instant;

use anyhow::{Context, Result};

use super::folder::Folder;
use super::key_source::KeySource;
use super::report::Report;
use touchback_core::exchange::cancel;
use touchback_core::text::numbers::{Number, Numbers};
use touchback_instrument::Settings;

/// How an experiment runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExperimentKind {
    /// The result is the same on any machine: runs in parallel with others.
    Computed,
    /// Measures time: runs alone.
    Timed,
    /// Measures time and takes minutes: runs alone, and not in `all`.
    Long,
}

/// One experiment.
#[derive(Debug)]
pub struct Experiment {
    /// Name on the command line.
    pub name: &'static str,
    /// Description in one sentence.
    pub about: &'static str,
    /// How it runs.
    pub kind: ExperimentKind,
    /// What is compared with what, in a few sentences.
    pub detail: &'static str,
    /// Approximate duration of a release build on a processor of 2020, s.
    pub seconds: f64,
    /// The function that runs it and writes data and figures into the folder.
    pub run: Work,
}

/// An experiment's function, by the options that it accepts.
#[derive(Clone, Copy, Debug)]
pub enum Work {
    /// Systems of its own: accepts no options.
    Fixed(fn(&mut Folder) -> Result<Report>),
    /// Systems of its own, as many as the option `--count` says, or `usual`.
    Counted {
        /// The function.
        run: fn(&mut Folder, u32) -> Result<Report>,
        /// The number without the option.
        usual: u32,
    },
    /// Systems of its own: accepts numbers of its own by `--set`.
    Numbered {
        /// The function.
        run: fn(&mut Folder, &Numbers) -> Result<Report>,
        /// The numbers.
        numbers: &'static [Number],
    },
    /// A whole piano: accepts settings.
    Piano(fn(&mut Folder, &Settings) -> Result<Report>),
    /// Keys of the grand: accepts settings, key and model.
    Keys(fn(&mut Folder, &KeySource) -> Result<Report>),
    /// As `usual`, or with [`KeySource::mechanism`] keys of a mechanism from a file by a function of its own.
    Any {
        /// Without a mechanism.
        usual: &'static Self,
        /// With one.
        of_mechanism: fn(&mut Folder, &KeySource) -> Result<Report>,
    },
}

impl Work {
    /// What runs without a mechanism from a file.
    #[must_use]
    pub const fn usual(&self) -> &Self {
        match self {
            Self::Any { usual, .. } => usual,
            usual => usual,
        }
    }
}

/// The result of one experiment.
#[derive(Debug)]
pub struct ExperimentResult {
    /// The report.
    pub report: Report,
    /// The files, still drafts.
    pub folder: Folder,
    /// Duration, s.
    pub seconds: f64,
}

/// Options of the experiments.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// Piano and keys.
    pub keys: &'a KeySource,
    /// Number of systems of [`Work::Counted`].
    pub count: Option<u32>,
    /// Numbers of [`Work::Numbered`], each as `ID=VALUE`.
    pub numbers: &'a [String],
    /// Folder of the files.
    pub path: &'a Path,
}

/// Runs one experiment; its files appear in the folder when its [`Folder`] is kept.
fn one(experiment: &Experiment, options: &Options<'_>) -> Result<ExperimentResult> {
    let begin = Instant::now();
    let keys = options.keys;
    let mut folder = Folder::of(options.path, keys.own_numbers());
    let work = match (&experiment.run, keys.mechanism()) {
        (Work::Any { of_mechanism, .. }, Some(_)) => &Work::Keys(*of_mechanism),
        (work, _) => work.usual(),
    };
    let report = match *work {
        Work::Fixed(run) => run(&mut folder),
        Work::Counted { run, usual } => run(&mut folder, options.count.unwrap_or(usual)),
        Work::Numbered { run, numbers } => {
            run(&mut folder, &Numbers::chosen(numbers, options.numbers)?)
        }
        Work::Piano(run) => run(&mut folder, keys.settings()),
        Work::Keys(run) | Work::Any { of_mechanism: run, .. } => run(&mut folder, keys),
    };
    let report = report.with_context(|| format!("experiment {}", experiment.name))?;
    Ok(ExperimentResult { report, folder, seconds: begin.elapsed().as_secs_f64() })
}

/// Runs `chosen` with `options` and passes each result to `report`: computed experiments first, each group in
/// the given order. Results do not depend on the other experiments.
///
/// # Errors
/// The first error of an experiment or of `report`; no further experiment is started.
pub fn run(
    chosen: &[&Experiment],
    options: &Options<'_>,
    mut report: impl FnMut(&Experiment, ExperimentResult) -> Result<()>,
) -> Result<()> {
    let (computed, alone): (Vec<&Experiment>, Vec<&Experiment>) =
        chosen.iter().copied().partition(|e| e.kind == ExperimentKind::Computed);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let (send, receive) = mpsc::channel();
    std::thread::scope(|scope| {
        let mut workers = Vec::new();
        for _ in 0..cores.min(computed.len()) {
            let send = send.clone();
            let (next, computed) = (&next, &computed);
            workers.push(scope.spawn(cancel::inherit(move || {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(experiment) = computed.get(i) else { break };
                    if send.send((i, one(experiment, options))).is_err() {
                        break;
                    }
                }
            })));
        }
        drop(send);
        let outcome = in_order(&receive, |i, result| report(computed[i], result));
        if outcome.is_err() {
            next.store(computed.len(), Ordering::Relaxed);
        }
        for worker in workers {
            if let Err(panic) = worker.join() {
                std::panic::resume_unwind(panic);
            }
        }
        outcome
    })?;
    for experiment in alone {
        report(experiment, one(experiment, options)?)?;
    }
    Ok(())
}

/// Passes received results to `report` in the order of their numbers from 0.
fn in_order<T>(
    receive: &mpsc::Receiver<(usize, Result<T>)>,
    mut report: impl FnMut(usize, T) -> Result<()>,
) -> Result<()> {
    let (mut waiting, mut due) = (BTreeMap::new(), 0);
    for (i, found) in receive {
        waiting.insert(i, found);
        while let Some(found) = waiting.remove(&due) {
            report(due, found?)?;
            due += 1;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_reported_in_order_up_to_the_first_error() {
        let (send, receive) = mpsc::channel();
        for i in [2, 0, 3, 1] {
            send.send((i, if i == 3 { Err(anyhow::anyhow!("three")) } else { Ok(i) })).unwrap();
        }
        drop(send);
        let mut reported = Vec::new();
        let ended = in_order(&receive, |i, found| {
            reported.push((i, found));
            Ok(())
        });
        assert_eq!(reported, [(0, 0), (1, 1), (2, 2)]);
        assert_eq!(ended.unwrap_err().to_string(), "three");
    }
}
