//! Positions of the parts of an action, for drawing; allocated, so not for the audio thread.

use touchback_core::math::vec2::Vec2;

/// One part as a polyline, m; x toward the strings, y up.
#[derive(Clone, PartialEq, Debug)]
pub struct Part {
    /// Name of the part.
    pub name: &'static str,
    /// Corners in order; one corner is a point.
    pub points: Vec<Vec2>,
}

/// Two points that can touch, m.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Touch {
    /// Name of the contact.
    pub name: &'static str,
    /// A point of each body.
    pub at: [Vec2; 2],
    /// Whether they touch.
    pub is_closed: bool,
}

/// All parts of one key's action at one instant.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Pose {
    /// The parts in the order of drawing.
    pub parts: Vec<Part>,
    /// The contacts; an action with a drawing of its own has none here.
    pub contacts: Vec<Touch>,
}

impl Pose {
    /// This pose with one more part.
    #[must_use]
    pub fn with(mut self, name: &'static str, points: impl Into<Vec<Vec2>>) -> Self {
        self.parts.push(Part { name, points: points.into() });
        self
    }
}
