//! [`Real`] over SSE2 registers, two lanes; every 64-bit x86 processor has them.

use crate::math::lane_operator::operator;
use crate::math::real::{BIAS, MANTISSA, Mask, Real, TWO_52};
use std::arch::x86_64::{
    __m128d, _mm_add_pd, _mm_and_pd, _mm_andnot_pd, _mm_castpd_si128, _mm_castsi128_pd,
    _mm_cmple_pd, _mm_cmplt_pd, _mm_div_pd, _mm_loadu_pd, _mm_max_pd, _mm_min_pd, _mm_movemask_pd,
    _mm_mul_pd, _mm_or_pd, _mm_set_epi64x, _mm_set1_epi64x, _mm_set1_pd, _mm_setzero_pd,
    _mm_slli_epi64, _mm_sqrt_pd, _mm_srli_epi64, _mm_storeu_pd, _mm_sub_pd, _mm_xor_pd,
};
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// Calls an intrinsic.
macro_rules! instruction {
    ($call:expr) => {{
        #[allow(unused_unsafe, reason = "only those that take a pointer are unsafe")]
        // SAFETY: every processor of this architecture has SSE2; slices that are loaded from and stored
        // to have been cut to two numbers.
        unsafe {
            $call
        }
    }};
}

/// Two lanes.
#[derive(Clone, Copy, Debug)]
pub struct Two(__m128d);

/// Mask of two lanes: all bits of a lane set or none.
#[derive(Clone, Copy, Debug)]
pub struct TwoMask(__m128d);

operator!(Two, Add, add, _mm_add_pd);
operator!(Two, Sub, sub, _mm_sub_pd);
operator!(Two, Mul, mul, _mm_mul_pd);
operator!(Two, Div, div, _mm_div_pd);
operator!(TwoMask, BitAnd, bitand, _mm_and_pd);
operator!(TwoMask, BitOr, bitor, _mm_or_pd);

impl Neg for Two {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(instruction!(_mm_xor_pd(self.0, _mm_set1_pd(-0.0))))
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
        Self(instruction!(_mm_xor_pd(self.0, _mm_castsi128_pd(_mm_set1_epi64x(-1)))))
    }
}

impl Mask for TwoMask {
    #[inline(always)]
    fn none() -> Self {
        Self(instruction!(_mm_setzero_pd()))
    }

    #[inline(always)]
    fn any(self) -> bool {
        self.bits() != 0
    }

    #[inline(always)]
    fn bits(self) -> u8 {
        let bits = instruction!(_mm_movemask_pd(self.0));
        bits.to_le_bytes()[0]
    }

    #[inline(always)]
    fn from_bits(bits: u8) -> Self {
        let lane = |l: u8| -i64::from((bits >> l) & 1);
        Self(instruction!(_mm_castsi128_pd(_mm_set_epi64x(lane(1), lane(0)))))
    }
}

impl Real for Two {
    type Mask = TwoMask;

    const LANES: usize = 2;

    #[inline(always)]
    fn of(x: f64) -> Self {
        Self(instruction!(_mm_set1_pd(x)))
    }

    #[inline(always)]
    fn load(values: &[f64]) -> Self {
        let values: &[f64] = &values[..2];
        Self(instruction!(_mm_loadu_pd(values.as_ptr())))
    }

    #[inline(always)]
    fn store(self, values: &mut [f64]) {
        let values: &mut [f64] = &mut values[..2];
        instruction!(_mm_storeu_pd(values.as_mut_ptr(), self.0));
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(instruction!(_mm_sqrt_pd(self.0)))
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self(instruction!(_mm_andnot_pd(_mm_set1_pd(-0.0), self.0)))
    }

    #[inline(always)]
    fn lt(self, other: Self) -> TwoMask {
        TwoMask(instruction!(_mm_cmplt_pd(self.0, other.0)))
    }

    #[inline(always)]
    fn le(self, other: Self) -> TwoMask {
        TwoMask(instruction!(_mm_cmple_pd(self.0, other.0)))
    }

    #[inline(always)]
    fn select(mask: TwoMask, yes: Self, no: Self) -> Self {
        // Blending is an instruction of SSE4.1.
        Self(instruction!(_mm_or_pd(_mm_and_pd(mask.0, yes.0), _mm_andnot_pd(mask.0, no.0))))
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // The instruction returns its second operand unless the first is larger.
        Self(instruction!(_mm_max_pd(self.0, other.0)))
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // The instruction returns its second operand unless the first is smaller.
        Self(instruction!(_mm_min_pd(self.0, other.0)))
    }

    #[inline(always)]
    fn split(self) -> (Self, Self) {
        let bits = instruction!(_mm_castpd_si128(self.0));
        let shifted = instruction!(_mm_castsi128_pd(_mm_srli_epi64::<52>(bits)));
        let exponent = Self(instruction!(_mm_or_pd(shifted, Self::of(TWO_52).0)));
        let mantissa = instruction!(_mm_and_pd(self.0, Self::of(f64::from_bits(MANTISSA)).0));
        let mantissa = Self(instruction!(_mm_or_pd(mantissa, Self::of(1.0).0)));
        (mantissa, exponent - Self::of(TWO_52 + BIAS))
    }

    #[inline(always)]
    fn two_to(n: Self) -> Self {
        let lowest = (n + Self::of(TWO_52 + BIAS)).0;
        let shifted = instruction!(_mm_slli_epi64::<52>(_mm_castpd_si128(lowest)));
        Self(instruction!(_mm_castsi128_pd(shifted)))
    }
}
