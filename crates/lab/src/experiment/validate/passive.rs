//! A finger and a sampled loop on the key bed: no oscillation may grow by itself.

use touchback_action::{Drive, STEP};
use touchback_offline::bench::driven::Driven as _;
use touchback_offline::bench::test_bench::TestBench;

/// Finger: mass kg, damping N·s/m, stiffness N/m [Gillespie 1996, ch. 6].
const FINGER: [f64; 3] = [0.02, 3.75, 257.0];
/// Coupling of the sampled loop, N/m [Gillespie 1996, the wall of ch. 6], and N·s/m (chosen).
const COUPLING: [f64; 2] = [5000.0, 5.0];
/// Action steps per tick of the loop: 1 kHz.
const TICK: u32 = 8;
/// Target of the finger beyond the bed, m: 3 N.
const BEYOND: f64 = 3.0 / 257.0;

/// Oscillation of the finger on the key, m peak to peak, in the first and in the last 0.25 s, starting
/// 0.5 s after its landing on the bed.
pub fn swing(mut rig: TestBench) -> (f64, f64) {
    let [mass, damping, stiffness] = FINGER;
    let target = rig.spec().key.dip + BEYOND;
    let (mut x, mut v) = (0.0, 0.0);
    let mut held = 0.0;
    let mut seen = Vec::new();
    let ticks = 1500u32;
    for _ in 0..ticks {
        // Both sides get the force from the tick's beginning, held.
        let k = rig.view();
        let gap = x - k.depth;
        let force = if gap > 0.0 {
            (COUPLING[0] * gap + COUPLING[1] * (v - k.speed)).max(0.0)
        } else {
            0.0
        };
        for _ in 0..TICK {
            rig.step(Drive::Force([force; 2]));
            // The finger's dynamics are continuous; semi-implicit steps.
            v += STEP / mass * (stiffness * (target - x) - damping * v - force);
            x += STEP * v;
        }
        held += force;
        seen.push(x);
    }
    let range = |part: &[f64]| {
        let (low, high) =
            part.iter().fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(*v), h.max(*v)));
        high - low
    };
    if held <= 0.0 {
        return (f64::NAN, f64::NAN);
    }
    (range(&seen[500..750]), range(&seen[1250..]))
}
