//! Change of an effort's hammer speed by the differences of a single key from the settings of all keys.
//!
//! Each quantity of `Kind::ALL` was changed alone by its step, down and up, in the standard regulation,
//! and the change of the hammer's energy measured on the same grid of presses. The change of a key is the
//! sum over its differences, each in proportion to its size.

use super::probe::Probe;
use super::table::BY_KEY;
use super::{EFFORTS, Energies, ROWS};
use crate::ActionSettings;

/// A quantity of a single key that changes the speed of its hammer.
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

    /// Difference at which the change was measured, in the unit of the setting: about that of the worst keys
    /// of an uneven piano.
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

/// Index into the table.
const fn index(kind: usize, is_up: bool, row: usize, effort: usize) -> usize {
    ((2 * kind + if is_up { 1 } else { 0 }) * ROWS + row) * EFFORTS + effort
}

/// Change of the hammer's energy v², m²/s², due to the differences of the settings `own` of a key from
/// those of all keys, `all`; `at` interpolates a grid given by row and effort.
pub(super) fn change(
    all: &ActionSettings,
    mut own: ActionSettings,
    at: impl Fn(&dyn Fn(usize, usize) -> f64) -> f64,
) -> f64 {
    let mut all = all.clone();
    let mut sum = 0.0;
    for (k, kind) in Kind::ALL.into_iter().enumerate() {
        let by = *kind.value(&mut own) - *kind.value(&mut all);
        if by != 0.0 {
            let measured = |row: usize, effort: usize| {
                BY_KEY.get(index(k, by > 0.0, row, effort)).copied().unwrap_or(0.0)
            };
            sum += by.abs() / kind.step() * at(&measured);
        }
    }
    sum
}

/// The table measured on the action.
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
