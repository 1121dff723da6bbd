//! The loop in continuous time, hold and delay as a lag.

use std::f64::consts::PI;

use super::criterion::{Criterion, lagging};
use touchback_core::math::complex::modulus;
use touchback_haptics::wall::sampled::plant::Plant;

/// Circle and Popov criterion at the `frequencies`, and the stiffness above which a two-sided spring is unstable, N/m.
#[must_use]
pub fn limits(plant: &Plant, period: f64, delay: u32, frequencies: &[Vec<f64>]) -> [f64; 3] {
    let late = period * (0.5 + f64::from(delay));
    let response = |angle: f64| lagging(plant, late, angle / period);
    let [circle, popov] =
        [Criterion::Circle, Criterion::Popov].map(|c| c.limit(&response, frequencies));
    // The lowest frequency at which the response turns to −180°: its phase falls monotonically there.
    let (mut low, mut high) = ((plant.stiffness / plant.mass).sqrt(), PI / late);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if lagging(plant, late, middle).im < 0.0 { low = middle } else { high = middle }
    }
    [circle, popov, 1.0 / modulus(lagging(plant, late, low))]
}
