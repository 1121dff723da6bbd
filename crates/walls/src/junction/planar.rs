//! Rigid bodies in a plane whose joints are lines: each body is advanced independently.
//!
//! [Tsai 1996, §6.5]. A body needs only the waves that left the other bodies one step ago. Every constraint
//! a·q̇₁ + b·q̇₂ = 0 is a line between the rates a·q̇₁ and −b·q̇₂. The mid-point rule conserves the energy of
//! bodies and lines up to rounding, for any Jacobian; the Jacobian is evaluated half a step ahead, so that the
//! joints drift only with the square of the step.

use nalgebra::Matrix3;

use super::joint::{Joint, PlanarPose};
use super::wave::TransmissionLine;

/// A rigid body in the plane.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RigidBody {
    /// Mass, kg.
    pub mass: f64,
    /// Moment of inertia about the centre of mass, kg·m².
    pub inertia: f64,
}

/// One side of a joint: the ground, or a body by index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JointSide {
    /// Fixed at the pose (0, 0, 0).
    Ground,
    /// The body with this index.
    Body(usize),
}

/// A joint of two sides, with its lines.
#[derive(Clone, Copy, PartialEq, Debug)]
struct JointLine {
    sides: [JointSide; 2],
    joint: Joint,
    lines: [TransmissionLine<1>; 2],
}

/// State of the joints after a step.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Strain {
    /// Largest constraint violation, m.
    pub error: f64,
    /// Largest force in a line, N.
    pub force: f64,
    /// Power into the lines from both ends, W.
    pub power: f64,
}

/// `B` bodies and `J` joints.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PlanarMechanism<const B: usize, const J: usize> {
    bodies: [RigidBody; B],
    links: [JointLine; J],
    /// Poses of the bodies: x, m, y, m, θ, rad.
    pub q: [PlanarPose; B],
    /// Rates of the poses, m/s and rad/s.
    pub rate: [PlanarPose; B],
    /// Constant generalized forces including weight, N and N·m.
    pub load: [PlanarPose; B],
}

impl<const B: usize, const J: usize> PlanarMechanism<B, J> {
    /// `bodies` at rest at the poses `q` under `load`, joined by lines of `impedance` N·s/m.
    ///
    /// # Panics
    /// A joint names a body that does not exist.
    #[must_use]
    pub fn new(
        bodies: [RigidBody; B],
        q: [PlanarPose; B],
        load: [PlanarPose; B],
        joints: [([JointSide; 2], Joint); J],
        impedance: f64,
    ) -> Self {
        let named = joints.iter().flat_map(|(sides, _)| sides);
        assert!(named.into_iter().all(|s| !matches!(s, JointSide::Body(i) if *i >= B)));
        let lines = [TransmissionLine::new(impedance); 2];
        let links = joints.map(|(sides, joint)| JointLine { sides, joint, lines });
        Self { bodies, links, q, rate: [PlanarPose::zeros(); B], load }
    }

    fn pose(&self, side: JointSide, q: &[PlanarPose; B]) -> PlanarPose {
        match side {
            JointSide::Ground => PlanarPose::zeros(),
            JointSide::Body(i) => q[i],
        }
    }

    /// Advances one step of `h` s.
    pub fn step(&mut self, h: f64) -> Strain {
        let mut middle = self.q;
        for (q, rate) in middle.iter_mut().zip(&self.rate) {
            *q += rate * (0.5 * h);
        }
        let mass = |body: &RigidBody| PlanarPose::new(body.mass, body.mass, body.inertia);
        let mut matrix = self.bodies.map(|b| Matrix3::from_diagonal(&mass(&b)));
        let mut rhs: [PlanarPose; B] = std::array::from_fn(|i| {
            mass(&self.bodies[i]).component_mul(&self.rate[i]) + self.load[i] * (0.5 * h)
        });
        let rows = self.links.map(|link| {
            let q = link.sides.map(|side| self.pose(side, &middle));
            link.joint.rows([&q[0], &q[1]])
        });
        for (link, rows) in self.links.iter().zip(&rows) {
            for (row, line) in rows.iter().zip(&link.lines) {
                let port = line.port();
                for (end, sign) in [(0, 1.0), (1, -1.0)] {
                    let JointSide::Body(i) = link.sides[end] else { continue };
                    let a = row.gradients[end];
                    matrix[i] += a * a.transpose() * (0.5 * h * port.impedance());
                    rhs[i] += a * (0.5 * h * sign * port.drive(line.arriving()[end]));
                }
            }
        }
        // Positive definite: a mass matrix plus squares.
        let mean: [PlanarPose; B] = std::array::from_fn(|i| {
            matrix[i].cholesky().map_or(self.rate[i], |c| c.solve(&rhs[i]))
        });
        let mut strain = Strain::default();
        for (link, rows) in self.links.iter_mut().zip(&rows) {
            for (row, line) in rows.iter().zip(&mut link.lines) {
                let (port, arriving) = (*line.port(), line.arriving());
                let leaving = [(0, 1.0), (1, -1.0)].map(|(end, sign)| {
                    let speed = match link.sides[end] {
                        JointSide::Ground => 0.0,
                        JointSide::Body(i) => sign * row.gradients[end].dot(&mean[i]),
                    };
                    let force = port.force(arriving[end], speed);
                    strain.force = strain.force.max(force.abs());
                    strain.power -= force * speed;
                    port.leaving(arriving[end], speed)
                });
                line.send(leaving);
            }
        }
        for (i, mean) in mean.into_iter().enumerate() {
            self.q[i] += mean * h;
            self.rate[i] = mean * 2.0 - self.rate[i];
        }
        strain.error = self.error();
        strain
    }

    /// Largest constraint violation, m.
    #[must_use]
    pub fn error(&self) -> f64 {
        let values = self.links.iter().flat_map(|link| {
            let q = link.sides.map(|side| self.pose(side, &self.q));
            link.joint.rows([&q[0], &q[1]])
        });
        values.map(|row| row.value.abs()).fold(0.0, f64::max)
    }

    /// Kinetic energy and potential energy of the loads, J.
    #[must_use]
    pub fn energy(&self) -> f64 {
        let of = |i: usize| {
            let (b, v) = (&self.bodies[i], self.rate[i]);
            0.5 * (b.mass * (v.x * v.x + v.y * v.y) + b.inertia * v.z * v.z)
                - self.load[i].dot(&self.q[i])
        };
        (0..B).map(of).sum()
    }

    /// Energy in the lines between steps of `h` s, J.
    #[must_use]
    pub fn stored(&self, h: f64) -> f64 {
        self.links.iter().flat_map(|l| &l.lines).map(|line| line.energy(h)).sum()
    }
}
