//! The double pendulum [Tsai 1996, §6.5.5, app. D]: two equal rods, each a body of its own.
//!
//! The source's values are not public; here each rod is uniform, has 1 kg and 1 m, and starts at rest,
//! horizontal (90° from hanging).

use nalgebra::{Matrix2, Vector2};
use touchback_core::exchange::cancel;

use super::joint::{Joint, PlanarPose};
use super::planar::{JointSide, PlanarMechanism, RigidBody};

/// Gravity, m/s².
const GRAVITY: f64 = 9.81;
/// Angles of the rods from hanging at the start, rad.
const START: f64 = std::f64::consts::FRAC_PI_2;

/// The pendulum with lines of `impedance` N·s/m; pose angles are the rods' angles from hanging.
#[must_use]
pub fn on_lines(impedance: f64) -> PlanarMechanism<2, 2> {
    let rod = RigidBody { mass: 1.0, inertia: 1.0 / 12.0 };
    let (top, bottom) = (Vector2::new(0.0, 0.5), Vector2::new(0.0, -0.5));
    // A rod at the angle θ hangs from its top towards (sin θ, −cos θ).
    let q = [PlanarPose::new(0.5, 0.0, START), PlanarPose::new(1.5, 0.0, START)];
    let load = [PlanarPose::new(0.0, -GRAVITY, 0.0); 2];
    let joints = [
        ([JointSide::Ground, JointSide::Body(0)], Joint::Revolute([Vector2::zeros(), top])),
        ([JointSide::Body(0), JointSide::Body(1)], Joint::Revolute([bottom, top])),
    ];
    PlanarMechanism::new([rod; 2], q, load, joints, impedance)
}

/// Energy difference between start and hanging, J: the unit of the drift.
#[must_use]
pub fn fall() -> f64 {
    GRAVITY * (0.5 + 1.5)
}

/// Rates of (θ₁, θ₂, θ₁', θ₂') from Lagrange's equations.
fn rates(x: &[f64; 4]) -> [f64; 4] {
    let [a, b, da, db] = *x;
    let (s, c) = libm::sincos(a - b);
    let mass = Matrix2::new(4.0 / 3.0, 0.5 * c, 0.5 * c, 1.0 / 3.0);
    let force = Vector2::new(
        -0.5 * s * db * db - 1.5 * GRAVITY * libm::sin(a),
        0.5 * s * da * da - 0.5 * GRAVITY * libm::sin(b),
    );
    // Determinant 4/9 − c²/4 > 0.
    let acceleration = mass.try_inverse().unwrap_or_else(Matrix2::zeros) * force;
    [da, db, acceleration[0], acceleration[1]]
}

/// The reference: angles from hanging, rad, `steps` steps of `h` s after the start, by fourth-order
/// Runge–Kutta on Lagrange's equations.
#[must_use]
pub fn reference(h: f64, steps: u32) -> [f64; 2] {
    let mut x = [START, START, 0.0, 0.0];
    let shifted = |x: &[f64; 4], k: &[f64; 4], s: f64| std::array::from_fn(|i| x[i] + s * k[i]);
    for _ in 0..steps {
        cancel::check();
        let k1 = rates(&x);
        let k2 = rates(&shifted(&x, &k1, 0.5 * h));
        let k3 = rates(&shifted(&x, &k2, 0.5 * h));
        let k4 = rates(&shifted(&x, &k3, h));
        for i in 0..4 {
            x[i] += h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]);
        }
    }
    [x[0], x[1]]
}

/// Largest error of an angle relative to [`reference()`], rad, drift of the bodies' energy, J, joint error, m,
/// and force in a line, N, over 0.5 s in steps of `h` s.
#[must_use]
pub fn compare(impedance: f64, h: f64) -> [f64; 4] {
    let mut lines = on_lines(impedance);
    let start = lines.energy();
    let (mut angle, mut energy, mut joint, mut force) = (0.0f64, 0.0f64, 0.0f64, 0.0f64);
    let steps = touchback_core::math::cast::floor_index(0.5 / h + 0.5);
    let stride = (steps / 50).max(1);
    let fine = 10;
    let h_fine = h / f64::from(fine);
    for k in 1..=steps {
        let strain = lines.step(h);
        energy = energy.max((lines.energy() - start).abs());
        joint = joint.max(strain.error);
        force = force.max(strain.force);
        if k % stride == 0 {
            let count = u32::try_from(k).unwrap_or(u32::MAX).saturating_mul(fine);
            let exact = reference(h_fine, count);
            for (q, exact) in lines.q.iter().zip(exact) {
                angle = angle.max((q.z - exact).abs());
            }
        }
    }
    [angle, energy, joint, force]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[ignore = "long: `.ci/run` runs it"]
    fn lines_converge_to_lagranges_solution_with_the_step() {
        let coarse = compare(20.0, 2e-4);
        let fine = compare(20.0, 1e-4);
        assert!(fine[0] < 0.01 * START, "{fine:?}");
        assert!(fine[1] < 1e-3 * fall() && fine[2] < 1e-3, "{fine:?}");
        assert!((0..3).all(|i| fine[i] < 0.7 * coarse[i]), "{coarse:?} {fine:?}");
    }

    #[test]
    fn bodies_and_lines_together_keep_their_energy() {
        let mut lines = on_lines(20.0);
        let start = lines.energy();
        for _ in 0..20_000 {
            lines.step(1e-4);
        }
        let end = lines.energy() + lines.stored(1e-4);
        assert!((end - start).abs() < 1e-9, "{start} {end}");
    }
}
