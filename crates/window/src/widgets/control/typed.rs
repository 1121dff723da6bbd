//! A number to drag or type that is not a parameter.

use std::cell::RefCell;
use std::ops::RangeInclusive;

use egui::emath::Numeric;
use egui::{DragValue, Response, Ui};

use super::menu::refused;

/// Draws `value`, in `unit`, with the steps and decimals of `shape`. A text that is no number within
/// `range` shows the reason and changes nothing.
pub fn typed<N: Numeric>(
    ui: &mut Ui,
    value: &mut N,
    range: RangeInclusive<N>,
    unit: &str,
    shape: impl for<'a> FnOnce(DragValue<'a>) -> DragValue<'a>,
) -> Response {
    let ends = [range.start().to_f64(), range.end().to_f64()];
    let reason = RefCell::new(None);
    let drag =
        DragValue::new(value).range(range).update_while_editing(false).custom_parser(|text| {
            let read = read(text, ends, unit);
            reason.replace(read.as_ref().err().cloned());
            read.ok()
        });
    let drag = if unit.is_empty() { drag } else { drag.suffix(format!(" {unit}")) };
    let response = ui.add(shape(drag));
    refused(&response, reason.into_inner());
    response
}

/// Reads the number in `text`, with or without its unit.
fn read(text: &str, [low, high]: [f64; 2], unit: &str) -> Result<f64, String> {
    let text = text.trim();
    let plain = text.strip_suffix(unit).unwrap_or(text).trim_end();
    let of = if unit.is_empty() { String::new() } else { format!(" of {unit}") };
    let number = plain.parse::<f64>().ok().filter(|number| number.is_finite());
    match number {
        None => Err(format!("`{text}` is no number{of}; give {low} to {high}")),
        // The end of the range may have been rounded when it was shown.
        Some(value) if value < low - 1e-9 || value > high + 1e-9 => {
            Err(format!("{plain} is out of range; give {low} to {high}"))
        }
        Some(value) => Ok(value),
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn units_are_optional_and_invalid_text_is_explained() {
        for text in ["1.5", " 1.5 mm ", "1.5mm"] {
            assert_eq!(read(text, [-3.0, 3.0], "mm"), Ok(1.5), "{text}");
        }
        for (text, expected) in [
            ("", "no number of mm"),
            ("1.5 cm", "`1.5 cm` is no number of mm; give -3 to 3"),
            ("inf", "no number"),
            ("NaN", "no number"),
            ("3.1", "3.1 is out of range; give -3 to 3"),
        ] {
            let message = read(text, [-3.0, 3.0], "mm").unwrap_err();
            assert!(message.contains(expected), "{message}");
        }
        assert!(read("x", [1.0, 9.0], "").unwrap_err().starts_with("`x` is no number; "));
    }
}
