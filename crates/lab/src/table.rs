//! CSV tables of numbers over time, for gestures, automation and sheets.

use anyhow::{Result, anyhow, bail};

/// A table whose cells are text.
#[derive(Debug)]
pub struct CsvTable {
    /// Column names in file order.
    pub columns: Vec<String>,
    /// Rows, each with its line number.
    pub rows: Vec<(u64, Vec<String>)>,
}

impl CsvTable {
    /// Reads `bytes`; `file` names the source in errors.
    ///
    /// # Errors
    /// Text that is not UTF-8, rows of unequal length, or no header, each with its line.
    pub fn read(file: &str, bytes: &[u8]) -> Result<Self> {
        let text = std::str::from_utf8(bytes).map_err(|e| {
            let line = bytes[..e.valid_up_to()].iter().filter(|b| **b == b'\n').count() + 1;
            anyhow!("{file}, line {line}: not UTF-8 text")
        })?;
        let mut reader = csv::ReaderBuilder::new()
            .trim(csv::Trim::All)
            .flexible(true)
            .from_reader(text.as_bytes());
        let columns: Vec<String> =
            reader.headers().map_err(|e| anyhow!("{file}: {e}"))?.iter().map(Into::into).collect();
        if columns.is_empty() {
            bail!("{file}: empty; the first line must name the columns");
        }
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|e| anyhow!("{file}: {e}"))?;
            let line = record.position().map_or(0, csv::Position::line);
            if record.len() != columns.len() {
                bail!(
                    "{file}, line {line}: {} cells where the header names {}",
                    record.len(),
                    columns.len()
                );
            }
            rows.push((line, record.iter().map(Into::into).collect()));
        }
        if rows.is_empty() {
            bail!("{file}: no rows after the header");
        }
        Ok(Self { columns, rows })
    }

    /// Index of the column `name`.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|c| c == name)
    }

    /// The column `name`, which must rise strictly, s.
    ///
    /// # Errors
    /// Missing column, a cell that is no finite number ≥ 0, or a time that does not rise.
    pub fn times(&self, file: &str, name: &str) -> Result<Vec<f64>> {
        let column =
            self.column(name).ok_or_else(|| anyhow!("{file}, line 1: no column `{name}`"))?;
        let mut times: Vec<f64> = Vec::with_capacity(self.rows.len());
        for (line, cells) in &self.rows {
            let t = number(&cells[column]).filter(|t| *t >= 0.0).ok_or_else(|| {
                anyhow!("{file}, line {line}: {name} `{}` is no time in seconds", cells[column])
            })?;
            if times.last().is_some_and(|last| *last >= t) {
                bail!("{file}, line {line}: {name} {t} does not rise; times must rise strictly");
            }
            times.push(t);
        }
        Ok(times)
    }
}

/// A finite number, or `None`.
#[must_use]
pub fn number(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|x| x.is_finite())
}

/// A curve: linear between points, constant before the first and after the last.
#[derive(Clone, PartialEq, Debug)]
pub struct Curve {
    points: Vec<(f64, f64)>,
}

impl Curve {
    /// The curve through `points` (time s, value) of rising time; `None` without a point.
    #[must_use]
    pub fn new(points: Vec<(f64, f64)>) -> Option<Self> {
        (!points.is_empty()).then_some(Self { points })
    }

    /// Value at `time` s.
    #[must_use]
    pub fn at(&self, time: f64) -> f64 {
        touchback_core::math::compass::linear(&self.points, time)
    }

    /// Time of the last point, s.
    #[must_use]
    pub fn end(&self) -> f64 {
        self.points[self.points.len() - 1].0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_their_line() {
        let message = |text: &str| {
            let table = CsvTable::read("f.csv", text.as_bytes());
            table.and_then(|t| t.times("f.csv", "t_s")).unwrap_err().to_string()
        };
        assert!(message("t_s,x\n0,1\n1\n").contains("f.csv, line 3: 1 cells"));
        assert!(message("t_s,x\n0,1\n0,1\n").contains("line 3: t_s 0 does not rise"));
        assert!(message("t_s,x\n0,1\nnan,1\n").contains("line 3: t_s `nan`"));
        assert!(message("t,x\n0,1\n").contains("no column `t_s`"));
        assert!(message("t_s,x\n").contains("no rows"));
        assert!(message("").contains("empty"));
    }

    #[test]
    fn a_curve_is_linear_between_rows_and_held_outside() {
        let curve = Curve::new(vec![(1.0, 2.0), (3.0, 6.0)]).unwrap();
        assert_eq!([0.0, 1.0, 2.0, 3.0, 9.0].map(|t| curve.at(t)), [2.0, 2.0, 4.0, 6.0, 6.0]);
    }
}
