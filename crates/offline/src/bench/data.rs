//! A table of data: named columns with their units, rows of cells.

use std::fmt::Display;

use anyhow::{Context, Result};
use touchback_core::exchange::cancel;

/// Rows under one header, written as CSV.
#[derive(Clone, Debug)]
pub struct DataTable {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl DataTable {
    /// A table without rows. A column's name ends with its unit in SI symbols, as `time_s` and
    /// `stiffness_n_m`; names, counts and shares have no unit.
    #[must_use]
    pub fn new(columns: &[&str]) -> Self {
        Self { columns: columns.iter().map(|c| (*c).into()).collect(), rows: Vec::new() }
    }

    /// Appends a column; call before the first row.
    pub fn column(&mut self, name: &str) {
        self.columns.push(name.into());
    }

    /// Adds a row with one cell per column; [`DataTable::csv`] refuses other lengths.
    pub fn row(&mut self, cells: &[&dyn Display]) {
        cancel::check();
        self.rows.push(cells.iter().map(ToString::to_string).collect());
    }

    /// Adds a row of `first` and the numbers `rest`.
    pub fn numbers(&mut self, first: &dyn Display, rest: &[f64]) {
        let cells = std::iter::once(first.to_string()).chain(rest.iter().map(f64::to_string));
        self.rows.push(cells.collect());
    }

    /// The table as CSV.
    ///
    /// # Errors
    /// A row whose length differs from the header's, with its number.
    pub fn csv(&self) -> Result<Vec<u8>> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(&self.columns)?;
        for (i, row) in self.rows.iter().enumerate() {
            writer.write_record(row).with_context(|| format!("row {}", i + 1))?;
        }
        Ok(writer.into_inner().map_err(|e| e.into_error())?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_are_quoted_and_a_row_of_another_length_is_refused() {
        let mut table = DataTable::new(&["gesture", "time_s"]);
        table.row(&[&"pressed, held", &0.5]);
        table.numbers(&"struck", &[1.0]);
        let text = String::from_utf8(table.csv().unwrap()).unwrap();
        assert_eq!(text, "gesture,time_s\n\"pressed, held\",0.5\nstruck,1\n");
        table.row(&[&1, &2, &3]);
        assert!(format!("{:#}", table.csv().unwrap_err()).contains("row 3"));
    }
}
