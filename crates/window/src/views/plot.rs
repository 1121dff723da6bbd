//! Frame, grid and axes of the plots on the faces *Voice* and *Settings*.

use egui::{
    Align2, Color32, FontId, Painter, Pos2, Rect, Response, Sense, Stroke, StrokeKind, TextStyle,
    Ui, pos2, vec2,
};

use crate::widgets::theme;
use touchback_core::math::cast::single;

/// Space for the axes' numbers at usual size, points.
const LEFT: f32 = 38.0;
const FOOT: f32 = 17.0;
/// Space between two numbers of the horizontal axis, points.
const GAP: f32 = 4.0;

/// The range of an axis, and its numbers.
#[derive(Clone, Debug)]
pub struct Axis {
    /// Lowest and highest shown value.
    pub range: (f64, f64),
    /// Whether equal ratios have equal lengths.
    pub is_logarithmic: bool,
    /// Values with a line, and their texts.
    pub ticks: Vec<(f64, String)>,
}

impl Axis {
    /// An axis with a line and a number at each of `ticks`.
    #[must_use]
    pub fn new(range: (f64, f64), is_logarithmic: bool, ticks: &[f64]) -> Self {
        let (low, high) = range;
        let shown = ticks.iter().filter(|value| (low..=high).contains(*value));
        let ticks = shown.map(|value| (*value, value.to_string())).collect();
        Self { range, is_logarithmic, ticks }
    }

    /// Position of `value` on the axis, 0…1.
    #[must_use]
    pub fn share(&self, value: f64) -> f32 {
        let scale = |value: f64| if self.is_logarithmic { libm::log(value) } else { value };
        let (low, high) = (scale(self.range.0), scale(self.range.1));
        single(((scale(value) - low) / (high - low)).clamp(0.0, 1.0))
    }
}

/// A plot's area and axes.
#[derive(Clone, Debug)]
pub struct Plot {
    /// The area inside the axes.
    pub area: Rect,
    /// The pointer over it.
    pub response: Response,
    across: Axis,
    up: Axis,
}

impl Plot {
    /// Draws the frame, `height` points high and as wide as `ui`. `title` is drawn in it and is its name for
    /// screen readers.
    pub fn new(ui: &mut Ui, height: f32, title: &str, across: Axis, up: Axis) -> Self {
        let large = theme::size(ui);
        let (all, _) = ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::hover());
        let corner = vec2(6.0, FOOT * large);
        let area = Rect::from_min_max(all.min + vec2(LEFT * large, 4.0), all.max - corner);
        let response = ui.interact(area, ui.scope_id().with(title), Sense::hover());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Image, true, title));
        let plot = Self { area, response, across, up };
        plot.axes(ui, title);
        plot
    }

    /// The point at two values.
    #[must_use]
    pub fn at(&self, across: f64, up: f64) -> Pos2 {
        let (x, y) = (self.across.share(across), self.up.share(up));
        pos2(self.area.min.x + x * self.area.width(), self.area.max.y - y * self.area.height())
    }

    fn axes(&self, ui: &Ui, title: &str) {
        let area = self.area;
        let font = FontId::proportional(TextStyle::Small.resolve(ui.style()).size);
        let (painter, faint) = (ui.painter(), theme::faint(ui));
        let line = Stroke::new(1.0, faint.gamma_multiply(0.5));
        painter.rect(area, 2.0, ui.visuals().extreme_bg_color, line, StrokeKind::Inside);
        let grid = Stroke::new(0.5, faint.gamma_multiply(0.35));
        let mut above = f32::INFINITY;
        for (value, text) in &self.up.ticks {
            let y = self.at(self.across.range.0, *value).y;
            painter.hline(area.x_range(), y, grid);
            above = number_beside(painter, pos2(area.min.x - 4.0, y), above, text, &font, faint);
        }
        let mut free = f32::NEG_INFINITY;
        for (value, text) in &self.across.ticks {
            let x = self.at(*value, self.up.range.0).x;
            painter.vline(x, area.y_range(), grid);
            let text = painter.layout_no_wrap(text.clone(), font.clone(), faint);
            let left = x - 0.5 * text.size().x;
            if left > free {
                free = left + text.size().x + GAP;
                painter.galley(pos2(left, area.max.y + 2.0), text, faint);
            }
        }
        title_in(painter, area, title, font, faint);
    }
}

/// Writes the title of a plot in its upper left corner, in as many lines as it needs.
pub(crate) fn title_in(painter: &Painter, area: Rect, text: &str, font: FontId, colour: Color32) {
    let room = area.width() - 8.0;
    let title = painter.layout(text.to_owned(), font, colour, room);
    painter.galley(area.min + vec2(6.0, 4.0), title, colour);
}

/// Writes a number left of `at`, if it ends below `above`, the top of the number under it. Returns the top of the
/// highest number.
pub(crate) fn number_beside(
    painter: &Painter,
    at: Pos2,
    above: f32,
    text: &str,
    font: &FontId,
    colour: Color32,
) -> f32 {
    let number = painter.layout_no_wrap(text.to_owned(), font.clone(), colour);
    let place = Align2::RIGHT_CENTER.anchor_size(at, number.size());
    if place.max.y > above {
        return above;
    }
    painter.galley(place.min, number, colour);
    place.min.y
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_ratios_have_equal_lengths_on_a_logarithmic_axis() {
        let axis = Axis::new((0.1, 10.0), true, &[0.05, 0.1, 1.0, 20.0]);
        assert_eq!(axis.ticks.len(), 2, "numbers outside the range are left out");
        assert!((axis.share(1.0) - 0.5).abs() < 1e-6);
        assert_eq!((axis.share(0.01), axis.share(100.0)), (0.0, 1.0));
        let axis = Axis::new((-20.0, 80.0), false, &[0.0]);
        assert!((axis.share(0.0) - 0.2).abs() < 1e-6);
    }
}
