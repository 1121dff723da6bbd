//! Counts the motions of keys whose energy balance does not close.
//!
//! From rest to rest the work of the drive is the change of stored energy and the heat. What is left over is
//! the error of the integration: a contact beyond its stability creates energy that nobody put in.

use touchback_core::math::compass::KEYS;

/// Largest share of the work that may be left over.
pub const SHARE: f64 = 3e-3;

/// Energy that may be left over under any work, J.
pub const SMALL: f64 = 1e-3;

/// Largest energy, J, that may be left over after the work `work` J.
#[must_use]
pub const fn limit(work: f64) -> f64 {
    (SHARE * work.abs()).max(SMALL)
}

/// The energy balance of every key since it woke.
pub(super) struct EnergyAudit {
    /// Stored and dissipated energy less work, J, and work, J, when the key woke; none where other causes
    /// than the drive have changed the energy.
    begun: Box<[Option<[f64; 2]>; KEYS]>,
    unbalanced: u64,
}

impl EnergyAudit {
    /// No key moves. Allocates; no other method does.
    pub(super) fn new() -> Self {
        Self { begun: Box::new([None; KEYS]), unbalanced: 0 }
    }

    /// Key `i` begins to move with the energy `balance` J and after the work `work` J.
    pub(super) fn begin(&mut self, i: usize, balance: f64, work: f64) {
        self.begun[i] = Some([balance, work]);
    }

    /// Whether the balance of key `i` is known.
    pub(super) const fn is_known(&self, i: usize) -> bool {
        self.begun[i].is_some()
    }

    /// The energy of key `i` changes by other causes than its drive.
    pub(super) const fn forget(&mut self, i: usize) {
        self.begun[i] = None;
    }

    /// Key `i` has come to rest with the energy `balance` J and after the work `work` J.
    pub(super) fn end(&mut self, i: usize, balance: f64, work: f64) {
        if let Some([begun, before]) = self.begun[i].take() {
            // NaN fails the comparison.
            let is_balanced = (balance - begun).abs() <= limit(work - before);
            self.unbalanced += u64::from(!is_balanced);
        }
    }

    /// Number of motions since creation whose balance did not close.
    pub(super) const fn unbalanced(&self) -> u64 {
        self.unbalanced
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_motion_is_counted_once_where_more_than_the_share_is_left_over() {
        let mut audit = EnergyAudit::new();
        for (begun, ended, work, counted) in [
            (0.2, 0.2005, 0.01, 0),
            (0.2, 0.202, 0.01, 1),
            (0.2, 0.202, 1.0, 1),
            (0.2, 0.19, 1.0, 2),
            (0.2, f64::NAN, 1.0, 3),
        ] {
            audit.begin(7, begun, 0.5);
            audit.end(7, ended, 0.5 + work);
            audit.end(7, 1.0, 0.5);
            assert_eq!(audit.unbalanced(), counted, "{ended} J, {work} J");
        }
    }

    #[test]
    fn a_motion_with_other_causes_is_not_counted() {
        let mut audit = EnergyAudit::new();
        audit.begin(3, 0.0, 0.0);
        audit.forget(3);
        audit.end(3, 1.0, 0.0);
        assert!(!audit.is_known(3) && audit.unbalanced() == 0);
    }
}
