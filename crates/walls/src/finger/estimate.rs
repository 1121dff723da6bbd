//! Recursive least squares on the filtered motion.

use nalgebra::{Matrix2, Matrix3, Matrix4, Vector1, Vector2, Vector3, Vector4};

use touchback_core::episode::exact::Discrete;
use touchback_core::math::power::square;
use touchback_haptics::wall::sampled::plant::Plant;

/// Settings of the estimator.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tuning {
    /// Corner λ of the filter, rad/s: above the motion's frequencies, below the encoder noise.
    pub corner: f64,
    /// Time constant of forgetting, s.
    pub memory: f64,
    /// Standard deviation of the filtered force residual, N; only larger excitation updates the estimate.
    pub noise: f64,
}

impl Default for Tuning {
    /// 60 Hz, 50 ms, 20 mN [chosen for a key: contacts last 5–50 ms, and one 2 µm count on 5 kN/m is 10 mN].
    fn default() -> Self {
        Self { corner: std::f64::consts::TAU * 60.0, memory: 0.05, noise: 0.02 }
    }
}

/// Largest variance of a scaled parameter: the variance without any information.
const UNKNOWN: f64 = 1.0;

/// Running estimate of a plant.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimator {
    least_mass: f64,
    tuning: Tuning,
    forget: f64,
    /// The filter for a position that is linear between samples: states and input, driven by the slope.
    ramp: Discrete<3, 1>,
    /// The filter for a held force.
    hold: Discrete<2, 1>,
    period: f64,
    position: Option<Vector3<f64>>,
    force: Vector2<f64>,
    warm: u32,
    /// Units that scale the parameters (M, B, k, F₀) to order one.
    scale: Vector4<f64>,
    theta: Vector4<f64>,
    covariance: Matrix4<f64>,
    used: u32,
}

impl Estimator {
    /// For a device of `least_mass` kg sampled every `period` s, with `guess` (device and finger) as the first
    /// estimate.
    #[must_use]
    pub fn new(guess: &Plant, least_mass: f64, period: f64, tuning: Tuning) -> Self {
        let w = tuning.corner;
        // x₁' = −2λ x₁ − λ² x₂ + λ² u, x₂' = x₁: x₂ is the filtered input, x₁ its derivative.
        let a = Matrix2::new(-2.0 * w, -w * w, 1.0, 0.0);
        let ramp = Matrix3::new(-2.0 * w, -w * w, w * w, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0);
        // A tenth of the guessed mass, and damping and stiffness with the same force at 20 Hz.
        let turn = std::f64::consts::TAU * 20.0;
        let mass = guess.mass;
        let scale = Vector4::new(mass, mass * turn, mass * turn * turn, 1.0);
        Self {
            least_mass,
            tuning,
            forget: libm::exp(-period / tuning.memory),
            ramp: Discrete::new(&ramp, &Vector3::new(0.0, 0.0, 1.0), period),
            hold: Discrete::new(&a, &Vector2::new(w * w, 0.0), period),
            period,
            position: None,
            force: Vector2::zeros(),
            warm: 0,
            scale,
            theta: Vector4::new(mass, guess.damping, guess.stiffness, guess.bias)
                .component_div(&scale),
            covariance: Matrix4::identity() * UNKNOWN,
            used: 0,
        }
    }

    /// Number of samples that updated the estimate.
    #[must_use]
    pub const fn used(&self) -> u32 {
        self.used
    }

    /// The present estimate, limited to possible values: at least the device's mass, no negative damping or
    /// stiffness.
    #[must_use]
    pub fn plant(&self) -> Plant {
        let p = self.theta.component_mul(&self.scale);
        Plant {
            mass: p[0].max(self.least_mass),
            damping: p[1].max(0.0),
            stiffness: p[2].max(0.0),
            bias: p[3],
        }
    }

    /// Adds the position `x` m at a sample, and the force (N, against +x) held over the period that ends there.
    pub fn see(&mut self, x: f64, held: f64) {
        let Some(state) = self.position else {
            // The filter starts settled at the first position, so that there is no initial step.
            self.position = Some(Vector3::new(0.0, x, x));
            self.force = Vector2::new(0.0, held);
            return;
        };
        let slope = Vector1::new((x - state[2]) / self.period);
        let state = self.ramp.step(&state, &slope);
        // Uses x itself, so that rounding errors of slopes do not accumulate.
        let state = Vector3::new(state[0], state[1], x);
        self.position = Some(state);
        self.force = self.hold.step(&self.force, &Vector1::new(held));
        self.warm = self.warm.saturating_add(1);
        if f64::from(self.warm) * self.period * self.tuning.corner < 5.0 {
            return;
        }
        let w = self.tuning.corner;
        let acceleration = w * w * (x - state[1]) - 2.0 * w * state[0];
        // f = F₀ − M ẍ − B ẋ − k x, all filtered.
        let row = Vector4::new(-acceleration, -state[0], -state[1], 1.0).component_mul(&self.scale);
        self.learn(&row, self.force[1]);
    }

