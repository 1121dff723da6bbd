//! The energy balance of a run: work = change of stored energy + heat.

use touchback_action::Readout;

/// Largest tolerated gap, as a share of the run's largest energy.
const TOLERATED: f64 = 0.01;

/// Smallest energy that a gap is compared with, J: a tenth of a soft press's energy.
const SMALLEST: f64 = 1e-3;

/// A run whose energy balance does not close; its rows are written nevertheless.
#[derive(Clone, PartialEq, Debug)]
pub struct Unbalanced {
    /// Energy gained (positive) or lost without a source, J.
    gap: f64,
    /// Largest energy of the run, J.
    of: f64,
}

impl std::fmt::Display for Unbalanced {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { gap, of } = self;
        let what = if *gap > 0.0 { "came from nowhere" } else { "went nowhere" };
        write!(
            f,
            "the energies do not add up: {:.3e} J of {of:.3e} J {what}; the gesture or the model \
             asks more than the action can follow, and this run is not to be trusted",
            gap.abs()
        )
    }
}

impl std::error::Error for Unbalanced {}

/// Follows the energies of a run.
#[derive(Default)]
pub struct Balance {
    /// Work, kinetic energy, potential energy and residual of the first row, J.
    first: Option<[f64; 4]>,
    gap: f64,
    largest: f64,
}

impl Balance {
    /// Adds a row; rows without energies are ignored.
    pub fn push(&mut self, r: &Readout) {
        let stored = r.kinetic + r.potential;
        let residual = stored + r.dissipated - r.work;
        if residual.is_nan() && self.first.is_none() {
            return;
        }
        let [work, kinetic, potential, first_residual] =
            *self.first.get_or_insert([r.work, r.kinetic, r.potential, residual]);
        self.gap = residual - first_residual;
        for energy in [r.work - work, r.kinetic - kinetic, r.potential - potential] {
            self.largest = self.largest.max(energy.abs());
        }
    }

    /// # Errors
    /// [`Unbalanced`] where the gap is above 1 % of the largest energy.
    pub fn check(&self) -> Result<(), Unbalanced> {
        let (gap, of) = (self.gap, self.largest.max(SMALLEST));
        // NaN fails the comparison, so it is an error.
        if gap.abs() <= TOLERATED * of { Ok(()) } else { Err(Unbalanced { gap, of }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(rows: &[[f64; 4]]) -> Result<(), Unbalanced> {
        let mut balance = Balance::default();
        for [work, kinetic, potential, dissipated] in *rows.first_chunk::<3>().unwrap() {
            balance.push(&Readout { work, kinetic, potential, dissipated, ..Readout::NONE });
        }
        balance.check()
    }

    #[test]
    fn a_gap_above_one_percent_is_an_error() {
        // The zero of potential energy is arbitrary.
        let start = [0.0, 0.0, -3.0, 0.0];
        assert_eq!(run(&[start, [0.1, 0.05, -2.96, 0.01], [0.1, 0.0, -2.9995, 0.1]]), Ok(()));
        let error = run(&[start, start, [0.1, 0.05, -2.96, 0.012]]).unwrap_err();
        assert!((error.gap - 0.002).abs() < 1e-12 && (error.of - 0.1).abs() < 1e-12, "{error:?}");
        assert!(run(&[start, start, [0.1, f64::NAN, 0.0, 0.0]]).is_err());
        assert_eq!(run(&[[f64::NAN; 4]; 3]), Ok(()));
    }
}
