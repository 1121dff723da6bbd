//! Brute-force search for oscillations of a plant, a hold and a one-sided spring.
//!
//! Orbits with one contact per period are solved for: with n of N samples inside the wall, one period is an
//! affine map, whose fixed point is an orbit if its samples are on the assumed sides. Other oscillations are
//! searched by running the loop from many starts.

use nalgebra::{DMatrix, DVector};
use touchback_core::exchange::cancel;

use crate::bench::SampledLoop;
use touchback_haptics::wall::sampled::controller::Standard;
use touchback_haptics::wall::sampled::plant::Plant;

/// Longest tried period, samples.
const LONGEST: usize = super::criterion::LONGEST as usize;

/// One step of the loop, with the newest force from the present position: x⁺ = A x + c, with the state (x, v,
/// delayed forces).
fn step(plant: &Plant, stiffness: f64, period: f64, delay: usize) -> (DMatrix<f64>, DVector<f64>) {
    let d = plant.discrete(period);
    let n = 2 + delay;
    let mut a = DMatrix::zeros(n, n);
    a.view_mut((0, 0), (2, 2)).copy_from(&d.phi);
    for i in 0..2 {
        // The oldest force acts.
        let source = if delay == 0 { 0 } else { n - 1 };
        a[(i, source)] -= d.gamma[i] * if delay == 0 { stiffness } else { 1.0 };
    }
    for i in 3..n {
        a[(i, i - 1)] = 1.0;
    }
    if delay > 0 {
        a[(2, 0)] = stiffness;
    }
    let mut c = DVector::zeros(n);
    c[0] = d.gamma[0] * plant.bias;
    c[1] = d.gamma[1] * plant.bias;
    (a, c)
}

/// A periodic orbit of at most 64 samples with one contact per period, as (samples, samples inside).
#[must_use]
pub fn single_visit(
    plant: &Plant,
    stiffness: f64,
    period: f64,
    delay: usize,
) -> Option<[usize; 2]> {
    let (inside, c) = step(plant, stiffness, period, delay);
    let (outside, _) = step(plant, 0.0, period, delay);
    let n = 2 + delay;
    // Powers and their sums: x after k steps is A^k x + S_k c.
    let powers = |a: &DMatrix<f64>| {
        let mut all = vec![(DMatrix::identity(n, n), DVector::zeros(n))];
        for k in 0..LONGEST {
            cancel::check();
            let (p, s): &(DMatrix<f64>, DVector<f64>) = &all[k];
            all.push((a * p, a * s + &c));
        }
        all
    };
    let (ins, outs) = (powers(&inside), powers(&outside));
    for total in 2..=LONGEST {
        for m in 1..total {
            let ((pi, si), (po, so)) = (&ins[m], &outs[total - m]);
            let round = DMatrix::identity(n, n) - po * pi;
            let Some(start) = round.lu().solve(&(po * si + so)) else { continue };
            let mut x = start.clone();
            let fits = (0..total).all(|k| {
                let is_inside = x[0] > 0.0;
                let a = if k < m { &inside } else { &outside };
                x = a * &x + &c;
                is_inside == (k < m)
            });
            // If one period amplifies rounding beyond this, the fixed point is not reliable.
            if fits && (&x - &start).amax() < 1e-6 * start.amax() {
                return Some([total, m]);
            }
        }
    }
    None
}

/// Whether the loop approaches rest on the wall from every start of a grid: at rest, or closer in the last
/// tenth of `samples` periods than in the tenth before.
#[must_use]
pub fn settles(plant: &Plant, stiffness: f64, period: f64, delay: usize, samples: usize) -> bool {
    let bench = SampledLoop { delay, ..SampledLoop::ideal(*plant, period) };
    let rest = plant.bias / (plant.stiffness + stiffness);
    let mut wall = Standard { stiffness, damping: 0.0 };
    (0..12).all(|i| {
        let speed = 1e-3 * libm::pow(10.0, f64::from(i) / 4.0);
        // Starts at different fractions of a step from the wall.
        let start = [-speed * period * f64::from(i % 4) / 4.0, speed];
        let mut off = [0.0f64; 2];
        bench.run(&mut wall, start, samples, |tick| {
            let now = (tick.end[0] - rest).abs() + period * tick.end[1].abs();
            let tenth = 10 * tick.index / samples;
            if tenth >= 8 {
                off[tenth - 8] = off[tenth - 8].max(now);
            }
            now < 1e3
        });
        off[1] < 0.999 * off[0] || off[0] < 1e-9 * rest.abs() && off[1] < 1e-9 * rest.abs()
    })
}

/// The least stiffness, N/m, to 0.1 %, at which an orbit exists or a start does not come to rest.
#[must_use]
pub fn limit(plant: &Plant, period: f64, delay: usize) -> f64 {
    let is_unstable = |k: f64| {
        single_visit(plant, k, period, delay).is_some()
            || !(settles(plant, k, period, delay, 20_000)
                || settles(plant, k, period, delay, 200_000))
    };
    let mut k = 1.0;
    while !is_unstable(k) {
        k *= 1.3;
        if k > 1e9 {
            return f64::INFINITY;
        }
    }
    let (mut low, mut high) = (k / 1.3, k);
    while high - low > 1e-3 * high {
        let middle = 0.5 * (low + high);
        if is_unstable(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A long period, so that bounces last a few tens of samples.
    const T: f64 = 4e-3;

    #[test]
    fn existing_orbits_are_found() {
        let plant = Plant { mass: 0.1, damping: 0.5, stiffness: 0.0, bias: 1.0 };
        let at = |k: f64, delay| single_visit(&plant, k, T, delay);
        let found = (0..40).find_map(|i| {
            let k = 50.0 * 1.2f64.powi(i);
            at(k, 0).map(|orbit| (k, orbit))
        });
        let (k, [samples, inside]) = found.unwrap();
        assert!(inside < samples && !settles(&plant, k, T, 0, 20_000), "{found:?}");
        assert!(at(200.0, 0).is_none() && settles(&plant, 200.0, T, 0, 20_000));
    }
}
