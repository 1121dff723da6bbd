//! `touchback lab`: experiments and validations, each a table of targets and measured values.

mod action_cost;
mod action_speeds;
mod agreement;
mod ball;
mod contact;
mod energy;
mod finger;
mod fit;
mod geometry;
mod haptics;
mod haptics_campaign;
mod haptics_cost;
mod instrument_load;
mod key_design;
mod lines;
mod listening;
mod models_ab;
mod seeds;
mod sound;
mod sound_cost;
mod sound_torture;
mod state_graphs;
mod string_law;
mod sweeps;
mod thesis_run;
mod unilateral;
mod validate;
mod wall_damping;
mod wall_display;
mod wall_map;
mod walls;
mod weight_drop;
mod window_cost;

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::bench::Folder;
use crate::bench::manifest::{self, Finished, Manifest};
use crate::bench::record;
use crate::bench::runner::{self, Experiment, ExperimentKind, ExperimentResult};
use crate::output;

/// What to run.
#[derive(clap::Args, Debug)]
pub struct LabOptions {
    /// Experiments by name, `all`, or `list` for the names
    #[arg(value_name = "NAME", required = true)]
    names: Vec<String>,
    /// Also writes the tables and figures as one page, report.md, and the source documents'
    /// systems as one table, seeds.md
    #[arg(long)]
    report: bool,
    /// Exits with 1 where a target is missed
    #[arg(long)]
    strict: bool,
    /// Folder for data and figures
    #[arg(long, value_name = "DIR", default_value = "touchback-lab")]
    out: PathBuf,
}

