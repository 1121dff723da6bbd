//! The predictive wall for a finger that changes.

use super::estimate::{Estimator, Tuning};
use touchback_haptics::wall::sampled::controller::{Controller, Measurement, Prediction};
use touchback_haptics::wall::sampled::plant::Plant;

/// Periods from one update of the prediction's matrices to the next; the update is expensive.
const UPDATE: u32 = 4;

/// [`Prediction`] whose model is the running estimate of device and finger.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Adaptive {
    stiffness: f64,
    damping: f64,
    period: f64,
    delay: usize,
    start: Estimator,
    estimator: Estimator,
    wall: Prediction,
    /// Commanded forces that do not act yet, then the one that just ended; newest last.
    commanded: [f64; Self::LONGEST + 1],
    ticks: u32,
}

impl Adaptive {
    /// Longest supported delay, whole periods.
    pub const LONGEST: usize = 15;

    /// A wall of `stiffness` N/m and `damping` N·s/m for a device of `least_mass` kg, with `guess` as the first
    /// estimate; forces are held for `period` s and delayed by `delay` whole periods (at most
    /// [`Self::LONGEST`]).
    #[must_use]
    pub fn new(
        guess: &Plant,
        least_mass: f64,
        stiffness: f64,
        damping: f64,
        period: f64,
        delay: usize,
    ) -> Self {
        let delay = delay.min(Self::LONGEST);
        let estimator = Estimator::new(guess, least_mass, period, Tuning::default());
        let wall = Self::predict(guess, stiffness, damping, period, delay);
        Self {
            stiffness,
            damping,
            period,
            delay,
            start: estimator,
            estimator,
            wall,
            commanded: [0.0; Self::LONGEST + 1],
            ticks: 0,
        }
    }

    fn predict(plant: &Plant, k: f64, b: f64, period: f64, delay: usize) -> Prediction {
        let late = f64::from(u32::try_from(delay).unwrap_or(0)) * period;
        Prediction::new(plant, k, b, period, late)
    }

    /// The estimate of the plant.
    #[must_use]
    pub const fn estimator(&self) -> &Estimator {
        &self.estimator
    }
}

impl Controller for Adaptive {
    fn force(&mut self, now: Measurement) -> f64 {
        // The force that acted until now was commanded delay + 1 periods ago.
        self.estimator.see(now.position, self.commanded[Self::LONGEST - self.delay]);
        self.ticks = self.ticks.wrapping_add(1);
        if self.ticks.is_multiple_of(UPDATE) {
            let plant = self.estimator.plant();
            self.wall =
                Self::predict(&plant, self.stiffness, self.damping, self.period, self.delay);
        }
        let force = self.wall.force(now);
        self.commanded.rotate_left(1);
        self.commanded[Self::LONGEST] = force;
        force
    }

    fn reset(&mut self) {
        self.estimator = self.start;
        let plant = self.estimator.plant();
        self.wall = Self::predict(&plant, self.stiffness, self.damping, self.period, self.delay);
        self.commanded = [0.0; Self::LONGEST + 1];
        self.ticks = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::{SampledLoop, Speed};
    use touchback_haptics::wall::sampled::plant::{FINGER, FingerImpedance};

    const DEVICE: Plant = Plant { mass: 0.1, damping: 0.5, stiffness: 0.0, bias: 2.0 };
    const T: f64 = 1e-3;

    /// Oscillation with the soft finger, and after a change to the stiff one at rest.
    fn swings(wall: &mut dyn Controller, delay: usize, stiff: FingerImpedance) -> [f64; 2] {
        let mut state = [-1e-3, 0.1];
        [FINGER, stiff].map(|finger| {
            let plant = DEVICE.with(finger);
            let bench =
                SampledLoop { plant, period: T, delay, count: 2e-6, speed: Speed::Filtered(200.0) };
            let (swing, end) = bench.swing(wall, state, 1500);
            state = end;
            swing
        })
    }

    #[test]
    fn the_wall_that_learns_stays_quiet_when_the_finger_stiffens() {
        let soft = DEVICE.with(FINGER);
        let stiff = FingerImpedance { mass: 0.02, damping: 1.0, stiffness: 2000.0 };
        for (delay, k) in [(2, 2550.0), (4, 700.0)] {
            let late = Adaptive::predict(&soft, k, 0.0, T, delay);
            let fixed = swings(&mut { late }, delay, stiff);
            let learning = swings(&mut Adaptive::new(&soft, 0.1, k, 0.0, T, delay), delay, stiff);
            let quiet = |x: f64| x < 50e-6;
            assert!(quiet(fixed[0]) && !quiet(fixed[1]), "{delay}: {fixed:?}");
            assert!(quiet(learning[0]) && quiet(learning[1]), "{delay}: {learning:?}");
        }
    }
}
