//! The last stage: stereo width and lid filter.

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
