//! [`Real`] over x86 vector registers: four lanes with AVX2, eight with AVX-512.
//!
//! Arrays that the compiler vectorizes give the same bits but are slower: with 88 keys 1.2 times with AVX2
//! (11 to 19 % more instructions), 1.1 to 1.5 times with AVX-512. Published SIMD crates require a proof of
//! the instruction set wherever a number is constructed, which [`Real::of`] cannot give. Here the types
//! themselves are the proof, because only [`avx2`] and [`avx512`] use them.

use crate::math::lane_operator::operator;
use crate::math::lane_work::{Avx2Token, Avx512Token, Work};
use crate::math::real::{BIAS, MANTISSA, Mask, Real, TWO_52};
use std::arch::x86_64::{
    __m256d, __m512d, __mmask8, _CMP_LE_OQ, _CMP_LT_OQ, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_SRC,
    _mm256_add_pd, _mm256_and_pd, _mm256_andnot_pd, _mm256_blendv_pd, _mm256_castpd_si256,
    _mm256_castsi256_pd, _mm256_cmp_pd, _mm256_div_pd, _mm256_loadu_pd, _mm256_max_pd,
    _mm256_min_pd, _mm256_movemask_pd, _mm256_mul_pd, _mm256_or_pd, _mm256_set1_epi64x,
    _mm256_set1_pd, _mm256_setr_epi64x, _mm256_slli_epi64, _mm256_sqrt_pd, _mm256_srli_epi64,
    _mm256_storeu_pd, _mm256_sub_pd, _mm256_xor_pd, _mm512_abs_pd, _mm512_add_pd,
    _mm512_castpd_si512, _mm512_castsi512_pd, _mm512_cmp_pd_mask, _mm512_div_pd, _mm512_getexp_pd,
    _mm512_getmant_pd, _mm512_loadu_pd, _mm512_mask_blend_pd, _mm512_max_pd, _mm512_min_pd,
    _mm512_mul_pd, _mm512_scalef_pd, _mm512_set1_pd, _mm512_sqrt_pd, _mm512_storeu_pd,
    _mm512_sub_pd, _mm512_xor_si512,
};
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// Calls an intrinsic.
macro_rules! instruction {
    ($call:expr) => {
        // SAFETY: the register types are private and used only by `avx2` and `avx512`, which require a
        // token that proves the machine has the instructions; slices that are loaded from and stored to
        // have been cut to the length of the register.
        unsafe { $call }
    };
}

/// Runs `work` with four lanes.
pub fn avx2<W: Work>(_: Avx2Token, work: W) -> W::Out {
    #[target_feature(enable = "avx2")]
    fn run<W: Work>(work: W) -> W::Out {
        work.run::<Four>()
    }
    // SAFETY: the token proves that the machine has AVX2.
    unsafe { run(work) }
}

/// Runs `work` with eight lanes.
pub fn avx512<W: Work>(_: Avx512Token, work: W) -> W::Out {
    #[target_feature(enable = "avx512f")]
    fn run<W: Work>(work: W) -> W::Out {
        work.run::<Eight>()
    }
    // SAFETY: the token proves that the machine has AVX-512F.
    unsafe { run(work) }
}

/// Four lanes; AVX2.
#[derive(Clone, Copy, Debug)]
struct Four(__m256d);

/// Eight lanes; AVX-512.
#[derive(Clone, Copy, Debug)]
struct Eight(__m512d);

/// Mask of four lanes: all bits of a lane set or none.
#[derive(Clone, Copy, Debug)]
struct FourMask(__m256d);

/// Mask of eight lanes: one bit for each.
#[derive(Clone, Copy, Debug)]
struct EightMask(__mmask8);

operator!(Four, Add, add, _mm256_add_pd);
operator!(Eight, Add, add, _mm512_add_pd);
operator!(Four, Sub, sub, _mm256_sub_pd);
operator!(Eight, Sub, sub, _mm512_sub_pd);
operator!(Four, Mul, mul, _mm256_mul_pd);
operator!(Eight, Mul, mul, _mm512_mul_pd);
operator!(Four, Div, div, _mm256_div_pd);
operator!(Eight, Div, div, _mm512_div_pd);
operator!(FourMask, BitAnd, bitand, _mm256_and_pd);
operator!(FourMask, BitOr, bitor, _mm256_or_pd);

impl Neg for Four {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(instruction!(_mm256_xor_pd(self.0, _mm256_set1_pd(-0.0))))
    }
}

impl Neg for Eight {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(instruction!({
            let sign = _mm512_castpd_si512(_mm512_set1_pd(-0.0));
            _mm512_castsi512_pd(_mm512_xor_si512(_mm512_castpd_si512(self.0), sign))
        }))
    }
}

impl Default for Four {
    fn default() -> Self {
        Self::of(0.0)
    }
}

impl Default for Eight {
    fn default() -> Self {
        Self::of(0.0)
    }
}

impl Not for FourMask {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(instruction!(_mm256_xor_pd(self.0, _mm256_castsi256_pd(_mm256_set1_epi64x(-1)))))
    }
}

impl Mask for FourMask {
    #[inline(always)]
    fn none() -> Self {
        Self(instruction!(_mm256_set1_pd(0.0)))
    }

    #[inline(always)]
    fn any(self) -> bool {
        self.bits() != 0
    }

    #[inline(always)]
    fn bits(self) -> u8 {
        let bits = instruction!(_mm256_movemask_pd(self.0));
        bits.to_le_bytes()[0]
    }

