//! `touchback compare-touch`: the strokes of two takes of key motion, as a table and a page.
//!
//! The n-th stroke of a key in one take is compared with the n-th of that key in the other.

use std::collections::BTreeMap;

use anyhow::{Result, bail};

use crate::bench::DataTable;
use crate::key_motion::KeyMotion;
use crate::key_motion::strokes::{Stroke, strokes};
use crate::output::{self, Draft, Shown as _};
use crate::paths::{InputPath, OutputFile};
use crate::plot;
use crate::plot::page::{self, Page, Panel};

/// Options of `touchback compare-touch`.
#[derive(clap::Args, Debug)]
pub struct CompareOptions {
    /// Table of key depths of the first take: time and a column for each key
    #[arg(value_name = "A.csv")]
    first: InputPath,
    /// Table of key depths of the second take
    #[arg(value_name = "B.csv")]
    second: InputPath,
    /// Draws the page (.png or .svg)
    #[arg(short, long, value_name = "PAGE.svg")]
    output: Option<OutputFile>,
    /// Writes every pair of strokes
    #[arg(long, value_name = "STROKES.csv")]
    strokes: Option<OutputFile>,
    /// Prints every pair of strokes as a JSON array
    #[arg(long)]
    json: bool,
}

/// A figure of a stroke: name with unit, name in files, decimals, value.
struct Quantity {
    name: &'static str,
    column: &'static str,
    decimals: usize,
    of: fn(&Stroke) -> f64,
}

const QUANTITIES: [Quantity; 7] = [
    Quantity { name: "speed at let-off, m/s", column: "speed_m_s", decimals: 3, of: |s| s.speed },
    Quantity {
        name: "acceleration at let-off, m/s²",
        column: "acceleration_m_s2",
        decimals: 2,
        of: |s| s.acceleration,
    },
    Quantity { name: "dip, mm", column: "dip_mm", decimals: 2, of: |s| 1e3 * s.dip },
    Quantity {
        name: "touch to let-off, ms",
        column: "travel_ms",
        decimals: 1,
        of: |s| 1e3 * (s.let_off - s.begin),
    },
    Quantity {
        name: "let-off to damper, ms",
        column: "held_ms",
        decimals: 1,
        of: |s| 1e3 * (s.damped - s.let_off),
    },
    Quantity { name: "release speed, m/s", column: "release_m_s", decimals: 3, of: |s| s.release },
    Quantity { name: "overlap, ms", column: "overlap_ms", decimals: 1, of: |s| 1e3 * s.overlap },
];

/// Compares; the table goes to stdout, warnings to stderr.
///
/// # Errors
/// A table that cannot be read, takes without a common stroke, or a file that cannot be written; then no
/// file is written.
pub fn run(options: &CompareOptions) -> Result<()> {
    options.output.as_deref().map(plot::format_of).transpose()?;
    let names = [&options.first, &options.second].map(|path| path.shown());
    let takes = [KeyMotion::open(&options.first)?, KeyMotion::open(&options.second)?];
    for warning in takes.iter().flat_map(|take| &take.warnings) {
        output::warn(&format!("warning: {warning}"));
    }
    let found = takes.each_ref().map(strokes);
    let pairs = matched(&found);
    if pairs.is_empty() {
        let [first, second] = found.each_ref().map(Vec::len);
        bail!(
            "no stroke of one take has a partner in the other: {} has {first} strokes past let-off, \
             {} has {second}; are the depths in mm?",
            names[0],
            names[1]
        );
    }
    let page_draft = options.output.as_deref().map(Draft::create).transpose()?;
    let strokes_draft = options.strokes.as_deref().map(Draft::create).transpose()?;
    if let Some(draft) = &page_draft {
        page::draw(&drawn(&names, &takes, &pairs), draft)?;
    }
    if let Some(draft) = &strokes_draft {
        draft.write_all(&csv(&pairs)?)?;
    }
    for draft in [page_draft, strokes_draft].into_iter().flatten() {
        draft.keep()?;
    }
    for (name, found) in names.iter().zip(&found) {
        let alone = found.len() - pairs.len();
        if alone > 0 {
            output::warn(&format!("warning: {name}: strokes without a partner: {alone}"));
        }
    }
    if options.json {
        return output::print(&json(&pairs));
    }
    output::print(&text(&names, &pairs))
}

