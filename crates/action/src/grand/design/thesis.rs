//! The thesis's action: the numbers that its tables fix, and the others consistent with its initial
//! angles.
//!
//! Fixed by [Gillespie 1996, Tables 3.3–3.5]: L2, L3, L6, L8, L12, L18, springs k1, k3, k4, k6, dampers
//! b1, b5, b8, masses m1…m4, the initial coordinates, the string at q2 = 0. The figure that names the
//! dimensions is lost. L5, L7, L13, L17 and L20 are read as dimensions that they fit; the run's printed times
//! depend little on them. The others were chosen: P2 and P3 follow from the initial coordinates by closing the
//! loops; the jack's lean and the knuckle's depth give dq2/dq1 = 12.2 and carry the hammer through let-off
//! against the drag of b8; toe gap and knuckle edge put the transitions of the reference run at the printed
//! times. The thesis has no damper, no friction and no backcheck; its reference run does not reach key bed
//! and rest felts.
//!
//! Two printed dimensions lie near others but do not fit there: with L19 (11.7 mm) as the knuckle's edge
//! (11.3 mm) let-off ends at 0.1781 s, not at 0.181 s; L17 (20.8 mm) as the height of the lever's surface
//! (20.7 mm), which the loops close, would put RR 22.24 mm above the wippen's axis, not L5 (22.3 mm).

use crate::grand::design::concert::Built;
use crate::grand::design::regulation::{Limits, Regulated};
use crate::grand::design::spec::Spec;
use crate::grand::design::thesis_pose::ThesisPose;
use crate::grand::{GrandState, Phase, STATES, state};

pub use crate::grand::design::thesis_pose::INITIAL;

/// Reference gesture: the manipulandum's angle D, rad, at times, s.
pub const REFERENCE: [(f64, f64); 4] =
    [(0.0, -0.0335), (0.1, -0.0335), (0.18, -0.0055), (0.4, -0.0055)];

/// Depth of the key front, m, at which the jack slips off the knuckle in a slow press.
const LET_OFF_DEPTH: f64 = 5.416e-3;

/// Distance of the crown from the string there, m.
pub(crate) const LET_OFF: f64 = 5.40e-3;

/// The thesis's key.
#[must_use]
pub fn build() -> Built {
    let spec = Spec::thesis(&ThesisPose::new());
    let regulated = Regulated {
        let_off_depth: LET_OFF_DEPTH,
        aftertouch: spec.key.dip - LET_OFF_DEPTH,
        rest: [INITIAL[0], INITIAL[1], INITIAL[2]],
        upward_force: 0.0,
        limits: Limits::default(),
    };
    Built { spec, regulated }
}

/// Phase A at the printed initial coordinates, at rest.
#[must_use]
pub fn initial() -> GrandState {
    let mut x = [0.0; STATES];
    x[state::KEY] = INITIAL[0];
    x[state::HAMMER] = INITIAL[1];
    x[state::LEVER] = INITIAL[2];
    GrandState { phase: Phase::Acceleration, x }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Drive, GrandKey, Key, KeyEvent, STEP};

    #[test]
    fn a_slow_press_lets_off_at_the_stated_depth_and_distance() {
        let mut key = GrandKey::built(build());
        let [start, _] = key.front();
        let mut slip = None;
        for step in 0..24_000 {
            let depth = |i: u32| start + 3.3e-3 * STEP * f64::from(i);
            let drive = Drive::Motion { depth: [depth(step), depth(step + 1)], speed: [3.3e-3; 2] };
            key.step(drive, &mut |_, event| {
                slip = slip.or_else(|| matches!(event, KeyEvent::Release { .. }).then_some(()));
            });
            if slip.is_some() {
                let view = key.readout(drive);
                assert!((view.key - LET_OFF_DEPTH).abs() < 1e-5, "{}", view.key);
                assert!((view.hammer + LET_OFF).abs() < 1e-4, "{}", view.hammer);
                return;
            }
        }
        panic!("the jack never slips");
    }
}
