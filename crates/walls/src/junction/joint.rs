//! Constraints between two planar bodies, and their Jacobians [Tsai 1996, table 6.1, app. B].
//!
//! Poses are (x, y, θ), m and rad. A constraint c(q₁, q₂) = 0 has the rate a·q̇₁ + b·q̇₂. Every row is scaled
//! to m, so that one impedance in N·s/m applies to all.

use arrayvec::ArrayVec;
use nalgebra::{Vector2, Vector3};

use touchback_core::math::power::square;

/// A pose (x, m, y, m, θ, rad), or its rate.
pub type PlanarPose = Vector3<f64>;

/// Value c, m, and gradients a, b of one constraint.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Constraint {
    /// c, m.
    pub value: f64,
    /// Gradients with respect to the first and the second body's pose.
    pub gradients: [PlanarPose; 2],
}

/// A joint of two bodies; points and directions are in each body's own frame.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Joint {
    /// A point of each body coincides with one of the other.
    Revolute([Vector2<f64>; 2]),
    /// The second body's point slides on a line fixed to the first body, without relative rotation.
    Prismatic {
        /// A point of each; the first lies on the line.
        points: [Vector2<f64>; 2],
        /// The line's unit normal, on the first body.
        normal: Vector2<f64>,
        /// θ₂ − θ₁, rad.
        angle: f64,
        /// Length that scales the angle's row to m.
        length: f64,
    },
    /// The second body's point slides on a line fixed to the first body and rotates freely.
    RevoluteTranslational {
        /// A point of each; the first lies on the line.
        points: [Vector2<f64>; 2],
        /// The line's unit normal, on the first body.
        normal: Vector2<f64>,
    },
    /// A point of each body at a constant distance: a massless rod with a pin at either end.
    RevoluteRevolute {
        /// A point of each.
        points: [Vector2<f64>; 2],
        /// Distance of the two points, m, above 0.
        length: f64,
    },
    /// Wheels in mesh: r₁θ₁ + r₂θ₂ = 0.
    Gear([f64; 2]),
    /// The first body is the pinion of this radius, the second a rack moving along x.
    Rack(f64),
    /// The first body is an eccentric disc, the second a follower that moves along y with its edge on the disc:
    /// y = √(r² − e² sin²θ) − e cos θ.
    Cam {
        /// r, m.
        radius: f64,
        /// e, m, below r.
        offset: f64,
    },
    /// An eccentric disc under the flat face of a follower: y = base + lift (1 − cos θ).
    FlatCam {
        /// Follower height at θ = 0, m.
        base: f64,
        /// Half the stroke, m.
        lift: f64,
    },
}

/// `v` rotated by 90° counter-clockwise.
fn perp(v: Vector2<f64>) -> Vector2<f64> {
    Vector2::new(-v.y, v.x)
}

/// `v` rotated by `angle` rad.
fn turned(v: Vector2<f64>, angle: f64) -> Vector2<f64> {
    let (sin, cos) = libm::sincos(angle);
    Vector2::new(cos * v.x - sin * v.y, sin * v.x + cos * v.y)
}

/// Position of a body's point, and its derivative with respect to θ.
fn point(q: &PlanarPose, own: Vector2<f64>) -> [Vector2<f64>; 2] {
    let arm = turned(own, q.z);
    [Vector2::new(q.x, q.y) + arm, perp(arm)]
}

/// Gradient of n·p for a point whose derivative with respect to θ is `turn`.
fn along(n: Vector2<f64>, turn: Vector2<f64>) -> PlanarPose {
    PlanarPose::new(n.x, n.y, n.dot(&turn))
}

/// Distance of the second body's point from the first body's line.
fn slide(q: [&PlanarPose; 2], points: &[Vector2<f64>; 2], normal: Vector2<f64>) -> Constraint {
    let [p1, turn1] = point(q[0], points[0]);
    let [p2, turn2] = point(q[1], points[1]);
    let n = turned(normal, q[0].z);
    let mut first = -along(n, turn1);
    first.z += perp(n).dot(&(p2 - p1));
    Constraint { value: n.dot(&(p2 - p1)), gradients: [first, along(n, turn2)] }
}