/// Strokes of both takes that belong together, in the order of the first take.
fn matched([first, second]: &[Vec<Stroke>; 2]) -> Vec<[Stroke; 2]> {
    let mut by_key: BTreeMap<usize, Vec<Stroke>> = BTreeMap::new();
    for stroke in second.iter().rev() {
        by_key.entry(stroke.key.index()).or_default().push(*stroke);
    }
    let partner =
        |stroke: &Stroke| by_key.get_mut(&stroke.key.index())?.pop().map(|b| [*stroke, b]);
    first.iter().filter_map(partner).collect()
}

/// Mean and standard deviation of the finite `values`, and their number.
fn spread(values: impl Iterator<Item = f64>) -> (f64, f64, usize) {
    let values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let square = values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>();
    (mean, (square / (count - 1.0).max(1.0)).sqrt(), values.len())
}

/// The table of means.
fn text(names: &[String; 2], pairs: &[[Stroke; 2]]) -> String {
    let mut table = format!(
        "A: {}\nB: {}\n{} pairs of strokes; mean ± standard deviation\n\n\
         | quantity | A | B | B − A | pairs |\n| --- | --- | --- | --- | --- |\n",
        names[0],
        names[1],
        pairs.len()
    );
    for Quantity { name, decimals, of, .. } in &QUANTITIES {
        let cell = |(mean, deviation, _): (f64, f64, usize)| {
            if mean.is_finite() {
                format!("{mean:.decimals$} ± {deviation:.decimals$}")
            } else {
                "–".into()
            }
        };
        let [first, second] = [0, 1].map(|i| spread(pairs.iter().map(|pair| of(&pair[i]))));
        let change = spread(pairs.iter().map(|[a, b]| of(b) - of(a)));
        table += &format!(
            "| {name} | {} | {} | {} | {} |\n",
            cell(first),
            cell(second),
            cell(change),
            change.2
        );
    }
    table
}

/// The page: figures over the number of the stroke, and the first stroke's motion in both takes.
fn drawn(names: &[String; 2], takes: &[KeyMotion; 2], pairs: &[[Stroke; 2]]) -> Page {
    let mut panels: Vec<Panel> = QUANTITIES
        .iter()
        .map(|quantity| {
            let values = |i: usize| {
                let number =
                    |(n, pair): (usize, &[Stroke; 2])| (n as f64 + 1.0, (quantity.of)(&pair[i]));
                pairs.iter().enumerate().map(number).collect::<Vec<_>>()
            };
            Panel { name: quantity.name.into(), now: values(0), before: values(1) }
        })
        .collect();
    // Depths of some strokes, ms from let-off.
    for [first, second] in pairs.iter().step_by(pairs.len().div_ceil(9)) {
        let name = format!("key {}, mm over ms from let-off", first.key.number());
        let [now, before] =
            [(&takes[0], first), (&takes[1], second)].map(|(take, s)| around(take, s));
        panels.push(Panel { name, now, before });
    }
    Page {
        title: format!("Touch: {} (line) and {} (dashed)", names[0], names[1]),
        foot: "Let-off: depth of each key in the standard regulation. Overlap: by which the stroke before \
               outlasts let-off. Pages: touchback compare-touch"
            .into(),
        x: "stroke, or ms".into(),
        panels,
    }
}

