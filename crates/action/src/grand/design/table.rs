//! The table of a part's numbers: [`part!`] makes from it the part's struct, its values in the
//! concert grand and in the thesis, its checks, its lines on the pages and its numbers in the
//! equations.
//!
//! A new number takes one row in `parts` and the law that uses it.

use crate::interface::numbers::SpecError;
use touchback_core::math::vec2::Vec2;
use touchback_core::mech::felt::Felt;

/// One number of a key, as the pages list it.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    /// Name, as in the model files.
    pub name: String,
    /// Value in `unit`.
    pub value: f64,
    /// SI unit; empty for pure numbers.
    pub unit: &'static str,
    /// Meaning; empty for the further numbers of a point or a felt.
    pub meaning: &'static str,
    /// Measured, cited, fitted, regulated or chosen, and by whom.
    pub source: &'static str,
}

/// Which of the two sets of numbers a key has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Set {
    /// The concert grand.
    Concert,
    /// The thesis's action.
    Thesis,
}

/// Sources of a field's numbers: one for all, or one for the first (x of a point, stiffness of a
/// felt) and one for the others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    first: &'static str,
    others: &'static str,
}

impl From<&'static str> for Source {
    fn from(all: &'static str) -> Self {
        Self { first: all, others: all }
    }
}

impl From<(&'static str, &'static str)> for Source {
    fn from((first, others): (&'static str, &'static str)) -> Self {
        Self { first, others }
    }
}

/// The type of a field: one number, or several with names and units of their own.
pub(crate) trait Field {
    /// End of the name, value and unit of each number, in a field whose table gives `unit`.
    fn numbers(&self, unit: &'static str) -> Vec<(&'static str, f64, &'static str)>;

    /// Checks a felt; other fields have rules of their own.
    ///
    /// # Errors
    /// A felt that the contact law cannot use.
    fn check(&self, _name: &'static str) -> Result<(), SpecError> {
        Ok(())
    }

    /// Source of number `_index` where it is the same in every table.
    fn source(&self, _index: usize) -> Option<&'static str> {
        None
    }
}

impl Field for f64 {
    fn numbers(&self, unit: &'static str) -> Vec<(&'static str, f64, &'static str)> {
        vec![("", *self, unit)]
    }
}

/// A yes or no is no number: the pages leave it out.
impl Field for bool {
    fn numbers(&self, _unit: &'static str) -> Vec<(&'static str, f64, &'static str)> {
        Vec::new()
    }
}

impl Field for Vec2 {
    fn numbers(&self, unit: &'static str) -> Vec<(&'static str, f64, &'static str)> {
        vec![(".x", self.x, unit), (".y", self.y, unit)]
    }
}

/// The table gives the unit of a felt's stiffness.
impl Field for Felt {
    fn numbers(&self, unit: &'static str) -> Vec<(&'static str, f64, &'static str)> {
        let [damping, speed, growth] = if unit == TORSIONAL {
            ["s/rad", "rad/s", "rad/(s·N·m)"]
        } else {
            ["s/m", "m/s", "m/(s·N)"]
        };
        vec![
            (".stiffness", self.stiffness, unit),
            (".exponent", self.exponent, "1"),
            (".damping", self.damping, damping),
            (".hysteresis", self.hysteresis, "1"),
            (".reversal_speed", self.reversal_speed, speed),
            (".reversal_growth", self.reversal_growth, growth),
        ]
    }

    fn check(&self, name: &'static str) -> Result<(), SpecError> {
        let is_usable = self.stiffness.is_finite()
            && self.stiffness >= 0.0
            && (1.0..=6.0).contains(&self.exponent)
            && self.damping.is_finite()
            && self.damping >= 0.0
            && self.reversal_speed.is_finite()
            && self.reversal_speed > 0.0
            && self.reversal_growth.is_finite()
            && self.reversal_growth >= 0.0;
        if is_usable {
            return Ok(());
        }
        let must = "a felt with stiffness, damping and reversal growth ≥ 0, reversal speed > 0 and exponent \
                    1…6";
        Err(SpecError::Value { name, value: self.stiffness, must })
    }

