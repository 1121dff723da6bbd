//! The number type of the physics: one `f64`, or one `f64` for each of several keys in SIMD lanes.
//!
//! Every operation is the IEEE operation on each lane, none is fused, and a selection depends on its own
//! lane alone. Code over [`Real`] therefore gives the same bits for one key and for that key among others.

use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// Largest number of lanes of any [`Real`].
pub const MOST_LANES: usize = 8;

/// Mask of the mantissa bits of an `f64`.
pub(crate) const MANTISSA: u64 = (1 << 52) - 1;

/// 2⁵²: an integer added to it is in the lowest bits of the sum.
pub(crate) const TWO_52: f64 = 4_503_599_627_370_496.0;

/// Exponent bias of an `f64`.
pub(crate) const BIAS: f64 = 1023.0;

/// A truth value for each lane.
pub trait Mask:
    Copy + std::fmt::Debug + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self> + 'static
{
    /// The mask that is false in every lane.
    fn none() -> Self;

    /// Whether the mask is true in some lane.
    fn any(self) -> bool;

    /// Whether the mask is true in every lane.
    #[inline(always)]
    fn all(self) -> bool {
        !(!self).any()
    }

    /// The lanes as a bit set, lane 0 in bit 0.
    fn bits(self) -> u8;

    /// The mask that is true in the lanes whose bits are set.
    fn from_bits(bits: u8) -> Self;
}

impl Mask for bool {
    #[inline(always)]
    fn none() -> Self {
        false
    }

    #[inline(always)]
    fn any(self) -> bool {
        self
    }

    #[inline(always)]
    fn bits(self) -> u8 {
        u8::from(self)
    }

    #[inline(always)]
    fn from_bits(bits: u8) -> Self {
        bits & 1 != 0
    }
}

/// One number, or one number for each lane.
pub trait Real:
    Copy
    + std::fmt::Debug
    + Default
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + Send
    + Sync
    + 'static
{
    /// Result of a comparison.
    type Mask: Mask;

    /// Number of lanes.
    const LANES: usize;

    /// `x` in every lane.
    fn of(x: f64) -> Self;

    /// The first [`Real::LANES`] values, one for each lane.
    ///
    /// # Panics
    /// If there are fewer values.
    fn load(values: &[f64]) -> Self;

    /// Writes the lanes to the first [`Real::LANES`] elements of `values`.
    ///
    /// # Panics
    /// If there are fewer elements.
    fn store(self, values: &mut [f64]);

    /// `f(lane)` in each lane.
    #[inline(always)]
    fn from_lanes(mut f: impl FnMut(usize) -> f64) -> Self {
        let mut values = [0.0; MOST_LANES];
        for (lane, value) in values.iter_mut().enumerate().take(Self::LANES) {
            *value = f(lane);
        }
        Self::load(&values)
    }

    /// Square root.
    #[must_use]
    fn sqrt(self) -> Self;

    /// Absolute value.
    #[must_use]
    fn abs(self) -> Self;

    /// self < other; false if either is NaN, as in all comparisons.
    fn lt(self, other: Self) -> Self::Mask;

    /// self ≤ other.
    fn le(self, other: Self) -> Self::Mask;

    /// self > other.
    #[inline(always)]
    fn gt(self, other: Self) -> Self::Mask {
        other.lt(self)
    }

    /// self ≥ other.
    #[inline(always)]
    fn ge(self, other: Self) -> Self::Mask {
        other.le(self)
    }

    /// `yes` where `mask` holds, else `no`.
    #[must_use]
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// The larger of both; `other` if either is NaN.
    #[must_use]
    fn max(self, other: Self) -> Self;

    /// The smaller of both; `other` if either is NaN.
    #[must_use]
    fn min(self, other: Self) -> Self;

    /// Mantissa and exponent (m, e) with self = m 2ᵉ and 1 ≤ m < 2; for finite, positive, normal numbers.
    #[must_use]
    fn split(self) -> (Self, Self);

    /// Power 2ⁿ for an integer n of −1022…1023.
    #[must_use]
    fn two_to(n: Self) -> Self;

    /// `f(self, other)` lane by lane; slow.
    #[inline(always)]
    #[must_use]
    fn zip(self, other: Self, f: fn(f64, f64) -> f64) -> Self {
        let (mut a, mut b) = ([0.0; MOST_LANES], [0.0; MOST_LANES]);
        self.store(&mut a);
        other.store(&mut b);
        zipped(&mut a[..Self::LANES], &b, f);
        Self::load(&a)
    }
}

/// Loop of [`Real::zip`], out of line because it is rarely needed in hot code.
#[cold]
#[inline(never)]
fn zipped(a: &mut [f64], b: &[f64], f: fn(f64, f64) -> f64) {
    for (a, b) in a.iter_mut().zip(b) {
        *a = f(*a, *b);
    }
}

impl Real for f64 {
    type Mask = bool;

    const LANES: usize = 1;

    #[inline(always)]
    fn of(x: f64) -> Self {
        x
    }

    #[inline(always)]
    fn load(values: &[f64]) -> Self {
        values[0]
    }

    #[inline(always)]
    fn store(self, values: &mut [f64]) {
        values[0] = self;
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }

    #[inline(always)]
    fn abs(self) -> Self {
        f64::abs(self)
    }

    #[inline(always)]
    fn lt(self, other: Self) -> bool {
        self < other
    }

    #[inline(always)]
    fn le(self, other: Self) -> bool {
        self <= other
    }

    #[inline(always)]
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        if self > other { self } else { other }
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        if self < other { self } else { other }
    }

    #[inline(always)]
    fn split(self) -> (Self, Self) {
        let bits = self.to_bits();
        let exponent = Self::from_bits((bits >> 52) | TWO_52.to_bits());
        (Self::from_bits((bits & MANTISSA) | 1.0_f64.to_bits()), exponent - (TWO_52 + BIAS))
    }

    #[inline(always)]
    fn two_to(n: Self) -> Self {
        Self::from_bits((n + (TWO_52 + BIAS)).to_bits() << 52)
    }
}