    /// One step of least squares, if the motion exceeds the noise.
    fn learn(&mut self, row: &Vector4<f64>, force: f64) {
        let spread = self.covariance * row;
        let information = row.dot(&spread);
        let noise = square(self.tuning.noise);
        // No information in this direction: forgetting would only inflate the covariance.
        if information < noise {
            return;
        }
        self.used = self.used.saturating_add(1);
        let gain = spread / (noise + information);
        self.theta += gain * (force - row.dot(&self.theta));
        self.covariance -= gain * spread.transpose();
        // Forget only in the direction of the new information.
        self.covariance += spread * spread.transpose() / information * (1.0 - self.forget);
        self.covariance = (self.covariance + self.covariance.transpose()) * 0.5;
        let trace = self.covariance.trace();
        if trace > 4.0 * UNKNOWN {
            self.covariance *= 4.0 * UNKNOWN / trace;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::{SampledLoop, Speed};
    use touchback_haptics::wall::sampled::controller::{Controller, Measurement};
    use touchback_haptics::wall::sampled::plant::{FINGER, FingerImpedance};

    const DEVICE: Plant = Plant { mass: 0.1, damping: 0.5, stiffness: 0.0, bias: 1.0 };
    const T: f64 = 1e-3;

    /// Applies a sum of tones without a wall and records the estimate.
    struct Ear {
        estimator: Estimator,
        last: f64,
        step: u32,
        strength: f64,
    }

    impl Controller for Ear {
        fn force(&mut self, now: Measurement) -> f64 {
            self.estimator.see(now.position, self.last);
            let t = f64::from(self.step) * T;
            self.step += 1;
            let tone = |hz: f64| (std::f64::consts::TAU * hz * t).sin();
            self.last = -self.strength * (tone(3.1) + tone(9.7) + tone(23.0));
            self.last
        }
        fn reset(&mut self) {}
    }

    fn hear(plant: Plant, count: f64, strength: f64) -> Estimator {
        let guess = DEVICE.with(FINGER);
        let estimator = Estimator::new(&guess, DEVICE.mass, T, Tuning::default());
        let bench = SampledLoop { count, speed: Speed::Difference, ..SampledLoop::ideal(plant, T) };
        let mut ear = Ear { estimator, last: 0.0, step: 0, strength };
        bench.run(&mut ear, [0.0, 0.0], 2000, |_| true);
        ear.estimator
    }

    #[test]
    fn mass_damping_and_stiffness_are_found_from_force_and_quantised_motion() {
        for finger in [FINGER, FingerImpedance { mass: 0.08, damping: 6.0, stiffness: 900.0 }] {
            let plant = DEVICE.with(finger);
            for (count, band) in [(0.0, 0.02), (2e-6, 0.03)] {
                let got = hear(plant, count, 1.0).plant();
                for (got, is) in [
                    (got.mass, plant.mass),
                    (got.damping, plant.damping),
                    (got.stiffness, plant.stiffness),
                    (got.bias, plant.bias),
                ] {
                    assert!((got / is - 1.0).abs() < band, "{got} {is} {plant:?}");
                }
            }
        }
    }

    #[test]
    fn without_motion_the_estimate_does_not_change() {
        let before = Estimator::new(&DEVICE.with(FINGER), 0.1, T, Tuning::default());
        let mut still = before;
        for _ in 0..100_000 {
            still.see(0.0, 1.0);
        }
        let (a, b) = (before.plant(), still.plant());
        assert!(still.used() < 100 && (a.mass - b.mass).abs() < 1e-12, "{a:?} {b:?}");
        assert!((a.stiffness - b.stiffness).abs() < 1e-9);
        // Noise of one count does not count as motion.
        let mut noisy = before;
        for i in 0..100_000u32 {
            noisy.see(if i.wrapping_mul(2_654_435_761) > 1 << 31 { -2e-6 } else { 0.0 }, 1.0);
        }
        let c = noisy.plant();
        assert!((c.stiffness / a.stiffness - 1.0).abs() < 0.5, "{c:?}");
        assert!(noisy.covariance.trace() <= 4.0 * UNKNOWN);
    }
}
