//! Registers of WebAssembly of 128 bits, two lanes.

use crate::math::real::{BIAS, MANTISSA, TWO_52};
use crate::math::register::register;
use std::arch::wasm32::{
    f64x2, f64x2_abs, f64x2_add, f64x2_div, f64x2_extract_lane, f64x2_le, f64x2_lt, f64x2_mul,
    f64x2_neg, f64x2_pmax, f64x2_pmin, f64x2_splat, f64x2_sqrt, f64x2_sub, i64x2, i64x2_bitmask,
    i64x2_shl, u64x2_shr, u64x2_splat, v128, v128_and, v128_any_true, v128_bitselect, v128_not,
    v128_or,
};

/// Calls intrinsics; of this architecture none is unsafe.
macro_rules! instruction {
    ($call:expr) => {
        $call
    };
}

register! {
    /// Two lanes.
    pub struct Two(v128), TwoMask(v128), 2;
    names a, b, mask, x, values;
    numbers {
        of: f64x2_splat(x),
        load: f64x2(values[0], values[1]),
        store: {
            values[0] = f64x2_extract_lane::<0>(a);
            values[1] = f64x2_extract_lane::<1>(a);
        },
        add: f64x2_add(a, b),
        sub: f64x2_sub(a, b),
        mul: f64x2_mul(a, b),
        div: f64x2_div(a, b),
        neg: f64x2_neg(a),
        sqrt: f64x2_sqrt(a),
        abs: f64x2_abs(a),
        // The instructions return their first operand unless the second is larger or smaller.
        max: f64x2_pmax(b, a),
        min: f64x2_pmin(b, a),
        lt: f64x2_lt(a, b),
        le: f64x2_le(a, b),
        select: v128_bitselect(a, b, mask),
        split: {
            let exponent = v128_or(u64x2_shr(a, 52), f64x2_splat(TWO_52));
            let mantissa = v128_and(a, u64x2_splat(MANTISSA));
            (v128_or(mantissa, f64x2_splat(1.0)), f64x2_sub(exponent, f64x2_splat(TWO_52 + BIAS)))
        },
        two_to: i64x2_shl(f64x2_add(a, f64x2_splat(TWO_52 + BIAS)), 52),
    }
    masks {
        none: u64x2_splat(0),
        any: v128_any_true(a),
        bits: i64x2_bitmask(a),
        from_bits: i64x2(-i64::from(x & 1), -i64::from((x >> 1) & 1)),
        and: v128_and(a, b),
        or: v128_or(a, b),
        not: v128_not(a),
    }
}
