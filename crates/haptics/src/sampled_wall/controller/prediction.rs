//! Half-sample prediction: the wall's force where the plant will be in the middle of the hold.
//!
//! [Gillespie 1996, table 5.4]. The model that predicts is the target, the plant on a real wall:
//! f = K x(T/2) + B v(T/2), for a ball K[(x − a)cos(θ/2) + (v/ω₀)sin(θ/2) + a], a = g/ω₀²,
//! θ = ω₀T (the table prints cos(t + T/2)). A known delay of the loop is predicted over as well.

use nalgebra::{Vector1, Vector2};

use super::{Controller, Measurement};
use crate::sampled_wall::plant::Plant;
use touchback_core::episode::exact::Discrete;

/// A predictive spring and damper.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Prediction {
    stiffness: f64,
    damping: f64,
    /// Of the target, over the prediction.
    ahead: Discrete<2, 1>,
    bias: f64,
}

impl Prediction {
    /// A wall of `stiffness` N/m and `damping` N·s/m for `plant`, forces held `period` s and
    /// arriving `delay` s late.
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
