//! Drawings of actions: convex pieces of wood, felt and metal in metres, x toward the strings, y up. A
//! drawing is a pure function of a pose; [`paint`] draws it on the screen.

mod fill;
pub mod grand;
pub mod other;
pub mod paint;
pub mod transition;

use touchback_core::math::vec2::Vec2;

/// A body of the action, or the fixed frame around it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DrawnPart {
    /// Rails, flanges, screws and beds.
    Frame,
    /// The key with its capstan.
    Key,
    /// The backcheck on the key.
    Check,
    /// The damper with its lever.
    Damper,
    /// The wippen.
    Wippen,
    /// The repetition lever.
    Lever,
    /// The jack.
    Jack,
    /// The hammer with its shank and knuckle.
    Hammer,
    /// The string.
    String,
    /// The finger on the key.
    Finger,
}

/// Material of a piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Material {
    /// Wood, tinted by its part.
    Wood,
    /// The covering of a natural key.
    Ivory,
    /// Woven or pressed felt.
    Felt,
    /// The hammer's felt.
    HammerFelt,
    /// Buckskin and leather.
    Leather,
    /// Screws, wires, pins.
    Metal,
    /// Rails and frame: iron and wood.
    Rail,
    /// A player's skin.
    Skin,
}

/// A convex piece.
#[derive(Clone, PartialEq, Debug)]
pub struct DrawnPiece {
    /// The body of the piece; pieces of one body are drawn as one.
    pub part: DrawnPart,
    /// The material.
    pub material: Material,
    /// Corners of the convex outline in order, m, in world coordinates.
    pub outline: Vec<Vec2>,
}

/// A line: wire, spring or string.
#[derive(Clone, PartialEq, Debug)]
pub struct Wire {
    /// The body of the line.
    pub part: DrawnPart,
    /// Points of the line, m, in world coordinates.
    pub points: Vec<Vec2>,
    /// Thickness, m.
    pub thickness: f64,
}

/// A contact of two bodies.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Touching {
    /// Position, m.
    pub at: Vec2,
    /// Names of both bodies.
    pub name: &'static str,
    /// Compression of the felt, m.
    pub depth: f64,
}

/// A screw that can be turned by dragging.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Screw {
    /// Position of the handle, m.
    pub at: Vec2,
    /// The parameter it sets.
    pub parameter: &'static str,
    /// Change of the parameter, in its unit, per metre of upward drag.
    pub per_metre: f64,
}

/// A name beside a part.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Label {
    /// End of its pointer at the part, m.
    pub at: Vec2,
    /// Centre of the text, m.
    pub text_at: Vec2,
    /// The name.
    pub text: &'static str,
}

/// A small area of a drawing that is repeated in a larger scale.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Detail {
    /// Corners of the area, m.
    pub of: (Vec2, Vec2),
    /// Corners of the enlarged copy, m.
    pub at: (Vec2, Vec2),
    /// Name of the detail.
    pub name: &'static str,
}

/// The drawing of one action in one pose.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Drawing {
    /// Wood, felt and metal in the order of drawing.
    pub pieces: Vec<DrawnPiece>,
    /// Wires, drawn over the pieces of their part.
    pub wires: Vec<Wire>,
    /// Active contacts.
    pub touching: Vec<Touching>,
    /// Screws that can be dragged.
    pub screws: Vec<Screw>,
    /// Names of the parts.
    pub labels: Vec<Label>,
    /// The area that is repeated in a larger scale.
    pub detail: Option<Detail>,
    /// Where a finger touches the key, m, if that point is visible.
    pub key_front: Option<Vec2>,
}

impl Drawing {
    fn piece(&mut self, part: DrawnPart, material: Material, outline: Vec<Vec2>) {
        self.pieces.push(DrawnPiece { part, material, outline });
    }

    fn wire(&mut self, part: DrawnPart, thickness: f64, points: Vec<Vec2>) {
        self.wires.push(Wire { part, points, thickness });
    }

    fn label(&mut self, at: Vec2, text_at: Vec2, text: &'static str) {
        self.labels.push(Label { at, text_at, text });
    }

    /// Adds the finger, its tip `gap` m above the key.
    pub fn finger(&mut self, gap: f64) {
        if let Some(front) = self.key_front {
            let tip = front + Vec2::new(0.0, gap + 0.007);
            let outline = bar(tip, tip + Vec2::new(-0.003, 0.026), (0.007, 0.0082));
            self.piece(DrawnPart::Finger, Material::Skin, outline);
        }
    }

