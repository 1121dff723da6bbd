//! Virtual walls as sampled controllers: a position and a velocity in, a force to hold out.
//!
//! | module | wall |
//! | --- | --- |
//! | [`standard`] | spring and damper as written down, and the hysteretic spring |
//! | [`prediction`] | the spring's force half a sample (and any known delay) ahead |
//! | [`placement`] | gains that place the sampled poles where a real wall's are |
//! | [`deadbeat`] | switching between samples made good by the last two forces of a visit |
//!
//! Every controller steps in bounded time, without heap or system calls.

pub mod deadbeat;
pub mod placement;
pub mod prediction;
pub mod standard;

pub use deadbeat::Deadbeat;
pub use placement::Placement;
pub use prediction::Prediction;
pub use standard::{Hysteresis, Standard};

/// What the controller is given at a sample.
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

/// A wall that begins at `depth` m, as a key's bed does.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bed<C> {
    /// The wall.
    pub wall: C,
    /// Where its surface lies, m.
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
