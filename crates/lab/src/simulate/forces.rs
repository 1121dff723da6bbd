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
