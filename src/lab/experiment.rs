//! `touchback lab`: experiments and validations, each a table of targets and measured values.

mod action_speeds;
mod agreement;
mod bouncing;
mod contact;
mod cost;
mod energy;
mod fit;
mod folder;
mod geometry;
mod haptics;
mod instrument_load;
mod listening;
mod models_ab;
mod report;
mod rig;
mod seeds;
mod sound;
mod sound_cost;
mod string_law;
mod strokes;
mod thesis_run;
mod torture;
mod trace;
mod validate;
mod wall;
mod weight_drop;
mod window;

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::lab::output;
use crate::math::compass::Key;
use folder::Folder;
use report::{Band, Report, short};

/// What to run.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// Experiments by name, `all`, or `list` for the names
    #[arg(value_name = "NAME", required = true)]
    names: Vec<String>,
    /// Also writes the tables and figures as one page, report.md, and the source documents'
    /// systems as one table, seeds.md
    #[arg(long)]
    report: bool,
    /// Folder for data and figures
    #[arg(long, value_name = "DIR", default_value = "touchback-lab")]
    out: PathBuf,
}

/// One experiment.
#[derive(Debug)]
struct Experiment {
    name: &'static str,
    /// What it finds out, in a sentence.
    about: &'static str,
    run: fn(&mut Folder) -> Result<Report>,
}

/// All experiments, in the order in which `all` runs them.
const EXPERIMENTS: [Experiment; 29] = [
    Experiment {
        name: "geometry",
        about: "Draws the action's two parameter sets to scale and lists every number with its \
                source.",
        run: geometry::run,
    },
    Experiment {
        name: "validate",
        about: "Compares the grand action with published measurements, target by target.",
        run: validate::run,
    },
    Experiment {
        name: "fit",
        about: "Shows how well the fitted numbers of the action fit, and prints its tables ready \
                to paste.",
        run: fit::run,
    },
    Experiment {
        name: "energy",
        about: "Audits the action's energy: work in, stored, dissipated, and done by moving screws.",
        run: energy::run,
    },
    Experiment {
        name: "thesis-run",
        about: "Runs the published gesture on the published action and compares it with what the \
                thesis states.",
        run: thesis_run::run,
    },
    Experiment {
        name: "weight-drop",
        about: "Drops a weight on the key, as the thesis did on a real action, and compares.",
        run: weight_drop::run,
    },
    Experiment {
        name: "ball",
        about: "Compares the events of a bouncing ball, and their order of convergence, with the \
                exact solution.",
        run: bouncing::run,
    },
    Experiment {
        name: "models-ab",
        about: "Repeats the experiment that made a rigid model of the action fail on a coarse \
                encoder and one with springs work.",
        run: models_ab::run,
    },
    Experiment {
        name: "agreement",
        about: "Plays twelve gestures on the grand action in two formulations and compares \
                trajectories, strikes and forces.",
        run: agreement::run,
    },
    Experiment {
        name: "string-law",
        about: "Compares contact and rebound of the action's own string with the sounding \
                strings, and fits its tables.",
        run: string_law::run,
    },
    Experiment {
        name: "contact",
        about: "Compares contact time and peak force of the sound engine's felt with an \
                independent solver.",
        run: contact::run,
    },
    Experiment {
        name: "sound",
        about: "Measures every target of the sound engine on what it plays: blow, pitch, decay, \
                company, colour.",
        run: sound::run,
    },
    Experiment {
        name: "listening",
        about: "Renders a fixed set to listen to: scales, repetitions, a trill, pedals, silent \
                keys.",
        run: listening::run,
    },
    Experiment {
        name: "sound-cost",
        about: "Times the sound engine in silence and at work, on every kernel, with a hash of \
                its output.",
        run: sound_cost::run,
    },
    Experiment {
        name: "sound-torture",
        about: "Ten minutes of all keys, pedals and parameters at five sample rates in odd blocks.",
        run: torture::run,
    },
    Experiment {
        name: "haptics",
        about: "Compares keys felt through the junction with welded ones, servo with twin, and \
                searches the hardest contact that can be felt.",
        run: haptics::run,
    },
    Experiment {
        name: "haptics-campaign",
        about: "Counts what thousands of random faults and strokes do to felt keys.",
        run: haptics::campaign::run,
    },
    Experiment {
        name: "haptics-cost",
        about: "Times the servo's work, and plays the acceptance stroke by the wall clock.",
        run: haptics::cost::run,
    },
    Experiment {
        name: "walls",
        about: "Bounces a ball on every sampled wall: standard, predictive, placed poles, deadbeat.",
        run: wall::controllers::run,
    },
    Experiment {
        name: "wall-damping",
        about: "Finds the damping that a sampled wall asks for: marginal, passive, late switching.",
        run: wall::damping::run,
    },
    Experiment {
        name: "wall-display",
        about: "Shows a virtual mass by impedance and admittance, over its coupling spring.",
        run: wall::display::run,
    },
    Experiment {
        name: "unilateral",
        about: "Compares criteria for one-sided springs in the Nyquist plane with brute force.",
        run: wall::unilateral::run,
    },
    Experiment {
        name: "lines",
        about: "Joins bodies by transmission lines: masses, balls, planar joints, a double \
                pendulum.",
        run: wall::lines::run,
    },
    Experiment {
        name: "finger",
        about: "Estimates the finger in play and keeps the predictive wall quiet when it stiffens.",
        run: wall::finger::run,
    },
    Experiment {
        name: "wall-map",
        about: "Maps the largest quiet stiffness of every wall over sample period and delay.",
        run: wall::map::run,
    },
    Experiment {
        name: "action-cost",
        about: "Times the action with one, all and no keys moving, together with a hash of its \
                output.",
        run: cost::run,
    },
    Experiment {
        name: "action-speeds",
        about: "Times a step of every action and formulation, together with a hash of its output.",
        run: action_speeds::run,
    },
    Experiment {
        name: "instrument-load",
        about: "Measures when notes strike and what blocks, decay, starting and memory cost, with \
                a hash of the output.",
        run: instrument_load::run,
    },
    Experiment {
        name: "window-cost",
        about: "Times a frame of the window, and what the audio thread does for an open and a \
                closed one.",
        run: window::run,
    },
];

