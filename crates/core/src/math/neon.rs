//! [`Real`] over NEON registers, two lanes; every 64-bit ARM processor has them.

use crate::math::lane_operator::operator;
use crate::math::real::{BIAS, MANTISSA, Mask, Real, TWO_52};
use std::arch::aarch64::{
    float64x2_t, uint64x2_t, vabsq_f64, vaddq_f64, vandq_u64, vbslq_f64, vcleq_f64, vcltq_f64,
    vcombine_u64, vcreate_u64, vdivq_f64, vdupq_n_f64, vdupq_n_u64, veorq_u64, vgetq_lane_u64,
    vld1q_f64, vmulq_f64, vnegq_f64, vorrq_u64, vreinterpretq_f64_u64, vreinterpretq_u64_f64,
    vshlq_n_u64, vshrq_n_u64, vsqrtq_f64, vst1q_f64, vsubq_f64,
};
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// Calls an intrinsic.
macro_rules! instruction {
    ($call:expr) => {
        // SAFETY: every processor of this architecture has NEON; slices that are loaded from and stored
        // to have been cut to two numbers.
        unsafe { $call }
    };
}

/// Two lanes.
#[derive(Clone, Copy, Debug)]
pub struct Two(float64x2_t);

/// Mask of two lanes: all bits of a lane set or none.
#[derive(Clone, Copy, Debug)]
pub struct TwoMask(uint64x2_t);

operator!(Two, Add, add, vaddq_f64);
operator!(Two, Sub, sub, vsubq_f64);
operator!(Two, Mul, mul, vmulq_f64);
operator!(Two, Div, div, vdivq_f64);
operator!(TwoMask, BitAnd, bitand, vandq_u64);
operator!(TwoMask, BitOr, bitor, vorrq_u64);

impl Neg for Two {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(instruction!(vnegq_f64(self.0)))
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
        Self(instruction!(veorq_u64(self.0, vdupq_n_u64(u64::MAX))))
    }
}

impl Mask for TwoMask {
    #[inline(always)]
    fn none() -> Self {
        Self(instruction!(vdupq_n_u64(0)))
    }

    #[inline(always)]
    fn any(self) -> bool {
        self.bits() != 0
    }

    #[inline(always)]
    fn bits(self) -> u8 {
        let (low, high) = instruction!((vgetq_lane_u64::<0>(self.0), vgetq_lane_u64::<1>(self.0)));
        u8::from(low != 0) | (u8::from(high != 0) << 1)
    }

    #[inline(always)]
    fn from_bits(bits: u8) -> Self {
        let lane = |l: u8| u64::from((bits >> l) & 1).wrapping_neg();
        Self(instruction!(vcombine_u64(vcreate_u64(lane(0)), vcreate_u64(lane(1)))))
    }
}

impl Real for Two {
    type Mask = TwoMask;

    const LANES: usize = 2;

    #[inline(always)]
    fn of(x: f64) -> Self {
        Self(instruction!(vdupq_n_f64(x)))
    }

    #[inline(always)]
    fn load(values: &[f64]) -> Self {
        let values: &[f64] = &values[..2];
        Self(instruction!(vld1q_f64(values.as_ptr())))
    }

    #[inline(always)]
    fn store(self, values: &mut [f64]) {
        let values: &mut [f64] = &mut values[..2];
        instruction!(vst1q_f64(values.as_mut_ptr(), self.0));
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(instruction!(vsqrtq_f64(self.0)))
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self(instruction!(vabsq_f64(self.0)))
    }

    #[inline(always)]
    fn lt(self, other: Self) -> TwoMask {
        TwoMask(instruction!(vcltq_f64(self.0, other.0)))
    }

    #[inline(always)]
    fn le(self, other: Self) -> TwoMask {
        TwoMask(instruction!(vcleq_f64(self.0, other.0)))
    }

    #[inline(always)]
    fn select(mask: TwoMask, yes: Self, no: Self) -> Self {
        Self(instruction!(vbslq_f64(mask.0, yes.0, no.0)))
    }

    // The instructions for maximum and minimum treat NaN and signed zeros differently from `Real`.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self::select(self.gt(other), self, other)
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self::select(self.lt(other), self, other)
    }

    #[inline(always)]
    fn split(self) -> (Self, Self) {
        let bits = instruction!(vreinterpretq_u64_f64(self.0));
        let all = |x: u64| instruction!(vdupq_n_u64(x));
        let exponent = instruction!(vorrq_u64(vshrq_n_u64::<52>(bits), all(TWO_52.to_bits())));
        let mantissa = instruction!(vandq_u64(bits, all(MANTISSA)));
        let mantissa = instruction!(vorrq_u64(mantissa, all(1.0_f64.to_bits())));
        let [mantissa, exponent] =
            [mantissa, exponent].map(|bits| Self(instruction!(vreinterpretq_f64_u64(bits))));
        (mantissa, exponent - Self::of(TWO_52 + BIAS))
    }

    #[inline(always)]
    fn two_to(n: Self) -> Self {
        let lowest = instruction!(vreinterpretq_u64_f64((n + Self::of(TWO_52 + BIAS)).0));
        Self(instruction!(vreinterpretq_f64_u64(vshlq_n_u64::<52>(lowest))))
    }
}
