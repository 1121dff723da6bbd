//! Half-sample prediction: the force of the wall at the predicted state in the middle of the hold.
//!
//! [Gillespie 1996, table 5.4]. The prediction uses the target model, the plant on a real wall:
//! f = K x(T/2) + B v(T/2), for a ball K[(x − a)cos(θ/2) + (v/ω₀)sin(θ/2) + a], a = g/ω₀²,
//! θ = ω₀T (the table prints cos(t + T/2)). The prediction also covers a known delay of the loop.

use nalgebra::{Vector1, Vector2};

use super::{Controller, Measurement};
use crate::wall::sampled::plant::Plant;
use touchback_core::episode::exact::Discrete;

/// A spring and damper with prediction.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Prediction {
    stiffness: f64,
    damping: f64,
    /// Discretized target over the prediction time.
    ahead: Discrete<2, 1>,
    bias: f64,
}

impl Prediction {
    /// A wall of `stiffness`, N/m, and `damping`, N·s/m, for `plant`. Forces are held for `period`, s, and arrive
    /// `delay`, s, late.
    #[must_use]
    pub fn new(plant: &Plant, stiffness: f64, damping: f64, period: f64, delay: f64) -> Self {
        let ahead = plant.on(stiffness, damping).discrete(0.5 * period + delay);
        Self { stiffness, damping, ahead, bias: plant.bias }
    }
}

impl Controller for Prediction {
    fn force(&mut self, now: Measurement) -> f64 {
        if now.position <= 0.0 {
            return 0.0;
        }
        let x =
            self.ahead.step(&Vector2::new(now.position, now.velocity), &Vector1::new(self.bias));
        self.stiffness * x[0] + self.damping * x[1]
    }

    fn reset(&mut self) {}
}
