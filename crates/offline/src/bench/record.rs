//! An experiment's report as JSON.

use anyhow::Result;
use serde::Serialize;

use super::report::{Report, ReportRow};

/// Known units: the last words of a quantity after a comma are its unit if they are in this list.
const UNITS: &[&str] = &[
    "%",
    "% of a core",
    "% of its time",
    "cents",
    "dB",
    "dB below held",
    "dB re note",
    "dBFS",
    "g",
    "Hz",
    "J",
    "kg",
    "m",
    "m/s",
    "MB",
    "mJ",
    "mm",
    "ms",
    "N",
    "N rms",
    "N/m",
    "N·s/m",
    "ns a block",
    "ns a key-step",
    "ns a step",
    "rad",
    "rad/s",
    "s",
    "samples",
    "share",
    "share of the dip",
    "strokes a second",
    "µm",
    "µs",
];

/// A row of the table.
#[derive(Debug, Serialize)]
struct Row<'a> {
    quantity: &'a str,
    unit: Option<&'a str>,
    target: &'a str,
    low: Option<f64>,
    high: Option<f64>,
    /// `null` where it is no number: then `found` tells.
    measured: Option<f64>,
    found: &'a str,
    verdict: &'a str,
    /// `result`, or `fitted` or `given` where inputs decide the value.
    kind: &'static str,
    source: Option<&'a str>,
    erratum: Option<&'a str>,
    /// Cause of a missed target.
    cause: Option<&'a str>,
    /// Name of the target, beginning with that of the experiment.
    id: String,
}

/// The report as it is serialized.
#[derive(Debug, Serialize)]
struct Record<'a> {
    experiment: &'a str,
    about: &'a str,
    /// Differences from the standard piano; `None` for the standard piano.
    own_numbers: Option<&'a str>,
    targets: usize,
    missed: usize,
    rows: Vec<Row<'a>>,
    notes: &'a [String],
}

fn some(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

/// Quantity and unit of `text`; no unit if the last words are not a known unit.
pub(super) fn split(text: &str) -> (&str, Option<&str>) {
    match text.rsplit_once(", ") {
        Some((quantity, unit)) if UNITS.contains(&unit) => (quantity, Some(unit)),
        _ => (text, None),
    }
}

fn row<'a>(experiment: &str, of: &'a ReportRow) -> Row<'a> {
    let [quantity, target, _, found, verdict] = &of.cells;
    let (quantity, unit) = split(quantity);
    let finite = |x: Option<f64>| x.filter(|x| x.is_finite());
    let [low, high] = of.band.map(finite);
    let [source, erratum, cause] = [&of.source, &of.erratum, &of.cause].map(|text| some(text));
    let measured = finite(of.measured);
    let id = format!("{experiment}.{}", of.id);
    let kind = of.kind.name();
    Row {
        quantity,
        unit,
        target,
        low,
        high,
        measured,
        found,
        verdict,
        kind,
        source,
        erratum,
        cause,
        id,
    }
}

/// The report of `experiment` as JSON; `own_numbers` are differences from the standard piano.
///
/// # Errors
/// None in practice: the writer writes to memory.
pub fn json(
    experiment: &str,
    about: &str,
    own_numbers: Option<&str>,
    report: &Report,
) -> Result<String> {
    let (targets, missed) = report.count();
    let rows = report.rows().iter().map(|of| row(experiment, of)).collect();
    let record =
        Record { experiment, about, own_numbers, targets, missed, rows, notes: report.notes() };
    Ok(serde_json::to_string_pretty(&record)? + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::TargetBand;

    #[test]
    fn non_finite_numbers_are_null() {
        let mut report = Report::default();
        report.source("000 eq. 5.1");
        report.near("key 4, 2 m/s: contact, ms", 2.0, 0.5, 2.5);
        report.check("chatter, none at all", "0", TargetBand::AtMost(0.05), f64::NAN);
        report.holds("order kept", true);
        let text = json("name", "Does it.", None, &report).unwrap();
        let read: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!((read["targets"].as_u64(), read["missed"].as_u64()), (Some(3), Some(1)));
        let row = &read["rows"][0];
        assert_eq!(row["quantity"], "key 4, 2 m/s: contact");
        assert_eq!((&row["unit"], &row["source"]), (&"ms".into(), &"000 eq. 5.1".into()));
        let numbers = ["low", "high", "measured"].map(|n| row[n].as_f64());
        assert_eq!(numbers, [Some(1.0), Some(3.0), Some(2.5)]);
        let row = &read["rows"][1];
        assert_eq!(row["quantity"], "chatter, none at all");
        assert!(row["unit"].is_null() && row["measured"].is_null() && row["low"].is_null());
        assert_eq!((&row["found"], &row["verdict"]), (&"none".into(), &"missed".into()));
        assert_eq!(
            (&read["rows"][2]["found"], &read["rows"][2]["id"]),
            (&"yes".into(), &"name.order-kept".into())
        );
    }
}
