//! Functions of [`touchback_walls`] for a page: which there are, and their tables for chosen numbers.
//!
//! A request has the name of a function and a number in each further line, `ID=VALUE`, as the command's `--set`; a request
//! without a name asks for all functions, which are answered as JSON.

#[cfg(target_family = "wasm")]
mod exports;

use touchback_core::text::numbers::{Number, Numbers};
use touchback_walls::ball;
use touchback_walls::calculation::{self, Calculation};

/// Most samples of a ball's run, which a page has to draw at once.
const MOST_SAMPLES: f64 = 2e5;

/// The answer to a request.
#[derive(Clone, PartialEq, Debug)]
pub enum Answer {
    /// A table, row by row.
    Table {
        /// Number of columns.
        columns: usize,
        /// The numbers.
        cells: Vec<f64>,
    },
    /// A JSON text, or a sentence on what is wrong.
    Text(String),
}

/// The answer to `request`.
#[must_use]
pub fn answer(request: &str) -> Answer {
    let mut lines = request.lines();
    let name = lines.next().unwrap_or_default();
    if name.is_empty() {
        return Answer::Text(functions());
    }
    let chosen: Vec<String> = lines.map(str::to_owned).collect();
    match table(name, &chosen) {
        Ok(rows) => {
            Answer::Table { columns: rows.first().map_or(1, Vec::len), cells: rows.concat() }
        }
        Err(error) => Answer::Text(error),
    }
}

/// Rows of the function `name`, a wall of [`ball`] or a function of [`calculation`].
fn table(name: &str, chosen: &[String]) -> Result<Vec<Vec<f64>>, String> {
    let numbers = |list| Numbers::chosen(list, chosen).map_err(|e| e.to_string());
    if let Some(of) = calculation::ALL.iter().find(|of| of.name == name) {
        return (of.rows)(&numbers(of.numbers)?).map_err(|e| e.to_string());
    }
    let numbers = numbers(ball::NUMBERS)?;
    let samples = numbers.get("seconds") / numbers.get("t");
    if samples > MOST_SAMPLES {
        return Err(format!(
            "seconds / t = {samples:.1e}: at most {MOST_SAMPLES:.0e} samples here"
        ));
    }
    ball::rows(name, &numbers).map_err(|e| e.to_string())
}

/// All functions as JSON: name, columns, and numbers with unit, range, usual value and meaning.
fn functions() -> String {
    let walls = ball::WALLS.map(|name| entry(name, &ball::COLUMNS, ball::NUMBERS));
    let others = calculation::ALL
        .map(|Calculation { name, columns, numbers, .. }| entry(name, columns, numbers));
    format!("{{{}}}", [walls.as_slice(), others.as_slice()].concat().join(","))
}

fn entry(name: &str, columns: &[&str], numbers: &[Number]) -> String {
    let number = |n: &Number| {
        let Number { id, unit, range: [least, most], usual, about } = n;
        format!(
            "{{\"id\":\"{id}\",\"unit\":\"{unit}\",\"range\":[{least},{most}],\"usual\":{usual},\"about\":\"{about}\"}}"
        )
    };
    let numbers = numbers.iter().map(number).collect::<Vec<_>>().join(",");
    format!("\"{name}\":{{\"columns\":[\"{}\"],\"numbers\":[{numbers}]}}", columns.join("\",\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_has_a_table_or_says_why_not() {
        for name in ball::WALLS.into_iter().chain([
            "damping",
            "return_map",
            "line",
            "paddle",
            "press",
            "sprung",
        ]) {
            let Answer::Table { columns, cells } = answer(name) else { panic!("{name}") };
            assert!(columns > 1 && cells.len() % columns == 0, "{name}");
        }
        let text = functions();
        assert!(text.contains("\"placement\":{\"columns\":[\"time_s\",\"height_m\",\"force_n\"]"));
        assert_eq!(text.matches("\"columns\"").count(), 12, "{text}");
        for (request, part) in [
            ("standard\nk=soft", "not a number"),
            ("standrd", "is it `standard`?"),
            ("standard\nt=0.0001\nseconds=1000", "samples"),
            ("damping\nt=7", "between"),
        ] {
            let Answer::Text(text) = answer(request) else { panic!("{request}") };
            assert!(text.contains(part), "{text}");
        }
    }

    #[test]
    fn numbers_are_read_as_the_command_reads_them() {
        let Answer::Table { cells, .. } = answer("standard\nt=0.2\nseconds=2") else { panic!() };
        let mut numbers = Numbers::usual(ball::NUMBERS);
        numbers.set("t", 0.2).unwrap();
        numbers.set("seconds", 2.0).unwrap();
        assert_eq!(cells, ball::rows("standard", &numbers).unwrap().concat());
    }
}
