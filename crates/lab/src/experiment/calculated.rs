//! An experiment with chosen numbers: the table of a function of [`touchback_walls::calculation`] instead of the
//! source's rows.

use anyhow::Result;

use touchback_core::text::numbers::Numbers;
use touchback_offline::bench::{DataTable, Folder, Report, short};
use touchback_offline::plot::{Axis, Figure, Series, Subplot, palette};
use touchback_walls::calculation::Calculation;

/// Most points of a curve.
const POINTS: usize = 4000;

/// The table of `of` with `numbers`, as notes or as curves; `None` where all numbers are the usual ones.
pub fn report(of: &Calculation, folder: &mut Folder, numbers: &Numbers) -> Result<Option<Report>> {
    let Some(changed) = numbers.changed() else { return Ok(None) };
    let mut report = Report::default();
    let rows = (of.rows)(numbers)?;
    let name = of.name.replace('_', "-");
    let mut csv = DataTable::new(of.columns);
    for (first, rest) in rows.iter().filter_map(|row| row.split_first()) {
        csv.numbers(first, rest);
    }
    folder.table(&format!("{name}.csv"), &csv)?;
    if let [row] = &rows[..] {
        let cells =
            of.columns.iter().zip(row).map(|(name, value)| format!("{name} {}", short(*value)));
        report.note(&format!("{}.", cells.collect::<Vec<_>>().join(", ")));
        return Ok(Some(report));
    }
    let stride = rows.len().div_ceil(POINTS).max(1);
    let panel = |column: usize| {
        let points = rows.iter().step_by(stride).map(|row| (row[0], row[column])).collect();
        let line = Series::line("", points, palette(column - 1));
        Subplot::new(Axis::new(of.columns[column]), vec![line])
    };
    let figure = Figure {
        title: format!("{name}: {changed}"),
        x: Axis::new(of.columns[0]),
        bands: Vec::new(),
        marks: Vec::new(),
        panels: (1..of.columns.len()).map(panel).collect(),
    };
    folder.draw(&name, &figure, &mut report)?;
    Ok(Some(report))
}
