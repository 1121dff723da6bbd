//! Kinetic and stored energy of one key, J.

use super::contact;
use super::dynamics::Carried;
use super::kinematics::Kinematics;
use super::spec::{GRAVITY, Spec};
use super::{Phase, STATES, state};

/// Kinetic energy of all bodies.
#[must_use]
pub fn kinetic(spec: &Spec, k: &Kinematics, x: &[f64; STATES]) -> f64 {
    let (w5, w6, u) = (k.wippen_speed(), k.jack_speed(), k.u);
    let carried = Carried::new(spec, k);
    let damper = if spec.damper.present {
        spec.damper.mass * x[state::DAMPER_SPEED] * x[state::DAMPER_SPEED]
    } else {
        0.0
    };
    0.5 * (spec.key.inertia * u[0] * u[0]
        + spec.hammer.inertia * u[1] * u[1]
        + spec.lever.inertia * u[2] * u[2]
        + carried.wippen * w5 * w5
        + spec.jack.inertia * w6 * w6
        + damper)
        + w5 * (carried.jack[0] * w6 + carried.lever[0] * u[2])
}

/// Energy of weights, springs and the elastic part of the felts.
#[must_use]
pub fn potential(spec: &Spec, phase: Phase, k: &Kinematics, x: &[f64; STATES], tray: f64) -> f64 {
    let (w, h, l, d) = (&spec.wippen, &spec.hammer, &spec.lever, &spec.damper);
    let weights = GRAVITY
        * (w.mass * w.centre.turned(k.wippen).y
            + spec.jack.mass * (k.to_jack.y + spec.jack.centre.turned(k.jack.direction).y)
            + l.mass * (k.to_lever.y + l.centre.turned(k.lever).y)
            + h.mass * h.centre.turned(k.hammer).y)
        - spec.key.lead_torque * (x[state::KEY] - spec.key.rest_angle);

    let angle = contact::lever_angle(k, x);
    let raised = angle - l.stop;
    let mut stored = l.spring_torque * raised
        + 0.5 * l.spring_rate * raised * raised
        + l.stop_felt.energy(-raised)
        + l.stop_felt.energy(raised - l.travel)
        + l.drop_felt.energy(contact::drop_screw(spec, k).0.depth)
        + l.knuckle_felt.energy(contact::knuckle_on_lever(spec, k).squeeze.depth)
        + spec.check.felt.energy(contact::tail_on_check(spec, k).squeeze.depth)
        + spec.string.energy(h.crown * x[state::HAMMER])
        + h.rail_felt.energy(-h.crown * x[state::HAMMER] - h.rail)
        + spec.key.bed_felt.energy(k.depth - spec.key.dip)
        + spec.key.rest_felt.energy(spec.key.rest_compression - k.depth);
    if phase.jack_drives() {
        stored += h.knuckle_felt.energy(k.head.q4);
    }
    if !matches!(phase, Phase::Acceleration | Phase::Return) {
        let turn = k.jack_turn(spec);
        stored += spec.jack.spring_torque * turn + 0.5 * spec.jack.spring_rate * turn * turn;
    }
    if d.present {
        let around = contact::damper(spec, k, x, tray);
        stored += d.weight * x[state::DAMPER]
            + d.lift_felt.energy(around.lift.depth)
            + d.seat_felt.energy(around.seat.depth)
            + d.lift_felt.energy(around.tray.depth);
    }
    weights + stored
}

/// Kinetic and stored energy together.
#[must_use]
pub fn total(spec: &Spec, phase: Phase, k: &Kinematics, x: &[f64; STATES], tray: f64) -> f64 {
    kinetic(spec, k, x) + potential(spec, phase, k, x, tray)
}
