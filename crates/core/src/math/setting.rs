//! Declaration of settings: field, range, default, name, unit and text of each in one row.
//!
//! Structs of settings declare their rows with [`settings!`](crate::settings), types of choices their names
//! with [`choice!`](crate::choice); a host's table of parameters adds only order, group and place.

use super::cast::floor_index;

/// Values of a setting.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ValueKind {
    /// A number in the setting's unit, ends included.
    Number {
        /// Smallest value.
        min: f64,
        /// Largest value.
        max: f64,
        /// Value at the middle of a host's control; `None` where the control is linear.
        centre: Option<f64>,
        /// Decimals of its text.
        decimals: usize,
    },
    /// One of these names; the value is the index.
    Choice(&'static [&'static str]),
}

/// One setting as people see it.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Name of the field.
    pub id: &'static str,
    /// Name shown to people.
    pub name: &'static str,
    /// Text after a number: a space and the unit, or empty.
    pub suffix: &'static str,
    /// Range or choices.
    pub kind: ValueKind,
    /// Effect, in one sentence.
    pub doc: &'static str,
}

impl Row {
    /// The row of the field `id`; a constant without such a row does not compile.
    #[must_use]
    pub const fn of(rows: &'static [Self], id: &str) -> &'static Self {
        let mut i = 0;
        while !equal(rows[i].id.as_bytes(), id.as_bytes()) {
            i += 1;
        }
        &rows[i]
    }
}

/// `==`, which constants cannot use for slices.
const fn equal(a: &[u8], b: &[u8]) -> bool {
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

/// The text of doc comments, which begin with a space.
#[doc(hidden)]
#[must_use]
pub const fn comment(text: &'static str) -> &'static str {
    text.split_at(1).1
}

/// A type with a few named values.
pub trait Choice: Copy + PartialEq + 'static {
    /// The values, in the order of the host's control.
    const ALL: &'static [Self];
    /// Their names.
    const NAMES: &'static [&'static str];
}

impl Choice for bool {
    const ALL: &'static [Self] = &[false, true];
    const NAMES: &'static [&'static str] = &["Off", "On"];
}

/// A field that a number can set.
pub trait Value {
    /// The number; the index of a choice.
    fn number(self) -> f64;
    /// The value at `number`: the choice at this index, the last one beyond the end.
    fn from_number(number: f64) -> Self;
}

impl Value for f64 {
    fn number(self) -> f64 {
        self
    }

    fn from_number(number: f64) -> Self {
        number
    }
}

impl<C: Choice> Value for C {
    fn number(self) -> f64 {
        C::ALL.iter().position(|value| *value == self).unwrap_or(0) as f64
    }

    fn from_number(number: f64) -> Self {
        C::ALL[floor_index(number).min(C::ALL.len() - 1)]
    }
}

/// Declares the names of a choice's values, in the order of the host's control.
#[doc(hidden)]
#[macro_export]
macro_rules! choice {
    ($type:ty: $($value:ident $name:literal),+ $(,)?) => {
        impl $crate::math::setting::Choice for $type {
            const ALL: &'static [Self] = &[$(Self::$value),+];
            const NAMES: &'static [&'static str] = &[$($name),+];
        }
    };
}
pub use crate::choice;

