//! Effective mass at the key front: force over acceleration, before and after let-off.

use super::driven::Driven as _;
use super::test_bench::TestBench;
use touchback_action::{Drive, EventKind, STEP};

/// Two forces, N. Mass = difference of forces / difference of accelerations, so that weight and friction
/// cancel.
const FORCES: [f64; 2] = [6.0, 10.0];

/// Depth to which the key is timed from rest, m: before let-off. Timing the whole travel averages the
/// oscillation of the key against the hammer.
const DOWN_TO: f64 = 6.0e-3;

/// Mass at the key front before let-off, kg.
pub fn before_let_off(rig: &TestBench) -> f64 {
    let acceleration = |force: f64| {
        let mut rig = rig.clone();
        let mut before = 0.0;
        rig.run(
            0.1,
            |_, _| Drive::Force([force; 2]),
            |rig, _| {
                let there = rig.view().depth >= DOWN_TO;
                if !there {
                    before = rig.view().depth;
                }
                !there
            },
        );
        let key = rig.view();
        let share = (DOWN_TO - before) / (key.depth - before);
        let time = rig.now() - (1.0 - share) * STEP;
        if key.depth < DOWN_TO { f64::NAN } else { 2.0 * DOWN_TO / (time * time) }
    };
    let [low, high] = FORCES.map(acceleration);
    (FORCES[1] - FORCES[0]) / (high - low)
}

/// Steps over which the acceleration after let-off is averaged: 0.5 ms, within the aftertouch.
const AFTER: u32 = 4;

/// Mass at the key front while the hammer flies, kg.
pub fn after_let_off(rig: &TestBench) -> f64 {
    let mut rig = rig.clone();
    rig.run(
        0.2,
        |_, _| Drive::Force([FORCES[0]; 2]),
        |rig, _| rig.log.first(EventKind::Release).is_none(),
    );
    if rig.log.first(EventKind::Release).is_none() {
        return f64::NAN;
    }
    let gained = FORCES.map(|force| {
        let mut rig = rig.clone();
        let from = rig.view().speed;
        for _ in 0..AFTER {
            rig.step(Drive::Force([force; 2]));
        }
        (rig.view().speed - from) / (f64::from(AFTER) * STEP)
    });
    (FORCES[1] - FORCES[0]) / (gained[1] - gained[0])
}
