//! SSE2 registers of two lanes; every 64-bit x86 processor has them.

use crate::math::real::{BIAS, MANTISSA, TWO_52};
use crate::math::register::register;
use std::arch::x86_64::{
    __m128d, _mm_add_pd, _mm_and_pd, _mm_andnot_pd, _mm_castpd_si128, _mm_castsi128_pd,
    _mm_cmple_pd, _mm_cmplt_pd, _mm_div_pd, _mm_loadu_pd, _mm_max_pd, _mm_min_pd, _mm_movemask_pd,
    _mm_mul_pd, _mm_or_pd, _mm_set_epi64x, _mm_set1_epi64x, _mm_set1_pd, _mm_setzero_pd,
    _mm_slli_epi64, _mm_sqrt_pd, _mm_srli_epi64, _mm_storeu_pd, _mm_sub_pd, _mm_xor_pd,
};

/// Calls intrinsics.
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

register! {
    /// Two lanes.
    pub struct Two(__m128d), TwoMask(__m128d), 2;
    names a, b, mask, x, values;
    numbers {
        of: _mm_set1_pd(x),
        load: _mm_loadu_pd(values.as_ptr()),
        store: _mm_storeu_pd(values.as_mut_ptr(), a),
        add: _mm_add_pd(a, b),
        sub: _mm_sub_pd(a, b),
        mul: _mm_mul_pd(a, b),
        div: _mm_div_pd(a, b),
        neg: _mm_xor_pd(a, _mm_set1_pd(-0.0)),
        sqrt: _mm_sqrt_pd(a),
        abs: _mm_andnot_pd(_mm_set1_pd(-0.0), a),
        max: _mm_max_pd(a, b),
        min: _mm_min_pd(a, b),
        lt: _mm_cmplt_pd(a, b),
        le: _mm_cmple_pd(a, b),
        // Blending is an instruction of SSE4.1.
        select: _mm_or_pd(_mm_and_pd(mask, a), _mm_andnot_pd(mask, b)),
        split: {
            let exponent = _mm_castsi128_pd(_mm_srli_epi64::<52>(_mm_castpd_si128(a)));
            let exponent = _mm_or_pd(exponent, _mm_set1_pd(TWO_52));
            let mantissa = _mm_and_pd(a, _mm_set1_pd(f64::from_bits(MANTISSA)));
            let mantissa = _mm_or_pd(mantissa, _mm_set1_pd(1.0));
            (mantissa, _mm_sub_pd(exponent, _mm_set1_pd(TWO_52 + BIAS)))
        },
        two_to: {
            let lowest = _mm_add_pd(a, _mm_set1_pd(TWO_52 + BIAS));
            _mm_castsi128_pd(_mm_slli_epi64::<52>(_mm_castpd_si128(lowest)))
        },
    }
    masks {
        none: _mm_setzero_pd(),
        any: _mm_movemask_pd(a) != 0,
        bits: _mm_movemask_pd(a).to_le_bytes()[0],
        from_bits: _mm_castsi128_pd(_mm_set_epi64x(-i64::from((x >> 1) & 1), -i64::from(x & 1))),
        and: _mm_and_pd(a, b),
        or: _mm_or_pd(a, b),
        not: _mm_xor_pd(a, _mm_castsi128_pd(_mm_set1_epi64x(-1))),
    }
}
