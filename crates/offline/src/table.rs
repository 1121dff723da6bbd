//! CSV tables of numbers over time, for gestures, automation and sheets.

use anyhow::{Result, anyhow, bail};

use touchback_core::text::encoding::decode;
pub use touchback_core::text::number::number;
use touchback_core::text::table::{ColumnName, Form, take_units};

/// Names of the column of times, each with its unit in s.
const TIMES: [(&str, f64); 6] =
    [("t_s", 1.0), ("time_s", 1.0), ("t_ms", 1e-3), ("time_ms", 1e-3), ("t", 1.0), ("time", 1.0)];

/// A table whose cells are text.
#[derive(Debug)]
pub struct CsvTable {
    /// Column names in file order.
    pub columns: Vec<ColumnName>,
    /// Rows, each with its line number.
    pub rows: Vec<(u64, Vec<String>)>,
}

impl CsvTable {
    /// Reads `bytes`; `file` names the source in errors. The header shows the separator: comma, semicolon or
    /// tab. `#` begins a comment line; empty cells at the ends of rows are ignored. A row of units may follow the
    /// header.
    ///
    /// # Errors
    /// No text, rows of unequal length, no header, or a unit that is not that of its column, each with its line.
    pub fn read(file: &str, bytes: &[u8]) -> Result<Self> {
        let text = decode(bytes);
        if let Some(at) = text.find('\0') {
            bail!("{file}, line {}: no text", 1 + text[..at].matches('\n').count());
        }
        let Some(form) = Form::of(&text, &['\n']) else {
            bail!("{file}: empty; the first line must name the columns");
        };
        let mut columns: Vec<ColumnName> = form.cells(form.header).map(ColumnName::of).collect();
        while columns.last().is_some_and(ColumnName::is_empty) {
            columns.pop();
        }
        let after = text.split_inclusive('\n').take(form.line).map(str::len).sum::<usize>();
        let mut body = std::borrow::Cow::Borrowed(&text[after..]);
        if form.separator == ' ' {
            let lines = body.lines().map(|line| form.cells(line).collect::<Vec<_>>().join(" "));
            body = lines.collect::<Vec<_>>().join("\n").into();
        }
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .delimiter(u8::try_from(form.separator).unwrap_or(b','))
            .comment(Some(b'#'))
            .trim(csv::Trim::All)
            .flexible(true)
            .from_reader(body.as_bytes());
        let (mut rows, mut is_below_header) = (Vec::new(), true);
        for record in reader.records() {
            let record = record.map_err(|e| anyhow!("{file}: {e}"))?;
            let line = record.position().map_or(0, csv::Position::line) + form.line as u64;
            let mut cells: Vec<String> = record.iter().map(Into::into).collect();
            while cells.len() > columns.len() && cells.last().is_some_and(String::is_empty) {
                cells.pop();
            }
            if cells.iter().all(String::is_empty) {
                continue;
            }
            if cells.len() != columns.len() {
                bail!(
                    "{file}, line {line}: {} cells where the header names {}{}",
                    cells.len(),
                    columns.len(),
                    if cells.len() == 2 * columns.len() && form.separator == ',' {
                        "; with decimal commas, separate the cells by semicolons"
                    } else {
                        ""
                    }
                );
            }
            let may_be_units = std::mem::take(&mut is_below_header);
            if may_be_units
                && take_units(&mut columns, &cells.iter().map(String::as_str).collect::<Vec<_>>())
                    .map_err(|error| anyhow!("{file}, line {line}: {error}"))?
            {
                continue;
            }
            rows.push((line, cells));
        }
        // The number of the row, as pandas and R write it.
        if columns.len() > 2 && columns[0].is_empty() {
            columns.remove(0);
            rows.iter_mut().for_each(|(_, cells)| drop(cells.remove(0)));
        }
        if rows.is_empty() {
            bail!("{file}: no rows after the header");
        }
        Ok(Self { columns, rows })
    }

