//! Measurements of a key: depth and force over time, press by press.

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::bench::DataTable;
use crate::output::{self, Shown as _};
use crate::table::{CsvTable, Curve, number};

/// Largest data file, bytes.
const FILE_LIMIT: u64 = 64_000_000;

/// Longest accepted press, s; largest accepted depth, m, and force, N.
const LONGEST: f64 = 10.0;
const DEEPEST: f64 = 0.05;
const STRONGEST: f64 = 500.0;

/// Fewest samples of a press.
const FEWEST: usize = 20;

/// One press from rest.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct MeasuredPress {
    /// Times since the press's first sample, s.
    pub times: Vec<f64>,
    /// Depth of the key front below rest, m.
    pub depth: Vec<f64>,
    /// Force on the key front, N.
    pub force: Vec<f64>,
}

impl MeasuredPress {
    /// The force over time.
    ///
    /// # Errors
    /// A press without samples.
    pub fn curve(&self) -> Result<Curve> {
        let points = self.times.iter().copied().zip(self.force.iter().copied()).collect();
        Curve::new(points).context("a press without samples")
    }
}

/// Column names, each with the name that it has in the file of a run.
const TIME: &str = "t_s";
const FORCE: [&str; 2] = ["force_n", "key_force_n"];
const DEPTH: &str = "key_m";
const PRESS: &str = "press";

/// Reads the presses of a file.
///
/// # Errors
/// One line with file and line.
pub fn open(path: &Path) -> Result<Vec<MeasuredPress>> {
    read(&path.shown(), &output::read(path, FILE_LIMIT)?)
}

/// Reads the presses in `bytes`; `file` names them in errors.
///
/// # Errors
/// One line with file and line.
pub fn read(file: &str, bytes: &[u8]) -> Result<Vec<MeasuredPress>> {
    let table = CsvTable::read(file, bytes)?;
    let column = |names: &[&str]| {
        names.iter().find_map(|name| table.column(name)).with_context(|| {
            format!(
                "{file}, line 1: no column `{}`; a measured key has t_s, key_m, force_n and, for \
                 several presses, press",
                names[0]
            )
        })
    };
    let (time, second) = table.time_column(file)?;
    let (depth, metre) = table
        .length_column(DEPTH)
        .map_or_else(|| column(&[DEPTH]).map(|column| (column, 1.0)), Ok)?;
    let force = column(&FORCE)?;
    let press = table.column(PRESS);
    let mut presses: Vec<MeasuredPress> = Vec::new();
    let (mut current, mut began) = (None, 0.0);
    for (line, cells) in &table.rows {
        let within = |column: usize, unit: f64, limit: f64, name_of_unit: &str| {
            let value = number(&cells[column]).map(|x| x * unit);
            value.filter(|x| x.abs() <= limit).with_context(|| {
                let name = &table.columns[column];
                format!(
                    "{file}, line {line}: {name} `{}` is no number within ±{limit} {name_of_unit}",
                    cells[column]
                )
            })
        };
        let which = press.map_or("", |p| cells[p].as_str());
        let t = within(time, second, 1e6, "s")?;
        if current != Some(which) {
            (current, began) = (Some(which), t);
            presses.push(MeasuredPress::default());
        }
        let Some(last) = presses.last_mut() else { continue };
        let t = t - began;
        if last.times.last().is_some_and(|before| *before >= t) {
            bail!(
                "{file}, line {line}: time does not rise; a new press has another number in `press`"
            );
        }
        if t > LONGEST {
            bail!("{file}, line {line}: a press lasts at most {LONGEST} s; number them in `press`");
        }
        last.times.push(t);
        last.depth.push(within(depth, metre, DEEPEST, "m")?);
        last.force.push(within(force, 1.0, STRONGEST, "N")?);
    }
    if let Some((i, short)) = presses.iter().enumerate().find(|(_, p)| p.times.len() < FEWEST) {
        bail!("{file}: press {} has {} samples; {FEWEST} are the least", i + 1, short.times.len());
    }
    Ok(presses)
}

/// The presses as a file.
#[must_use]
pub fn table(presses: &[MeasuredPress]) -> DataTable {
    let mut table = DataTable::new(&[PRESS, TIME, DEPTH, FORCE[0]]);
    for (i, press) in presses.iter().enumerate() {
        for ((t, depth), force) in press.times.iter().zip(&press.depth).zip(&press.force) {
            let [depth, force] = [format!("{depth:.7}"), format!("{force:.4}")];
            table.row(&[&(i + 1), t, &depth, &force]);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(head: &str, row: impl Fn(usize) -> String) -> String {
        (0..40).map(row).fold(format!("{head}\n"), |text, row| text + &row + "\n")
    }

    #[test]
    fn presses_are_separated_and_begin_at_zero() {
        let text = rows("press,t_s,key_m,force_n", |i| {
            format!("{},{},0.001,2", 1 + i / 20, 0.5 + i as f64 * 1e-3)
        });
        let presses = read("d.csv", text.as_bytes()).unwrap();
        assert_eq!((presses.len(), presses[1].times[0], presses[1].times.len()), (2, 0.0, 20));
        let again = table(&presses).csv().unwrap();
        assert_eq!(read("d.csv", &again).unwrap()[0].force, presses[0].force);
        let other = text.replacen('\n', "\n-,s,mm,N\n", 1).replace(",key_m,", ",key,");
        let other = other.replace(",0.001,", ",1,");
        assert_eq!(read("d.csv", other.as_bytes()).unwrap()[1].depth, presses[1].depth);
        // The file of a run is valid data.
        let run = rows("time_s,phase,key_m,key_force_n", |i| format!("{},D,0,1", i as f64 * 1e-3));
        assert_eq!(read("run.csv", run.as_bytes()).unwrap().len(), 1);
    }

    #[test]
    fn bad_data_is_named_by_line() {
        let row = |i: usize| format!("{},0.001,2", i as f64 * 1e-3);
        let good = rows("t_s,key_m,force_n", row);
        for (text, part) in [
            (good.replace("force_n", "force"), "line 1: no column `force_n`"),
            (good.replace("0.039,0.001", "0.039,1"), "line 41: key_m `1`"),
            (good.replace("0.039,", "0.038,"), "line 41: time does not rise"),
            (good.replace("0.039,", "nan,"), "line 41: t_s `nan`"),
            (good.replace("0.039,", "11,"), "at most 10 s"),
            ("t_s,key_m,force_n\n0,0,0\n".into(), "press 1 has 1 samples"),
        ] {
            let error = format!("{:#}", read("d.csv", text.as_bytes()).unwrap_err());
            assert!(error.starts_with("d.csv") && error.contains(part), "{error}");
        }
    }
}
