//! Runs experiments: those that only compute one on each core, those that look at the clock alone.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Instant;

use anyhow::{Context, Result};

use super::folder::Folder;
use super::key_source::KeySource;
use super::report::Report;
use touchback_instrument::Settings;

/// How an experiment is run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExperimentKind {
    /// Gives the same on any machine: beside others, one on each core.
    Computed,
    /// Looks at the clock: alone.
    Timed,
    /// The same, and takes minutes: by its name only.
    Long,
}

/// One experiment.
#[derive(Debug)]
pub struct Experiment {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it finds out, in a sentence.
    pub about: &'static str,
    /// How it is run.
    pub kind: ExperimentKind,
    /// What it compares with what, in a few sentences.
    pub detail: &'static str,
    /// About how long it takes, built for release, on a processor of 2020, s.
    pub seconds: f64,
    /// Does it, writing data and figures into the folder.
    pub run: Work,
}

/// An experiment's work, and what it can be done on.
#[derive(Clone, Copy, Debug)]
pub enum Work {
    /// On systems of its own: numbers of one's own make no sense.
    Fixed(fn(&mut Folder) -> Result<Report>),
    /// On a whole piano: its settings can be one's own.
    Piano(fn(&mut Folder, &Settings) -> Result<Report>),
    /// On keys of the grand: settings, key and model can be one's own.
    Keys(fn(&mut Folder, &KeySource) -> Result<Report>),
}

/// What one experiment came to.
#[derive(Debug)]
pub struct ExperimentResult {
    /// What it found.
    pub report: Report,
    /// Its files, not yet in their places.
    pub folder: Folder,
    /// How long it ran, s.
    pub seconds: f64,
}

/// One experiment, writing to `place` when its folder is kept.
fn one(experiment: &Experiment, keys: &KeySource, place: &Path) -> Result<ExperimentResult> {
    let begin = Instant::now();
    let mut folder = Folder::of(place, keys.told());
    let report = match experiment.run {
        Work::Fixed(run) => run(&mut folder),
        Work::Piano(run) => run(&mut folder, keys.settings()),
        Work::Keys(run) => run(&mut folder, keys),
    };
    let report = report.with_context(|| format!("experiment {}", experiment.name))?;
    Ok(ExperimentResult { report, folder, seconds: begin.elapsed().as_secs_f64() })
}

/// Runs `chosen` on `keys` and hands each to `tell` in the order chosen, the computed ones first. What an
/// experiment finds does not depend on what runs beside it.
///
/// # Errors
/// The first of an experiment or of `tell`; no further experiment is begun then.
pub fn run(
    chosen: &[&Experiment],
    keys: &KeySource,
    place: &Path,
    mut tell: impl FnMut(&Experiment, ExperimentResult) -> Result<()>,
) -> Result<()> {
    let (computed, alone): (Vec<&Experiment>, Vec<&Experiment>) =
        chosen.iter().copied().partition(|e| e.kind == ExperimentKind::Computed);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let (send, receive) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..cores.min(computed.len()) {
            let send = send.clone();
            scope.spawn(|| {
                let send = send;
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(experiment) = computed.get(i) else { break };
                    if send.send((i, one(experiment, keys, place))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(send);
        let told = in_order(&receive, |i, found| tell(computed[i], found));
        if told.is_err() {
            next.store(computed.len(), Ordering::Relaxed);
        }
        told
    })?;
    for experiment in alone {
        tell(experiment, one(experiment, keys, place)?)?;
    }
    Ok(())
}

/// Hands what arrives to `tell` in the order of its numbers from 0.
fn in_order<T>(
    receive: &mpsc::Receiver<(usize, Result<T>)>,
    mut tell: impl FnMut(usize, T) -> Result<()>,
) -> Result<()> {
    let (mut waiting, mut due) = (BTreeMap::new(), 0);
    for (i, found) in receive {
        waiting.insert(i, found);
        while let Some(found) = waiting.remove(&due) {
            tell(due, found?)?;
            due += 1;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_told_in_order_whatever_arrives_first_and_an_error_ends_it() {
        let (send, receive) = mpsc::channel();
        for i in [2, 0, 3, 1] {
            send.send((i, if i == 3 { Err(anyhow::anyhow!("three")) } else { Ok(i) })).unwrap();
        }
        drop(send);
        let mut told = Vec::new();
        let ended = in_order(&receive, |i, found| {
            told.push((i, found));
            Ok(())
        });
        assert_eq!(told, [(0, 0), (1, 1), (2, 2)]);
        assert_eq!(ended.unwrap_err().to_string(), "three");
    }
}
