//! One gesture on one key: energy, heat and strikes.

use touchback_action::{Drive, EventKind, Readout, STEP};
use touchback_offline::bench::driven::Driven as _;
use touchback_offline::bench::test_bench::TestBench;
use touchback_offline::gesture::Gesture;

/// Rise of the key front that makes a further press possible, m.
const RISE: f64 = 0.5e-3;

/// Result of a gesture.
pub(super) struct Audit {
    pub(super) strikes: usize,
    /// Strikes after one past let-off without a rise of the key between them.
    pub(super) unpressed: usize,
    /// Largest work of the drive, J.
    pub(super) work: f64,
    /// Largest unaccounted energy, J.
    pub(super) unaccounted: f64,
    /// Least heat of an element, J, and its name.
    pub(super) least_heat: f64,
    pub(super) least_heat_of: &'static str,
}

/// Whether the present press can still bring the hammer to the string.
struct Press {
    /// Depth of the key front from which a strike ends the press, m.
    let_off: f64,
    deepest: f64,
    /// Whether the hammer has struck past let-off.
    is_over: bool,
    /// Number of events that are counted.
    events: usize,
}

/// Distance before the let-off's depth, m, from which a strike counts as past let-off.
const BEFORE: f64 = 0.5e-3;

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
        let let_off = rig.regulated().let_off_depth - BEFORE;
        let mut press = Press { let_off, deepest: 0.0, is_over: false, events: 0 };
        rig.play(gesture, |rig, drive| {
            let now = rig.read(drive);
            audit.energy(&first, &now);
            for (heat, (_, watts)) in heats.iter_mut().zip(now.losses.iter()) {
                *heat += watts * STEP;
            }
            audit.unpressed += press.strikes_without(rig);
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

impl Press {
    /// Number of strikes in the last step that the present press cannot have caused. A hammer that motion
    /// with jumps throws at the string before let-off falls back on the jack, which drives it again.
    fn strikes_without(&mut self, rig: &TestBench) -> usize {
        let depth = rig.view().depth;
        self.deepest = self.deepest.max(depth);
        if self.deepest - depth >= RISE {
            (self.is_over, self.deepest) = (false, depth);
        }
        let mut without = 0;
        for (_, event) in &rig.log.events[self.events..] {
            if event.kind() == EventKind::Strike {
                without += usize::from(self.is_over);
                self.is_over |= depth >= self.let_off;
            }
        }
        self.events = rig.log.events.len();
        without
    }
}
