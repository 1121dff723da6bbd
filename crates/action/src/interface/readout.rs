//! Readings of a key after an action step, and the CSV table of a run.

use std::fmt;
use std::io::{self, Write};

use super::elements::Losses;

/// Readings of a key at one instant; NaN for a quantity that the action does not have.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Readout {
    /// Name of the submodel; empty for an action without submodels.
    pub phase: &'static str,
    /// Depth of the key front below rest, m.
    pub key: f64,
    /// Downward speed of the key front, m/s.
    pub key_speed: f64,
    /// Force of the drive on the key front, N.
    pub key_force: f64,
    /// Force between key and hammer, N: of the jack on the knuckle, along the jack; of a plectrum on its
    /// string.
    pub contact_force: f64,
    /// Height of the hammer's crown (a jack's plectrum, a ball) above the string, m; negative below.
    pub hammer: f64,
    /// Speed of the hammer toward the string, m/s.
    pub hammer_speed: f64,
    /// Distance of the hammer's head ahead of a straight shank, m at the crown.
    pub shank_bend: f64,
    /// Generalized coordinates q1…q9 of the grand, rad; q4, q7, q8, q9 in m.
    pub q: [f64; 9],
    /// Rates of `q`, rad/s and m/s.
    pub q_rate: [f64; 9],
    /// Kinetic energy, J.
    pub kinetic: f64,
    /// Potential energy, J.
    pub potential: f64,
    /// Energy dissipated since the start, J.
    pub dissipated: f64,
    /// Work of the drive since the start, J.
    pub work: f64,
    /// Power dissipated by each element, W.
    pub losses: Losses,
    /// Opening of the valve that lets wind to a pipe, 0 (closed) … 1 (open).
    pub valve: f64,
}

/// A column of a run's file: name, which ends with the unit if there is one, and value.
type Column = (&'static str, fn(&Readout) -> f64);

/// The columns in the order of the file. The last is that of actions with a valve, the others are those of all actions.
const COLUMNS: [Column; 29] = [
    ("key_m", |r| r.key),
    ("key_velocity_m_s", |r| r.key_speed),
    ("key_force_n", |r| r.key_force),
    ("jack_knuckle_force_n", |r| r.contact_force),
    ("hammer_m", |r| r.hammer),
    ("hammer_velocity_m_s", |r| r.hammer_speed),
    ("q1", |r| r.q[0]),
    ("q2", |r| r.q[1]),
    ("q3", |r| r.q[2]),
    ("q4", |r| r.q[3]),
    ("q5", |r| r.q[4]),
    ("q6", |r| r.q[5]),
    ("q7", |r| r.q[6]),
    ("q8", |r| r.q[7]),
    ("q9", |r| r.q[8]),
    ("q1_rate", |r| r.q_rate[0]),
    ("q2_rate", |r| r.q_rate[1]),
    ("q3_rate", |r| r.q_rate[2]),
    ("q4_rate", |r| r.q_rate[3]),
    ("q5_rate", |r| r.q_rate[4]),
    ("q6_rate", |r| r.q_rate[5]),
    ("q7_rate", |r| r.q_rate[6]),
    ("q8_rate", |r| r.q_rate[7]),
    ("q9_rate", |r| r.q_rate[8]),
    ("kinetic_j", |r| r.kinetic),
    ("potential_j", |r| r.potential),
    ("dissipated_j", |r| r.dissipated),
    ("work_j", |r| r.work),
    ("valve", |r| r.valve),
];

impl Readout {
    /// Readings without any value.
    pub const NONE: Self = Self {
        phase: "",
        key: f64::NAN,
        key_speed: f64::NAN,
        key_force: f64::NAN,
        contact_force: f64::NAN,
        hammer: f64::NAN,
        hammer_speed: f64::NAN,
        shank_bend: f64::NAN,
        q: [f64::NAN; 9],
        q_rate: [f64::NAN; 9],
        kinetic: f64::NAN,
        potential: f64::NAN,
        dissipated: f64::NAN,
        work: f64::NAN,
        losses: Losses::NONE,
        valve: f64::NAN,
    };

    /// Names and values of the numbers of a run's file, in its order: those of all actions, and the opening of the
    /// valve if the action has one. Names end with the unit, if there is one.
    pub fn columns(&self) -> impl ExactSizeIterator<Item = (&'static str, f64)> {
        let count = COLUMNS.len() - usize::from(self.valve.is_nan());
        COLUMNS[..count].iter().map(|(name, value)| (*name, value(self)))
    }

    /// Work less dissipated, kinetic and potential energy, J: constant except for the error of the
    /// integration.
    #[must_use]
    pub fn imbalance(&self) -> f64 {
        self.work - self.dissipated - self.kinetic - self.potential
    }
}

/// A number in a file: the shortest text that parses to the same number; empty for NaN.
#[derive(Clone, Copy, Debug)]
pub struct Cell(pub f64);

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text(&mut zmij::Buffer::new()))
    }
}