impl Joint {
    /// The joint's one or two constraints at the poses `q` of its bodies.
    #[must_use]
    pub fn rows(&self, q: [&PlanarPose; 2]) -> ArrayVec<Constraint, 2> {
        let mut rows = ArrayVec::new();
        let row = |value, a, b| Constraint { value, gradients: [a, b] };
        match self {
            Self::Revolute(points) => {
                let [p1, turn1] = point(q[0], points[0]);
                let [p2, turn2] = point(q[1], points[1]);
                for n in [Vector2::x(), Vector2::y()] {
                    rows.push(row(n.dot(&(p2 - p1)), -along(n, turn1), along(n, turn2)));
                }
            }
            Self::Prismatic { points, normal, angle, length } => {
                rows.push(slide(q, points, *normal));
                let turn = PlanarPose::z() * *length;
                rows.push(row(length * (q[1].z - q[0].z - angle), -turn, turn));
            }
            Self::RevoluteTranslational { points, normal } => {
                rows.push(slide(q, points, *normal));
            }
            Self::RevoluteRevolute { points, length } => {
                let [p1, turn1] = point(q[0], points[0]);
                let [p2, turn2] = point(q[1], points[1]);
                let distance = (p2 - p1).norm();
                let n = (p2 - p1) / distance;
                rows.push(row(distance - length, -along(n, turn1), along(n, turn2)));
            }
            Self::Gear([r1, r2]) => {
                let value = r1 * q[0].z + r2 * q[1].z;
                rows.push(row(value, PlanarPose::z() * *r1, PlanarPose::z() * *r2));
            }
            Self::Rack(radius) => {
                rows.push(row(
                    q[1].x - radius * q[0].z,
                    PlanarPose::z() * -radius,
                    PlanarPose::x(),
                ));
            }
            Self::Cam { radius, offset } => {
                let (s, c) = libm::sincos(q[0].z);
                let reach = (radius * radius - square(offset * s)).sqrt();
                let slope = offset * s - offset * offset * s * c / reach;
                rows.push(row(
                    q[1].y - reach + offset * c,
                    PlanarPose::z() * -slope,
                    PlanarPose::y(),
                ));
            }
            Self::FlatCam { base, lift } => {
                let (s, c) = libm::sincos(q[0].z);
                let value = q[1].y - base - lift * (1.0 - c);
                rows.push(row(value, PlanarPose::z() * (-lift * s), PlanarPose::y()));
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gradients_agree_with_differences_of_the_values() {
        let points = [Vector2::new(0.3, -0.2), Vector2::new(-0.1, 0.4)];
        let normal = Vector2::new(0.6, 0.8);
        let joints = [
            Joint::Revolute(points),
            Joint::Prismatic { points, normal, angle: 0.2, length: 0.5 },
            Joint::RevoluteTranslational { points, normal },
            Joint::Gear([0.1, 0.25]),
            Joint::Rack(0.3),
            Joint::RevoluteRevolute { points, length: 0.4 },
            Joint::Cam { radius: 0.2, offset: 0.05 },
            Joint::FlatCam { base: 0.2, lift: 0.05 },
        ];
        let q = [PlanarPose::new(0.1, 0.7, 0.9), PlanarPose::new(-0.4, 0.2, -1.3)];
        let e = 1e-6;
        for joint in joints {
            let rows = joint.rows([&q[0], &q[1]]);
            for (i, row) in rows.iter().enumerate() {
                for (body, axis) in (0..6).map(|j| (j / 3, j % 3)) {
                    let at = |e: f64| {
                        let mut moved = q;
                        moved[body][axis] += e;
                        joint.rows([&moved[0], &moved[1]])[i].value
                    };
                    let slope = (at(e) - at(-e)) / (2.0 * e);
                    let got = row.gradients[body][axis];
                    assert!((slope - got).abs() < 1e-9, "{joint:?} {i} {body} {axis}");
                }
            }
        }
    }
}