/// All experiments, in the order in which `all` runs them.
const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "geometry",
        about: "Draws the action's two parameter sets to scale and lists every number with its \
                source.",
        kind: ExperimentKind::Computed,
        run: geometry::run,
    },
    Experiment {
        name: "validate",
        about: "Compares the grand action with published measurements, target by target.",
        kind: ExperimentKind::Computed,
        run: validate::run,
    },
    Experiment {
        name: "fit",
        about: "Shows how well the fitted numbers of the action fit, and prints its tables ready \
                to paste.",
        kind: ExperimentKind::Computed,
        run: fit::run,
    },
    Experiment {
        name: "energy",
        about: "Audits the action's energy: work in, stored, dissipated, and done by moving screws.",
        kind: ExperimentKind::Computed,
        run: energy::run,
    },
    Experiment {
        name: "sweeps",
        about: "Sweeps every regulation of the action under a trill: clicks in dB, strikes, keys that \
                stick.",
        kind: ExperimentKind::Computed,
        run: sweeps::run,
    },
    Experiment {
        name: "thesis-run",
        about: "Runs the published gesture on the published action and compares it with what the \
                thesis states.",
        kind: ExperimentKind::Computed,
        run: thesis_run::run,
    },
    Experiment {
        name: "weight-drop",
        about: "Drops a weight on the key, as the thesis did on a real action, and compares.",
        kind: ExperimentKind::Computed,
        run: weight_drop::run,
    },
    Experiment {
        name: "state-graphs",
        about: "Takes every transition of the actions' state machines and measures what jumps there.",
        kind: ExperimentKind::Computed,
        run: state_graphs::run,
    },
    Experiment {
        name: "ball",
        about: "Compares the events of a bouncing ball, and their order of convergence, with the \
                exact solution.",
        kind: ExperimentKind::Computed,
        run: ball::run,
    },
    Experiment {
        name: "models-ab",
        about: "Repeats the experiment that made a rigid model of the action fail on a coarse \
                encoder and one with springs work.",
        kind: ExperimentKind::Computed,
        run: models_ab::run,
    },
    Experiment {
        name: "agreement",
        about: "Plays twelve gestures on the grand action in two formulations and compares \
                trajectories, strikes and forces.",
        kind: ExperimentKind::Computed,
        run: agreement::run,
    },
    Experiment {
        name: "string-law",
        about: "Compares contact and rebound of the action's own string with the sounding \
                strings, and fits its tables.",
        kind: ExperimentKind::Computed,
        run: string_law::run,
    },
    Experiment {
        name: "contact",
        about: "Compares contact time, peak force and spectrum of the sound engine's hammers, as they \
                are and changed, with independent solutions.",
        kind: ExperimentKind::Computed,
        run: contact::run,
    },
    Experiment {
        name: "sound",
        about: "Measures every target of the sound engine on what it plays: hammer contact, pitch, \
                decay, sympathetic resonance, spectrum, noises, timbre, invariance.",
        kind: ExperimentKind::Computed,
        run: sound::run,
    },
    Experiment {
        name: "listening",
        about: "Renders a fixed set to listen to: scales, repetitions, a trill, pedals, silent \
                keys, the demonstration's piece.",
        kind: ExperimentKind::Computed,
        run: listening::run,
    },
    Experiment {
        name: "walls",
        about: "Bounces a ball on every sampled wall: standard, predictive, placed poles, deadbeat.",
        kind: ExperimentKind::Computed,
        run: walls::run,
    },
    Experiment {
        name: "wall-damping",
        about: "Finds the damping that a sampled wall asks for: marginal, passive, late switching.",
        kind: ExperimentKind::Computed,
        run: wall_damping::run,
    },
    Experiment {
        name: "wall-display",
        about: "Shows a virtual mass by impedance and admittance, over its coupling spring.",
        kind: ExperimentKind::Computed,
        run: wall_display::run,
    },
    Experiment {
        name: "unilateral",
        about: "Compares criteria for one-sided springs in the Nyquist plane with brute force.",
        kind: ExperimentKind::Computed,
        run: unilateral::run,
    },
    Experiment {
        name: "lines",
        about: "Joins bodies by transmission lines: masses, balls, planar joints, a double \
                pendulum.",
        kind: ExperimentKind::Computed,
        run: lines::run,
    },
    Experiment {
        name: "finger",
        about: "Estimates the finger in play and keeps the predictive wall quiet when it stiffens.",
        kind: ExperimentKind::Computed,
        run: finger::run,
    },
    Experiment {
        name: "wall-map",
        about: "Maps the largest quiet stiffness of every wall over sample period and delay.",
        kind: ExperimentKind::Computed,
        run: wall_map::run,
    },
    Experiment {
        name: "sound-cost",
        about: "Times the sound engine in silence and at work, on every kernel, with a hash of \
                its output.",
        kind: ExperimentKind::Timed,
        run: sound_cost::run,
    },
    Experiment {
        name: "action-cost",
        about: "Times the action with one, all and no keys moving, together with a hash of its \
                output.",
        kind: ExperimentKind::Timed,
        run: action_cost::run,
    },
    Experiment {
        name: "action-speeds",
        about: "Times a step of every action and formulation, together with a hash of its output.",
        kind: ExperimentKind::Timed,
        run: action_speeds::run,
    },
    Experiment {
        name: "instrument-load",
        about: "Measures when notes strike and what blocks, decay, starting and memory cost, with \
                a hash of the output.",
        kind: ExperimentKind::Timed,
        run: instrument_load::run,
    },
    Experiment {
        name: "window-cost",
        about: "Times a frame of the window, and what the audio thread does for an open and a \
                closed one.",
        kind: ExperimentKind::Timed,
        run: window_cost::run,
    },
    Experiment {
        name: "sound-torture",
        about: "Ten minutes of all keys, pedals and parameters at five sample rates in odd blocks.",
        kind: ExperimentKind::Long,
        run: sound_torture::run,
    },
    Experiment {
        name: "haptics",
        about: "Compares keys felt through the junction with welded ones, servo with twin, and \
                searches the hardest contact that can be felt.",
        kind: ExperimentKind::Long,
        run: haptics::run,
    },
    Experiment {
        name: "key-design",
        about: "Lists what a motorized key must be to be felt as the grand's, works two designs and \
                draws them to scale.",
        kind: ExperimentKind::Computed,
        run: key_design::run,
    },
    Experiment {
        name: "haptics-campaign",
        about: "Counts what thousands of random faults and strokes do to felt keys.",
        kind: ExperimentKind::Long,
        run: haptics_campaign::run,
    },
    Experiment {
        name: "haptics-cost",
        about: "Times the servo's work, and plays the acceptance stroke by the wall clock.",
        kind: ExperimentKind::Timed,
        run: haptics_cost::run,
    },
];

