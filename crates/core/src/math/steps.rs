//! Values that are stored as a whole number of steps in one byte.

use super::cast::rounded_i32;

/// Largest number of steps.
pub const MOST: i8 = 127;

/// `value`, a number of steps, rounded and clamped to ± [`MOST`].
#[must_use]
pub fn stepped(value: f64) -> i8 {
    let value = value.round().clamp(-f64::from(MOST), f64::from(MOST));
    // Whole and within ± 127.
    i8::try_from(rounded_i32(value)).unwrap_or(0)
}

/// Moves `values` linearly toward `targets`, which are reached at share 1.
pub fn toward(values: &mut [i8], targets: &[i8], share: f64) {
    for (value, target) in values.iter_mut().zip(targets) {
        let (from, to) = (f64::from(*value), f64::from(*target));
        *value = stepped(from + (to - from) * share);
    }
}
