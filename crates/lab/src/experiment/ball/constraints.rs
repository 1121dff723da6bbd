//! A pendulum in dependent and in independent coordinates [Gillespie 1996, §3.3.2, eqs. 3.1–3.3].
//!
//! A point mass at r on a rod of length l, φ = (r·r − l²)/2 = 0. With a multiplier, r̈ = g − λ r and r·r̈ + ṙ·ṙ = 0: the
//! constraint is kept at the level of accelerations only, so that errors of the integration add up. Baumgarte's
//! stabilization asks for φ̈ + 2α φ̇ + α² φ = 0 instead. Partitioning keeps the angle alone: l q̈ = −g sin q.

use touchback_action::GRAVITY;
use touchback_core::math::power::square;
use touchback_offline::bench::{Report, TargetBand};

/// Length, m, and angle from below at the start, rad (chosen).
const LENGTH: f64 = 0.3;
const ANGLE: f64 = 1.0;
/// α of the stabilization, 1/s (chosen: a tenth of the step's rate).
const STABILIZATION: f64 = 20.0;

/// x, y up, and their rates.
type Place = [f64; 4];

/// Rates of the mass on a rod that `alpha`, 1/s, stabilizes.
fn rates(alpha: f64, [x, y, u, v]: Place) -> Place {
    let (size, error) = (square(x) + square(y), 0.5 * (square(x) + square(y) - square(LENGTH)));
    let kept = square(u) + square(v) + 2.0 * alpha * (x * u + y * v) + square(alpha) * error;
    let multiplier = (kept - GRAVITY * y) / size;
    [u, v, -multiplier * x, -GRAVITY - multiplier * y]
}

/// One step of the classical method of fourth order.
fn step<const N: usize>(rates: impl Fn([f64; N]) -> [f64; N], from: [f64; N], h: f64) -> [f64; N] {
    let ahead = |k: &[f64; N], h: f64| std::array::from_fn(|i| from[i] + h * k[i]);
    let a = rates(from);
    let b = rates(ahead(&a, 0.5 * h));
    let c = rates(ahead(&b, 0.5 * h));
    let d = rates(ahead(&c, h));
    std::array::from_fn(|i| from[i] + h / 6.0 * (a[i] + 2.0 * (b[i] + c[i]) + d[i]))
}

/// Swings for `seconds` in steps of `h` s. Returns the largest error of the length, m, and that of the angle against the
/// partitioned equations, rad.
fn swing(alpha: f64, h: f64, seconds: f64) -> [f64; 2] {
    let (sin, cos) = libm::sincos(ANGLE);
    let (mut place, mut angle): (Place, _) =
        ([LENGTH * sin, -LENGTH * cos, 0.0, 0.0], [ANGLE, 0.0]);
    let mut worst = [0.0f64; 2];
    for _ in 0..touchback_core::math::cast::floor_index(seconds / h) {
        place = step(|place| rates(alpha, place), place, h);
        angle = step(|[q, w]| [w, -GRAVITY / LENGTH * libm::sin(q)], angle, h);
        let length = (square(place[0]) + square(place[1])).sqrt();
        let turned = libm::atan2(place[0], -place[1]) - angle[0];
        worst = [worst[0].max((length - LENGTH).abs()), worst[1].max(turned.abs())];
    }
    worst
}

/// The rows.
pub fn check(report: &mut Report) {
    report.source("000 §3.3.2, eqs. 3.1–3.3");
    let [_, turned] = swing(0.0, 1e-4, 5.0);
    let quantity =
        "pendulum, multiplier against partitioned coordinates, steps of 0.1 ms, 5 s, rad";
    report.check(quantity, "0", TargetBand::AtMost(1e-9), turned);
    let coarse = 5e-3;
    let [[short, _], [long, _]] = [15.0, 60.0].map(|seconds| swing(0.0, coarse, seconds));
    let quantity = "multiplier alone, 5 ms: error of the length in 60 s over that in 15 s";
    report.check(quantity, "grows", TargetBand::AtLeast(2.0), long / short);
    let [stabilized, _] = swing(STABILIZATION, coarse, 60.0);
    let quantity = "multiplier alone over Baumgarte's: error of the length in 60 s, 5 ms";
    report.check(quantity, "larger", TargetBand::AtLeast(10.0), long / stabilized);
}
