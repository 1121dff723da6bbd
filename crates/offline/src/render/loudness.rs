//! Integrated, gated loudness of a rendering (EBU R 128).

use anyhow::{Context as _, Result};
use ebur128::{EbuR128, Mode};

/// Integrates both channels.
pub struct Loudness(EbuR128);

impl Loudness {
    /// # Errors
    /// A rate that the meter does not support; the command's range excludes them.
    pub fn new(rate: u32) -> Result<Self> {
        EbuR128::new(2, rate, Mode::I).map(Self).context("no loudness at this rate")
    }

    /// Adds the next frames; both channels have the same length.
    ///
    /// # Errors
    /// Channels of different lengths.
    pub fn add(&mut self, left: &[f32], right: &[f32]) -> Result<()> {
        self.0.add_frames_planar_f32(&[left, right]).context("loudness not measured")
    }

    /// Loudness so far, LUFS; −∞ below the gate and for less than 0.4 s.
    pub fn lufs(&self) -> f64 {
        self.0.loudness_global().unwrap_or(f64::NEG_INFINITY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_core::math::cast::single;

    #[test]
    fn a_sine_of_minus_23_dbfs_in_both_channels_has_minus_23_lufs() {
        // EBU Tech 3341, test 1.
        for rate in [22_050, 48_000, 96_000] {
            let mut loudness = Loudness::new(rate).unwrap();
            assert_eq!(loudness.lufs(), f64::NEG_INFINITY);
            let turn = std::f64::consts::TAU * 1000.0 / f64::from(rate);
            let sine: Vec<f32> = (0..4 * rate)
                .map(|i| single(10f64.powf(-23.0 / 20.0) * (turn * f64::from(i)).sin()))
                .collect();
            for part in sine.chunks(777) {
                loudness.add(part, part).unwrap();
            }
            assert!((loudness.lufs() + 23.0).abs() < 0.1, "{rate} Hz: {}", loudness.lufs());
        }
    }
}
