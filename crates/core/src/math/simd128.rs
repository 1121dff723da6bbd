//! [`Real`] over the 128-bit registers of WebAssembly, two lanes.

use crate::math::lane_operator::operator;
use crate::math::real::{BIAS, MANTISSA, Mask, Real, TWO_52};
use std::arch::wasm32::{
    f64x2, f64x2_abs, f64x2_add, f64x2_div, f64x2_extract_lane, f64x2_le, f64x2_lt, f64x2_mul,
    f64x2_neg, f64x2_pmax, f64x2_pmin, f64x2_splat, f64x2_sqrt, f64x2_sub, i64x2, i64x2_bitmask,
    i64x2_shl, u64x2_shr, u64x2_splat, v128, v128_and, v128_any_true, v128_bitselect, v128_not,
    v128_or,
};
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// Calls an intrinsic; of this architecture none is unsafe.
macro_rules! instruction {
    ($call:expr) => {
        $call
    };
}

/// Two lanes.
#[derive(Clone, Copy, Debug)]
pub struct Two(v128);

/// Mask of two lanes: all bits of a lane set or none.
#[derive(Clone, Copy, Debug)]
pub struct TwoMask(v128);

operator!(Two, Add, add, f64x2_add);
operator!(Two, Sub, sub, f64x2_sub);
operator!(Two, Mul, mul, f64x2_mul);
operator!(Two, Div, div, f64x2_div);
operator!(TwoMask, BitAnd, bitand, v128_and);
operator!(TwoMask, BitOr, bitor, v128_or);

impl Neg for Two {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(f64x2_neg(self.0))
    }
}

impl Default for Two {
    fn default() -> Self {
        Self::of(0.0)
    }
}

impl Not for TwoMask {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(v128_not(self.0))
    }
}

impl Mask for TwoMask {
    #[inline(always)]
    fn none() -> Self {
        Self(u64x2_splat(0))
    }

    #[inline(always)]
    fn any(self) -> bool {
        v128_any_true(self.0)
    }

    #[inline(always)]
    fn bits(self) -> u8 {
        i64x2_bitmask(self.0)
    }

    #[inline(always)]
    fn from_bits(bits: u8) -> Self {
        let lane = |l: u8| -i64::from((bits >> l) & 1);
        Self(i64x2(lane(0), lane(1)))
    }
}

impl Real for Two {
    type Mask = TwoMask;

    const LANES: usize = 2;

    #[inline(always)]
    fn of(x: f64) -> Self {
        Self(f64x2_splat(x))
    }

    #[inline(always)]
    fn load(values: &[f64]) -> Self {
        let values: &[f64] = &values[..2];
        Self(f64x2(values[0], values[1]))
    }

    #[inline(always)]
    fn store(self, values: &mut [f64]) {
        let values: &mut [f64] = &mut values[..2];
        values[0] = f64x2_extract_lane::<0>(self.0);
        values[1] = f64x2_extract_lane::<1>(self.0);
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(f64x2_sqrt(self.0))
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self(f64x2_abs(self.0))
    }

    #[inline(always)]
    fn lt(self, other: Self) -> TwoMask {
        TwoMask(f64x2_lt(self.0, other.0))
    }

    #[inline(always)]
    fn le(self, other: Self) -> TwoMask {
        TwoMask(f64x2_le(self.0, other.0))
    }

    #[inline(always)]
    fn select(mask: TwoMask, yes: Self, no: Self) -> Self {
        Self(v128_bitselect(yes.0, no.0, mask.0))
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // The instruction returns its first operand unless the second is larger.
        Self(f64x2_pmax(other.0, self.0))
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // The instruction returns its first operand unless the second is smaller.
        Self(f64x2_pmin(other.0, self.0))
    }

    #[inline(always)]
    fn split(self) -> (Self, Self) {
        let shifted = u64x2_shr(self.0, 52);
        let exponent = Self(v128_or(shifted, Self::of(TWO_52).0));
        let mantissa = v128_and(self.0, Self::of(f64::from_bits(MANTISSA)).0);
        let mantissa = Self(v128_or(mantissa, Self::of(1.0).0));
        (mantissa, exponent - Self::of(TWO_52 + BIAS))
    }

    #[inline(always)]
    fn two_to(n: Self) -> Self {
        Self(i64x2_shl((n + Self::of(TWO_52 + BIAS)).0, 52))
    }
}
