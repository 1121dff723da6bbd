//! The table: one entry per parameter, in display order.
//!
//! Ranges exceed a grand's usual regulation by a wide margin; the usual figures are given beside each
//! range. Ids never change: projects and automation use them.

mod action;
mod midi;
mod pedals;
mod sound;
mod touch;

use crate::params::{ParamError, Parameter, ValueKind};
use crate::settings::Switch;
use touchback_core::math::cast::floor_index;
use touchback_core::math::range::Range;

/// The parts of the table in display order.
const PARTS: [&[Parameter]; 5] =
    [&touch::TOUCH, &pedals::PEDALS, &midi::MIDI, &action::ACTION, &sound::SOUND];

/// Number of parameters.
pub const COUNT: usize = {
    let (mut count, mut part) = (0, 0);
    while part < PARTS.len() {
        count += PARTS[part].len();
        part += 1;
    }
    count
};

/// All parameters, in display order.
pub fn all() -> impl ExactSizeIterator<Item = &'static Parameter> + Clone {
    (0..COUNT).map(|index| {
        let mut index = index;
        for part in PARTS {
            if let Some(parameter) = part.get(index) {
                return parameter;
            }
            index -= part.len();
        }
        unreachable!("COUNT is the sum of the parts")
    })
}

/// The parameter of this id.
///
/// # Errors
/// [`ParamError::NoSuchParameter`] for an unknown id.
pub fn find(id: &str) -> Result<&'static Parameter, ParamError> {
    all()
        .find(|p| p.id.eq_ignore_ascii_case(id))
        .ok_or_else(|| ParamError::NoSuchParameter { id: id.to_owned() })
}

/// A number on a linear control.
const fn number(range: &Range, decimals: usize) -> ValueKind {
    ValueKind::Number { min: range.min, max: range.max, centre: None, decimals }
}

/// A number whose control has `centre` at its middle.
const fn centred(range: &Range, centre: f64, decimals: usize) -> ValueKind {
    ValueKind::Number { min: range.min, max: range.max, centre: Some(centre), decimals }
}

/// The values of an off-and-on choice.
const SWITCH: [Switch; 2] = [Switch::Off, Switch::On];

/// Values of parameters in projects saved before the parameters existed, where not the default.
const BEFORE: [(&str, f64); 6] = [
    ("output_guard", 0.0),
    ("velocity_means", 1.0),
    ("legato_repair", 0.0),
    ("mts_esp", 0.0),
    ("rpn", 0.0),
    ("pedal_repair", 0.0),
];

impl Parameter {
    /// Index in the table; `None` for a parameter that is not in the table.
    #[must_use]
    pub fn index(&self) -> Option<usize> {
        all().position(|parameter| std::ptr::eq(parameter, self))
    }

    /// The value in a project without the parameter: one saved before the parameter existed.
    #[must_use]
    pub fn value_where_absent(&self) -> f64 {
        let before = BEFORE.iter().find(|(id, _)| *id == self.id);
        before.map_or_else(|| self.default_value(), |(_, value)| *value)
    }
}

/// Index of `value` among the values of a choice.
fn index_of<T: PartialEq>(values: &[T], value: &T) -> f64 {
    values.iter().position(|v| v == value).unwrap_or(0) as f64
}

/// Value of a choice at `index`.
fn at<T: Copy>(values: &[T], index: f64) -> T {
    values[floor_index(index).min(values.len() - 1)]
}
