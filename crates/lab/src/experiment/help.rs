//! `touchback lab help NAME`: explains an experiment: quantities, references, keys, duration.

use anyhow::{Context, Result};

use super::seeds::SYSTEMS;
use super::{Catalogue, all, sweep};
use touchback_core::text::near;
use touchback_core::text::numbers;
use touchback_offline::bench::runner::{Experiment, ExperimentKind, Work};
use touchback_offline::output;

/// Options of `touchback lab help`.
#[derive(clap::Args, Debug)]
pub struct HelpOptions {
    /// An experiment, or `sweep`; `touchback lab list` lists the names
    #[arg(value_name = "NAME")]
    name: String,
}

/// Prints the explanation of an experiment.
///
/// # Errors
/// An unknown name.
pub fn run(options: &HelpOptions, catalogue: Catalogue) -> Result<()> {
    let name = &options.name;
    if name == "sweep" {
        return output::print(&sweep::page());
    }
    let experiment = all(catalogue).find(|e| e.name == name).with_context(|| {
        let near = near::suggestion(name, all(catalogue).map(|e| e.name));
        format!("lab help {name}: no such experiment{near}; `touchback lab list` names them")
    })?;
    output::print(&page(experiment))
}

fn page(of: &Experiment) -> String {
    let Experiment { name, about, detail, seconds, .. } = of;
    let mut options = match of.run.usual() {
        Work::Fixed(_) | Work::Counted { .. } => "none: its systems have fixed parameters".into(),
        Work::Numbered { numbers, .. } => {
            format!("--set ID=VALUE\n{}", numbers::page(numbers).trim_end())
        }
        Work::Piano(_) => "--preset NAME, --set ID=VALUE".to_owned(),
        Work::Keys(_) | Work::Any { .. } => {
            "--preset NAME, --set ID=VALUE, --key N; or --model FILE.toml, --key N".into()
        }
    };
    if matches!(of.run, Work::Any { .. }) {
        options += "\nof a mechanism: --mechanism FILE.mechanism.toml, --set ID=VALUE, --key N";
    }
    let alone = match of.kind {
        ExperimentKind::Computed => "; runs in parallel with others",
        ExperimentKind::Timed => "; measures time and runs alone",
        ExperimentKind::Long => "; not in `all`",
    };
    let mut systems: String = SYSTEMS
        .iter()
        .filter(|s| s.3.iter().any(|by| by == name))
        .map(|s| format!("  {}: {}\n", s.0, s.1))
        .collect();
    if !systems.is_empty() {
        systems =
            format!("\nof the source documents (numbers as in `touchback lab list`)\n{systems}");
    }
    format!(
        "{name}\n\n{about}\n{detail}\n{systems}\ncustom parameters: {options}\nfiles: {name}.json, \
         tables as CSV, figures as PNG and SVG, into --out\ntime: about {seconds} s{alone}\n\
         \n  touchback lab {name}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::EXPERIMENTS;

    #[test]
    fn every_experiment_is_explained() {
        for e in EXPERIMENTS {
            let text = page(e);
            assert!(e.detail.ends_with('.') && e.detail.len() > 20, "{}", e.name);
            assert!(e.seconds > 0.0 && text.contains(e.about), "{text}");
        }
        let [ball, control] = ["ball", "control"]
            .map(|name| page(EXPERIMENTS.iter().find(|e| e.name == name).unwrap()));
        assert!(
            ball.contains("submodels, indicators") && ball.contains("height of the fall"),
            "{ball}"
        );
        assert!(control.contains("parameters: none"), "{control}");
    }
}
