//! Walls designed in continuous time and sampled: f = K x + B v inside, 0 outside.
//!
//! [Gillespie 1996, tables 5.1, 5.2, eq. 5.1]. The hold makes both walls active, as `wall::analysis` of the
//! laboratory computes.

use super::{Controller, Measurement};

/// A sampled spring and damper.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Standard {
    /// Stiffness K, N/m.
    pub stiffness: f64,
    /// Damping B, N·s/m.
    pub damping: f64,
}

impl Controller for Standard {
    fn force(&mut self, now: Measurement) -> f64 {
        if now.position > 0.0 {
            self.stiffness * now.position + self.damping * now.velocity
        } else {
            0.0
        }
    }

    fn reset(&mut self) {}
}

/// A spring that is softer on the way out, so that the retained energy covers the energy that the hold adds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Hysteresis {
    /// Stiffness K on the way in, N/m.
    pub stiffness: f64,
    /// Share by which the force is reduced on the way out, 0…1.
    pub loss: f64,
}

impl Controller for Hysteresis {
    fn force(&mut self, now: Measurement) -> f64 {
        if now.position <= 0.0 {
            return 0.0;
        }
        let share = if now.velocity < 0.0 { 1.0 - self.loss } else { 1.0 };
        share * self.stiffness * now.position
    }

    fn reset(&mut self) {}
}
