//! The file of forces: force and dissipated power of every element of the action, one row an action step.

use std::io::{self, Write};

use touchback_action::interface::elements::Elements;
use touchback_action::interface::readout::Cell;

/// A table of forces that is written row by row.
pub struct Forces<W> {
    out: W,
    is_headed: bool,
}

impl<W: Write> Forces<W> {
    /// A table written to `out`.
    pub const fn new(out: W) -> Self {
        Self { out, is_headed: false }
    }

    /// Appends the `elements` at `time` s; writes the header before the first row.
    ///
    /// # Errors
    /// Errors of the output.
    pub fn row(&mut self, time: f64, elements: &Elements) -> io::Result<()> {
        if !self.is_headed {
            self.is_headed = true;
            self.line("time_s", elements.columns().map(|(name, _)| name))?;
        }
        self.line(Cell(time), elements.columns().map(|(_, value)| Cell(value)))
    }

    fn line<T: std::fmt::Display>(
        &mut self,
        first: impl std::fmt::Display,
        rest: impl Iterator<Item = T>,
    ) -> io::Result<()> {
        write!(self.out, "{first}")?;
        for cell in rest {
            write!(self.out, ",{cell}")?;
        }
        writeln!(self.out)
    }

    /// Flushes the output.
    ///
    /// # Errors
    /// Errors of the output.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::{plants, play_key};
    use touchback_action::interface::readout::Table;
    use touchback_core::math::compass::KeyNumber;
    use touchback_instrument::Settings;

    /// The numbers of the column `name` of the CSV text `table`; 0 for empty cells.
    fn column(table: &[u8], name: &str) -> Vec<f64> {
        let mut rows = csv::Reader::from_reader(table);
        let at = rows.headers().unwrap().iter().position(|header| header == name).unwrap();
        rows.records().map(|row| row.unwrap()[at].parse().unwrap_or(0.0)).collect()
    }

    #[test]
    fn the_forces_of_a_press_agree_with_its_run() {
        let number = KeyNumber::from_midi(60).unwrap();
        let mut key = plants::start("grand", number, &Settings::default(), None).unwrap();
        let text = "t_s,force_n\n0,0\n0.02,7\n0.2,7\n0.21,0\n0.4,0\n";
        let mut gesture = crate::gesture::Gesture::from_csv("g.csv", text.as_bytes()).unwrap();
        let (mut run, mut forces) = (Table::new(Vec::new()), Forces::new(Vec::new()));
        play_key(&mut gesture, key.as_mut(), number, |time, key, drive| {
            run.row(time, &key.readout(drive))?;
            Ok(forces.row(time, &key.elements(drive))?)
        })
        .unwrap();
        let (run, forces) = (run.finish().unwrap(), forces.out);
        assert_eq!(column(&run, "time_s"), column(&forces, "time_s"));
        let knuckle = column(&forces, "knuckle_on_jack_n");
        assert!(knuckle.iter().any(|force| *force > 5.0));
        assert_eq!(knuckle, column(&run, "jack_knuckle_force_n"));
        let header = String::from_utf8_lossy(&forces);
        let heats = header.lines().next().unwrap().split(',').filter(|n| n.starts_with("heat_"));
        let mut total = 0.0;
        for heat in heats {
            let power = column(&forces, heat);
            assert_eq!(power, column(&run, heat), "{heat}");
            total += touchback_action::STEP * power.iter().sum::<f64>();
        }
        let dissipated = *column(&run, "dissipated_j").last().unwrap();
        assert!((total - dissipated).abs() < 0.01 * dissipated, "{total} {dissipated} J");
    }
}
