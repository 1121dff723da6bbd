//! Conversion of physical values to the integers of the wire, with rounding and saturation.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    reason = "this module is where physical values become integers; float casts saturate"
)]

use crate::real::Real;

/// `value / unit` rounded to the nearest `i16`, saturating; NaN gives 0.
#[must_use]
pub fn i16_of<F: Real>(value: F, unit: F) -> i16 {
    (value / unit).rounded().clamp(i32::from(i16::MIN), i32::from(i16::MAX)) as i16
}

/// `value / unit` rounded to the nearest `u16`, saturating; NaN and negative give 0.
#[must_use]
pub fn u16_of<F: Real>(value: F, unit: F) -> u16 {
    (value / unit).rounded().clamp(0, i32::from(u16::MAX)) as u16
}

/// `value / unit` rounded to the nearest `u8`, saturating; NaN and negative give 0.
#[must_use]
pub fn u8_of<F: Real>(value: F, unit: F) -> u8 {
    (value / unit).rounded().clamp(0, i32::from(u8::MAX)) as u8
}

/// Seconds as whole microseconds modulo 2³².
#[must_use]
pub fn micros(seconds: f64) -> u32 {
    libm::round(seconds * 1e6) as i64 as u32
}

/// `a` − `b` for times in microseconds modulo 2³²: −2³¹…2³¹−1, positive where `a` is later.
#[must_use]
pub const fn since(a: u32, b: u32) -> i32 {
    a.wrapping_sub(b) as i32
}

/// `n` as a byte, saturating at 255.
#[must_use]
pub const fn count(n: usize) -> u8 {
    if n > 255 { 255 } else { n as u8 }
}

/// Splits `value`, within ±2³¹, into an integer and a remainder in 0…1, 1 excluded.
#[must_use]
pub fn carry<F: Real>(value: F) -> (i32, F) {
    let towards_zero = value.truncated();
    let is_above = F::from_count(towards_zero) > value;
    let whole = if is_above { towards_zero.wrapping_sub(1) } else { towards_zero };
    (whole, value - F::from_count(whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_round_and_saturate() {
        assert_eq!(
            [i16_of(0.7e-6, 0.5e-6), i16_of(-1.0, 1e-6), i16_of(f64::NAN, 1.0)],
            [1, i16::MIN, 0]
        );
        assert_eq!([u16_of(-1.0, 1.0), u16_of(9e9, 1.0), u16_of(2.5, 1.0)], [0, 65_535, 3]);
        assert_eq!([u8_of(25.0, 0.5), u8_of(1e3, 0.5)], [50, 255]);
        assert_eq!([0, 254, 255, 256, usize::MAX].map(count), [0, 254, 255, 255, 255]);
    }

    #[test]
    fn time_differences_are_right_across_the_wrap() {
        assert_eq!(since(5, u32::MAX - 4), 10);
        assert_eq!(since(u32::MAX - 4, 5), -10);
        assert_eq!(micros(4_294.967_297), 1);
        assert_eq!(micros(-1e-6), u32::MAX);
    }

    #[test]
    fn carried_parts_sum_to_the_value() {
        let (mut sum, mut rest) = (0i32, 0.0);
        for _ in 0..1000 {
            let (whole, left) = carry(rest - 0.3);
            sum = sum.wrapping_add(whole);
            rest = left;
        }
        assert!((f64::from(sum) + rest + 300.0).abs() < 1e-9);
    }
}
