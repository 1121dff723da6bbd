//! Virtual walls as sampled controllers: position and velocity in, a force to hold out.
//!
//! | module | wall |
//! | --- | --- |
//! | [`standard`] | sampled spring and damper, and the hysteretic spring |
//! | [`prediction`] | force predicted half a sample and a known delay ahead |
//! | [`placement`] | gains that place the sampled poles at those of a real wall |
//! | [`deadbeat`] | compensation of switching between samples by the last two forces of a visit |
//!
//! Every controller runs in bounded time, without heap or system calls.

pub(crate) mod deadbeat;
pub(crate) mod placement;
pub(crate) mod prediction;
pub(crate) mod standard;

pub use deadbeat::Deadbeat;
pub use placement::Placement;
pub use prediction::Prediction;
pub use standard::{Hysteresis, Standard};

/// Inputs of a controller at a sample.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Measurement {
    /// Position, m, positive inside the wall.
    pub position: f64,
    /// Velocity, m/s, positive into the wall.
    pub velocity: f64,
}

/// A wall that fills x > 0.
pub trait Controller {
    /// Force against +x, N, to hold over the sample period that begins now.
    fn force(&mut self, now: Measurement) -> f64;

    /// Resets all state.
    fn reset(&mut self);
}

/// A wall whose surface is at `depth`, m, as that of a key bed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bed<C> {
    /// The wall.
    pub wall: C,
    /// Depth of the surface, m.
    pub depth: f64,
}

impl<C: Controller> Controller for Bed<C> {
    fn force(&mut self, now: Measurement) -> f64 {
        self.wall.force(Measurement { position: now.position - self.depth, ..now })
    }

    fn reset(&mut self) {
        self.wall.reset();
    }
}
