//! Number type of the device: f64 in the emulator, f32 on a microcontroller.
//!
//! Square root, exponential and rounding come from `libm` on every machine, so that the same inputs give
//! the same bits.

use core::fmt::Debug;
use core::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// A floating-point number, f32 or f64.
pub trait Real:
    Copy
    + Debug
    + Default
    + PartialOrd
    + Into<f64>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
{
    /// The number nearest to `value`. Used with constants only, so that the compiler converts them.
    fn of(value: f64) -> Self;
    /// The number nearest to `count`.
    fn from_count(count: i32) -> Self;
    /// The integer part, saturating; NaN gives 0.
    fn truncated(self) -> i32;
    /// The nearest integer, saturating; NaN gives 0.
    fn rounded(self) -> i32;
    /// √x.
    #[must_use]
    fn sqrt(self) -> Self;
    /// eˣ.
    #[must_use]
    fn exp(self) -> Self;
    /// |x|.
    #[must_use]
    fn abs(self) -> Self;
    /// 1 with the sign of x.
    #[must_use]
    fn signum(self) -> Self;
    /// The smaller of both numbers.
    #[must_use]
    fn min(self, other: Self) -> Self;
    /// The larger of both numbers.
    #[must_use]
    fn max(self, other: Self) -> Self;
    /// Neither infinite nor NaN.
    fn is_finite(self) -> bool;

    /// Clamps to `least`…`most`; `least` where `least` > `most`.
    #[must_use]
    fn within(self, least: Self, most: Self) -> Self {
        self.min(most).max(least)
    }
}

macro_rules! real {
    ($float:ty, $sqrt:path, $exp:path, $round:path) => {
        #[allow(
            clippy::cast_possible_truncation,
            reason = "these conversions lose precision or fraction by design; casts saturate"
        )]
        impl Real for $float {
            #[inline]
            fn of(value: f64) -> Self {
                value as Self
            }
            #[inline]
            fn from_count(count: i32) -> Self {
                count as Self
            }
            #[inline]
            fn truncated(self) -> i32 {
                self as i32
            }
            #[inline]
            fn rounded(self) -> i32 {
                $round(self) as i32
            }
            #[inline]
            fn sqrt(self) -> Self {
                $sqrt(self)
            }
            #[inline]
            fn exp(self) -> Self {
                $exp(self)
            }
            #[inline]
            fn abs(self) -> Self {
                self.abs()
            }
            #[inline]
            fn signum(self) -> Self {
                self.signum()
            }
            #[inline]
            fn min(self, other: Self) -> Self {
                self.min(other)
            }
            #[inline]
            fn max(self, other: Self) -> Self {
                self.max(other)
            }
            #[inline]
            fn is_finite(self) -> bool {
                self.is_finite()
            }
        }
    };
}

real!(f32, libm::sqrtf, libm::expf, libm::roundf);
real!(f64, libm::sqrt, libm::exp, libm::round);
