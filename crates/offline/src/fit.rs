//! `touchback fit`: fits parameters of a model to a measured key.

pub mod data;
pub mod example;
pub mod solve;

use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use serde::Serialize;

use crate::bench::short;
use crate::controls;
use crate::model::named::NamedModel;
use crate::output::{self, Draft, Shown as _, progress};
use crate::paths::{InputPath, OutputFile, OutputFolder};
use crate::plot::{self, Axis, Figure, PlotMark, Series, Shape, Subplot, palette};
use crate::simulate::plants;
use data::MeasuredPress;
use solve::{ALIKE, Found, Origin};
use touchback_action::{ActionSettings, Mechanism as _};
use touchback_core::math::compass::KeyNumber;
use touchback_instrument::host::mechanism;

/// Options of `touchback fit`.
#[derive(clap::Args, Debug)]
pub struct FitOptions {
    /// Measured key: CSV with t_s, key_m, force_n and, for several presses, press
    #[arg(value_name = "DATA.csv", required_unless_present = "example")]
    data: Option<InputPath>,
    /// Parameters to fit, comma-separated: key.inertia,hammer.inertia
    #[arg(long, value_name = "LIST", value_delimiter = ',', required_unless_present = "example")]
    free: Vec<String>,
    /// Starts from the model in this file instead of the standard key's
    #[arg(long, value_name = "FILE.toml")]
    model: Option<InputPath>,
    /// Action whose standard key the fit starts from
    #[arg(long, value_name = "NAME", default_value = "grand", conflicts_with = "model")]
    action: String,
    /// Fits parameters of the mechanism in this file, from their defaults
    #[arg(long, value_name = "FILE.mechanism.toml", conflicts_with_all = ["action", "model", "output"])]
    mechanism: Option<InputPath>,
    /// Key, 1 to 88 or A0 to C8
    #[arg(long, value_name = "KEY", default_value_t = 40,
          value_parser = controls::key_number)]
    key: u8,
    /// Writes the fitted model, for `touchback simulate --model`
    #[arg(short, long, value_name = "MODEL.toml")]
    output: Option<OutputFile>,
    /// Writes the fitted parameters with their confidence intervals
    #[arg(long, value_name = "FIT.json")]
    json: Option<OutputFile>,
    /// Draws measured and fitted depth, their difference, and the force (.png or .svg)
    #[arg(long, value_name = "FIT.svg")]
    plot: Option<OutputFile>,
    /// Writes an example into a folder: data.csv, simulated measurements, and true.toml, the model
    /// that they come from
    #[arg(long, value_name = "DIR", conflicts_with_all = ["data", "free", "model", "action", "mechanism", "output", "json", "plot"])]
    example: Option<OutputFolder>,
}

/// Fits, prints a table of the parameters, and writes the requested files.
///
/// # Errors
/// Bad data, a parameter that the model does not have, or parameters that this data does not
/// determine; then no file is written.
pub fn run(options: &FitOptions) -> Result<()> {
    let key = KeyNumber::from_number(options.key).context("--key: 1 to 88")?;
    if let Some(folder) = &options.example {
        return write_example(folder, key);
    }
    let data = options.data.as_deref().context("a file of data is missing")?;
    if let Some(path) = &options.plot {
        plot::format_of(path)?;
    }
    let mut names = options.free.clone();
    names.dedup();
    if names.len() != options.free.len() || names.iter().any(String::is_empty) {
        bail!("--free {}: name every number once", options.free.join(","));
    }
    let origin = match (&options.mechanism, &options.model) {
        (Some(path), _) => {
            let text = output::read_text(path, mechanism::LIMIT)?;
            let file = touchback_mechanism::read(&text)
                .map_err(|error| anyhow!("{}: {error}", path.shown()))?;
            let values = file.parameters().iter().map(|parameter| parameter.default).collect();
            Origin::Mechanism(file, key, values)
        }
        (None, Some(path)) => Origin::Model(NamedModel::of(&plants::open(path)?)?),
        (None, None) => {
            let model = plants::model(&options.action, key, &ActionSettings::default())?;
            Origin::Model(NamedModel::of(&model)?)
        }
    };
    let presses = data::open(data)?;
    let drafts = [&options.output, &options.json, &options.plot]
        .map(|path| path.as_deref().map(Draft::create).transpose());
    let [model_draft, json_draft, plot_draft] = drafts;
    let (model_draft, json_draft, plot_draft) = (model_draft?, json_draft?, plot_draft?);
    // Typical number of evaluations of a fit that starts within a factor of 2.
    let bar = progress(12 * (2 * names.len() as u64 + 1), "fitting");
    let found = solve::fit_from(origin, &names, presses.clone(), &bar, None)?;
    bar.finish_and_clear();
    if let (Some(draft), Some(model)) = (&model_draft, &found.model) {
        draft.write_all(toml::to_string_pretty(model)?.as_bytes())?;
    }
    if let Some(draft) = &json_draft {
        draft.write_all((json(&found, &presses)? + "\n").as_bytes())?;
    }
    if let Some(draft) = &plot_draft {
        let title = format!("{}: measured and fitted", data.shown());
        plot::draw(&figure(&found, &presses, title), draft)?;
    }
    for draft in [model_draft, json_draft, plot_draft].into_iter().flatten() {
        draft.keep()?;
    }
    output::print(&text(&found, presses.len()))?;
    for warning in warnings(&found, presses.len()) {
        output::warn(&format!("warning: {warning}"));
    }
    Ok(())
}

