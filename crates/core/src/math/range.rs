//! Declaration of settings: name, documentation, default and range of each number in one place.

/// Default and range of a number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Range {
    /// Default value.
    pub default: f64,
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
}

impl Range {
    /// `value` clamped to the range; NaN gives the default.
    #[must_use]
    pub const fn clamped(&self, value: f64) -> f64 {
        if value.is_nan() { self.default } else { value.clamp(self.min, self.max) }
    }
}

/// Declares a struct of settings: choices with their defaults, then numbers with default and range.
///
/// The struct gets [`Default`], `RANGES` (a struct of the same names with a [`Range`] for each number) and
/// `with_numbers`.
#[doc(hidden)]
#[macro_export]
macro_rules! settings {
    (
        $(#[$about:meta])*
        pub struct $name:ident, $ranges:ident {
            $($(#[$choice_about:meta])* $choice:ident: $type:ty = $choice_default:expr,)*
        }
        numbers {
            $(
                $(#[$number_about:meta])*
                $number:ident = $default:expr, $min:literal ..= $max:literal,
            )*
        }
    ) => {
        $(#[$about])*
        pub struct $name {
            $($(#[$choice_about])* pub $choice: $type,)*
            $(
                $(#[$number_about])*
                #[doc = concat!("\n\nDefault ", stringify!($default), ", range ", $min, " to ", $max, ".")]
                pub $number: f64,
            )*
        }

        #[doc = concat!("Default and range of every number of [`", stringify!($name), "`].")]
        #[derive(Clone, Copy, Debug)]
        pub struct $ranges {
            $(
                #[doc = concat!("Range of [`", stringify!($name), "::", stringify!($number), "`].")]
                pub $number: $crate::math::range::Range,
            )*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($choice: $choice_default,)* $($number: $default,)* }
            }
        }

        impl $name {
            /// Default and range of every number.
            pub const RANGES: $ranges = $ranges {
                $(
                    $number: $crate::math::range::Range {
                        default: $default,
                        min: $min,
                        max: $max,
                    },
                )*
            };

            /// A copy in which each number is `law(range, value, value of other)`; choices are unchanged.
            #[must_use]
            pub fn with_numbers(
                &self,
                other: &Self,
                law: impl Fn($crate::math::range::Range, f64, f64) -> f64,
            ) -> Self {
                Self {
                    $($number: law(Self::RANGES.$number, self.$number, other.$number),)*
                    ..*self
                }
            }
        }
    };
}
pub use crate::settings;

#[cfg(test)]
mod tests {
    use super::*;

    const HALF: f64 = 0.5;

    settings! {
        /// A pair.
        #[derive(Clone, Copy, PartialEq, Debug)]
        pub struct Pair, PairRanges {
            /// A choice.
            kind: u8 = 3,
        }
        numbers {
            /// Shares, 1.
            share = HALF, 0.0..=1.0,
            /// Lengths, m.
            length = -1.0, -2.5..=4.0,
        }
    }

    #[test]
    fn a_declaration_gives_field_default_and_range() {
        let pair = Pair::default();
        assert_eq!(pair, Pair { kind: 3, share: 0.5, length: -1.0 });
        assert_eq!(Pair::RANGES.length, Range { default: -1.0, min: -2.5, max: 4.0 });
        let wild = Pair { kind: 4, share: f64::NAN, length: 9.0 };
        let clamped = wild.with_numbers(&wild, |range, x, _| range.clamped(x));
        assert_eq!(clamped, Pair { kind: 4, share: 0.5, length: 4.0 });
        let between = pair.with_numbers(&clamped, |_, a, b| 0.5 * (a + b));
        assert_eq!(between, Pair { kind: 3, share: 0.5, length: 1.5 });
    }
}
