//! Plane vectors: x toward the strings, y up, angles counter-clockwise.

use crate::math::real::Real;
use std::ops::{Add, Mul, Neg, Sub};

/// A plane vector; components in m, or in m/s for a velocity.
#[derive(Clone, Copy, PartialEq, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Vec2<R = f64> {
    /// Horizontal component, positive toward the strings.
    pub x: R,
    /// Vertical component, positive up.
    pub y: R,
}

impl<R> Vec2<R> {
    /// The vector (x, y).
    #[inline(always)]
    #[must_use]
    pub const fn new(x: R, y: R) -> Self {
        Self { x, y }
    }
}

impl Vec2 {
    /// Unit vector at the angle `angle` rad from the x axis.
    #[must_use]
    pub fn unit(angle: f64) -> Self {
        let (y, x) = libm::sincos(angle);
        Self { x, y }
    }

    /// Angle from the x axis, rad in (−π, π].
    #[must_use]
    pub fn angle(self) -> f64 {
        libm::atan2(self.y, self.x)
    }
}

impl<R: Real> Vec2<R> {
    /// `yes` in the lanes of `mask`, else `no`.
    #[inline(always)]
    #[must_use]
    pub fn select(mask: R::Mask, yes: Self, no: Self) -> Self {
        Self { x: R::select(mask, yes.x, no.x), y: R::select(mask, yes.y, no.y) }
    }

    /// Scalar product.
    #[inline(always)]
    #[must_use]
    pub fn dot(self, other: Self) -> R {
        self.x * other.x + self.y * other.y
    }

    /// Third component of the vector product.
    #[inline(always)]
    #[must_use]
    pub fn cross(self, other: Self) -> R {
        self.x * other.y - self.y * other.x
    }

    /// The vector rotated by +90°: the velocity of a point at `self` from a pivot that turns at 1 rad/s.
    #[inline(always)]
    #[must_use]
    pub fn perp(self) -> Self {
        Self { x: -self.y, y: self.x }
    }

    /// The vector rotated by the angle of the unit vector `by`.
    #[inline(always)]
    #[must_use]
    pub fn turned(self, by: Self) -> Self {
        Self { x: self.x * by.x - self.y * by.y, y: self.x * by.y + self.y * by.x }
    }

    /// Squared length.
    #[inline(always)]
    #[must_use]
    pub fn norm_squared(self) -> R {
        self.dot(self)
    }
}

impl<R: Real> Add for Vec2<R> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self::new(self.x + o.x, self.y + o.y)
    }
}

impl<R: Real> Sub for Vec2<R> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self::new(self.x - o.x, self.y - o.y)
    }
}

impl<R: Real> Neg for Vec2<R> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::new(-self.x, -self.y)
    }
}

impl<R: Real> Mul<R> for Vec2<R> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: R) -> Self {
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
