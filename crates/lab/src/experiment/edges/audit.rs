//! One gesture on one key: energy, heat and strikes.

use crate::bench::test_bench::TestBench;
use crate::gesture::Gesture;
use touchback_action::{Drive, EventKind, Readout, STEP};

/// Rise of the key front that makes a further press possible, m.
const RISE: f64 = 0.5e-3;

/// Result of a gesture.
pub(super) struct Audit {
    pub(super) strikes: usize,
    /// Strikes before which the key had not risen since the strike before.
    pub(super) unpressed: usize,
    /// Largest work of the drive, J.
    pub(super) work: f64,
    /// Largest unaccounted energy, J.
    pub(super) unaccounted: f64,
    /// Least heat of an element, J, and its name.
    pub(super) least_heat: f64,
    pub(super) least_heat_of: &'static str,
}

/// Rise of the key since the last strike.
struct Rise {
    deepest: f64,
    most: f64,
    strikes: usize,
}

impl Audit {
    /// Plays `gesture` on the key of `rig`, at rest.
    pub(super) fn of(rig: &mut TestBench, gesture: &mut Gesture) -> Self {
        let first = rig.read(Drive::Free);
        let mut heats = vec![0.0; first.losses.iter().count()];
        let mut audit = Self {
            strikes: 0,
            unpressed: 0,
            work: 0.0,
            unaccounted: 0.0,
            least_heat: 0.0,
            least_heat_of: "",
        };
        // The first strike needs no rise.
        let mut rise = Rise { deepest: 0.0, most: f64::INFINITY, strikes: 0 };
        rig.play(gesture, |rig, drive| {
            let now = rig.read(drive);
            audit.energy(&first, &now);
            for (heat, (_, watts)) in heats.iter_mut().zip(now.losses.iter()) {
                *heat += watts * STEP;
            }
            audit.unpressed += rise.strikes_without(rig);
            audit.unaccounted.is_finite()
        });
        audit.strikes = rig.log.count(EventKind::Strike);
        let named = first.losses.iter().map(|(name, _)| name).zip(heats);
        let least = named.min_by(|a, b| a.1.total_cmp(&b.1));
        (audit.least_heat_of, audit.least_heat) = least.unwrap_or(("", 0.0));
        audit
    }

    fn energy(&mut self, first: &Readout, now: &Readout) {
        self.work = self.work.max((now.work - first.work).abs());
        let gap = (now.imbalance() - first.imbalance()).abs();
        self.unaccounted = if gap.is_finite() { self.unaccounted.max(gap) } else { f64::INFINITY };
    }
}

impl Rise {
    /// Number of strikes in the last step for which the key had not risen.
    fn strikes_without(&mut self, rig: &TestBench) -> usize {
        let depth = rig.key().depth;
        self.deepest = self.deepest.max(depth);
        self.most = self.most.max(self.deepest - depth);
        let strikes = rig.log.count(EventKind::Strike);
        let new = strikes - self.strikes;
        self.strikes = strikes;
        if new == 0 {
            return 0;
        }
        let without = if self.most < RISE { new } else { new - 1 };
        (self.deepest, self.most) = (depth, 0.0);
        without
    }
}
