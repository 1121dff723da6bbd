//! Paints a drawing on the screen: each part's outline first, then its pieces.

use egui::epaint::PathShape;
use egui::{
    Align2, Color32, FontId, Painter, Pos2, Rect, Shape, Stroke, StrokeKind, Ui, pos2, vec2,
};

use super::{Drawing, DrawnPart, DrawnPiece, Material, Wire};
use crate::widgets::theme;
use touchback_core::math::cast::single;
use touchback_core::math::vec2::Vec2;

/// Largest opacity of a fading part.
const GHOST: f32 = 0.45;

/// Mapping between metres and points of the screen, with one scale for both axes.
#[derive(Clone, Copy, Debug)]
pub struct ScreenMapping {
    /// Screen position of the world's origin.
    origin: Pos2,
    /// Points per metre.
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

    /// As [`Self::fit`], but at the bottom of `rect`.
    #[must_use]
    pub(crate) fn fit_low((low, high): (Vec2, Vec2), rect: Rect) -> Self {
        let size = high - low;
        let needed = rect.width() * single(size.y / size.x);
        let top = (rect.max.y - needed).max(rect.min.y);
        Self::fit((low, high), Rect::from_min_max(pos2(rect.min.x, top), rect.max))
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
        // Wires are behind their own body.
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
        // Clockwise on the screen, so that the soft edges are outside.
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
        let fill = p.material.fill(p.part, dark);
        polygon(p, fill, Stroke::NONE)
    }));
}

/// Paints what is left of a fading part, `left` 1…0.
pub(crate) fn paint_ghost(
    painter: &Painter,
    view: &ScreenMapping,
    pieces: &[DrawnPiece],
    dark: bool,
    left: f32,
) {
    for piece in pieces {
        let points = piece.outline.iter().map(|p| view.at(*p)).collect();
        let fill = piece.material.fill(piece.part, dark).gamma_multiply(GHOST * left);
        painter.add(Shape::convex_polygon(points, fill, Stroke::NONE));
    }
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
        Material::Metal.fill(wire.part, dark)
    };
    painter.add(Shape::line(points, Stroke::new(width, colour)));
}

/// Marks contacts by a ringed dot, whose size grows with the felt's compression.
pub(crate) fn paint_contacts(
    painter: &Painter,
    view: &ScreenMapping,
    drawing: &Drawing,
    colour: Color32,
) {
    for touch in &drawing.touching {
        // Compressions range from micrometres to a millimetre: the radius grows with their square root.
        let radius = view.length(0.004 + 0.006 * (touch.depth / 1e-3).sqrt().min(1.0));
        let at = view.at(touch.at);
        painter.circle_filled(at, radius, colour.gamma_multiply(0.4));
        painter.circle(at, 0.45 * radius, colour, Stroke::new(1.0, Color32::WHITE));
    }
}

/// Height of a name's letters, points.
fn letters(view: &ScreenMapping) -> f32 {
    view.length(0.0075).clamp(9.0, 13.0)
}

/// Approximate size of the name `text`, points.
#[cfg(test)]
pub(crate) fn label_size(view: &ScreenMapping, text: &str) -> egui::Vec2 {
    let size = letters(view);
    egui::vec2(0.56 * size * single(text.len() as f64), 1.2 * size)
}

/// Draws the enlarged detail of `drawing` in its frame, with its name if `is_named`.
pub(crate) fn paint_detail(
    painter: &Painter,
    view: &ScreenMapping,
    drawing: &Drawing,
    ui: &Ui,
    is_named: bool,
) {
    let Some(detail) = &drawing.detail else { return };
    let rect = |(low, high): (Vec2, Vec2)| Rect::from_two_pos(view.at(low), view.at(high));
    let (of, at) = (rect(detail.of), rect(detail.at));
    let faint = theme::faint(ui);
    let line = Stroke::new(0.8, faint.gamma_multiply(0.6));
    painter.rect_stroke(of, 2.0, line, StrokeKind::Outside);
    let magnifies = ScreenMapping::fit(detail.of, at);
    let inside = painter.with_clip_rect(at.intersect(painter.clip_rect()));
    inside.rect_filled(at, 3.0, ui.visuals().extreme_bg_color);
    paint(&inside, &magnifies, drawing, ui.visuals().dark_mode);
    painter.rect_stroke(at, 3.0, line, StrokeKind::Outside);
    painter.line_segment([of.left_center(), at.right_center()], line);
    if is_named {
        let (font, under) = (FontId::proportional(letters(view)), at.left_bottom());
        painter.text(under + vec2(0.0, 3.0), Align2::LEFT_TOP, detail.name, font, faint);
    }
}

/// Writes the names of the parts.
pub(crate) fn paint_labels(
    painter: &Painter,
    view: &ScreenMapping,
    drawing: &Drawing,
    colour: Color32,
) {
    let font = FontId::proportional(letters(view));
    for label in &drawing.labels {
        let (from, to) = (view.at(label.text_at), view.at(label.at));
        let galley = painter.layout_no_wrap(label.text.to_owned(), font.clone(), colour);
        let rect = Align2::CENTER_CENTER.anchor_size(from, galley.size());
        // The line starts at the text's edge.
        let start = rect.expand(2.0).intersects_ray_from_center((to - from).normalized());
        painter.line_segment([start, to], Stroke::new(0.8, colour.gamma_multiply(0.6)));
        painter.galley(rect.min, galley, colour);
    }
}
