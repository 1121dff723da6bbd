//! Stability of a linear sampled loop closed by a one-sided spring [Tsai 1996, part II].
//!
//! `docs/unilateral.md` has the derivation and the relation to the circle and Tsypkin criteria.
//!
//! | module | part |
//! | --- | --- |
//! | [`continuous`] | the loop in continuous time: circle, Popov, a two-sided spring |
//! | [`criterion`] | oscillations excluded by the frequency response: circle, Tsypkin, shifts |
//! | [`game`] | the matrix game for the best multiplier |
//! | [`orbits`] | brute-force search for periodic orbits of 1 to 64 samples |

pub mod continuous;
pub mod criterion;
pub mod game;
pub mod orbits;

use criterion::{Criterion, all_frequencies, sampled};
use touchback_haptics::wall::sampled::plant::Plant;

/// Largest stiffness of a one-sided spring at rest, N/m, by every criterion.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Limits {
    /// Circle, Tsypkin, wedge and all shifts, in the sampled loop.
    pub sampled: [f64; 4],
    /// Brute force: no orbit, and rest from every start.
    pub orbits: f64,
    /// Circle and Popov in continuous time, and a two-sided spring.
    pub continuous: [f64; 3],
}

impl Limits {
    /// The limits on `plant` with samples `period` s apart and a delay of whole periods.
    #[must_use]
    pub fn of(plant: &Plant, period: f64, delay: u16) -> Self {
        let all = [all_frequencies()];
        let response = |angle: f64| sampled(plant, period, delay.into(), angle);
        Self {
            sampled: Criterion::ALL.map(|c| c.limit(&response, &all)),
            orbits: orbits::limit(plant, period, delay.into()),
            continuous: continuous::limits(plant, period, delay.into(), &all),
        }
    }
}
