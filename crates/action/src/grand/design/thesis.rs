//! The thesis's action: what its tables fix, and the rest consistent with its initial angles.
//!
//! Fixed by [Gillespie 1996, Tables 3.3–3.5]: L2, L3, L6, L8, L12, L18, springs k1, k3, k4, k6,
//! dampers b1, b8, masses m1…m4, the initial coordinates, the string at q2 = 0. The figure that
//! names the dimensions is lost, so what they do not fix was chosen: P2 and P3 follow from the
//! initial coordinates by closing the loops; the jack's lean and the
//! knuckle's depth give dq2/dq1 = 12.2 and carry the hammer through let-off against the drag of b8;
//! toe gap and knuckle edge put the transitions of the reference run at the printed times. The thesis has no
//! damper, no friction and no backcheck; its key bed and rest felts are out of the run's reach.

use crate::grand::design::concert::Built;
use crate::grand::design::regulation::{Limits, Regulated};
use crate::grand::design::spec::{
    Check, Damper, Hammer, Jack, Key, Lever, Shank, Spec, Wippen, rail_cloth,
};
use crate::grand::{GrandState, Phase, STATES, state};
use touchback_core::math::trig::direction;
use touchback_core::math::vec2::Vec2;
use touchback_core::mech::felt::Felt;

/// Initial coordinates q1…q9 [Table 3.5].
pub const INITIAL: [f64; 9] =
    [-0.034_73, -0.356_22, -0.385_72, 0.0, -0.036_84, -0.389_557, 0.062_23, -2.54e-5, 0.016_49];

/// Reference gesture: the manipulandum's angle D, rad, at times, s.
pub const REFERENCE: [(f64, f64); 4] =
    [(0.0, -0.0335), (0.1, -0.0335), (0.18, -0.0055), (0.4, -0.0055)];

/// Jack lean: dq2/dq1 is 12.2 in the initial configuration, rad.
const LEAN: f64 = 0.1;

/// Toe below the button's face at the start, m.
const TOE_GAP: f64 = 3.3e-3;

/// Where the jack slips off the knuckle, from P3 along the shank, m.
const KNUCKLE_EDGE: f64 = 0.0113;

