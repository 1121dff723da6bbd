//! The stored tables of efforts, and their measurement on the action.

use std::fmt::Write as _;

use super::probe::Probe;
use super::table::{BY_KEY, STANDARD};
use super::{EFFORTS, Energies, by_key};
use crate::ActionSettings;
use touchback_core::math::kernel::Kernel;

/// The tables of efforts in the standard regulation.
#[derive(Clone, PartialEq, Debug)]
pub struct Tables {
    /// Squares of hammer speeds in the standard regulation, m²/s², by key and effort.
    standard: Energies,
    /// Changes of those squares for a single key that is set differently, m²/s²; see [`by_key`].
    by_key: Vec<f64>,
}

impl Tables {
    /// The stored tables.
    #[must_use]
    pub fn in_use() -> Self {
        Self { standard: STANDARD, by_key: BY_KEY.to_vec() }
    }

    /// Tables measured on the action; takes about 0.6 s.
    #[must_use]
    pub fn measured() -> Self {
        let mut probe = Probe::new(Kernel::detect());
        let standard = probe.measure(&ActionSettings::default());
        Self { standard, by_key: by_key::measured(&mut probe, &standard) }
    }

    /// Largest difference from `other`, as a share of the press's energy in the standard regulation.
    #[must_use]
    pub fn largest_difference(&self, other: &Self) -> f64 {
        if self.by_key.len() != other.by_key.len() {
            return f64::INFINITY;
        }
        let standard = self.standard.as_flattened();
        let ours = standard.iter().chain(&self.by_key);
        let theirs = other.standard.as_flattened().iter().chain(&other.by_key);
        let relative =
            |((a, b), standard): ((&f64, &f64), &f64)| (a - b).abs() / standard.abs().max(0.1);
        ours.zip(theirs).zip(standard.iter().cycle()).map(relative).fold(0.0, f64::max)
    }

    /// Source text of `efforts/table.rs` after its first lines.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::from("pub(super) const STANDARD: Energies = [\n");
        let list = |row: &[f64], digits: usize| {
            row.iter().map(|v| format!("{v:.digits$}")).collect::<Vec<_>>().join(", ")
        };
        for row in &self.standard {
            let _ = writeln!(text, "    [{}],", list(row, 6));
        }
        let _ = writeln!(text, "];\n\npub(super) const BY_KEY: [f64; {}] = [", self.by_key.len());
        for row in self.by_key.chunks(EFFORTS) {
            let _ = writeln!(text, "    {},", list(row, 4));
        }
        text + "];\n"
    }
}