/// Depths of a stroke, mm, over the time from its let-off, ms.
fn around(take: &KeyMotion, stroke: &Stroke) -> Vec<(f64, f64)> {
    let Some((_, depths)) = take.keys.iter().find(|(key, _)| *key == stroke.key) else {
        return Vec::new();
    };
    let near =
        take.times.iter().zip(depths).filter(|(t, _)| (-0.1..0.1).contains(&(*t - stroke.let_off)));
    near.map(|(t, depth)| (1e3 * (t - stroke.let_off), 1e3 * depth)).collect()
}

/// Every pair as a JSON array; null where a stroke has no such quantity.
fn json(pairs: &[[Stroke; 2]]) -> String {
    let entry = |pair: &[Stroke; 2]| {
        let mut entry = serde_json::json!({ "key": pair[0].key.number() });
        for (take, stroke) in ["a", "b"].into_iter().zip(pair) {
            entry[format!("{take}_let_off_s")] = stroke.let_off.into();
            for quantity in &QUANTITIES {
                entry[format!("{take}_{}", quantity.column)] = (quantity.of)(stroke).into();
            }
        }
        entry
    };
    format!("{:#}\n", serde_json::Value::Array(pairs.iter().map(entry).collect()))
}

/// Every pair as CSV.
fn csv(pairs: &[[Stroke; 2]]) -> Result<Vec<u8>> {
    let mut names = vec!["key".to_owned(), "a_let_off_s".into(), "b_let_off_s".into()];
    for take in ["a", "b"] {
        names.extend(QUANTITIES.iter().map(|quantity| format!("{take}_{}", quantity.column)));
    }
    let columns: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut table = DataTable::new(&columns);
    for [first, second] in pairs {
        let mut numbers = vec![first.let_off, second.let_off];
        for stroke in [first, second] {
            numbers.extend(QUANTITIES.iter().map(|quantity| (quantity.of)(stroke)));
        }
        table.numbers(&first.key.number(), &numbers);
    }
    table.csv()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(shift: f64, speed: f64, keys: &str) -> KeyMotion {
        let mut text = format!("t_ms,{keys}\n");
        for row in 0..600 {
            let t = 1e-3 * f64::from(row);
            let depth = |begin: f64| {
                let down = 1e3 * speed * (t - begin);
                let up = 10.0 - 300.0 * (t - begin - 0.15);
                down.min(10.0).min(up).max(0.0)
            };
            text += &format!("{row},{:.2},{:.2}\n", depth(0.05 + shift), depth(0.3 + shift));
        }
        KeyMotion::read("k.csv", text.as_bytes()).unwrap()
    }

    #[test]
    fn strokes_of_one_key_belong_together() {
        let takes = [take(0.0, 0.2, "C4,D4"), take(0.02, 0.4, "D4,C4")];
        let pairs = matched(&takes.each_ref().map(strokes));
        assert_eq!(pairs.len(), 2);
        for [a, b] in &pairs {
            assert_eq!(a.key, b.key);
            assert!((a.speed - 0.2).abs() < 1e-3 && (b.speed - 0.4).abs() < 1e-3);
        }
        let names = ["a".to_owned(), "b".to_owned()];
        let table = text(&names, &pairs);
        assert!(
            table.contains(
                "| speed at let-off, m/s | 0.200 ± 0.000 | 0.400 ± 0.000 | 0.200 ± 0.000 | 2 |"
            ),
            "{table}"
        );
        let page = drawn(&names, &takes, &pairs);
        assert!(page.panels.len() == 9 && page.panels.iter().skip(7).all(|p| p.now.len() > 50));
        let lines = String::from_utf8(csv(&pairs).unwrap()).unwrap();
        assert!(
            lines.starts_with("key,a_let_off_s,b_let_off_s,a_speed_m_s")
                && lines.lines().count() == 3
        );
    }

    #[test]
    fn takes_without_a_common_key_have_no_pairs() {
        let takes = [take(0.0, 0.2, "C4,D4"), take(0.0, 0.2, "E4,F4")];
        assert!(matched(&takes.each_ref().map(strokes)).is_empty());
    }
}
