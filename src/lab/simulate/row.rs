//! One row of a run: the state of a key after an action step.

use std::fs::File;
use std::io::BufWriter;

use anyhow::{Context, Result};

use crate::action::losses::Losses;
use crate::action::mechanism::View;
use crate::lab::output::Draft;
use crate::lab::render::cell;

/// Every column of the run CSV; NaN is an empty cell.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// End of the step, s.
    pub time_s: f64,
    /// Name of the phase the action is in.
    pub phase: &'static str,
    /// Depth of the key front below rest, m.
    pub key_m: f64,
    /// Its downward speed, m/s.
    pub key_velocity_m_s: f64,
    /// Force of the finger on the key front, N.
    pub key_force_n: f64,
    /// Force between jack and knuckle, N.
    pub jack_knuckle_force_n: f64,
    /// Hammer crown relative to the string, m; below is negative.
    pub hammer_m: f64,
    /// Its speed toward the string, m/s.
    pub hammer_velocity_m_s: f64,
    /// Generalized coordinates q1…q9 (rad; q4, q7, q8, q9 m).
    pub q: [f64; 9],
    /// Their rates.
    pub q_rate: [f64; 9],
    /// Kinetic energy, J.
    pub kinetic_j: f64,
    /// Potential energy, J.
    pub potential_j: f64,
    /// Energy dissipated so far, J.
    pub dissipated_j: f64,
    /// Work done on the key so far, J.
    pub work_j: f64,
    /// Power that each element turns into heat, W.
    pub losses: Losses,
}

impl Default for Row {
    fn default() -> Self {
        let none = f64::NAN;
        Self {
            time_s: none,
            phase: "",
            key_m: none,
            key_velocity_m_s: none,
            key_force_n: none,
            jack_knuckle_force_n: none,
            hammer_m: none,
            hammer_velocity_m_s: none,
            q: [none; 9],
            q_rate: [none; 9],
            kinetic_j: none,
            potential_j: none,
            dissipated_j: none,
            work_j: none,
            losses: Losses::NONE,
        }
    }
}

impl Row {
    /// What `view` shows, at no time yet.
    #[must_use]
    pub const fn of(view: &View) -> Self {
        Self {
            time_s: f64::NAN,
            phase: view.phase,
            key_m: view.key,
            key_velocity_m_s: view.key_speed,
            key_force_n: view.key_force,
            jack_knuckle_force_n: view.contact_force,
            hammer_m: view.hammer,
            hammer_velocity_m_s: view.hammer_speed,
            q: view.q,
            q_rate: view.q_rate,
            kinetic_j: view.kinetic,
            potential_j: view.potential,
            dissipated_j: view.dissipated,
            work_j: view.work,
            losses: view.losses,
        }
    }

    /// Empties every cell.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// The header line's cells; the elements are those of the row's action.
    #[must_use]
    pub fn header(&self) -> Vec<String> {
        let mut names: Vec<String> = [
            "time_s",
            "phase",
            "key_m",
            "key_velocity_m_s",
            "key_force_n",
            "jack_knuckle_force_n",
            "hammer_m",
            "hammer_velocity_m_s",
        ]
        .map(Into::into)
        .into();
        names.extend((1..=9).map(|i| format!("q{i}")));
        names.extend((1..=9).map(|i| format!("q{i}_rate")));
        names.extend(["kinetic_j", "potential_j", "dissipated_j", "work_j"].map(Into::into));
        names.extend(self.losses.iter().map(|(element, _)| format!("heat_{element}_w")));
        names
    }

    /// The row's cells, in the header's order.
    #[must_use]
    pub fn cells(&self) -> Vec<String> {
        let mut cells = vec![cell(self.time_s), self.phase.into()];
        let first = [
            self.key_m,
            self.key_velocity_m_s,
            self.key_force_n,
            self.jack_knuckle_force_n,
            self.hammer_m,
            self.hammer_velocity_m_s,
        ];
        let last = [self.kinetic_j, self.potential_j, self.dissipated_j, self.work_j];
        let all = first.iter().chain(&self.q).chain(&self.q_rate).chain(&last);
        cells.extend(all.map(|x| cell(*x)));
        cells.extend(self.losses.iter().map(|(_, watts)| cell(watts)));
        cells
    }
}

/// The run CSV being written.
pub(super) struct Writer {
    csv: csv::Writer<BufWriter<File>>,
    target: String,
    is_headed: bool,
}

impl Writer {
    pub(super) fn new(draft: &Draft) -> Result<Self> {
        let target = draft.target().display().to_string();
        let csv = csv::Writer::from_writer(draft.writer()?);
        Ok(Self { csv, target, is_headed: false })
    }

    pub(super) fn write(&mut self, row: &Row) -> Result<()> {
        let header = (!std::mem::replace(&mut self.is_headed, true)).then(|| row.header());
        for record in header.into_iter().chain([row.cells()]) {
            let written = self.csv.write_record(record);
            written.with_context(|| format!("{}: cannot write", self.target))?;
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<()> {
        if !self.is_headed {
            self.csv.write_record(Row::default().header())?;
        }
        self.csv.flush().with_context(|| format!("{}: cannot write", self.target))
    }
}
