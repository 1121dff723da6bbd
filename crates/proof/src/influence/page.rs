//! The page docs/influence.md.

use std::fmt::Write as _;

use anyhow::{Context, Result};

use super::{Case, Change, TIMINGS, ends, is_audible, is_moved, is_played};
use touchback_action::ActionKind;
use touchback_instrument::host::params::{self, relevance};
use touchback_instrument::settings::Timing;

const PLAYED: &str = "# Measured effect of each parameter

Written by `touchback-proof lab influence`: one phrase of nine notes, soft to loud, with a quick repetition and a chord under
the pedal, on the concert grand with one parameter at an end of its range, compared with the same phrase without the
change.

- level: change of the integrated loudness, LU; notes: number of sounding notes gained or lost
- colour: change of the spectral centroid, cents
- decay: change of the time in which the chord decays, %
- time: change of the time from note to strike, ms; in look-ahead timing without the latency of 200 ms
- force: change of the down weight of C4, %
- *nothing*: no sample changes; –: rounds to 0; …: could not be measured

`unevenness_seed` is changed on a piano of unevenness 1 and compared with that piano. The sheet of single keys is not a
parameter. The notes of the chord beat with each other: a change of the decay by a few percent, or by a third where
tuning or pitch changes, can be a beat at another time.

## Touch, action and hammers

| id | at | immediate: level | colour | decay | natural: level | colour | time | look-ahead: level | colour | time | force |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
";

const OTHERS: &str = "
## Other parameters

Parameters that act after the hammer have the same effect in every timing. Parameters of pedals and MIDI have an effect
only where the phrase uses them: it has one sustain pedal, on and off.

| id | at | level | colour | decay |
| --- | --- | --- | --- | --- |
";

const ACTIONS: &str = "
## Under each action

The parameters of the action and its hammers that change a sample of this phrase, in immediate timing at one end of the
range:

| id | grand | simplified | model A | model B | Viennese | harpsichord | ball | thesis |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
";

/// A signed number with `decimals` decimals; a dash if it rounds to nothing.
fn signed(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    if !value.is_finite() {
        "…".into()
    } else if text.chars().all(|c| "0.".contains(c)) {
        "–".into()
    } else {
        format!("{}{text}", if value < 0.0 { '−' } else { '+' })
    }
}

/// Level, with the notes gained or lost, and timbre.
fn tone(change: &Change) -> String {
    let notes = match signed(change.notes, 0) {
        none if none == "–" => String::new(),
        notes => format!(", {notes} notes"),
    };
    let level = if change.is_same { "nothing".into() } else { signed(change.level, 1) };
    format!("{level}{notes} | {} |", signed(change.colour, 0))
}

/// The page.
pub fn page(found: &[(Case, Change)]) -> Result<String> {
    let mut page = String::from(PLAYED);
    let of = |id: &str, value: f64, timing: Timing| {
        let is = |(case, _): &&(Case, Change)| {
            case.is(id, timing, ActionKind::Grand) && case.value.to_bits() == value.to_bits()
        };
        found.iter().find(is).map(|(_, change)| change).context("a parameter not played")
    };
    for is_first in [true, false] {
        if !is_first {
            page += OTHERS;
        }
        for parameter in params::all().filter(|p| is_moved(p) && is_played(p) == is_first) {
            for value in ends(parameter) {
                let text = parameter.text(value);
                let text = text.strip_prefix('-').map_or(text.clone(), |rest| format!("−{rest}"));
                write!(page, "| `{}` | {text} |", parameter.id)?;
                for (timing, _) in TIMINGS.iter().take(if is_first { 3 } else { 1 }) {
                    let change = of(parameter.id, value, *timing)?;
                    let last = match timing {
                        Timing::Immediate => signed(change.decay, 0),
                        _ => signed(change.time, 1),
                    };
                    write!(page, " {} {last} |", tone(change))?;
                }
                if is_first {
                    let change = of(parameter.id, value, Timing::Immediate)?;
                    write!(page, " {} |", signed(change.force, 0))?;
                }
                page.push('\n');
            }
        }
    }
    page += ACTIONS;
    for parameter in params::all().filter(|p| is_moved(p) && relevance::is_of_action(p)) {
        write!(page, "| `{}` |", parameter.id)?;
        for action in ActionKind::BUILT_IN {
            let is_audible = is_audible(found, parameter.id, Timing::Immediate, action);
            write!(page, " {} |", if is_audible { "●" } else { "" })?;
        }
        page.push('\n');
    }
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn docs_influence_md_has_a_row_for_every_parameter_and_end() {
        let written = include_str!("../../../../docs/influence.md");
        let again = "write it anew by `touchback-proof lab influence`";
        let rest = written.strip_prefix(PLAYED).expect(again);
        let (played, rest) = rest.split_once(OTHERS).expect(again);
        let (others, actions) = rest.split_once(ACTIONS).expect(again);
        let rows = |table: &'static str, cells: usize| -> Vec<&str> {
            let row = |row: &'static str| {
                assert_eq!(row.matches('|').count(), cells + 1, "{row}");
                row.split('`').nth(1).expect("an id")
            };
            table.lines().map(row).collect()
        };
        let moved = |is_first| {
            let of_part = params::all().filter(move |p| is_moved(p) && is_played(p) == is_first);
            of_part.flat_map(|p| ends(p).map(|_| p.id)).collect::<Vec<_>>()
        };
        assert_eq!(rows(played, 12), moved(true), "{again}");
        assert_eq!(rows(others, 5), moved(false), "{again}");
        let of_action = params::all().filter(|p| is_moved(p) && relevance::is_of_action(p));
        assert_eq!(rows(actions, 9), of_action.map(|p| p.id).collect::<Vec<_>>(), "{again}");
    }

    #[test]
    fn numbers_are_signed_and_negligible_ones_are_dashes() {
        assert_eq!(signed(-1.26, 1), "−1.3");
        assert_eq!(signed(0.04, 1), "–");
        assert_eq!(signed(12.0, 0), "+12");
        assert_eq!(signed(f64::NAN, 0), "…");
    }
}
