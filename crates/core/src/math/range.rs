//! Default and range of a number.

/// Default and range of a number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Range {
    /// Default value.
    pub default: f64,
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
}

impl Range {
    /// `value` clamped to the range; NaN gives the default.
    #[must_use]
    pub const fn clamped(&self, value: f64) -> f64 {
        if value.is_nan() { self.default } else { value.clamp(self.min, self.max) }
    }
}
