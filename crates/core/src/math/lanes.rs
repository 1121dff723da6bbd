//! [`Real`](crate::math::real::Real) over x86 vector registers: four lanes with AVX2, eight with AVX-512.
//!
//! Arrays that the compiler vectorizes give the same bits but are slower: with 88 keys 1.2 times with AVX2
//! (11 to 19 % more instructions), 1.1 to 1.5 times with AVX-512. Published SIMD crates require a proof of
//! the instruction set wherever a number is constructed, which `Real::of` cannot give. Here the types
//! themselves are the proof, because only [`avx2`] and [`avx512`] use them.

use crate::math::lane_work::{Avx2Token, Avx512Token, Work};
use crate::math::real::{BIAS, MANTISSA, TWO_52};
use crate::math::register::register;
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

/// Calls intrinsics.
macro_rules! instruction {
    ($call:expr) => {{
        #[allow(unused_unsafe, reason = "the operators of a mask of eight lanes are safe")]
        // SAFETY: the register types are private and used only by `avx2` and `avx512`, which require a
        // token that proves the machine has the instructions; slices that are loaded from and stored to
        // have been cut to the length of the register.
        unsafe {
            $call
        }
    }};
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

register! {
    /// Four lanes; AVX2.
    struct Four(__m256d), FourMask(__m256d), 4;
    names a, b, mask, x, values;
    numbers {
        of: _mm256_set1_pd(x),
        load: _mm256_loadu_pd(values.as_ptr()),
        store: _mm256_storeu_pd(values.as_mut_ptr(), a),
        add: _mm256_add_pd(a, b),
        sub: _mm256_sub_pd(a, b),
        mul: _mm256_mul_pd(a, b),
        div: _mm256_div_pd(a, b),
        neg: _mm256_xor_pd(a, _mm256_set1_pd(-0.0)),
        sqrt: _mm256_sqrt_pd(a),
        abs: _mm256_andnot_pd(_mm256_set1_pd(-0.0), a),
        max: _mm256_max_pd(a, b),
        min: _mm256_min_pd(a, b),
        lt: _mm256_cmp_pd::<_CMP_LT_OQ>(a, b),
        le: _mm256_cmp_pd::<_CMP_LE_OQ>(a, b),
        select: _mm256_blendv_pd(b, a, mask),
        split: {
            let exponent = _mm256_castsi256_pd(_mm256_srli_epi64::<52>(_mm256_castpd_si256(a)));
            let exponent = _mm256_or_pd(exponent, _mm256_set1_pd(TWO_52));
            let mantissa = _mm256_and_pd(a, _mm256_set1_pd(f64::from_bits(MANTISSA)));
            let mantissa = _mm256_or_pd(mantissa, _mm256_set1_pd(1.0));
            (mantissa, _mm256_sub_pd(exponent, _mm256_set1_pd(TWO_52 + BIAS)))
        },
        two_to: {
            let lowest = _mm256_add_pd(a, _mm256_set1_pd(TWO_52 + BIAS));
            _mm256_castsi256_pd(_mm256_slli_epi64::<52>(_mm256_castpd_si256(lowest)))
        },
    }
    masks {
        none: _mm256_set1_pd(0.0),
        any: _mm256_movemask_pd(a) != 0,
        bits: _mm256_movemask_pd(a).to_le_bytes()[0],
        from_bits: {
            let lane = [0, 1, 2, 3].map(|lane| -i64::from((x >> lane) & 1));
            _mm256_castsi256_pd(_mm256_setr_epi64x(lane[0], lane[1], lane[2], lane[3]))
        },
        and: _mm256_and_pd(a, b),
        or: _mm256_or_pd(a, b),
        not: _mm256_xor_pd(a, _mm256_castsi256_pd(_mm256_set1_epi64x(-1))),
    }
}

register! {
    /// Eight lanes; AVX-512. The mask has one bit for each.
    struct Eight(__m512d), EightMask(__mmask8), 8;
    names a, b, mask, x, values;
    numbers {
        of: _mm512_set1_pd(x),
        load: _mm512_loadu_pd(values.as_ptr()),
        store: _mm512_storeu_pd(values.as_mut_ptr(), a),
        add: _mm512_add_pd(a, b),
        sub: _mm512_sub_pd(a, b),
        mul: _mm512_mul_pd(a, b),
        div: _mm512_div_pd(a, b),
        neg: {
            let sign = _mm512_castpd_si512(_mm512_set1_pd(-0.0));
            _mm512_castsi512_pd(_mm512_xor_si512(_mm512_castpd_si512(a), sign))
        },
        sqrt: _mm512_sqrt_pd(a),
        abs: _mm512_abs_pd(a),
        max: _mm512_max_pd(a, b),
        min: _mm512_min_pd(a, b),
        lt: _mm512_cmp_pd_mask::<_CMP_LT_OQ>(a, b),
        le: _mm512_cmp_pd_mask::<_CMP_LE_OQ>(a, b),
        select: _mm512_mask_blend_pd(mask, b, a),
        split: (
            _mm512_getmant_pd::<_MM_MANT_NORM_1_2, _MM_MANT_SIGN_SRC>(a),
            _mm512_getexp_pd(a),
        ),
        two_to: _mm512_scalef_pd(_mm512_set1_pd(1.0), a),
    }
    masks {
        none: 0,
        any: a != 0,
        bits: a,
        from_bits: x,
        and: a & b,
        or: a | b,
        not: !a,
    }
}
