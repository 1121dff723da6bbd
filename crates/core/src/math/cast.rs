//! Narrowing conversions with stated rounding and range; the only module that casts.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    reason = "this module is where narrowing is defined"
)]

/// Nearest single-precision value.
#[inline]
#[must_use]
pub const fn single(x: f64) -> f32 {
    x as f32
}

/// Largest index not above `x`; negative values and NaN give 0.
#[inline]
#[must_use]
pub const fn floor_index(x: f64) -> usize {
    x as usize
}

/// Largest count not above `x`; negative values and NaN give 0, values above the range `u32::MAX`.
#[inline]
#[must_use]
pub const fn count(x: f64) -> u32 {
    x as u32
}

/// `x` as a byte, clamped to 0…255.
#[inline]
#[must_use]
pub const fn byte(x: usize) -> u8 {
    if x > 255 { 255 } else { x as u8 }
}

/// `x` rounded to the nearest integer and clamped to the range of `i32`; NaN gives 0.
#[inline]
#[must_use]
pub fn rounded_i32(x: f64) -> i32 {
    x.round() as i32
}
