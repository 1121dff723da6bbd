//! Calibration: measures a motorized key by its own motor with at most 2 N, for the facts of its firmware.
//!
//! Positions and forces are positive down, in SI units. The keyboard is driven with plain forces f and a
//! local damping Z; its configuration bounds the sum of both. With the key's mass m, damping b, friction c
//! and weight W:
//!
//! ```text
//! at constant speed v    f = W ± c + b·v       down and up, at two speeds
//! pushed from rest       m = (f₂ − f₁)/(a₂ − a₁), d = ½·a·τ²·(1 − b·τ/3m), τ = t − t₀
//! on its bed             depth and stiffness from the positions under two forces
//! a mass M on its front  newtons for one commanded = M·g/(W − W′)
//! ```
//!
//! Calibration has no thread, port or clock of its own: a [`Line`] carries the bytes and gives the time.

mod line;
mod motions;
#[cfg(test)]
mod tests;

pub use crate::line::conversation::Line;
use crate::session::HaltReason;
use line::Bench;
pub use line::CalibrationError;
use touchback_device::message::Hello;

/// Largest force on a key, N, damping included.
pub const FORCE: f64 = 2.0;
/// Standard gravity, m/s².
pub const GRAVITY: f64 = 9.806_65;

/// Measurement of one key, in the keyboard's own newtons and meters.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct KeyMeasurement {
    /// Position at rest, m.
    pub zero: f64,
    /// Noise of the sensor at rest, root mean square, m.
    pub noise: f64,
    /// Moving mass at the front, kg.
    pub mass: f64,
    /// Weight: force that holds the key up at rest, N.
    pub weight: f64,
    /// Coulomb friction, N.
    pub friction: f64,
    /// Viscous damping, N·s/m.
    pub damping: f64,
    /// Delay from the play-out of a command to the motion of the key, s.
    pub delay: f64,
    /// Depth, m, and stiffness, N/m, of the key bed; none where there is no bed above 13 mm.
    pub bed: Option<[f64; 2]>,
    /// Motor constant: newtons given for one commanded; 1 where it was not measured with a mass.
    pub motor: f64,
}

impl KeyMeasurement {
    /// Converts to true units: forces by `motor`, lengths by `scale`, meters of the key for one that the
    /// sensor shows.
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
    /// Finds the keyboard at the other end of `line`.
    ///
    /// # Errors
    /// No keyboard answers, or the keyboard cannot be calibrated.
    pub fn begin(line: L) -> Result<Self, CalibrationError> {
        Ok(Self { bench: Bench::begin(line)? })
    }

    /// Description of the keyboard.
    #[must_use]
    pub const fn hello(&self) -> &Hello {
        self.bench.hello()
    }

    /// Measures key `key` of the keyboard, from 0. Nobody may touch the key. Repeats a measurement up to two
    /// times where the keyboard has ended force.
    ///
    /// # Errors
    /// The key cannot be measured.
    pub fn key(&mut self, key: u8) -> Result<KeyMeasurement, CalibrationError> {
        self.attempts(key, motions::measure)
    }

    /// Measures the motor constant of `key`, newtons given for one commanded, with a mass of `mass`, kg, on
    /// its front. `weight` is the weight measured without the mass, N.
    ///
    /// # Errors
    /// The key cannot be measured, or the mass does not show in the weight.
    pub fn motor(&mut self, key: u8, weight: f64, mass: f64) -> Result<f64, CalibrationError> {
        let loaded = self.attempts(key, motions::weigh)?;
        let motor = mass * GRAVITY / (weight - loaded);
        if (0.2..5.0).contains(&motor) { Ok(motor) } else { Err(CalibrationError::Unfelt) }
    }

    /// Keeps the line running without force for `seconds`, to wait for a user.
    ///
    /// # Errors
    /// The line has ended.
    pub fn pause(&mut self, seconds: f64) -> Result<(), CalibrationError> {
        self.bench.pause(seconds)
    }

    /// Ends force and the calibration.
    ///
    /// # Errors
    /// The line has ended.
    pub fn end(mut self) -> Result<(), CalibrationError> {
        self.bench.stop()
    }

    /// Arms the key, measures and ends force, up to three times.
    fn attempts<T>(
        &mut self,
        key: u8,
        measure: impl Fn(&mut Bench<L>) -> Result<T, CalibrationError>,
    ) -> Result<T, CalibrationError> {
        let mut attempts = 3;
        loop {
            self.bench.arm(key)?;
            let result = measure(&mut self.bench);
            // Force ends whatever the result.
            self.bench.stop()?;
            attempts -= 1;
            match result {
                Err(CalibrationError::Stopped { .. }) if attempts > 0 => {}
                result => return result,
            }
        }
    }
}

impl From<HaltReason> for CalibrationError {
    fn from(why: HaltReason) -> Self {
        Self::Unfit(why)
    }
}
