//! Values that glide to a new setting, block by block, at the same speed at every sample rate.

use crate::strings::bank::BLOCK;
use touchback_core::math::cast::single;

/// A gliding value: in t seconds it moves by the share 1 − e^(−t/τ) of the distance to its target.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Glide {
    /// Value at the end of the present block.
    pub now: f32,
    target: f32,
    /// Share of the distance covered in one block.
    share: f32,
    /// Distance from the target at which the value has arrived.
    near: f32,
}

impl Glide {
    /// At `value`, with the time constant τ = `seconds` at `sample_rate` Hz; arrives within `near` of its
    /// target.
    #[must_use]
    pub fn new(value: f64, seconds: f64, near: f32, sample_rate: f64) -> Self {
        let share = -libm::expm1(-(BLOCK as f64) / (seconds * sample_rate));
        Self { now: single(value), target: single(value), share: single(share), near }
    }

    /// Sets the target.
    pub fn aim(&mut self, value: f64) {
        self.target = single(value);
    }

    /// Jumps to the target.
    pub const fn finish(&mut self) {
        self.now = self.target;
    }

    /// Advances by one block. Returns the value at its beginning.
    pub fn step(&mut self) -> f32 {
        let before = self.now;
        self.now += self.share * (self.target - self.now);
        if (self.target - self.now).abs() < self.near {
            self.now = self.target;
        }
        before
    }

    /// Whether the value is and stays 0.
    #[must_use]
    pub const fn is_zero(&self) -> bool {
        self.now == 0.0 && self.target == 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_core::math::cast::floor_index;

    #[test]
    fn a_glide_takes_as_long_at_every_sample_rate() {
        for rate in [44_100.0, 48_000.0, 88_200.0, 96_000.0, 176_400.0, 192_000.0] {
            let mut glide = Glide::new(1.0, 0.01, 1e-5, rate);
            glide.aim(0.0);
            let block = BLOCK as f64 / rate;
            for n in 1..=floor_index(0.05 / block) {
                glide.step();
                let exact = (-(n as f64) * block / 0.01).exp();
                assert!((f64::from(glide.now) - exact).abs() < 1e-5, "{rate} Hz, block {n}");
            }
            (0..floor_index(0.1 / block)).for_each(|_| assert!(glide.step() >= 0.0));
            assert!(glide.is_zero(), "{rate} Hz: {glide:?}");
        }
    }
}
