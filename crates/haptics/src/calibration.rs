//! A motorized key measured by its own motor, with 2 N at most: what a firmware has to know of it.
//!
//! Positive down, SI. The keyboard is driven with plain forces f and a local damping Z; its
//! configuration bounds what the motor gives, damping included. With m, b, c, W the key's mass,
//! damping, friction and weight:
//!
//! ```text
//! at constant speed v    f = W ± c + b·v       down and up, at two speeds
//! pushed from rest       m = (f₂ − f₁)/(a₂ − a₁), d = ½·a·τ²·(1 − b·τ/3m), τ = t − t₀
//! on its bed             depth and stiffness from the positions under two forces
//! a mass M on its front  newtons for one commanded = M·g/(W − W′)
//! ```
//!
//! No thread, no port and no clock of its own: a [`Line`] carries bytes and tells the time.

mod line;
mod motions;
#[cfg(test)]
mod tests;

use super::session::HaltReason;
use line::Bench;
pub use line::{Line, Trouble};
use touchback_device::message::Hello;

/// Largest force on a key, N.
pub const FORCE: f64 = 2.0;
/// Standard gravity, m/s².
pub const GRAVITY: f64 = 9.806_65;

/// What was measured of one key, in the keyboard's own newtons and meters.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct KeyMeasurement {
    /// Position at rest, m.
    pub zero: f64,
    /// Noise of the sensor at rest, root mean square, m.
    pub noise: f64,
    /// Moving mass at the front, kg.
    pub mass: f64,
    /// Force that holds the key up, N.
    pub weight: f64,
    /// Coulomb friction, N.
    pub friction: f64,
    /// Viscous damping, N·s/m.
    pub damping: f64,
    /// From a command's play-out to the key's motion, s.
    pub delay: f64,
    /// Key bed: depth, m, and stiffness, N/m; none before 13 mm.
    pub bed: Option<[f64; 2]>,
    /// Newtons given for one commanded; 1 where no mass was laid on the key.
    pub motor: f64,
}

impl KeyMeasurement {
    /// In true units: forces by `motor`, lengths by `scale`, meters of the key for one of the
    /// sensor.
    #[must_use]
    pub fn corrected(&self, scale: f64) -> Self {
        let k = self.motor;
        Self {
            zero: self.zero * scale,
            noise: self.noise * scale,
            mass: self.mass * k / scale,
            weight: self.weight * k,
            friction: self.friction * k,
            damping: self.damping * k / scale,
            bed: self.bed.map(|[depth, stiffness]| [depth * scale, stiffness * k / scale]),
            ..*self
        }
    }
}

/// A keyboard under calibration.
#[derive(Debug)]
pub struct Calibration<L: Line> {
    bench: Bench<L>,
}

impl<L: Line> Calibration<L> {
    /// Asks who is there and bounds its force.
    ///
    /// # Errors
    /// Nobody answers, or who answers cannot be calibrated.
    pub fn begin(line: L) -> Result<Self, Trouble> {
        Ok(Self { bench: Bench::begin(line)? })
    }

    /// What the keyboard says of itself.
    #[must_use]
    pub const fn hello(&self) -> &Hello {
        self.bench.hello()
    }

    /// Measures key `key` of the keyboard, from 0; nobody may touch it. Three attempts, where the
    /// keyboard took its force away.
    ///
    /// # Errors
    /// What stands in the way.
    pub fn key(&mut self, key: u8) -> Result<KeyMeasurement, Trouble> {
        self.attempts(key, motions::measure)
    }

    /// Newtons given for one commanded by the motor of `key`, which holds `weight` N up by itself and
    /// has a mass of `mass` kg lying on its front.
    ///
    /// # Errors
    /// What stands in the way; the mass is not felt.
    pub fn motor(&mut self, key: u8, weight: f64, mass: f64) -> Result<f64, Trouble> {
        let loaded = self.attempts(key, motions::weigh)?;
        let felt = weight - loaded;
        let motor = mass * GRAVITY / felt;
        if (0.2..5.0).contains(&motor) { Ok(motor) } else { Err(Trouble::Unfelt) }
    }

    /// Talks on for `seconds` without force, so that a user may be waited for.
    ///
    /// # Errors
    /// The line's end.
    pub fn pause(&mut self, seconds: f64) -> Result<(), Trouble> {
        self.bench.pause(seconds)
    }

    /// Ends force; to be called last.
    ///
    /// # Errors
    /// The line's end.
    pub fn end(mut self) -> Result<(), Trouble> {
        self.bench.stop()
    }

    fn attempts<T>(
        &mut self,
        key: u8,
        measure: impl Fn(&mut Bench<L>) -> Result<T, Trouble>,
    ) -> Result<T, Trouble> {
        let mut tries = 3;
        loop {
            self.bench.arm(key)?;
            let result = measure(&mut self.bench);
            // Whatever it was: first the force ends.
            self.bench.stop()?;
            tries -= 1;
            match result {
                Err(Trouble::Stopped { .. }) if tries > 0 => {}
                result => return result,
            }
        }
    }
}

impl From<HaltReason> for Trouble {
    fn from(why: HaltReason) -> Self {
        Self::Unfit(why)
    }
}