    #[inline(always)]
    fn from_bits(bits: u8) -> Self {
        let lane = |l: u8| -i64::from((bits >> l) & 1);
        Self(instruction!(_mm256_castsi256_pd(_mm256_setr_epi64x(
            lane(0),
            lane(1),
            lane(2),
            lane(3)
        ))))
    }
}

impl BitAnd for EightMask {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, o: Self) -> Self {
        Self(self.0 & o.0)
    }
}

impl BitOr for EightMask {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, o: Self) -> Self {
        Self(self.0 | o.0)
    }
}

impl Not for EightMask {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(!self.0)
    }
}

impl Mask for EightMask {
    #[inline(always)]
    fn none() -> Self {
        Self(0)
    }

    #[inline(always)]
    fn any(self) -> bool {
        self.0 != 0
    }

    #[inline(always)]
    fn bits(self) -> u8 {
        self.0
    }

    #[inline(always)]
    fn from_bits(bits: u8) -> Self {
        Self(bits)
    }
}

impl Real for Four {
    type Mask = FourMask;

    const LANES: usize = 4;

    #[inline(always)]
    fn of(x: f64) -> Self {
        Self(instruction!(_mm256_set1_pd(x)))
    }

    #[inline(always)]
    fn load(values: &[f64]) -> Self {
        let values: &[f64] = &values[..4];
        Self(instruction!(_mm256_loadu_pd(values.as_ptr())))
    }

    #[inline(always)]
    fn store(self, values: &mut [f64]) {
        let values: &mut [f64] = &mut values[..4];
        instruction!(_mm256_storeu_pd(values.as_mut_ptr(), self.0));
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(instruction!(_mm256_sqrt_pd(self.0)))
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self(instruction!(_mm256_andnot_pd(_mm256_set1_pd(-0.0), self.0)))
    }

    #[inline(always)]
    fn lt(self, other: Self) -> FourMask {
        FourMask(instruction!(_mm256_cmp_pd::<_CMP_LT_OQ>(self.0, other.0)))
    }

    #[inline(always)]
    fn le(self, other: Self) -> FourMask {
        FourMask(instruction!(_mm256_cmp_pd::<_CMP_LE_OQ>(self.0, other.0)))
    }

    #[inline(always)]
    fn select(mask: FourMask, yes: Self, no: Self) -> Self {
        Self(instruction!(_mm256_blendv_pd(no.0, yes.0, mask.0)))
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // The instruction returns its second operand unless the first is larger.
        Self(instruction!(_mm256_max_pd(self.0, other.0)))
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // The instruction returns its second operand unless the first is smaller.
        Self(instruction!(_mm256_min_pd(self.0, other.0)))
    }

    #[inline(always)]
    fn split(self) -> (Self, Self) {
        let bits = instruction!(_mm256_castpd_si256(self.0));
        let shifted = instruction!(_mm256_castsi256_pd(_mm256_srli_epi64::<52>(bits)));
        let exponent = Self(instruction!(_mm256_or_pd(shifted, Self::of(TWO_52).0)));
        let mantissa = instruction!(_mm256_and_pd(self.0, Self::of(f64::from_bits(MANTISSA)).0));
        let mantissa = Self(instruction!(_mm256_or_pd(mantissa, Self::of(1.0).0)));
        (mantissa, exponent - Self::of(TWO_52 + BIAS))
    }

    #[inline(always)]
    fn two_to(n: Self) -> Self {
        let lowest = (n + Self::of(TWO_52 + BIAS)).0;
        Self(instruction!(_mm256_castsi256_pd(_mm256_slli_epi64::<52>(_mm256_castpd_si256(
            lowest
        )))))
    }
}

impl Real for Eight {
    type Mask = EightMask;

    const LANES: usize = 8;

    #[inline(always)]
    fn of(x: f64) -> Self {
        Self(instruction!(_mm512_set1_pd(x)))
    }

    #[inline(always)]
    fn load(values: &[f64]) -> Self {
        let values: &[f64] = &values[..8];
        Self(instruction!(_mm512_loadu_pd(values.as_ptr())))
    }

    #[inline(always)]
    fn store(self, values: &mut [f64]) {
        let values: &mut [f64] = &mut values[..8];
        instruction!(_mm512_storeu_pd(values.as_mut_ptr(), self.0));
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(instruction!(_mm512_sqrt_pd(self.0)))
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self(instruction!(_mm512_abs_pd(self.0)))
    }

    #[inline(always)]
    fn lt(self, other: Self) -> EightMask {
        EightMask(instruction!(_mm512_cmp_pd_mask::<_CMP_LT_OQ>(self.0, other.0)))
    }

    #[inline(always)]
    fn le(self, other: Self) -> EightMask {
        EightMask(instruction!(_mm512_cmp_pd_mask::<_CMP_LE_OQ>(self.0, other.0)))
    }

    #[inline(always)]
    fn select(mask: EightMask, yes: Self, no: Self) -> Self {
        Self(instruction!(_mm512_mask_blend_pd(mask.0, no.0, yes.0)))
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // The instruction returns its second operand unless the first is larger.
        Self(instruction!(_mm512_max_pd(self.0, other.0)))
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // The instruction returns its second operand unless the first is smaller.
        Self(instruction!(_mm512_min_pd(self.0, other.0)))
    }

    #[inline(always)]
    fn split(self) -> (Self, Self) {
        let mantissa =
            instruction!(_mm512_getmant_pd::<_MM_MANT_NORM_1_2, _MM_MANT_SIGN_SRC>(self.0));
        (Self(mantissa), Self(instruction!(_mm512_getexp_pd(self.0))))
    }

    #[inline(always)]
    fn two_to(n: Self) -> Self {
        Self(instruction!(_mm512_scalef_pd(_mm512_set1_pd(1.0), n.0)))
    }
}
