//! What a single key's own regulation does to an effort, beside that of all keys.
//!
//! Each of `Kind::ALL` was moved alone by its step, down and up, in the standard regulation, and
//! the change of the hammer's energy measured on the same grid of presses. A key's change is the sum
//! over what it differs by, each in proportion to its difference.

mod table;

use super::probe::Probe;
use super::{EFFORTS, Energies, ROWS, standard};
use crate::action::ActionSettings;
use table::TABLE;

/// What of a key's own decides how its hammer arrives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    LetOff,
    Drop,
    RepetitionSpring,
    KeyLead,
    StrikeWeight,
    Friction,
}

impl Kind {
    const ALL: [Self; 6] = [
        Self::LetOff,
        Self::Drop,
        Self::RepetitionSpring,
        Self::KeyLead,
        Self::StrikeWeight,
        Self::Friction,
    ];

    /// The difference at which it was measured: about what the worst keys of an uneven piano have.
    const fn step(self) -> f64 {
        match self {
            Self::LetOff => 1.0,
            Self::Drop => 0.8,
            Self::RepetitionSpring | Self::Friction => 0.3,
            Self::KeyLead => 5.0,
            Self::StrikeWeight => 0.8,
        }
    }

    const fn value(self, settings: &mut ActionSettings) -> &mut f64 {
        match self {
            Self::LetOff => &mut settings.let_off_mm,
            Self::Drop => &mut settings.drop_mm,
            Self::RepetitionSpring => &mut settings.repetition_spring,
            Self::KeyLead => &mut settings.key_lead_g,
            Self::StrikeWeight => &mut settings.strike_weight_g,
            Self::Friction => &mut settings.friction,
        }
    }
}

/// Place in the table.
const fn place(kind: usize, is_up: bool, row: usize, effort: usize) -> usize {
    ((2 * kind + if is_up { 1 } else { 0 }) * ROWS + row) * EFFORTS + effort
}

/// Change of the hammer's energy v², m²/s², by what the settings `own` of a key differ from those of
/// all, `all`; `at` looks a grid up by row and effort.
pub(super) fn change(
    all: &ActionSettings,
    own: &ActionSettings,
    at: impl Fn(&dyn Fn(usize, usize) -> f64) -> f64,
) -> f64 {
    let (mut all, mut own) = (*all, *own);
    let mut sum = 0.0;
    for (k, kind) in Kind::ALL.into_iter().enumerate() {
        let by = *kind.value(&mut own) - *kind.value(&mut all);
        if by != 0.0 {
            let measured = |row: usize, effort: usize| {
                TABLE.get(place(k, by > 0.0, row, effort)).copied().unwrap_or(0.0)
            };
            sum += by.abs() / kind.step() * at(&measured);
        }
    }
    sum
}

/// The table as the action has it: some 0.6 s of work.
#[must_use]
pub fn measured() -> Vec<f64> {
    let mut table = Vec::new();
    let mut probe = Probe::new();
    for kind in Kind::ALL {
        for sign in [-1.0, 1.0] {
            let mut settings = ActionSettings::default();
            *kind.value(&mut settings) += sign * kind.step();
            let found: Energies = probe.measure(&settings);
            for (found, standard) in found.iter().zip(standard()) {
                table.extend(found.iter().zip(standard).map(|(found, standard)| found - standard));
            }
        }
    }
    table
}

/// The table in use.
#[must_use]
pub const fn in_use() -> &'static [f64] {
    &TABLE
}

/// `table` as the text of the file it is kept in.
#[must_use]
pub fn text(table: &[f64]) -> String {
    let mut text = format!("pub(super) const TABLE: [f64; {}] = [\n", table.len());
    for row in table.chunks(EFFORTS) {
        let numbers: Vec<String> = row.iter().map(|v| format!("{v:.4}")).collect();
        text += &format!("    {},\n", numbers.join(", "));
    }
    text + "];\n"
}

/// Largest difference of two tables against the largest entry of their presses, 1.
#[must_use]
pub fn apart(ours: &[f64], theirs: &[f64]) -> f64 {
    if ours.len() != theirs.len() {
        return f64::INFINITY;
    }
    let standard = standard().as_flattened();
    let relative = |(i, (a, b)): (usize, (&f64, &f64))| {
        (a - b).abs() / standard[i % standard.len()].abs().max(0.1)
    };
    ours.iter().zip(theirs).enumerate().map(relative).fold(0.0, f64::max)
}
