//! Measurements after a strike: check, return, reset and second strike.

use super::driven::Driven as _;
use super::strokes::TouchKind;
use super::test_bench::TestBench;
use touchback_action::{Drive, EventKind};
use touchback_core::math::compass::linear;

/// A stroke whose key is held down by the finger.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    /// Final height of the crown below the string, m; NaN without a check.
    pub caught: f64,
    /// Time from the strike until the crown stays within `NEAR` of that height, s.
    pub settled: f64,
}

/// Largest distance of a settled crown from its final height, m.
const NEAR: f64 = 0.5e-3;

/// Force that holds the key on its bed, N.
const HOLD: f64 = 3.0;

/// A struck touch whose mass arrives at `speed` m/s; on its bed, the key is held with the larger of `HOLD`
/// and the force of the mass.
pub fn held(rig: &TestBench, speed: f64) -> Held {
    let mut rig = rig.clone();
    let mut gesture = TouchKind::Struck.gesture(speed);
    let mut rows = Vec::new();
    for step in 0..gesture.steps() {
        let drive = match gesture.drive(step, rig.view()) {
            Drive::Force(ends) if rig.log.first(EventKind::KeyBottom).is_some() => {
                Drive::Force(ends.map(|f| f.max(HOLD)))
            }
            other => other,
        };
        rig.step(drive);
        rows.push((rig.now(), rig.hammer().0));
    }
    let Some((strike, _)) = rig.log.first(EventKind::Strike) else {
        return Held { caught: f64::NAN, settled: f64::NAN };
    };
    let last = rows.last().map_or(f64::NAN, |r| r.1);
    let away = rows.iter().rev().find(|r| (r.1 - last).abs() > NEAR);
    let settled = away.map_or(0.0, |r| r.0 - strike);
    let checked = rig.log.count(EventKind::Check) > 0;
    Held { caught: if checked { -last } else { f64::NAN }, settled }
}

/// Duration of a press before the key rises, s.
const HELD: f64 = 0.5;

/// A key pressed to its bed by a finger and held until `until` s.
fn pressed(rig: &TestBench, until: f64) -> TestBench {
    let mut rig = rig.clone();
    let dip = rig.spec().key.dip;
    let press = [(0.0, 0.0), (0.08, dip + 6e-3), (until, dip + 6e-3)];
    rig.run(until, |a, b| Drive::Finger([linear(&press, a), linear(&press, b)]), |_, _| true);
    rig
}

/// Moves the key of `held` up from its bed by `rise` m at `speed` m/s.
fn risen(held: &TestBench, rise: f64, speed: f64) -> TestBench {
    let mut rig = held.clone();
    let down = rig.view().depth;
    let (start, time) = (rig.now(), rise / speed);
    let path = [(0.0, down), (time, down - rise)];
    let at = |t: f64| linear(&path, t - start);
    rig.run(start + time, |a, _| Drive::along(at, a), |_, _| true);
    rig
}

/// Rise of the key from its bed, m, at which the jack is back on its stop, with the key rising at
/// `speed` m/s; NaN if the jack does not return.
pub fn reset(rig: &TestBench, speed: f64) -> f64 {
    let dip = rig.spec().key.dip;
    let rig = risen(&pressed(rig, HELD), dip, speed);
    rig.log.first(EventKind::Reset).map_or(f64::NAN, |e| dip - e.1)
}

/// Slowest second strike that counts, m/s; slower contacts are of a hammer lifted by the repetition lever.
const AGAIN: f64 = 0.3;

/// Usual grid of the rises in [`retrigger`], m.
pub const GRID: f64 = 1e-4;

/// Least rise from the bed, m, of the multiples of `grid` m, after which a second press strikes again, and the
/// hammer speed of that strike, m/s. The key rises at `speed` m/s, pauses, and goes down at 0.2 m/s.
pub fn retrigger(rig: &TestBench, speed: f64, grid: f64) -> (f64, f64) {
    let dip = rig.spec().key.dip;
    let held = pressed(rig, HELD);
    let again = |rise: f64| {
        let mut rig = risen(&held, rise, speed);
        let (start, up) = (rig.now(), rig.view().depth);
        let path = [(0.0, up), (0.15, up), (0.15 + (dip - up) / 0.2, dip)];
        let at = |t: f64| linear(&path, t - start);
        rig.run(start + 0.3, |a, _| Drive::along(at, a), |_, _| true);
        rig.log.of(EventKind::Strike).nth(1).map(|e| e.1)
    };
    (1..100u32)
        .map(|count| f64::from(count) * grid)
        .take_while(|rise| *rise < dip)
        .find_map(|rise| again(rise).filter(|speed| *speed >= AGAIN).map(|speed| (rise, speed)))
        .unwrap_or((f64::NAN, f64::NAN))
}

/// Times from a sudden release on the bed to half the dip and to 0.3 mm, s.
pub fn free_return(rig: &TestBench) -> (f64, f64) {
    let dip = rig.spec().key.dip;
    let mut rig = pressed(rig, HELD);
    let start = rig.now();
    let (mut half, mut full) = (f64::NAN, f64::NAN);
    rig.run(
        0.6,
        |_, _| Drive::Free,
        |rig, _| {
            let depth = rig.view().depth;
            if half.is_nan() && depth < 0.5 * dip {
                half = rig.now() - start;
            }
            if full.is_nan() && depth < 0.3e-3 {
                full = rig.now() - start;
            }
            full.is_nan()
        },
    );
    (half, full)
}
