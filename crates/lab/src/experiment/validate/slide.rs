//! The slide of the jack from under the knuckle: checks that friction does not make it chatter.

use touchback_action::Drive;
use touchback_action::grand::Phase;
use touchback_offline::bench::driven::Driven as _;
use touchback_offline::bench::test_bench::TestBench;

/// Sliding speed below which the jack counts as at rest, m/s [chosen: a hundredth of a slow press's
/// slide].
const STANDING: f64 = 1e-5;

/// Longest time of a press to let-off, s.
const PATIENCE: f64 = 1.0;

/// Softest push, N.
const SOFTEST: f64 = 0.4;
/// Strongest push, N.
const STRONGEST: f64 = 200.0;
/// Ratio of each push to the previous one.
const GROWTH: f64 = 1.1;

/// The let-off under a constant force on the key.
#[derive(Clone, Copy, Debug)]
pub struct Slide {
    /// Mean force of the jack on the knuckle, N.
    pub force: f64,
    /// Number of reversals of the jack's head on its way off the knuckle.
    pub turns: u32,
    /// Largest change of the force's slope that alternates from step to step, relative to the mean force. A
    /// contact that opens, or a reversal of hysteresis, bends the force only once.
    pub ripple: f64,
}

/// The let-off of a key at rest under `push` N; `None` without let-off.
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
    // Before the head starts to slide, shank and stop felt make it oscillate; slower motion does not count.
    let ways = speeds.iter().filter(|v| v.abs() > STANDING).map(|v| v.signum());
    let ways = ways.skip_while(|way| *way > 0.0);
    let (turns, _) = ways
        .fold((0, 0.0), |(turns, last), way| (turns + u32::from(last != 0.0 && way != last), way));
    Some(Slide { force, turns, ripple })
}

/// The let-off in which the jack presses on the knuckle with `wanted` N, to 3 % (the effect of one step on
/// the mean of a short let-off); `None` if no push gives it.
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

/// The let-off with the least force above `wanted` N between two pushes.
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