    fn source(&self, index: usize) -> Option<&'static str> {
        const FIRST: usize = 4;
        (index >= FIRST).then_some(REVERSAL)
    }
}

/// Source of the numbers of a felt's reversal.
const REVERSAL: &str = "chosen: the hysteresis reverses below the speeds at which the felt is \
    squeezed in play, and damps no more than the step follows";

/// A torsional spring and its damper.
impl Field for [f64; 2] {
    fn numbers(&self, unit: &'static str) -> Vec<(&'static str, f64, &'static str)> {
        vec![(".stiffness", self[0], unit), (".damping", self[1], "N·m·s/rad")]
    }
}

/// A part of the action, declared by [`part!`].
pub(crate) trait Part {
    /// Appends the part's numbers with the sources of `set` to `entries`.
    fn list(&self, set: Set, entries: &mut Vec<Entry>);

    /// Checks the numbers with a rule in the table.
    ///
    /// # Errors
    /// The first that breaks its rule.
    fn check_rules(&self) -> Result<(), SpecError>;

    /// Checks the felts.
    ///
    /// # Errors
    /// The first that the contact law cannot use.
    fn check_felts(&self) -> Result<(), SpecError>;
}

/// Unit of the stiffness of a torsional felt.
const TORSIONAL: &str = "N·m/rad^p";

/// Appends the numbers of the field `name` to `entries`.
pub(crate) fn list(
    name: &'static str,
    field: &impl Field,
    unit: &'static str,
    meaning: &'static str,
    source: impl Into<Source>,
    entries: &mut Vec<Entry>,
) {
    let source = source.into();
    for (i, (end, value, unit)) in field.numbers(unit).into_iter().enumerate() {
        entries.push(Entry {
            name: format!("{name}{end}"),
            value,
            unit: if unit == "1" { "" } else { unit },
            meaning: if i == 0 { meaning.trim() } else { "" },
            source: field.source(i).unwrap_or(if i == 0 { source.first } else { source.others }),
        });
    }
}

/// A rule of the tables: the number is finite and above zero.
///
/// # Errors
/// The number, if it is not.
pub(crate) fn positive(name: &'static str, value: f64) -> Result<(), SpecError> {
    crate::interface::numbers::check(&[(name, value)], &[])
}

// Types of numbers in the equations, of one key or of one key in each lane.
pub(crate) type Number<R = f64> = R;
pub(crate) type Point<R = f64> = Vec2<R>;

/// The number `$field` of `$key(lane)` for each lane.
macro_rules! gather {
    (Number, $key:expr, $($field:tt)+) => {
        R::from_lanes(|lane| $key(lane).$($field)+)
    };
    (Point, $key:expr, $($field:tt)+) => {
        Vec2::new(
            R::from_lanes(|lane| $key(lane).$($field)+.x),
            R::from_lanes(|lane| $key(lane).$($field)+.y),
        )
    };
    (Felt, $key:expr, $($field:tt)+) => {
        Felt {
            stiffness: R::from_lanes(|lane| $key(lane).$($field)+.stiffness),
            exponent: R::from_lanes(|lane| $key(lane).$($field)+.exponent),
            damping: R::from_lanes(|lane| $key(lane).$($field)+.damping),
            hysteresis: R::from_lanes(|lane| $key(lane).$($field)+.hysteresis),
            reversal_speed: R::from_lanes(|lane| $key(lane).$($field)+.reversal_speed),
            reversal_growth: R::from_lanes(|lane| $key(lane).$($field)+.reversal_growth),
        }
    };
}
pub(crate) use gather;

