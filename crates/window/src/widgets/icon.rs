//! Icons of buttons, drawn because the fonts lack these signs.

use std::f32::consts::{PI, TAU};

use egui::{Button, Color32, Pos2, Rect, Response, Shape, Stroke, Ui, pos2, vec2};

/// The icon of a button.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Icon {
    /// A triangle to the left.
    Before,
    /// A triangle to the right.
    After,
    /// An arrow to the left.
    Undo,
    /// An arrow to the right.
    Redo,
    /// A star, filled or not.
    Star(bool),
}

impl Icon {
    /// Draws a button with this icon; `name` is its name for screen readers.
    pub fn button(self, ui: &mut Ui, name: &str, enabled: bool) -> Response {
        let framed = !matches!(self, Self::Star(_));
        let button = Button::new("")
            .min_size(vec2(1.0, 1.0) * ui.spacing().interact_size.y.max(20.0))
            .frame(framed);
        let response = ui.add_enabled(enabled, button);
        response.widget_info(|| match self {
            Self::Star(on) => egui::WidgetInfo::selected(egui::Role::CheckBox, enabled, on, name),
            _ => egui::WidgetInfo::labeled(egui::Role::Button, enabled, name),
        });
        let colour = ui.style().interact(&response).fg_stroke.color;
        let colour = if enabled { colour } else { colour.gamma_multiply(0.4) };
        self.paint(ui, response.rect, colour);
        response
    }

    fn paint(self, ui: &Ui, rect: Rect, colour: Color32) {
        let (painter, centre) = (ui.painter(), rect.center());
        let line = Stroke::new(1.5, colour);
        let none = Stroke::NONE;
        // Drawn to the left, or mirrored.
        let side = if matches!(self, Self::Before | Self::Undo) { -1.0 } else { 1.0 };
        let large = rect.height() / 20.0;
        let at = |x: f32, y: f32| centre + large * vec2(side * x, y);
        match self {
            Self::Before | Self::After => {
                let corners = vec![at(-3.5, -4.5), at(4.5, 0.0), at(-3.5, 4.5)];
                painter.add(Shape::convex_polygon(corners, colour, none));
            }
            Self::Undo | Self::Redo => {
                let arc = |i: u8| {
                    let angle = PI * (1.0 - 1.25 * f32::from(i) / 12.0);
                    at(4.5 * libm::cosf(angle), 0.5 - 4.5 * libm::sinf(angle))
                };
                let points: Vec<Pos2> = (0..=12).map(arc).rev().collect();
                painter.add(Shape::line(points, line));
                // The arrow's head is at the arc's right end.
                let head = vec![at(7.5, -1.0), at(1.0, -0.5), at(4.8, 4.5)];
                painter.add(Shape::convex_polygon(head, colour, none));
            }
            Self::Star(on) => star(ui, centre, on),
        }
    }
}

/// Draws a five-pointed star by filled triangles, because the star is not convex.
fn star(ui: &Ui, centre: Pos2, on: bool) {
    let painter = ui.painter();
    let colour =
        if on { Color32::from_rgb(0xe6, 0x9f, 0x00) } else { ui.visuals().weak_text_color() };
    let point = |i: u8| {
        let angle = TAU * f32::from(i) / 10.0 - 0.25 * TAU;
        let size = if i.is_multiple_of(2) { 6.5 } else { 2.8 };
        pos2(centre.x + size * libm::cosf(angle), centre.y + size * libm::sinf(angle))
    };
    if on {
        for tip in (0..10).step_by(2) {
            let corners = vec![centre, point((tip + 9) % 10), point(tip), point(tip + 1)];
            painter.add(Shape::convex_polygon(corners, colour, Stroke::NONE));
        }
    } else {
        let outline = (0..10).map(point).collect();
        painter.add(Shape::closed_line(outline, Stroke::new(1.0, colour)));
    }
}
