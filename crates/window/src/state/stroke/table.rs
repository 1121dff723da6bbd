//! A stroke as CSV in the format of `touchback simulate`: one row per action step.

use std::io::{self, Write};

use super::Stroke;
use touchback_action::interface::readout::Table;

/// Writes the whole stroke. Times are those of the window, 0 at the strike.
///
/// # Errors
/// Those of the output.
pub fn write(out: impl Write, stroke: &Stroke) -> io::Result<()> {
    let mut table = Table::new(out);
    for row in &stroke.rows {
        // The step is 125 µs, so times are rounded to microseconds, which print short.
        table.row((row.time * 1e6).round() / 1e6, &row.view)?;
    }
    table.finish().map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_action::ActionSettings;
    use touchback_core::math::compass::KeyNumber;

    #[test]
    fn every_row_has_every_column_and_reads_back() {
        let key = KeyNumber::from_midi(60).unwrap();
        let stroke = Stroke::pressed(key, &ActionSettings::default(), 1.0);
        let mut bytes = Vec::new();
        write(&mut bytes, &stroke).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let mut lines = text.lines();
        let names: Vec<&str> = lines.next().unwrap().split(',').collect();
        assert_eq!((names.len(), names[16], names[29]), (58, "q9", "work_j"));
        assert_eq!((names[30], names[57]), ("heat_knuckle_on_jack_w", "heat_damper_friction_w"));
        let hammer = names.iter().position(|n| *n == "hammer_m").unwrap();
        for (line, row) in lines.by_ref().zip(&stroke.rows) {
            let cells: Vec<&str> = line.split(',').collect();
            assert_eq!(cells.len(), names.len());
            let read: f64 = cells[hammer].parse().unwrap();
            assert_eq!(read.to_bits(), row.view.hammer.to_bits());
        }
        assert_eq!(text.lines().count(), stroke.rows.len() + 1);
    }
}
