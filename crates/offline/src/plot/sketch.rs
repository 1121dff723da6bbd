//! Scale drawings: lines and circles in metres, with equal scales and y upwards.

use anyhow::Result;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::{Paint, TITLE, WIDTH, fonts, render};
use crate::output::Draft;
use touchback_core::math::cast::rounded_i32;
use touchback_core::math::vec2::Vec2;

/// Margin around the drawing, px.
const MARGIN: i32 = 30;

/// Colour and width of a line.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Ink {
    /// Colour of lines and text.
    pub colour: RGBColor,
    /// Line width, px.
    pub width: u32,
}

/// One element of a drawing; lengths in m unless stated otherwise.
#[derive(Clone, Debug)]
enum SketchMark {
    Line(Vec<Vec2>, Ink),
    Circle(Vec2, f64, Ink),
    /// A dot: centre, radius, px, and colour.
    Dot(Vec2, i32, RGBColor),
    Label(Vec2, String, RGBColor),
}

/// A scale drawing.
#[derive(Clone, Debug)]
pub struct Sketch {
    title: String,
    marks: Vec<SketchMark>,
}

impl Sketch {
    /// An empty drawing.
    #[must_use]
    pub fn new(title: &str) -> Self {
        Self { title: title.into(), marks: Vec::new() }
    }

    /// Adds a line through `points`, m.
    pub fn line(&mut self, points: &[Vec2], ink: Ink) {
        self.marks.push(SketchMark::Line(points.to_vec(), ink));
    }

    /// Adds a circle of `radius` m.
    pub fn circle(&mut self, centre: Vec2, radius: f64, ink: Ink) {
        self.marks.push(SketchMark::Circle(centre, radius, ink));
    }

    /// Adds a dot of `radius` px.
    pub fn dot(&mut self, at: Vec2, radius: i32, colour: RGBColor) {
        self.marks.push(SketchMark::Dot(at, radius, colour));
    }

    /// Adds `text` next to a point.
    pub fn label(&mut self, at: Vec2, text: &str, colour: RGBColor) {
        self.marks.push(SketchMark::Label(at, text.into(), colour));
    }

    /// Lowest and highest x and y, m.
    fn bounds(&self) -> (Vec2, Vec2) {
        let mut low = Vec2::new(f64::INFINITY, f64::INFINITY);
        let mut high = Vec2::new(f64::NEG_INFINITY, f64::NEG_INFINITY);
        let mut take = |p: Vec2, r: f64| {
            low = Vec2::new(low.x.min(p.x - r), low.y.min(p.y - r));
            high = Vec2::new(high.x.max(p.x + r), high.y.max(p.y + r));
        };
        for mark in &self.marks {
            match mark {
                SketchMark::Line(points, _) => points.iter().for_each(|p| take(*p, 0.0)),
                SketchMark::Circle(at, radius, _) => take(*at, *radius),
                SketchMark::Dot(at, ..) | SketchMark::Label(at, ..) => take(*at, 0.0),
            }
        }
        (low, high)
    }
}

/// Draws `sketch` into `draft`, in the format of its target.
///
/// # Errors
/// A file that cannot be written, or an error of the drawing library.
pub fn draw(sketch: &Sketch, draft: &Draft) -> Result<()> {
    fonts()?;
    let (low, high) = sketch.bounds();
    let room = f64::from(WIDTH) - 2.0 * f64::from(MARGIN);
    let drawn = room * (high.y - low.y) / (high.x - low.x);
    let height = rounded_i32(drawn) + 2 * MARGIN + TITLE;
    render(sketch, (WIDTH, u32::try_from(height)?), draft)
}

impl Paint for Sketch {
    fn paint<DB: DrawingBackend>(
        &self,
        root: &DrawingArea<DB, Shift>,
        scale: i32,
    ) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>> {
        root.fill(&WHITE)?;
        let ink = super::INK;
        let title = ("sans-serif", 21 * scale).into_font().color(&ink);
        root.draw(&Text::new(self.title.clone(), (20 * scale, 14 * scale), title))?;
        let (low, high) = self.bounds();
        let room = f64::from(WIDTH) - 2.0 * f64::from(MARGIN);
        let px = f64::from(scale) * room / (high.x - low.x);
        let margin = f64::from(MARGIN * scale);
        let top = f64::from((MARGIN + TITLE) * scale);
        let at = |p: &Vec2| {
            (rounded_i32(margin + px * (p.x - low.x)), rounded_i32(top + px * (high.y - p.y)))
        };
        let style = |ink: &Ink| {
            let width = ink.width * u32::try_from(scale).unwrap_or(1);
            ink.colour.stroke_width(width)
        };
        for mark in &self.marks {
            match mark {
                SketchMark::Line(points, ink) => {
                    let points: Vec<_> = points.iter().map(at).collect();
                    // Joints as dots: a path's mitred joints would stick out at sharp turns.
                    let half = i32::try_from(ink.width).unwrap_or(1) * scale / 2;
                    for p in points.iter().filter(|_| half > 0) {
                        root.draw(&Circle::new(*p, half, ink.colour.filled()))?;
                    }
                    for pair in points.windows(2) {
                        root.draw(&PathElement::new([pair[0], pair[1]], style(ink)))?;
                    }
                }
                SketchMark::Circle(centre, radius, ink) => {
                    root.draw(&Circle::new(at(centre), rounded_i32(px * radius), style(ink)))?;
                }
                SketchMark::Dot(centre, radius, colour) => {
                    root.draw(&Circle::new(at(centre), radius * scale, colour.filled()))?;
                }
                SketchMark::Label(point, text, colour) => {
                    let (x, y) = at(point);
                    let place = Pos::new(HPos::Left, VPos::Bottom);
                    let font = ("sans-serif", 14 * scale).into_font().color(colour).pos(place);
                    root.draw(&Text::new(text.clone(), (x + 6 * scale, y - 4 * scale), font))?;
                }
            }
        }
        root.present()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawing_keeps_its_proportions() {
        let ink = Ink { colour: RGBColor(0, 0, 0), width: 1 };
        let mut sketch = Sketch::new("square");
        let corner = |x: f64, y: f64| Vec2::new(x, y);
        sketch.line(&[corner(0.0, 0.0), corner(0.1, 0.0), corner(0.1, 0.1)], ink);
        sketch.circle(corner(0.05, 0.05), 0.05, ink);
        sketch.label(corner(0.0, 0.1), "P1", ink.colour);
        let dir = tempfile::tempdir().unwrap();
        let draft = Draft::create(&dir.path().join("a.svg")).unwrap();
        draw(&sketch, &draft).unwrap();
        let path = draft.target().to_owned();
        draft.keep().unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        // A square drawing is as high as wide, except for margins and title.
        let height = rounded_i32(f64::from(WIDTH)) - 2 * MARGIN + 2 * MARGIN + TITLE;
        assert!(text.contains(&format!("height=\"{height}\"")), "{}", &text[..200]);
        assert!(text.contains("P1") && text.contains("r=\"570\""), "{text}");
    }
}
