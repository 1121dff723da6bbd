//! The last stage: stereo width, lid filter and a soft clip above −1 dBFS.

/// Level up to which the soft clip changes nothing (−1 dBFS).
const KNEE: f32 = 0.891;

/// Soft clip: identity up to −1 dBFS, smoothly limited below 1 above.
#[must_use]
pub fn soft_clip(x: f32) -> f32 {
    let over = x.abs() - KNEE;
    if over <= 0.0 {
        return x;
    }
    let room = 1.0 - KNEE;
    (KNEE + room * over / (room + over)).copysign(x)
}

/// Left and right with the side signal scaled by `width`.
#[must_use]
pub fn widened(left: f32, right: f32, width: f32) -> (f32, f32) {
    let (mid, side) = (0.5 * (left + right), 0.5 * width * (left - right));
    (mid + side, mid - side)
}

/// The lid over both channels: frequencies above its corner are scaled, the rest passes.
#[derive(Clone, Copy, Default, Debug)]
pub struct HighShelf {
    share: f32,
    slow: [f32; 2],
}

/// Frequency from which a lid shades the strings, Hz (chosen).
const LID_HZ: f64 = 1200.0;

impl HighShelf {
    /// The filter at `sample_rate` Hz.
    #[must_use]
    pub fn new(sample_rate: f64) -> Self {
        let share = 1.0 - libm::exp(-std::f64::consts::TAU * LID_HZ / sample_rate);
        Self { share: touchback_core::math::cast::single(share), slow: [0.0; 2] }
    }

    /// Clears the filter.
    pub const fn reset(&mut self) {
        self.slow = [0.0; 2];
    }

    /// Whether the filter's state is 0.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.slow == [0.0; 2]
    }

    /// Both channels with the high frequencies scaled by `gain`.
    pub fn shade(&mut self, x: [f32; 2], gain: f32) -> [f32; 2] {
        std::array::from_fn(|c| {
            let slow = &mut self.slow[c];
            *slow += self.share * (x[c] - *slow);
            // Set to 0 far above denormals.
            if slow.abs() < 1e-15 {
                *slow = 0.0;
            }
            if gain == 1.0 { x[c] } else { *slow + gain * (x[c] - *slow) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_soft_clip_is_transparent_below_its_knee_and_bounded_above() {
        for i in 0..=891 {
            let x = i as f32 / 1000.0;
            assert_eq!(soft_clip(x).to_bits(), x.to_bits());
            assert_eq!(soft_clip(-x).to_bits(), (-x).to_bits());
        }
        assert!(soft_clip(1e6) <= 1.0 && soft_clip(2.0) < soft_clip(3.0) && soft_clip(-9.0) > -1.0);
    }
}