/// The key of a maker's number (1…88); the tables here hold no other.
fn key(number: usize) -> Result<Key> {
    Key::from_index(number.wrapping_sub(1))
        .ok_or_else(|| anyhow::anyhow!("key {number} is off the compass"))
}

/// Runs the experiments asked for; exit code and files follow the other commands.
///
/// # Errors
/// An unknown name, before anything runs; a disk that refuses.
pub fn run(options: &Options) -> Result<()> {
    if options.names.iter().any(|n| n == "list") {
        let width = EXPERIMENTS.iter().map(|e| e.name.len()).max().unwrap_or(0);
        let line = |e: &Experiment| format!("{:width$}  {}\n", e.name, e.about);
        return output::print(&EXPERIMENTS.iter().map(line).collect::<String>());
    }
    let chosen = choose(&options.names)?;
    let show = options.out.display();
    std::fs::create_dir_all(&options.out)
        .with_context(|| format!("{show}: cannot make this folder"))?;
    let mut page = format!("# Touchback {} in the laboratory\n", env!("CARGO_PKG_VERSION"));
    let mut seeds = String::from(seeds::HEAD);
    let (mut rows, mut open) = (0, 0);
    for experiment in chosen {
        let mut folder = Folder::new(&options.out);
        let report = (experiment.run)(&mut folder)
            .with_context(|| format!("experiment {}", experiment.name))?;
        let written = folder.keep()?;
        let heading = format!("\n## {}\n\n{}\n\n", experiment.name, experiment.about);
        let files: String = written.iter().map(|p| format!("wrote {}\n", p.display())).collect();
        output::print(&format!("{heading}{}\n{files}", report.text(false)))?;
        page += &format!("{heading}{}", report.text(true));
        seeds += &report.sourced(experiment.name);
        let (all, off) = report.count();
        (rows, open) = (rows + all, open + off);
    }
    if options.report {
        let mut folder = Folder::new(&options.out);
        folder.write("report.md", page.as_bytes())?;
        folder.write("seeds.md", (seeds + seeds::TAIL).as_bytes())?;
        let written: String =
            folder.keep()?.iter().map(|p| format!("wrote {}\n", p.display())).collect();
        output::print(&written)?;
    }
    output::print(&format!("\n{} of {rows} targets met\n", rows - open))
}

/// The experiments named, each once, in their own order.
fn choose(names: &[String]) -> Result<Vec<&'static Experiment>> {
    for name in names {
        if name != "all" && EXPERIMENTS.iter().all(|e| e.name != name) {
            bail!("lab {name}: no such experiment; `touchback lab list` names them");
        }
    }
    let wanted = |e: &&Experiment| names.iter().any(|n| n == "all" || n == e.name);
    Ok(EXPERIMENTS.iter().filter(wanted).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_single_words_and_all_means_all() {
        let all = choose(&["all".into()]).unwrap();
        assert_eq!(all.len(), EXPERIMENTS.len());
        for e in EXPERIMENTS {
            assert!(e.about.ends_with('.') && !e.about.contains('\n'));
            assert!(e.name.chars().all(|c| c.is_ascii_lowercase() || c == '-'));
            assert_eq!(choose(&[e.name.into(), e.name.into()]).unwrap().len(), 1);
        }
        let error = choose(&["all".into(), "nothing".into()]).unwrap_err().to_string();
        assert!(error.contains("lab nothing: no such experiment"));
    }
}