/// Writes simulated measurements and the model that they come from.
fn write_example(folder: &Path, key: KeyNumber) -> Result<()> {
    let new = output::new_folder(folder)?;
    let (_, changed, presses) = example::of(key, 1)?;
    let files = [
        ("data.csv", data::table(&presses).csv()?),
        ("true.toml", toml::to_string_pretty(&changed)?.into_bytes()),
    ];
    let mut drafts = Vec::new();
    for (name, bytes) in &files {
        let draft = Draft::create(&folder.join(name))?;
        draft.write_all(bytes)?;
        drafts.push(draft);
    }
    for draft in drafts {
        draft.keep()?;
    }
    new.keep();
    let mut text = String::new();
    for (name, _) in files {
        text += &format!("wrote {}\n", folder.join(name).shown());
    }
    let free = example::CHANGED.map(|(name, _)| name).join(",");
    let (data, key) = (folder.join("data.csv"), key.number());
    text += &format!(
        "\nfit it: touchback fit {} --key {key} --free {free} -o fitted.toml --plot fit.svg\n",
        data.shown()
    );
    output::print(&text)
}

/// The parameters as lines of CSV, and the deviation before and after the fit.
fn text(found: &Found, presses: usize) -> String {
    let mut text = String::from("number,start,fitted,half_of_95_percent\n");
    for n in &found.numbers {
        text += &format!("{},{},{},{}\n", n.name, n.start, n.value, n.half);
    }
    let [before, after] = found.rms.map(|rms| short(rms * 1e3));
    text + &format!("\n{presses} presses, deviation {before} mm rms before, {after} mm after\n")
}

/// Reasons to distrust the fitted parameters.
fn warnings(found: &Found, presses: usize) -> Vec<String> {
    let mut warnings = Vec::new();
    if !found.converged {
        warnings.push("the fit stopped before it converged".into());
    }
    if presses == 1 {
        warnings.push(
            "the intervals come from the scatter of a single press and are too narrow; measure several presses".into(),
        );
    }
    if let Some((a, b, r)) = found.alike.as_ref().filter(|(_, _, r)| r.abs() > ALIKE) {
        warnings.push(format!(
            "{a} and {b} have nearly the same effect in this data (correlation {r:.3})"
        ));
    }
    for n in found.numbers.iter().filter(|n| n.half > 0.5 * n.value.abs()) {
        warnings.push(format!("this data hardly determines {}", n.name));
    }
    warnings
}

/// The fit as JSON.
fn json(found: &Found, presses: &[MeasuredPress]) -> Result<String> {
    #[derive(Serialize)]
    struct Number<'a> {
        name: &'a str,
        start: f64,
        fitted: f64,
        low: f64,
        high: f64,
    }
    #[derive(Serialize)]
    struct Record<'a> {
        numbers: Vec<Number<'a>>,
        confidence: f64,
        presses: usize,
        samples: usize,
        rms_before_m: f64,
        rms_after_m: f64,
        converged: bool,
        warnings: Vec<String>,
    }
    let numbers = found.numbers.iter().map(|n| Number {
        name: &n.name,
        start: n.start,
        fitted: n.value,
        low: n.value - n.half,
        high: n.value + n.half,
    });
    Ok(serde_json::to_string_pretty(&Record {
        numbers: numbers.collect(),
        confidence: 0.95,
        presses: presses.len(),
        samples: presses.iter().map(|p| p.times.len()).sum(),
        rms_before_m: found.rms[0],
        rms_after_m: found.rms[1],
        converged: found.converged,
        warnings: warnings(found, presses.len()),
    })?)
}

/// Depth, deviation and force of all presses, one after another.
fn figure(found: &Found, presses: &[MeasuredPress], title: String) -> Figure {
    let [mut measured, mut fitted, mut apart, mut force]: [Vec<(f64, f64)>; 4] = Default::default();
    let (mut marks, mut from) = (Vec::new(), 0.0);
    for (i, (press, depths)) in presses.iter().zip(&found.depths).enumerate() {
        marks.push(PlotMark { at: from, name: format!("{}", i + 1) });
        for (j, t) in press.times.iter().enumerate() {
            let at = from + t * 1e3;
            measured.push((at, press.depth[j] * 1e3));
            fitted.push((at, depths[j] * 1e3));
            apart.push((at, (press.depth[j] - depths[j]) * 1e6));
            force.push((at, press.force[j]));
        }
        from = fitted.last().map_or(from, |p| p.0) + 20.0;
        for trace in [&mut fitted, &mut apart, &mut force] {
            trace.push((from, f64::NAN));
        }
    }
    Figure {
        title,
        x: Axis::new("time, ms; presses one after another"),
        bands: Vec::new(),
        marks,
        panels: vec![
            Subplot::new(
                Axis::new("key depth, mm"),
                vec![
                    Series::new("measured", measured, palette(1), Shape::Dots),
                    Series::line("fitted", fitted, palette(0)),
                ],
            ),
            Subplot::new(
                Axis::new("measured less fitted, µm"),
                vec![Series::line("", apart, palette(3))],
            ),
            Subplot::new(Axis::new("force, N"), vec![Series::line("", force, palette(2))]),
        ],
    }
}