/// The thesis's key.
#[must_use]
pub fn build() -> Built {
    let [q1, q2, q3, _, q5, q6, q7, q8, q9] = INITIAL;
    let (key, hammer, wippen, jack) = (direction(q1), direction(q2), direction(q5), direction(q6));
    let capstan = Vec2::new(0.126, 0.03);
    let heel = 0.02;
    // S1: the capstan lies at (−q7, −heel) of the wippen.
    let wippen_pivot = capstan.turned(key) - Vec2::new(-q7, -heel).turned(wippen);
    let jack_pivot = Vec2::new(-0.1001, 0.0025);
    let lever_pivot = Vec2::new(-0.0493, 0.0225);
    let length = 0.0556;
    let knuckle_depth = 4e-3;
    let fly = direction(LEAN).perp().turned(jack);
    let centre = wippen_pivot + jack_pivot.turned(wippen);
    // S3: the head lies at (q9, −depth) of the hammer.
    let hammer_pivot = centre + fly * length - Vec2::new(q9, -knuckle_depth).turned(hammer);
    let toe = Vec2::new(-0.025, 0.0);
    let toe_at = centre + toe.turned(jack);
    // The lever's surface lies under the knuckle, parallel to it.
    let surface_angle = q2 - q3;
    let lowest = hammer_pivot + Vec2::new(0.0170, -knuckle_depth).turned(hammer);
    let lever_centre = wippen_pivot + lever_pivot.turned(wippen);
    let surface_height = (lowest - lever_centre).dot(hammer.perp());
    let spring = |stiffness: f64, damping: f64| Felt::new(stiffness, 1.0, damping);
    let spec = Spec {
        key: Key {
            front: 0.2286,
            // m2 spread along the key: 0.120 kg at a radius of gyration of L3/2 (chosen).
            inertia: 0.120 * 0.063 * 0.063,
            lead_torque: 0.0,
            rest_angle: q1,
            dip: 0.01,
            capstan,
            bed_felt: Felt { hysteresis: 0.3, ..Felt::new(1.6e6, 1.5, 0.6) },
            rest_felt: Felt { hysteresis: 0.4, ..Felt::new(4e5, 1.5, 1.5) },
            rest_compression: 0.0,
            friction: 0.0,
            capstan_friction: 0.0,
        },
        wippen: Wippen {
            pivot: wippen_pivot,
            heel,
            jack_pivot,
            lever_pivot,
            // Massless but for m3 at RR and m4 at JJ.
            mass: 0.0,
            centre: Vec2::default(),
            inertia: 1e-7,
        },
        jack: Jack {
            length,
            lean: LEAN,
            toe,
            mass: 0.05,
            centre: Vec2::default(),
            inertia: 1e-6,
            stop: q6 - q5,
            // k5 read as the jack spring's rate, N·m/rad, unloaded on the stop.
            spring_torque: 0.0,
            spring_rate: 0.35,
            button_height: toe_at.y + TOE_GAP,
            button_x: toe_at.x - q8,
            button_friction: 0.0,
            corner: 0.0,
            corner_radius: 0.0,
            window: 0.0,
            stop_felt: spring(0.0, 0.0),
            button_felt: spring(0.0, 0.0),
        },
        lever: Lever {
            surface_angle,
            surface_height,
            mass: 0.01,
            centre: Vec2::default(),
            // A point mass at the hinge turns freely: a slender lever of 0.1 m instead.
            inertia: 0.01 * 0.1 * 0.1 / 12.0,
            stop: q3 - q5,
            travel: 0.0,
            // k6 at the lever's bed, 0.0544 m from RR: N·m/rad.
            stop_felt: spring(600.0 * 0.0544 * 0.0544, 0.1),
            spring_torque: 0.0,
            spring_rate: 0.0,
            damping: 5e-3,
            friction: 0.0,
            // k3, its damping chosen so that the hammer settles without striking twice.
            knuckle_felt: spring(600.0, 8.0),
            knuckle_friction: 0.0,
            drop_reach: 0.058,
            // No drop screw.
            drop_height: 1.0,
            drop_felt: spring(0.0, 0.0),
        },
        hammer: Hammer {
            pivot: hammer_pivot,
            crown: 0.13,
            knuckle: 0.0170,
            knuckle_depth,
            // A line along the shank: loop S3 of the thesis.
            knuckle_radius: 0.0,
            knuckle_edge: KNUCKLE_EDGE,
            mass: 0.014,
            centre: Vec2::new(0.0988, 0.0),
            inertia: 0.014 * 0.0988 * 0.0988,
            friction: 0.0,
            // k4.
            knuckle_felt: spring(2000.0, 0.0),
            knuckle_friction: 0.0,
            // b8, on the slide between jack and knuckle.
            slide_damping: 8.0,
            // The thesis has none; far below any motion of the run.
            rail: 0.1,
            rail_felt: spring(2000.0, 1.0),
            shank: Shank::default(),
        },
        check: Check {
            face: Vec2::new(1.0, 0.0),
            normal: 0.0,
            tail: Vec2::new(0.13, -0.02),
            felt: spring(0.0, 0.0),
            friction: 0.0,
        },
        damper: Damper {
            present: false,
            arm: 0.2,
            pickup: 1.0,
            mass: 0.03,
            weight: 0.3,
            damping: 0.0,
            friction: 0.0,
            lift_felt: Felt::new(6e5, 1.5, 1.0),
            seat_felt: Felt::new(4e5, 1.5, 2.0),
            top: 1.0,
            top_felt: rail_cloth(),
            clear: 1.5e-3,
            tray: 8e-3,
        },
        // The thesis reverses the hammer's speed: a stiff, nearly lossless string.
        string: Felt { hysteresis: 0.02, ..Felt::new(3e6, 1.5, 0.0) },
        coupling: [200.0, 0.82],
    };
    let regulated = Regulated {
        let_off_depth: spec.key.dip,
        aftertouch: 0.0,
        rest: [q1, q2, q3],
        upward_force: 0.0,
        limits: Limits::default(),
    };
    Built { spec, regulated }
}

/// Phase A at the printed initial coordinates, at rest.
#[must_use]
pub fn initial() -> GrandState {
    let mut x = [0.0; STATES];
    x[state::KEY] = INITIAL[0];
    x[state::HAMMER] = INITIAL[1];
    x[state::LEVER] = INITIAL[2];
    GrandState { phase: Phase::Acceleration, x }
}
