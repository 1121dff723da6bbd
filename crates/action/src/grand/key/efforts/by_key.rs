//! What a single key's own regulation does to an effort, beside that of all keys.
//!
//! Each of `Kind::ALL` was moved alone by its step, down and up, in the standard regulation, and
//! the change of the hammer's energy measured on the same grid of presses. A key's change is the sum
//! over what it differs by, each in proportion to its difference.

use super::probe::Probe;
use super::table::BY_KEY;
use super::{EFFORTS, Energies, ROWS};
use crate::ActionSettings;

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
                BY_KEY.get(place(k, by > 0.0, row, effort)).copied().unwrap_or(0.0)
            };
            sum += by.abs() / kind.step() * at(&measured);
        }
    }
    sum
}

/// The table as the action has it.
pub(super) fn measured(probe: &mut Probe, standard: &Energies) -> Vec<f64> {
    let mut table = Vec::new();
    for kind in Kind::ALL {
        for sign in [-1.0, 1.0] {
            let mut settings = ActionSettings::default();
            *kind.value(&mut settings) += sign * kind.step();
            let found: Energies = probe.measure(&settings);
            for (found, standard) in found.iter().zip(standard) {
                table.extend(found.iter().zip(standard).map(|(found, standard)| found - standard));
            }
        }
    }
    table
}
