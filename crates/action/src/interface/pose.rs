//! Where the parts of an action are: for drawing, never on the audio path.

use touchback_core::math::vec2::Vec2;

/// One part as a line through points, m; x toward the strings, y up.
#[derive(Clone, PartialEq, Debug)]
pub struct Part {
    /// What it is.
    pub name: &'static str,
    /// Its corners in order; a single one is a point.
    pub points: Vec<Vec2>,
}

/// All parts of one key's action at one moment.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Pose {
    /// In the order of drawing.
    pub parts: Vec<Part>,
}

impl Pose {
    /// With one more part.
    #[must_use]
    pub fn with(mut self, name: &'static str, points: impl Into<Vec<Vec2>>) -> Self {
        self.parts.push(Part { name, points: points.into() });
        self
    }
}