impl Cell {
    /// The text, formatted in `buffer`.
    fn text(self, buffer: &mut zmij::Buffer) -> &str {
        if self.0.is_nan() { "" } else { buffer.format(self.0) }
    }
}

/// A run as CSV with one row for each action step: `time_s`, `phase`, the columns of all actions, and
/// `heat_ELEMENT_w` for each element of the action. Names of phases and elements need no quotes.
#[derive(Debug)]
pub struct Table<W> {
    out: W,
    is_headed: bool,
}

impl<W: Write> Table<W> {
    /// A table written to `out`.
    pub const fn new(out: W) -> Self {
        Self { out, is_headed: false }
    }

    /// Appends the readings at `time` s; writes the header before the first row.
    ///
    /// # Errors
    /// Errors of the output.
    pub fn row(&mut self, time: f64, readout: &Readout) -> io::Result<()> {
        if !self.is_headed {
            self.header(readout)?;
        }
        let mut buffer = zmij::Buffer::new();
        self.out.write_all(Cell(time).text(&mut buffer).as_bytes())?;
        self.out.write_all(b",")?;
        self.out.write_all(readout.phase.as_bytes())?;
        let numbers = readout.columns().map(|(_, value)| value);
        for number in numbers.chain(readout.losses.iter().map(|(_, watts)| watts)) {
            self.out.write_all(b",")?;
            self.out.write_all(Cell(number).text(&mut buffer).as_bytes())?;
        }
        self.out.write_all(b"\n")
    }

    /// Writes the header, with the elements of `readout`.
    fn header(&mut self, readout: &Readout) -> io::Result<()> {
        self.is_headed = true;
        write!(self.out, "time_s,phase")?;
        for (name, _) in readout.columns() {
            write!(self.out, ",{name}")?;
        }
        for (element, _) in readout.losses.iter() {
            write!(self.out, ",heat_{element}_w")?;
        }
        writeln!(self.out)
    }

    /// Flushes and returns the output; writes the header if there was no row.
    ///
    /// # Errors
    /// Errors of the output.
    pub fn finish(mut self) -> io::Result<W> {
        if !self.is_headed {
            self.header(&Readout::NONE)?;
        }
        self.out.flush()?;
        Ok(self.out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(rows: &[(f64, Readout)]) -> String {
        let mut table = Table::new(Vec::new());
        rows.iter().for_each(|(time, row)| table.row(*time, row).unwrap());
        String::from_utf8(table.finish().unwrap()).unwrap()
    }

    #[test]
    fn the_run_file_has_the_documented_columns_and_empty_cells_for_nan() {
        let expected = "time_s,phase,key_m,key_velocity_m_s,key_force_n,jack_knuckle_force_n,\
            hammer_m,hammer_velocity_m_s,q1,q2,q3,q4,q5,q6,q7,q8,q9,q1_rate,q2_rate,q3_rate,\
            q4_rate,q5_rate,q6_rate,q7_rate,q8_rate,q9_rate,kinetic_j,potential_j,dissipated_j,\
            work_j\n";
        assert_eq!(text(&[]), expected);
        let row = Readout { phase: "let_off", q: [1.0; 9], ..Readout::NONE };
        let ones = ",1.0".repeat(9);
        let line = format!("0.5,let_off,,,,,,{ones},,,,,,,,,,,,,\n");
        assert_eq!(text(&[(0.5, row)]), format!("{expected}{line}"));
    }
}
