//! A drawing on the screen: each part outlined as one body, then filled.

use egui::epaint::PathShape;
use egui::{Align2, Color32, FontId, Painter, Pos2, Rect, Shape, Stroke, pos2};

use super::{Drawing, DrawnPart, DrawnPiece, Material, Wire};
use crate::editor::theme;
use crate::math::cast::single;
use crate::math::vec2::Vec2;

/// Between metres and points of the screen, equal both ways.
#[derive(Clone, Copy, Debug)]
pub struct ScreenMapping {
    /// Screen position of the world's origin.
    origin: Pos2,
    /// Points a metre.
    scale: f64,
}

impl ScreenMapping {
    /// Fits the box between `low` and `high`, m, into `rect`, centred.
    #[must_use]
    pub fn fit((low, high): (Vec2, Vec2), rect: Rect) -> Self {
        let size = high - low;
        let scale = (f64::from(rect.width()) / size.x).min(f64::from(rect.height()) / size.y);
        let middle = (low + high) * 0.5;
        let origin = pos2(
            rect.center().x - single(scale * middle.x),
            rect.center().y + single(scale * middle.y),
        );
        Self { origin, scale }
    }

    /// Screen position of `p`, m.
    #[must_use]
    pub fn at(&self, p: Vec2) -> Pos2 {
        pos2(self.origin.x + single(self.scale * p.x), self.origin.y - single(self.scale * p.y))
    }

    /// Screen length of `metres`.
    #[must_use]
    pub fn length(&self, metres: f64) -> f32 {
        single(self.scale * metres)
    }

    /// Metres of a screen length.
    #[must_use]
    pub fn metres(&self, points: f32) -> f64 {
        f64::from(points) / self.scale
    }
}

/// Paints pieces and wires of `drawing`.
pub fn paint(painter: &Painter, view: &ScreenMapping, drawing: &Drawing, dark: bool) {
    let line = view.length(0.0009).clamp(0.7, 2.0);
    let mut rest = drawing.pieces.as_slice();
    let mut wired = Vec::new();
    while let Some(first) = rest.first() {
        // Wires lie behind the body they belong to.
        let part = first.part;
        let count = rest.iter().take_while(|p| p.part == part).count();
        let (group, others) = rest.split_at(count);
        if !wired.contains(&part) {
            wired.push(part);
            for wire in drawing.wires.iter().filter(|w| w.part == part) {
                paint_wire(painter, view, wire, dark);
            }
        }
        paint_group(painter, view, group, dark, line);
        rest = others;
    }
    for wire in drawing.wires.iter().filter(|w| !wired.contains(&w.part)) {
        paint_wire(painter, view, wire, dark);
    }
}

fn paint_group(
    painter: &Painter,
    view: &ScreenMapping,
    pieces: &[DrawnPiece],
    dark: bool,
    line: f32,
) {
    let polygon = |piece: &DrawnPiece, fill: Color32, stroke: Stroke| {
        let mut points: Vec<Pos2> = piece.outline.iter().map(|p| view.at(*p)).collect();
        // Clockwise on the screen, so that soft edges lie outside.
        let area: f32 = (0..points.len())
            .map(|i| {
                let (a, b) = (points[i], points[(i + 1) % points.len()]);
                a.x * b.y - b.x * a.y
            })
            .sum();
        if area < 0.0 {
            points.reverse();
        }
        Shape::Path(PathShape { points, closed: true, fill, stroke: stroke.into() })
    };
    let edge = Stroke::new(2.0 * line, theme::outline(dark));
    painter.extend(pieces.iter().map(|p| polygon(p, theme::outline(dark), edge)));
    painter.extend(pieces.iter().map(|p| {
        let fill = theme::piece(dark, p.part, p.material);
        polygon(p, fill, Stroke::NONE)
    }));
}

fn paint_wire(painter: &Painter, view: &ScreenMapping, wire: &Wire, dark: bool) {
    let points: Vec<Pos2> = wire.points.iter().map(|p| view.at(*p)).collect();
    let width = view.length(wire.thickness).max(1.0);
    if wire.part != DrawnPart::String {
        let edge = Stroke::new(width + 1.4, theme::outline(dark));
        painter.add(Shape::line(points.clone(), edge));
    }
    let colour = if wire.part == DrawnPart::String {
        theme::string(dark)
    } else {
        theme::piece(dark, wire.part, Material::Metal)
    };
    painter.add(Shape::line(points, Stroke::new(width, colour)));
}

/// Marks where felt is pressed: a dot as wide as the load, with a ring.
pub fn paint_contacts(painter: &Painter, view: &ScreenMapping, drawing: &Drawing, colour: Color32) {
    for touch in &drawing.touching {
        // Felt depths run from micrometres to a millimetre: the mark grows with the root.
        let radius = view.length(0.004 + 0.006 * (touch.depth / 1e-3).sqrt().min(1.0));
        let at = view.at(touch.at);
        painter.circle_filled(at, radius, colour.gamma_multiply(0.4));
        painter.circle(at, 0.45 * radius, colour, Stroke::new(1.0, Color32::WHITE));
    }
}

/// Writes the names of the parts.
pub fn paint_labels(painter: &Painter, view: &ScreenMapping, drawing: &Drawing, colour: Color32) {
    let font = FontId::proportional(view.length(0.0075).clamp(9.0, 13.0));
    for label in &drawing.labels {
        let (from, to) = (view.at(label.text_at), view.at(label.at));
        let galley = painter.layout_no_wrap(label.text.to_owned(), font.clone(), colour);
        let rect = Align2::CENTER_CENTER.anchor_size(from, galley.size());
        // From the edge of the text, not through it.
        let start = rect.expand(2.0).intersects_ray_from_center((to - from).normalized());
        painter.line_segment([start, to], Stroke::new(0.8, colour.gamma_multiply(0.6)));
        painter.galley(rect.min, galley, colour);
    }
}