/// Declares a part of the action by the table of its numbers.
///
/// A row has the number's meaning, its name, its type, its unit (of a felt: that of its stiffness;
/// `"1"` for pure numbers), the rule [`positive`] where zero is refused, and for each set of
/// numbers the value and its source. After `as` stands the type of a number that the equations use
/// unchanged. The rows of a part within the part follow those of its own.
macro_rules! part {
    (
        $(#[$about:meta])*
        pub struct $part:ident, $numbers:ident: $prefix:literal, $key:ident, $pose:ident {
            $(
                $(#[doc = $doc:literal])*
                $(#[serde($($serde:tt)*)])?
                $field:ident: $type:ident $(as $lane:ident)?, $unit:literal $(, $rule:ident)?;
                    concert $concert:expr, $concert_source:expr;
                    thesis $thesis:expr, $thesis_source:expr;
            )*
        }
        $(
            $(#[$inner_about:meta])*
            $inner:ident: $inner_part:ident, $inner_numbers:ident;
        )?
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct $part {
            $(
                $(#[doc = $doc])*
                #[doc = concat!("\n\nUnit: ", $unit, ".")]
                $(#[serde($($serde)*)])?
                pub $field: $type,
            )*
            $($(#[$inner_about])* pub $inner: $inner_part,)?
        }

        impl $part {
            /// The part of a concert-grand key before it is regulated.
            pub(crate) fn concert(
                $key: &$crate::grand::design::concert_key::ConcertKey<'_>,
            ) -> Self {
                let _ = $key;
                Self {
                    $($field: $concert,)*
                    $($inner: $inner_part::concert($key),)?
                }
            }

            /// The part of the thesis's key.
            pub(crate) fn thesis($pose: &$crate::grand::design::thesis_pose::ThesisPose) -> Self {
                let _ = $pose;
                Self {
                    $($field: $thesis,)*
                    $($inner: $inner_part::thesis($pose),)?
                }
            }
        }

        impl $crate::grand::design::table::Part for $part {
            fn list(
                &self,
                set: $crate::grand::design::table::Set,
                entries: &mut Vec<$crate::grand::design::table::Entry>,
            ) {
                use $crate::grand::design::table::{Set, Source, list};
                $(
                    let source = match set {
                        Set::Concert => Source::from($concert_source),
                        Set::Thesis => Source::from($thesis_source),
                    };
                    let name = concat!($prefix, ".", stringify!($field));
                    let meaning = concat!($($doc),*);
                    list(name, &self.$field, $unit, meaning, source, entries);
                )*
                $(self.$inner.list(set, entries);)?
            }

            fn check_rules(&self) -> Result<(), $crate::interface::numbers::SpecError> {
                $($(
                    $crate::grand::design::table::$rule(
                        concat!($prefix, ".", stringify!($field)),
                        self.$field,
                    )?;
                )?)*
                $(self.$inner.check_rules()?;)?
                Ok(())
            }

            fn check_felts(&self) -> Result<(), $crate::interface::numbers::SpecError> {
                use $crate::grand::design::table::Field as _;
                $(self.$field.check(concat!($prefix, ".", stringify!($field)))?;)*
                $(self.$inner.check_felts()?;)?
                Ok(())
            }
        }

        #[doc = concat!(
            "Numbers of [`", stringify!($part), "`] in the equations, of one key or of one key in each lane."
        )]
        #[derive(Clone, Copy, Debug)]
        pub struct $numbers<R = f64> {
            $($(
                #[doc = concat!(
                    "[`", stringify!($part), "::", stringify!($field), "`], ", $unit, "."
                )]
                pub $field: $lane<R>,
            )?)*
            $(
                #[doc = concat!("[`", stringify!($part), "::", stringify!($inner), "`].")]
                pub $inner: $inner_numbers<R>,
            )?
        }

        impl $numbers {
            /// The numbers of `part`.
            #[must_use]
            pub(crate) fn new(part: &$part) -> Self {
                Self {
                    $($($field: std::convert::identity::<$lane>(part.$field),)?)*
                    $($inner: $inner_numbers::new(&part.$inner),)?
                }
            }
        }

        impl<R: touchback_core::math::real::Real> $numbers<R> {
            /// The parts `part(lane)` side by side.
            #[inline(always)]
            #[must_use]
            pub(crate) fn gather<'a>(part: impl Fn(usize) -> &'a $numbers) -> Self {
                Self {
                    $($($field: $crate::grand::design::table::gather!($lane, part, $field),)?)*
                    $($inner: $inner_numbers::gather(|lane| &part(lane).$inner),)?
                }
            }
        }
    };
}
pub(crate) use part;