/// Declares a struct of settings: fields without a parameter, then a row for each choice and number.
///
/// A row's doc comment is also its text for people; `#[range = "…"]` has the reason or source of a range.
/// `field: type = default, name;` declares a choice,
/// `field = default, min..=max, name, suffix, decimals, centre value;` a number, `centre` being optional.
///
/// The struct gets [`Default`], `ROWS`, `RANGES` (a struct of the same names with a [`Range`](crate::math::range::Range) for each number)
/// and `with_numbers`.
#[doc(hidden)]
#[macro_export]
macro_rules! settings {
    (@centre) => { None };
    (@centre $centre:literal) => { Some($centre) };
    (
        $(#[$about:meta])*
        pub struct $name:ident, $ranges:ident {
            $($(#[$plain_about:meta])* $plain:ident: $plain_type:ty = $plain_default:expr,)*
        }
        choices {
            $($(#[doc = $choice_doc:literal])+ $choice:ident: $type:ty = $choice_default:expr, $choice_name:literal;)*
        }
        numbers {
            $(
                $(#[doc = $doc:literal])+
                $(#[range = $source:literal])?
                $number:ident = $default:expr, $min:literal..=$max:literal, $label:literal, $suffix:literal,
                    $decimals:literal $(, centre $centre:literal)?;
            )*
        }
    ) => {
        $(#[$about])*
        pub struct $name {
            $($(#[doc = $choice_doc])+ pub $choice: $type,)*
            $($(#[$plain_about])* pub $plain: $plain_type,)*
            $(
                $(#[doc = $doc])+
                #[doc = concat!(
                    "\n\nDefault ", stringify!($default), ", range ", $min, " to ", $max, $suffix, ".", $(" ", $source)?
                )]
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
                Self {
                    $($choice: $choice_default,)*
                    $($plain: $plain_default,)*
                    $($number: $default,)*
                }
            }
        }

        impl $name {
            /// Default and range of every number.
            pub const RANGES: $ranges = $ranges {
                $($number: $crate::math::range::Range { default: $default, min: $min, max: $max },)*
            };

            /// Name, values and text of every choice and number.
            pub const ROWS: &'static [$crate::math::setting::Row] = &[
                $($crate::math::setting::Row {
                    id: stringify!($choice),
                    name: $choice_name,
                    suffix: "",
                    kind: $crate::math::setting::ValueKind::Choice(
                        <$type as $crate::math::setting::Choice>::NAMES,
                    ),
                    doc: $crate::math::setting::comment(concat!($($choice_doc),+)),
                },)*
                $($crate::math::setting::Row {
                    id: stringify!($number),
                    name: $label,
                    suffix: $suffix,
                    kind: $crate::math::setting::ValueKind::Number {
                        min: $min,
                        max: $max,
                        centre: $crate::settings!(@centre $($centre)?),
                        decimals: $decimals,
                    },
                    doc: $crate::math::setting::comment(concat!($($doc),+)),
                },)*
            ];

            /// A copy in which each number is `law(range, value, value of other)`; the other fields are
            /// unchanged.
            #[must_use]
            pub fn with_numbers(
                &self,
                other: &Self,
                law: impl Fn($crate::math::range::Range, f64, f64) -> f64,
            ) -> Self {
                Self {
                    $($number: law(Self::RANGES.$number, self.$number, other.$number),)*
                    ..Clone::clone(self)
                }
            }
        }
    };
}
pub use crate::settings;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::range::Range;

    const HALF: f64 = 0.5;

    settings! {
        /// A pair.
        #[derive(Clone, Copy, PartialEq, Debug)]
        pub struct Pair, PairRanges {
            /// A count.
            kind: u8 = 3,
        }
        choices {
            /// Whether it is used.
            used: bool = true, "Used";
        }
        numbers {
            /// Share of the
            /// whole.
            share = HALF, 0.0..=1.0, "Share", "", 2, centre 0.25;
            /// Length of it.
            #[range = "Chosen."]
            length = -1.0, -2.5..=4.0, "Length", " m", 1;
        }
    }

    #[test]
    fn a_declaration_gives_field_default_range_and_row() {
        let pair = Pair::default();
        assert_eq!(pair, Pair { kind: 3, used: true, share: 0.5, length: -1.0 });
        assert_eq!(Pair::RANGES.length, Range { default: -1.0, min: -2.5, max: 4.0 });
        let wild = Pair { kind: 4, share: f64::NAN, length: 9.0, used: false };
        let clamped = wild.with_numbers(&wild, |range, x, _| range.clamped(x));
        assert_eq!(clamped, Pair { kind: 4, share: 0.5, length: 4.0, used: false });
        let between = pair.with_numbers(&clamped, |_, a, b| 0.5 * (a + b));
        assert_eq!(between, Pair { kind: 3, share: 0.5, length: 1.5, used: true });
        let [used, share, length] = Pair::ROWS else { panic!("{:?}", Pair::ROWS) };
        assert_eq!((used.id, used.kind), ("used", ValueKind::Choice(&["Off", "On"])));
        assert_eq!((share.name, share.doc), ("Share", "Share of the whole."));
        let ends = |centre, decimals, min, max| ValueKind::Number { min, max, centre, decimals };
        assert_eq!(share.kind, ends(Some(0.25), 2, 0.0, 1.0));
        assert_eq!((length.suffix, length.kind), (" m", ends(None, 1, -2.5, 4.0)));
        assert!(std::ptr::eq(Row::of(Pair::ROWS, "length"), length));
    }

    #[test]
    fn choices_are_numbered() {
        assert_eq!((true.number(), false.number(), 1.5f64.number()), (1.0, 0.0, 1.5));
        assert!(bool::from_number(7.0) && !bool::from_number(-1.0));
    }
}
