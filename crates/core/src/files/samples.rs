//! Samples of a stereo sound file: their bytes and their level.

use crate::math::cast::rounded_i32;

/// Channels.
pub const CHANNELS: u16 = 2;

/// Largest 24-bit value, which stands for full scale 1.0.
const FULL_SCALE: f64 = 8_388_607.0;

/// Form of the samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SampleForm {
    /// Whole numbers of 24 bits.
    #[default]
    Int24,
    /// Floating point of 32 bits, beyond full scale too.
    Float32,
}

impl SampleForm {
    /// Bits of a sample.
    #[must_use]
    pub const fn bits(self) -> u16 {
        match self {
            Self::Int24 => 24,
            Self::Float32 => 32,
        }
    }

    /// Bytes of a frame.
    #[must_use]
    pub const fn frame(self) -> u64 {
        (CHANNELS * self.bits() / 8) as u64
    }

    /// Appends the bytes of frames, full scale ±1, to `bytes`, and counts them in `level`; both channels have the same
    /// length.
    pub fn encode(self, left: &[f32], right: &[f32], level: &mut Level, bytes: &mut Vec<u8>) {
        for (l, r) in left.iter().zip(right) {
            for x in [*l, *r] {
                level.add(x);
                match self {
                    Self::Int24 => {
                        let value = rounded_i32(f64::from(x).clamp(-1.0, 1.0) * FULL_SCALE);
                        bytes.extend_from_slice(&value.to_le_bytes()[..3]);
                    }
                    Self::Float32 => bytes.extend_from_slice(&x.to_le_bytes()),
                }
            }
        }
    }
}

/// Peak, mean square and overload of a signal.
#[derive(Clone, Copy, Default, Debug)]
pub struct Level {
    peak: f64,
    squares: f64,
    samples: u64,
    clipped: u64,
}

impl Level {
    /// Counts one sample, full scale ±1.
    pub fn add(&mut self, sample: f32) {
        let x = f64::from(sample).abs();
        self.peak = self.peak.max(x);
        self.squares += x * x;
        self.samples += 1;
        self.clipped += u64::from(x > 1.0);
    }

    /// Largest sample, dB re full scale; −∞ in silence.
    #[must_use]
    pub fn peak_dbfs(&self) -> f64 {
        20.0 * libm::log10(self.peak)
    }

    /// Root mean square of both channels, dB re full scale ±1; −∞ in silence.
    #[must_use]
    pub fn rms_dbfs(&self) -> f64 {
        10.0 * libm::log10(self.squares / (self.samples.max(1)) as f64)
    }

    /// Samples beyond full scale, written as full scale.
    #[must_use]
    pub const fn clipped(&self) -> u64 {
        self.clipped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_of_a_full_scale_square() {
        let mut level = Level::default();
        for i in 0..100 {
            level.add(if i % 2 == 0 { 1.0 } else { -1.0 });
        }
        assert!(level.peak_dbfs().abs() < 1e-12 && level.rms_dbfs().abs() < 1e-12);
        level.add(2.0);
        assert_eq!(level.clipped(), 1);
        assert_eq!(Level::default().rms_dbfs(), f64::NEG_INFINITY);
    }
}