    fn touch(&mut self, at: Vec2, name: &'static str, depth: f64) {
        if depth > 0.0 {
            self.touching.push(Touching { at, name, depth });
        }
    }
}

/// A body's coordinate frame in the world.
#[derive(Clone, Copy, Debug)]
pub struct BodyFrame {
    /// The body's origin, m.
    pub origin: Vec2,
    /// Direction of its x axis.
    pub direction: Vec2,
}

impl BodyFrame {
    /// The frame at `origin` whose x axis points along `direction`.
    #[must_use]
    pub const fn new(origin: Vec2, direction: Vec2) -> Self {
        Self { origin, direction }
    }

    /// The world's frame.
    pub(crate) const WORLD: Self = Self::new(Vec2::new(0.0, 0.0), Vec2::new(1.0, 0.0));

    /// World position of the body's point (x, y).
    #[must_use]
    pub fn at(&self, x: f64, y: f64) -> Vec2 {
        self.origin + Vec2::new(x, y).turned(self.direction)
    }

    /// World positions of a list of the body's points.
    #[must_use]
    pub fn all(&self, points: &[(f64, f64)]) -> Vec<Vec2> {
        points.iter().map(|(x, y)| self.at(*x, *y)).collect()
    }

    /// A rectangle between two of the body's corners.
    #[must_use]
    pub(crate) fn rect(&self, (x0, y0): (f64, f64), (x1, y1): (f64, f64)) -> Vec<Vec2> {
        self.all(&[(x0, y0), (x1, y0), (x1, y1), (x0, y1)])
    }
}

/// A disc of `radius` m.
fn disc(centre: Vec2, radius: f64) -> Vec<Vec2> {
    ellipse(&BodyFrame::new(centre, Vec2::new(1.0, 0.0)), (radius, radius))
}

/// An ellipse about the origin of `frame` with its half axes.
fn ellipse(frame: &BodyFrame, (a, b): (f64, f64)) -> Vec<Vec2> {
    const CORNERS: u32 = 28;
    let corner = |i: u32| {
        let p = Vec2::unit(std::f64::consts::TAU * f64::from(i) / f64::from(CORNERS));
        frame.at(a * p.x, b * p.y)
    };
    (0..CORNERS).map(corner).collect()
}

/// A bar around two discs: their common tangents, and their outer arcs.
fn bar(from: Vec2, to: Vec2, (r0, r1): (f64, f64)) -> Vec<Vec2> {
    const CORNERS: u32 = 8;
    let along = to - from;
    let length = along.norm_squared().sqrt().max(1e-9);
    let axis = along * (1.0 / length);
    // Angle between the axis and the points where the tangents leave the discs.
    let leave = libm::acos(((r0 - r1) / length).clamp(-1.0, 1.0));
    let arc = |centre: Vec2, radius: f64, begin: f64, end: f64| {
        (0..=CORNERS).map(move |i| {
            let angle = begin + (end - begin) * f64::from(i) / f64::from(CORNERS);
            centre + Vec2::unit(angle).turned(axis) * radius
        })
    };
    let around = std::f64::consts::TAU - leave;
    arc(to, r1, -leave, leave).chain(arc(from, r0, leave, around)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twice the signed area at each corner has one sign.
    fn is_convex(outline: &[Vec2]) -> bool {
        let n = outline.len();
        let turns: Vec<f64> = (0..n)
            .map(|i| {
                let (a, b, c) = (outline[i], outline[(i + 1) % n], outline[(i + 2) % n]);
                (b - a).cross(c - b)
            })
            .collect();
        turns.iter().all(|t| *t >= -1e-12) || turns.iter().all(|t| *t <= 1e-12)
    }

    #[test]
    fn round_pieces_are_convex() {
        let (a, b) = (Vec2::new(0.1, 0.2), Vec2::new(0.3, -0.1));
        assert!(is_convex(&disc(a, 0.05)));
        assert!(is_convex(&bar(a, b, (0.01, 0.01))) && is_convex(&bar(a, b, (0.004, 0.02))));
        assert!(is_convex(&ellipse(&BodyFrame::new(a, Vec2::unit(0.4)), (0.02, 0.01))));
    }
}
