//! The jack's slide out from under the knuckle: does friction there ever make it chatter?

use crate::bench::test_bench::TestBench;
use touchback_action::Drive;
use touchback_action::grand::Phase;

/// Slower than this the jack stands, m/s (chosen: a hundredth of a slow press's slide).
const STANDING: f64 = 1e-5;

/// How long a press may take to let off, s.
const PATIENCE: f64 = 1.0;

/// The pushes that are tried, N, each larger than the last by [`GROWTH`].
const SOFTEST: f64 = 0.4;
/// The last of them.
const STRONGEST: f64 = 200.0;
/// Ratio of one push tried to the next.
const GROWTH: f64 = 1.1;

/// One let-off under a constant force on the key.
#[derive(Clone, Copy, Debug)]
pub struct Slide {
    /// Mean force of the jack on the knuckle, N.
    pub force: f64,
    /// Times the head turned back on its way off the knuckle.
    pub turns: u32,
    /// Largest change of the force's slope that turns round from step to step, share of the mean
    /// force. Where a contact lets go, or its hysteresis turns round, the force bends once.
    pub ripple: f64,
}

/// The let-off of a key at rest that is pushed with `push` N; `None` if it does not let off.
fn let_off(rig: &TestBench, push: f64) -> Option<Slide> {
    let mut rig = rig.clone();
    let (mut forces, mut speeds) = (Vec::new(), Vec::new());
    let mut slipped = false;
    rig.run(
        PATIENCE,
        |_, _| Drive::Force([push; 2]),
        |rig, drive| {
            let r = rig.read(drive);
            if rig.state().phase == Phase::LetOff {
                forces.push(r.contact_force);
                speeds.push(r.q_rate[8]);
            }
            let under = matches!(rig.state().phase, Phase::LetOff | Phase::Acceleration);
            slipped = !forces.is_empty() && !under;
            !slipped
        },
    );
    if !slipped || forces.len() < 3 {
        return None;
    }
    let force = forces.iter().sum::<f64>() / forces.len() as f64;
    let bends: Vec<f64> = forces.windows(3).map(|w| w[0] - 2.0 * w[1] + w[2]).collect();
    let to_and_fro = |w: &[f64]| {
        let turns = w[0] * w[1] < 0.0 && w[1] * w[2] < 0.0;
        if turns { w.iter().fold(f64::INFINITY, |least, b| least.min(b.abs())) } else { 0.0 }
    };
    let ripple = bends.windows(3).map(to_and_fro).fold(0.0, f64::max) / force;
    // Until it is on its way, out from the crown, shank and stop felt still swing it.
    let ways = speeds.iter().filter(|v| v.abs() > STANDING).map(|v| v.signum());
    let ways = ways.skip_while(|way| *way > 0.0);
    let (turns, _) = ways
        .fold((0, 0.0), |(turns, last), way| (turns + u32::from(last != 0.0 && way != last), way));
    Some(Slide { force, turns, ripple })
}

/// The let-off in which the jack bears on the knuckle with `wanted` N, to 3 %, by which one step more or
/// less of a short let-off changes the mean; `None` if no push brings that about.
pub fn under(rig: &TestBench, wanted: f64) -> Option<Slide> {
    let close = |slide: &Slide| (slide.force / wanted - 1.0).abs() < 0.03;
    let mut low = SOFTEST;
    while low < STRONGEST {
        let high = GROWTH * low;
        if let_off(rig, high).is_some_and(|s| s.force >= wanted) {
            return between(rig, wanted, low, high).filter(close);
        }
        low = high;
    }
    None
}

/// The let-off nearest to `wanted` N from above, of those between two pushes.
fn between(rig: &TestBench, wanted: f64, mut low: f64, mut high: f64) -> Option<Slide> {
    let mut found = None;
    for _ in 0..20 {
        let push = 0.5 * (low + high);
        match let_off(rig, push) {
            Some(slide) if slide.force >= wanted => (high, found) = (push, Some(slide)),
            _ => low = push,
        }
    }
    found
}
