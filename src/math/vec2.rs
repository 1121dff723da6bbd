//! Vectors of the plane: x toward the strings, y up; angles counter-clockwise.

use std::ops::{Add, Mul, Neg, Sub};

/// A plane vector, components in metres (or their rates).
#[derive(Clone, Copy, PartialEq, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Vec2 {
    /// Horizontal component, positive toward the strings.
    pub x: f64,
    /// Vertical component, positive up.
    pub y: f64,
}

impl Vec2 {
    /// The vector (x, y).
    #[must_use]
    pub const fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    /// Unit vector at `angle` radians from the x axis.
    #[must_use]
    pub fn unit(angle: f64) -> Self {
        let (y, x) = angle.sin_cos();
        Self { x, y }
    }

    /// Scalar product.
    #[inline]
    #[must_use]
    pub const fn dot(self, other: Self) -> f64 {
        self.x * other.x + self.y * other.y
    }

    /// Third component of the vector product.
    #[inline]
    #[must_use]
    pub const fn cross(self, other: Self) -> f64 {
        self.x * other.y - self.y * other.x
    }

    /// Turned by +90°: the velocity of a point at `self` from a pivot turning at 1 rad/s.
    #[inline]
    #[must_use]
    pub const fn perp(self) -> Self {
        Self { x: -self.y, y: self.x }
    }

    /// Turned by the angle whose cosine and sine are the components of the unit vector `by`.
    #[inline]
    #[must_use]
    pub const fn turned(self, by: Self) -> Self {
        Self { x: self.x * by.x - self.y * by.y, y: self.x * by.y + self.y * by.x }
    }

    /// Squared length.
    #[inline]
    #[must_use]
    pub const fn norm_squared(self) -> f64 {
        self.dot(self)
    }

    /// Angle from the x axis, radians in (−π, π].
    #[must_use]
    pub fn angle(self) -> f64 {
        self.y.atan2(self.x)
    }
}

impl Add for Vec2 {
    type Output = Self;
    #[inline]
    fn add(self, o: Self) -> Self {
        Self::new(self.x + o.x, self.y + o.y)
    }
}

impl Sub for Vec2 {
    type Output = Self;
    #[inline]
    fn sub(self, o: Self) -> Self {
        Self::new(self.x - o.x, self.y - o.y)
    }
}

impl Neg for Vec2 {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self::new(-self.x, -self.y)
    }
}

impl Mul<f64> for Vec2 {
    type Output = Self;
    #[inline]
    fn mul(self, s: f64) -> Self {
        Self::new(self.x * s, self.y * s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turning_by_a_unit_vector_adds_angles() {
        let v = Vec2::unit(0.3).turned(Vec2::unit(0.4));
        assert!((v.angle() - 0.7).abs() < 1e-15);
        assert!((Vec2::unit(0.3).perp().angle() - 0.3 - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
        assert!((Vec2::new(2.0, 0.0).cross(Vec2::new(1.0, 3.0)) - 6.0).abs() < 1e-15);
    }
}
