//! Text styles, line widths and the result of drawing, shared by panels and legends.

use plotters::prelude::*;

/// Result of drawing on the backend `DB`.
pub(super) type PaintResult<DB> =
    Result<(), DrawingAreaErrorKind<<DB as DrawingBackend>::ErrorType>>;

/// Style of text `size` px high.
pub(super) fn style(size: i32, colour: RGBColor) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&colour)
}

/// `px` as a line width; 1 if negative.
pub(super) fn width(px: i32) -> u32 {
    u32::try_from(px).unwrap_or(1)
}
