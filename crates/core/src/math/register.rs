//! Declaration of a [`Real`](crate::math::real::Real) over a vector register, by one expression for each operation.

/// Declares a register type, its mask and their operations. `names` gives the names that the expressions use: raw
/// registers `a`, `b` (masks in `masks`) and `mask`, a value `x`, and a slice `values` of as many numbers as lanes.
///
/// Comparisons are false for NaN; `max` and `min` are `b` unless `a` is larger or smaller.
macro_rules! register {
    (
        $(#[$about:meta])*
        $vis:vis struct $name:ident($register:ty), $mask:ident($mask_register:ty), $lanes:literal;
        names $a:ident, $b:ident, $m:ident, $x:ident, $values:ident;
        numbers {
            of: $of:expr, load: $load:expr, store: $store:expr, add: $add:expr, sub: $sub:expr, mul: $mul:expr,
            div: $div:expr, neg: $neg:expr, sqrt: $sqrt:expr, abs: $abs:expr, max: $max:expr, min: $min:expr,
            lt: $lt:expr, le: $le:expr, select: $select:expr, split: $split:expr, two_to: $two_to:expr $(,)?
        }
        masks {
            none: $none:expr, any: $any:expr, bits: $bits:expr, from_bits: $from_bits:expr, and: $and:expr,
            or: $or:expr, not: $not:expr $(,)?
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug)]
        $vis struct $name($register);

        /// A truth value for each lane.
        #[derive(Clone, Copy, Debug)]
        $vis struct $mask($mask_register);

        impl Default for $name {
            fn default() -> Self {
                <Self as $crate::math::real::Real>::of(0.0)
            }
        }

        $crate::math::register::operators! {
            $a, $b; $name: Add add $add, Sub sub $sub, Mul mul $mul, Div div $div; Neg neg $neg
        }
        $crate::math::register::operators! {
            $a, $b; $mask: BitAnd bitand $and, BitOr bitor $or; Not not $not
        }

        impl $crate::math::real::Mask for $mask {
            #[inline(always)]
            fn none() -> Self {
                Self(instruction!($none))
            }

            #[inline(always)]
            fn any(self) -> bool {
                let $a = self.0;
                instruction!($any)
            }

            #[inline(always)]
            fn bits(self) -> u8 {
                let $a = self.0;
                instruction!($bits)
            }

            #[inline(always)]
            fn from_bits($x: u8) -> Self {
                Self(instruction!($from_bits))
            }
        }

        impl $crate::math::real::Real for $name {
            type Mask = $mask;

            const LANES: usize = $lanes;

            #[inline(always)]
            fn of($x: f64) -> Self {
                Self(instruction!($of))
            }

            #[inline(always)]
            fn load($values: &[f64]) -> Self {
                let $values: &[f64] = &$values[..$lanes];
                Self(instruction!($load))
            }

            #[inline(always)]
            fn store(self, $values: &mut [f64]) {
                let ($a, $values): (_, &mut [f64]) = (self.0, &mut $values[..$lanes]);
                instruction!($store);
            }

            #[inline(always)]
            fn sqrt(self) -> Self {
                let $a = self.0;
                Self(instruction!($sqrt))
            }

            #[inline(always)]
            fn abs(self) -> Self {
                let $a = self.0;
                Self(instruction!($abs))
            }

            #[inline(always)]
            fn lt(self, other: Self) -> $mask {
                let ($a, $b) = (self.0, other.0);
                $mask(instruction!($lt))
            }

            #[inline(always)]
            fn le(self, other: Self) -> $mask {
                let ($a, $b) = (self.0, other.0);
                $mask(instruction!($le))
            }

            #[inline(always)]
            fn select(mask: $mask, yes: Self, no: Self) -> Self {
                let ($m, $a, $b) = (mask.0, yes.0, no.0);
                Self(instruction!($select))
            }

            #[inline(always)]
            fn max(self, other: Self) -> Self {
                let ($a, $b) = (self.0, other.0);
                Self(instruction!($max))
            }

            #[inline(always)]
            fn min(self, other: Self) -> Self {
                let ($a, $b) = (self.0, other.0);
                Self(instruction!($min))
            }

            #[inline(always)]
            fn split(self) -> (Self, Self) {
                let $a = self.0;
                let (mantissa, exponent) = instruction!($split);
                (Self(mantissa), Self(exponent))
            }

            #[inline(always)]
            fn two_to(n: Self) -> Self {
                let $a = n.0;
                Self(instruction!($two_to))
            }
        }
    };
}

/// Implements operators of a register type: those of two values, and one of a single value.
macro_rules! operators {
    (
        $a:ident, $b:ident; $type:ident:
        $($binary:ident $function:ident $value:expr),+; $unary:ident $unary_function:ident $unary_value:expr
    ) => {
        $(impl std::ops::$binary for $type {
            type Output = Self;
            #[inline(always)]
            fn $function(self, other: Self) -> Self {
                let ($a, $b) = (self.0, other.0);
                Self(instruction!($value))
            }
        })+

        impl std::ops::$unary for $type {
            type Output = Self;
            #[inline(always)]
            fn $unary_function(self) -> Self {
                let $a = self.0;
                Self(instruction!($unary_value))
            }
        }
    };
}

pub(super) use {operators, register};
