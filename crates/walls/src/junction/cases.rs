//! One small mechanism for each planar joint, under constant loads [Tsai 1996, §6.5, B].

use nalgebra::Vector2;
use touchback_core::exchange::cancel;

use super::joint::{Joint, PlanarPose};
use super::planar::{JointSide, PlanarMechanism, RigidBody};

const GROUND: JointSide = JointSide::Ground;
const FIRST: JointSide = JointSide::Body(0);
const SECOND: JointSide = JointSide::Body(1);
/// Every body: 1 kg, as a rod of 1 m.
const ROD: RigidBody = RigidBody { mass: 1.0, inertia: 1.0 / 12.0 };
/// A pin on the ground at the origin.
const PIN: ([JointSide; 2], Joint) =
    ([GROUND, FIRST], Joint::Revolute([Vector2::new(0.0, 0.0); 2]));

/// The result of a run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CaseResult {
    /// Largest constraint violation, m.
    pub error: f64,
    /// Largest force in a line, N.
    pub force: f64,
    /// Change of the energy of bodies and lines together over the run, J.
    pub energy: f64,
    /// Least energy in the lines at any step, J; negative if the lines created energy.
    pub least: f64,
}

/// Runs `mechanism` for `seconds` in steps of `h` s.
fn run<const B: usize, const J: usize>(
    mut mechanism: PlanarMechanism<B, J>,
    h: f64,
    seconds: f64,
) -> CaseResult {
    let start = mechanism.energy() + mechanism.stored(h);
    let (mut error, mut force, mut put_in, mut least) = (0.0f64, 0.0f64, 0.0, 0.0f64);
    for _ in 0..touchback_core::math::cast::floor_index(seconds / h) {
        cancel::check();
        let strain = mechanism.step(h);
        error = error.max(strain.error);
        force = force.max(strain.force);
        put_in += strain.power * h;
        least = least.min(put_in);
    }
    let energy = mechanism.energy() + mechanism.stored(h) - start;
    CaseResult { error, force, energy, least }
}

/// Name and result of each case over 0.5 s, with lines of `impedance` N·s/m and steps of `h` s.
#[must_use]
pub fn all(impedance: f64, h: f64) -> [(&'static str, CaseResult); 8] {
    let zero = PlanarPose::zeros();
    let weight = PlanarPose::new(0.0, -9.81, 0.0);
    let turn = |torque: f64| PlanarPose::new(0.0, 0.0, torque);
    let origin = Vector2::zeros();
    let slope = Vector2::new(0.6, 0.8);
    let second = |joint| ([FIRST, SECOND], joint);
    let guide = |normal: Vector2<f64>| {
        let joint = Joint::Prismatic { points: [origin; 2], normal, angle: 0.0, length: 1.0 };
        ([GROUND, SECOND], joint)
    };
    // A horizontal rod hung at its end.
    let end = Joint::Revolute([origin, Vector2::new(-0.5, 0.0)]);
    let revolute = PlanarMechanism::new(
        [ROD],
        [PlanarPose::new(0.5, 0.0, 0.0)],
        [weight],
        [([GROUND, FIRST], end)],
        impedance,
    );
    // A block on a slope.
    let rail = Joint::Prismatic { points: [origin; 2], normal: slope, angle: 0.0, length: 1.0 };
    let prismatic =
        PlanarMechanism::new([ROD], [zero], [weight], [([GROUND, FIRST], rail)], impedance);
    // A crank with a slot in which a block's pin slides.
    let slot = Joint::RevoluteTranslational { points: [origin; 2], normal: Vector2::y() };
    let crank = PlanarMechanism::new(
        [ROD; 2],
        [zero, PlanarPose::new(0.3, 0.0, 0.0)],
        [turn(0.5), zero],
        [PIN, second(slot)],
        impedance,
    );
    let wheel = PlanarPose::new(0.35, 0.0, 0.0);
    let axle =
        ([GROUND, SECOND], Joint::Revolute([Vector2::new(0.35, 0.0), Vector2::new(0.0, 0.0)]));
    let gear = PlanarMechanism::new(
        [ROD; 2],
        [zero, wheel],
        [turn(0.5), zero],
        [PIN, axle, second(Joint::Gear([0.1, 0.25]))],
        impedance,
    );
    let rack = PlanarMechanism::new(
        [ROD; 2],
        [zero; 2],
        [turn(0.5), zero],
        [PIN, guide(Vector2::y()), second(Joint::Rack(0.1))],
        impedance,
    );
    let follower = |height: f64, joint| {
        PlanarMechanism::new(
            [ROD; 2],
            [zero, PlanarPose::new(0.0, height, 0.0)],
            [turn(0.5), PlanarPose::new(0.0, -2.0, 0.0)],
            [PIN, guide(Vector2::x()), second(joint)],
            impedance,
        )
    };
    let cam = follower(0.17, Joint::Cam { radius: 0.2, offset: 0.03 });
    let flat = follower(0.2, Joint::FlatCam { base: 0.2, lift: 0.03 });
    // A weight on a horizontal massless rod.
    let points = [origin; 2];
    let rod = PlanarMechanism::new(
        [ROD],
        [PlanarPose::new(0.5, 0.0, 0.0)],
        [weight],
        [([GROUND, FIRST], Joint::RevoluteRevolute { points, length: 0.5 })],
        impedance,
    );
    let seconds = 0.5;
    [
        ("prismatic", run(prismatic, h, seconds)),
        ("revolute", run(revolute, h, seconds)),
        ("revolute-translational", run(crank, h, seconds)),
        ("gear", run(gear, h, seconds)),
        ("rack and pinion", run(rack, h, seconds)),
        ("cam and follower", run(cam, h, seconds)),
        ("cam and flat-faced follower", run(flat, h, seconds)),
        ("revolute-revolute", run(rod, h, seconds)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[ignore = "long: `.ci/run` runs it"]
    fn every_joint_deforms_as_a_spring_and_its_lines_create_no_energy() {
        let (z, h) = (50.0, 1e-4);
        let fine = all(z, 0.5 * h);
        for ((name, found), (_, fine)) in all(z, h).iter().zip(&fine) {
            // Stiffness Z/T in the line, and the drift of the joint itself.
            assert!(found.error <= 1.05 * found.force * h / z, "{name}: {found:?}");
            assert!(fine.error < 0.7 * found.error, "{name}: {found:?} {fine:?}");
            assert!(found.energy.abs() < 1e-9 && found.least > -1e-12, "{name}: {found:?}");
        }
    }
}
