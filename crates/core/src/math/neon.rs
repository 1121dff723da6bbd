//! NEON registers of two lanes; every 64-bit ARM processor has them.

use crate::math::real::{BIAS, MANTISSA, TWO_52};
use crate::math::register::register;
use std::arch::aarch64::{
    float64x2_t, uint64x2_t, vabsq_f64, vaddq_f64, vandq_u64, vbslq_f64, vcleq_f64, vcltq_f64,
    vcombine_u64, vcreate_u64, vdivq_f64, vdupq_n_f64, vdupq_n_u64, veorq_u64, vgetq_lane_u64,
    vld1q_f64, vmulq_f64, vnegq_f64, vorrq_u64, vreinterpretq_f64_u64, vreinterpretq_u64_f64,
    vshlq_n_u64, vshrq_n_u64, vsqrtq_f64, vst1q_f64, vsubq_f64,
};

/// Calls intrinsics.
macro_rules! instruction {
    ($call:expr) => {{
        #[allow(unused_unsafe, reason = "only those that take a pointer are unsafe")]
        // SAFETY: every processor of this architecture has NEON; slices that are loaded from and stored
        // to have been cut to two numbers.
        unsafe {
            $call
        }
    }};
}

register! {
    /// Two lanes.
    pub struct Two(float64x2_t), TwoMask(uint64x2_t), 2;
    names a, b, mask, x, values;
    numbers {
        of: vdupq_n_f64(x),
        load: vld1q_f64(values.as_ptr()),
        store: vst1q_f64(values.as_mut_ptr(), a),
        add: vaddq_f64(a, b),
        sub: vsubq_f64(a, b),
        mul: vmulq_f64(a, b),
        div: vdivq_f64(a, b),
        neg: vnegq_f64(a),
        sqrt: vsqrtq_f64(a),
        abs: vabsq_f64(a),
        // The instructions for maximum and minimum treat NaN and signed zeros differently from `Real`.
        max: vbslq_f64(vcltq_f64(b, a), a, b),
        min: vbslq_f64(vcltq_f64(a, b), a, b),
        lt: vcltq_f64(a, b),
        le: vcleq_f64(a, b),
        select: vbslq_f64(mask, a, b),
        split: {
            let bits = vreinterpretq_u64_f64(a);
            let exponent = vorrq_u64(vshrq_n_u64::<52>(bits), vdupq_n_u64(TWO_52.to_bits()));
            let mantissa = vandq_u64(bits, vdupq_n_u64(MANTISSA));
            let mantissa = vorrq_u64(mantissa, vdupq_n_u64(1.0_f64.to_bits()));
            let exponent = vreinterpretq_f64_u64(exponent);
            (vreinterpretq_f64_u64(mantissa), vsubq_f64(exponent, vdupq_n_f64(TWO_52 + BIAS)))
        },
        two_to: {
            let lowest = vaddq_f64(a, vdupq_n_f64(TWO_52 + BIAS));
            vreinterpretq_f64_u64(vshlq_n_u64::<52>(vreinterpretq_u64_f64(lowest)))
        },
    }
    masks {
        none: vdupq_n_u64(0),
        any: (vgetq_lane_u64::<0>(a) | vgetq_lane_u64::<1>(a)) != 0,
        bits: u8::from(vgetq_lane_u64::<0>(a) != 0) | (u8::from(vgetq_lane_u64::<1>(a) != 0) << 1),
        from_bits: {
            let lane = |bit: u8| vcreate_u64(u64::from(bit & 1).wrapping_neg());
            vcombine_u64(lane(x), lane(x >> 1))
        },
        and: vandq_u64(a, b),
        or: vorrq_u64(a, b),
        not: veorq_u64(a, vdupq_n_u64(u64::MAX)),
    }
}
