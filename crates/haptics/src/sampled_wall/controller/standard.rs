//! Walls designed in continuous time and simply sampled: f = K x + B v inside, 0 outside.
//!
//! [Gillespie 1996, tables 5.1, 5.2, eq. 5.1]. The hold makes both active: see
//! [`touchback_lab::wall::analysis`].

use super::{Controller, Measurement};

/// Spring and damper.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Standard {
    /// K, N/m.
    pub stiffness: f64,
    /// B, N·s/m.
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

/// A spring that is softer on the way out: the energy kept pays for what the hold gives.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Hysteresis {
    /// K on the way in, N/m.
    pub stiffness: f64,
    /// Share of the force left out on the way out, 0…1.
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