/// Runs the experiments asked for; exit code and files follow the other commands.
///
/// # Errors
/// An unknown name, before anything runs; a disk that refuses.
pub fn run(options: &LabOptions) -> Result<()> {
    if options.names.iter().any(|n| n == "list") {
        return output::print(&list());
    }
    let chosen = choose(&options.names)?;
    let show = options.out.display();
    std::fs::create_dir_all(&options.out)
        .with_context(|| format!("{show}: cannot make this folder"))?;
    let mut page = format!("# Touchback {} in the laboratory\n", env!("CARGO_PKG_VERSION"));
    let mut seeds = String::from(seeds::HEAD);
    let (mut rows, mut open) = (0, 0);
    let mut manifest = Manifest::of(&options.out);
    runner::run(&chosen, &options.out, |experiment, found| {
        let ExperimentResult { report, mut folder, seconds } = found;
        let (name, about) = (experiment.name, experiment.about);
        folder.write(&format!("{name}.json"), record::json(name, about, &report)?.as_bytes())?;
        let written = folder.keep()?;
        let count = report.count();
        manifest.enter(&Finished { name, about, seconds, count, files: &written })?;
        let heading = format!("\n## {}\n\n{}\n\n", experiment.name, experiment.about);
        let files: String = written.iter().map(|p| format!("wrote {}\n", p.display())).collect();
        output::print(&format!("{heading}{}\n{files}", report.text(false)))?;
        page += &format!("{heading}{}", report.text(true));
        seeds += &report.sourced(experiment.name);
        (rows, open) = (rows + count.0, open + count.1);
        Ok(())
    })?;
    let mut folder = Folder::new(&options.out);
    folder.write(manifest::MANIFEST, manifest.json()?.as_bytes())?;
    folder.write(manifest::README, manifest.page().as_bytes())?;
    if options.report {
        folder.write("report.md", page.as_bytes())?;
        folder.write("seeds.md", (seeds + &seeds::table()).as_bytes())?;
    }
    let written: String =
        folder.keep()?.iter().map(|p| format!("wrote {}\n", p.display())).collect();
    output::print(&written)?;
    let is_all = options.names.iter().any(|n| n == "all");
    let is_left = |e: &&Experiment| is_all && chosen.iter().all(|c| c.name != e.name);
    let left: Vec<&str> = EXPERIMENTS.iter().filter(is_left).map(|e| e.name).collect();
    if !left.is_empty() {
        let names = left.join(" ");
        output::print(&format!("\nleft out, minutes each: touchback lab {names}\n"))?;
    }
    output::print(&format!("\n{} of {rows} targets met\n", rows - open))?;
    if options.strict && open > 0 {
        return Err(Missed { open, rows }.into());
    }
    Ok(())
}

/// Targets were missed where all were to be met.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("{open} of {rows} targets missed")]
pub struct Missed {
    open: usize,
    rows: usize,
}

/// Every experiment with what it finds out, and every system of the source documents with the
/// experiment that shows it.
fn list() -> String {
    let width = EXPERIMENTS.iter().map(|e| e.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for e in EXPERIMENTS {
        let long = if e.kind == ExperimentKind::Long { " Takes minutes: not in all." } else { "" };
        text += &format!("{:width$}  {}{long}\n", e.name, e.about);
    }
    text + "\nSystems and figures of the source documents (000, 001: Gillespie 1996; 002: 1994; 003: \
            1993; 004: Tsai 1996)\n\n"
        + &seeds::list()
}

/// The experiments named, each once, in their own order; `all` are those that do not take minutes.
fn choose(names: &[String]) -> Result<Vec<&'static Experiment>> {
    for name in names {
        if name != "all" && EXPERIMENTS.iter().all(|e| e.name != name) {
            bail!("lab {name}: no such experiment; `touchback lab list` names them");
        }
    }
    let wanted = |e: &&Experiment| {
        names.iter().any(|n| n == e.name || n == "all" && e.kind != ExperimentKind::Long)
    };
    Ok(EXPERIMENTS.iter().filter(wanted).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_single_words_and_all_means_all() {
        let all = choose(&["all".into()]).unwrap();
        let short = EXPERIMENTS.iter().filter(|e| e.kind != ExperimentKind::Long).count();
        assert_eq!(all.len(), short);
        assert_eq!(choose(&["all".into(), "haptics".into()]).unwrap().len(), short + 1);
        for e in EXPERIMENTS {
            assert!(e.about.ends_with('.') && !e.about.contains('\n'));
            assert!(e.name.chars().all(|c| c.is_ascii_lowercase() || c == '-'));
            assert_eq!(choose(&[e.name.into(), e.name.into()]).unwrap().len(), 1);
        }
        let error = choose(&["all".into(), "nothing".into()]).unwrap_err().to_string();
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

    #[test]
    fn every_system_of_the_source_documents_is_shown_by_an_experiment_or_has_a_reason() {
        let list = list();
        for system in seeds::SYSTEMS {
            assert!(list.contains(system.place) && list.contains(system.what), "{system:?}");
            match system.shown {
                seeds::ShownBy::By(names) => {
                    let is_there =
                        |name: &&'static str| EXPERIMENTS.iter().any(|e| e.name == *name);
                    assert!(!names.is_empty() && names.iter().all(is_there), "{system:?}");
                }
                seeds::ShownBy::Not(why) => assert!(why.len() > 20, "{system:?}"),
            }
        }
    }
}
