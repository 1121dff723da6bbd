//! The page of tables 3.3 and 3.4: every printed number, what it is used as, and its effect on the published run.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde_json::Value;

use super::{EventKind, gesture};
use touchback_action::Drive;
use touchback_action::grand::{Spec, design::thesis};
use touchback_offline::bench::driven::Driven as _;
use touchback_offline::bench::short;
use touchback_offline::bench::test_bench::TestBench;

/// A number, as a row of `printed.toml`: symbol, value, unit, numbers of the key that follow it with their powers,
/// remark, and numbers of the key in a trial.
#[derive(serde::Deserialize)]
struct Printed(String, f64, String, BTreeMap<String, i32>, String, BTreeMap<String, f64>);

#[derive(serde::Deserialize)]
struct File {
    numbers: Vec<Printed>,
}

/// Change of a number by which its effect is measured.
const CHANGE: f64 = 1.001;

/// What the remark `lost` stands for.
const LOST: &str = "figure 3.7 d, which would place it, is lost";

fn numbers() -> Result<Vec<Printed>> {
    let file: File = toml::from_str(include_str!("printed.toml")).context("printed.toml")?;
    Ok(file.numbers)
}

/// The thesis's key with changed numbers, by their paths in a model file.
fn changed<'a>(changes: impl Iterator<Item = (&'a String, Change)>) -> Result<Spec> {
    let mut spec = serde_json::to_value(thesis::build().spec)?;
    for (path, change) in changes {
        let place = spec.pointer_mut(&format!("/{path}")).with_context(|| path.clone())?;
        let old = place.as_f64().with_context(|| path.clone())?;
        *place = Value::from(match change {
            Change::To(value) => value,
            Change::Times(factor) => old * factor,
        });
    }
    Ok(serde_json::from_value(spec)?)
}

enum Change {
    To(f64),
    Times(f64),
}

/// Time, s, and speed, m/s, of the first strike of the published run on the key `spec`.
fn strike(spec: Spec) -> Option<(f64, f64)> {
    let mut rig = TestBench::started(spec, thesis::initial());
    let drive = |a: f64, b: f64| Drive::Manipulandum([gesture(a), gesture(b)]);
    rig.run(super::END, drive, |rig, _| rig.log.count(EventKind::Strike) == 0);
    rig.log.first(EventKind::Strike)
}

/// The strike of `spec` beside that of the published run.
fn beside(own: (f64, f64), found: Option<(f64, f64)>) -> String {
    match found {
        None => "no strike".into(),
        Some((time, speed)) => {
            let [later, faster] = [1e3 * (time - own.0), 100.0 * (speed / own.1 - 1.0)];
            // Rounded as far as the strike is located.
            let round = |x: f64| short((x * 1e4).round() * 1e-4);
            format!("strike {} ms later, {} % faster", round(later), round(faster))
        }
    }
}

/// The page.
pub(super) fn page() -> Result<String> {
    let own = strike(thesis::build().spec).context("the run has no strike")?;
    let all = numbers()?;
    let used = |first: &str| {
        let of = || all.iter().filter(|n| n.0.starts_with('L') == (first == "L"));
        (of().filter(|n| !n.3.is_empty()).count(), of().count())
    };
    let ((lengths, of_lengths), (lumped, of_lumped)) = (used("L"), used("k"));
    let mut page = format!(
        "# Printed numbers of the thesis's action\n\nWritten by `touchback lab thesis-run`, from \
         `crates/lab/src/experiment/thesis_run/printed.toml`. Gillespie 1996 prints {of_lengths} of the 27 lengths \
         (table 3.3; L27 is lost) and {of_lumped} lumped parameters (table 3.4, mostly chosen by trial and error, as \
         the thesis says); {lengths} and {lumped} of them are used. The effect is that on the published run, whose \
         hammer strikes at {} ms with {} m/s: of a used number, by 0.1 % more of it alone, so that the loops close \
         elsewhere; of a number that is not used, by the trial that the remark names. *lost*: {LOST}.\n\n\
         | number | printed | used as | effect | remark |\n| --- | --- | --- | --- | --- |\n",
        short(1e3 * own.0),
        short(own.1)
    );
    for Printed(symbol, value, unit, follows, remark, trial) in &all {
        let names: Vec<_> = follows.keys().map(|p| format!("`{}`", p.replace('/', "."))).collect();
        let more = follows
            .iter()
            .map(|(path, power)| (path, Change::Times(libm::pow(CHANGE, f64::from(*power)))));
        let mut effect = match names.is_empty() {
            true => String::new(),
            false => format!("0.1 % more: {}", beside(own, strike(changed(more)?))),
        };
        if !trial.is_empty() {
            let to = trial.iter().map(|(path, value)| (path, Change::To(*value)));
            let found = beside(own, strike(changed(to)?));
            effect += &format!("{}trial: {found}", if effect.is_empty() { "" } else { "; " });
        }
        let used = if names.is_empty() { "not used".into() } else { names.join(", ") };
        page += &format!("| {symbol} | {value} {unit} | {used} | {effect} | {remark} |\n");
    }
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn used_numbers_are_those_of_the_key_and_the_page_is_fresh() {
        let spec = serde_json::to_value(thesis::build().spec).unwrap();
        let all = numbers().unwrap();
        assert_eq!(all.len(), 26 + 15);
        for Printed(symbol, value, _, follows, remark, _) in &all {
            assert!(!remark.is_empty(), "{symbol}");
            let own =
                |path: &String| spec.pointer(&format!("/{path}")).and_then(Value::as_f64).unwrap();
            // Inertias and the stop's stiffness are products.
            let is_product =
                |path: &str| path.ends_with("inertia") || path == "lever/stop_felt/stiffness";
            for path in follows.keys().filter(|path| !is_product(path)) {
                assert!((own(path).abs() - value).abs() < 1e-12, "{symbol} {path}: {}", own(path));
            }
        }
        let kept = include_str!("../../../../../docs/thesis-numbers.md");
        assert!(
            kept == page().unwrap(),
            "docs/thesis-numbers.md is old: `touchback lab thesis-run` writes it"
        );
    }
}