    /// Index of the column `name`, in any case.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.is(name))
    }

    /// Index of the column `name`, whose unit is m, and its unit in m: a column in mm may stand for it.
    #[must_use]
    pub fn length_column(&self, name: &str) -> Option<(usize, f64)> {
        let in_mm = || Some((self.column(&format!("{}_mm", name.strip_suffix("_m")?))?, 1e-3));
        self.column(name).map(|column| (column, 1.0)).or_else(in_mm)
    }

    /// Index of the column of times, and its unit in s.
    ///
    /// # Errors
    /// Missing column.
    pub fn time_column(&self, file: &str) -> Result<(usize, f64)> {
        let mut found = TIMES.iter().filter_map(|(name, unit)| Some((self.column(name)?, *unit)));
        found.next().ok_or_else(|| {
            anyhow!("{file}, line 1: no column of times; name it `t_s`, or `t_ms` for milliseconds")
        })
    }

    /// The times, which must rise strictly, s.
    ///
    /// # Errors
    /// Missing column, a cell that is no finite number ≥ 0, or a time that does not rise.
    pub fn times(&self, file: &str) -> Result<Vec<f64>> {
        let (column, unit) = self.time_column(file)?;
        let name = &self.columns[column];
        let mut times: Vec<f64> = Vec::with_capacity(self.rows.len());
        for (line, cells) in &self.rows {
            let t = number(&cells[column]).filter(|t| *t >= 0.0).ok_or_else(|| {
                anyhow!("{file}, line {line}: {name} `{}` is no time", cells[column])
            })?;
            if times.last().is_some_and(|last| *last >= t * unit) {
                bail!("{file}, line {line}: {name} {t} does not rise; times must rise strictly");
            }
            times.push(t * unit);
        }
        Ok(times)
    }
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

    /// The points, each a time, s, and a value.
    #[must_use]
    pub fn points(&self) -> &[(f64, f64)] {
        &self.points
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
            table.and_then(|t| t.times("f.csv")).unwrap_err().to_string()
        };
        assert!(message("t_s,x\n0,1\n1\n").contains("f.csv, line 3: 1 cells"));
        assert!(message("t_s,x\n0,1\n0,1\n").contains("line 3: t_s 0 does not rise"));
        assert!(message("t_s,x\n0,1\nnan,1\n").contains("line 3: t_s `nan`"));
        assert!(message("x,y\n0,1\n").contains("no column of times; name it `t_s`"));
        assert!(
            message("t_s,x\nms,m\n0,1\n").contains("line 2: the unit of `t_s` is given as `ms`")
        );
        assert!(message("t_s,x\ns,m\n").contains("no rows"));
        assert!(message("t_s,x\n").contains("no rows"));
        assert!(message("").contains("empty"));
    }

    #[test]
    fn tables_of_any_spreadsheet_are_the_same_table() {
        let plain = CsvTable::read("f.csv", b"t_s,value\n0,0.5\n1.5,-2\n").unwrap();
        let wide: Vec<u8> = "\u{FEFF}t_s\tvalue\r\n0\t0,5\r\n1,5\t-2\r\n"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        for text in [
            &b"t_s;value\n0;0,5\n1,5;-2\n"[..],
            b"\xEF\xBB\xBFt_s;value;\r\n0;0,5;\r\n\r\n1,5;-2;\r\n",
            b"\"T_s\",\"Value\"\n\"0\",\"0,5\"\n\"1,5\",\"-2\"\n",
            b"sep=;\nt_s;value\n0;0.5\n1.5;-2",
            b"# t_s,value\n0,0.5\n# a comment\n1.5,-2\n",
            b"t_s , value,,\r0 , 0.5,,\r1.5 , -2,,\r,,,\r",
            b"# Fl\xFCgel\nt_s,value\n0,0.5\n1.5,-2\n",
            b"\"\",\"t_s\",\"value\"\n\"1\",0,0.5\n\"2\",1.5,-2\n",
            b"# t_s value\n 0.000e+00  5.0e-01\n 1.500e+00 -2.0e+00\n",
            b"t_s,value\ns,-\n0,0.5\n1.5,-2\n",
            b"\n\nt [s];value\n[s];\n0;0,5\n1,5;-2\n",
            b"time (ms),value\n0,0.5\n1500,-2\n",
            b"T_MS,VALUE,\n0,0.5,\n1500,-2,\n",
            &wide,
        ] {
            let table = CsvTable::read("f.csv", text).unwrap();
            let value = table.column("value").unwrap();
            assert_eq!(table.times("f.csv").unwrap(), plain.times("f.csv").unwrap());
            let values = table.rows.iter().map(|(_, cells)| number(&cells[value]));
            assert_eq!(values.collect::<Vec<_>>(), [Some(0.5), Some(-2.0)], "{text:?}");
        }
        let error = |text: &[u8]| CsvTable::read("f.csv", text).unwrap_err().to_string();
        assert!(error(b"t_s,value\n0,1\n0,5,2,5\n").contains("line 3: 4 cells"), "commas");
        assert!(error(b"t_s,value\n0,1\n0,5,2,5\n").ends_with("separate the cells by semicolons"));
        assert!(error(b"# one\n\nt_s;value\n0;1\n2\n").contains("line 5: 1 cells"));
        assert!(error(b"\x89PNG\0\0").contains("line 1: no text"));
    }

    #[test]
    fn a_curve_is_linear_between_rows_and_held_outside() {
        let curve = Curve::new(vec![(1.0, 2.0), (3.0, 6.0)]).unwrap();
        assert_eq!([0.0, 1.0, 2.0, 3.0, 9.0].map(|t| curve.at(t)), [2.0, 2.0, 4.0, 6.0, 6.0]);
    }
}
