//! Kinetic and potential energy of one key, J.

use crate::GRAVITY;
use crate::grand::equations::contact;
use crate::grand::equations::dynamics::WippenCoupling;
use crate::grand::equations::kinematics::Kinematics;
use crate::grand::equations::precomputed::Precomputed;
use crate::grand::{Phase, STATES, state};

/// Kinetic energy of all bodies, J.
#[must_use]
pub fn kinetic(n: &Precomputed, k: &Kinematics, x: &[f64; STATES]) -> f64 {
    let (w5, w6, u) = (k.wippen_speed(), k.jack_speed(), k.u);
    let coupling = WippenCoupling::new(n, k);
    0.5 * (n.key.inertia * u[0] * u[0]
        + n.head_inertia * u[1] * u[1]
        + n.butt_inertia * k.butt_speed * k.butt_speed
        + n.lever.inertia * u[2] * u[2]
        + n.wippen_inertia * w5 * w5
        + n.jack.inertia * w6 * w6
        + n.damper.mass * x[state::DAMPER_SPEED] * x[state::DAMPER_SPEED])
        + w5 * (coupling.jack[0] * w6 + coupling.lever[0] * u[2])
}

/// Potential energy of weights, springs and the elastic part of the felts, J.
#[must_use]
pub fn potential(
    n: &Precomputed,
    phase: Phase,
    k: &Kinematics,
    x: &[f64; STATES],
    tray: f64,
) -> f64 {
    let weights = n.wippen_weight.turned(k.wippen).y
        + GRAVITY * (n.jack_moment.turned(k.jack.direction).y + n.lever_moment.turned(k.lever).y)
        + n.hammer_weight.turned(k.hammer).y
        - n.key.lead_torque * (x[state::KEY] - n.key.rest_angle);

    let lever_turn = k.lever_turn(n);
    let crown = n.hammer.crown * x[state::HAMMER];
    let on_damper = contact::damper(n, k, x, tray);
    let mut stored = n.lever.spring_torque * lever_turn
        + 0.5 * n.lever.spring_rate * lever_turn * lever_turn
        + n.lever.stop_felt.energy(-lever_turn)
        + n.lever.stop_felt.energy(lever_turn - n.lever.travel)
        + n.lever.drop_felt.energy(contact::drop_screw(n, k).0.depth)
        + n.lever.knuckle_felt.energy(contact::knuckle_on_lever(n, k).compression.depth)
        + n.check.felt.energy(contact::check_depth(n, k))
        + n.string.energy(crown)
        + n.hammer.rail_felt.energy(-crown - n.hammer.rail)
        + n.key.bed_felt.energy(k.depth - n.key.dip)
        + n.key.rest_felt.energy(n.key.rest_compression - k.depth)
        + n.damper.weight * x[state::DAMPER]
        + n.damper.lift_felt.energy(on_damper.lift.depth)
        + n.damper.seat_felt.energy(on_damper.seat.depth)
        + n.damper.lift_felt.energy(on_damper.tray.depth)
        + n.damper.top_felt.energy(on_damper.top.depth)
        + 0.5 * n.hammer.shank.stiffness * k.bend * k.bend;
    let free = !n.is_rigid();
    if phase.jack_drives() || free {
        let squeezed = if free { k.head.q4 } else { k.head.q4.abs() };
        stored += n.hammer.knuckle_felt.energy(squeezed);
    }
    if free {
        let turn = x[state::JACK];
        stored += n.jack.stop_felt.energy(-turn)
            + n.jack.stop_felt.energy(turn - n.jack.window)
            + n.jack.button_felt.energy(contact::toe_on_button(n, k).depth);
    }
    if free || !matches!(phase, Phase::Acceleration | Phase::Return) {
        let turn = if free { x[state::JACK] } else { k.jack_turn(n) };
        stored += n.jack.spring_torque * turn + 0.5 * n.jack.spring_rate * turn * turn;
    }
    weights + stored
}

/// Sum of kinetic and potential energy, J.
#[must_use]
pub fn total(n: &Precomputed, phase: Phase, k: &Kinematics, x: &[f64; STATES], tray: f64) -> f64 {
    kinetic(n, k, x) + potential(n, phase, k, x, tray)
}
