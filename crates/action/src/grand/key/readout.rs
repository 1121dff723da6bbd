//! Readings of a key of the grand: the nine coordinates of the thesis, forces and energies.

use crate::grand::equations::drive::DriveNow;
use crate::grand::equations::evaluation::Evaluation;
use crate::grand::equations::kinematics::Kinematics;
use crate::grand::equations::precomputed::Precomputed;
use crate::grand::equations::{elements, energy};
use crate::grand::{Phase, STATES, state};
use crate::interface::elements::{Elements, Losses};
use crate::{Readout, STEP};
use touchback_core::episode::State;

/// Readings of a key in the state `running` under the drive `input` of the same instant.
#[must_use]
pub fn readout(n: &Precomputed, running: &State<Phase, STATES>, input: &DriveNow) -> Readout {
    let State { phase, x } = running;
    let free = Evaluation::new(n, &(*phase).into(), input, x);
    let held = free.friction(n, input, x, STEP);
    let evaluation = free.with_friction(n, &held, input, x);
    let k = &evaluation.kinematics;
    let (q, q_rate) = coordinates(n, k, x);
    Readout {
        phase: phase.name(),
        key: k.depth,
        key_speed: n.key.front * k.u[0],
        key_force: evaluation.key_force,
        contact_force: evaluation.contacts.jack.force,
        hammer: n.hammer.crown * x[state::HAMMER],
        hammer_speed: n.hammer.crown * k.u[1],
        shank_bend: n.hammer.crown * n.bend_share * x[state::BEND],
        q,
        q_rate,
        kinetic: energy::kinetic(n, k, x),
        potential: energy::potential(n, *phase, k, x, input.tray),
        dissipated: x[state::DISSIPATED],
        work: x[state::WORK],
        losses: Losses::new(&elements::ELEMENTS, &elements::values(n, &free, input, x, STEP)),
        valve: f64::NAN,
    }
}

/// Force and dissipated power of every element of a key in the state `running` under the drive `input` of the same
/// instant.
#[must_use]
pub(crate) fn elements_of(
    n: &Precomputed,
    running: &State<Phase, STATES>,
    input: &DriveNow,
) -> Elements {
    let State { phase, x } = running;
    let free = Evaluation::new(n, &(*phase).into(), input, x);
    Elements::new(&elements::ELEMENTS, elements::values(n, &free, input, x, STEP))
}

/// q1…q9 and their rates. q8 is the horizontal distance of the toe from the button's centre line.
fn coordinates(n: &Precomputed, k: &Kinematics, x: &[f64; STATES]) -> ([f64; 9], [f64; 9]) {
    let (w5, w6) = (k.wippen_speed(), k.jack_speed());
    let toe = n.jack.toe.turned(k.jack.direction);
    // Speed of the contact point along the shank.
    let along = k.head.axis.dot(k.butt);
    let q9_rate = (k.to_jack.perp() * w5 + k.head.from_jack.perp() * w6).dot(k.butt)
        - k.q4_rate() * along
        + k.butt_speed * k.head.from_hammer.dot(k.butt.perp());
    let q = [
        x[state::KEY],
        x[state::HAMMER],
        x[state::LEVER],
        k.head.q4,
        k.wippen.angle(),
        k.jack.direction.angle(),
        k.q7,
        n.wippen.pivot.x + k.to_jack.x + toe.x - n.jack.button_x,
        k.head.q9,
    ];
    let rates = [
        k.u[0],
        k.u[1],
        k.u[2],
        k.q4_rate(),
        w5,
        w6,
        k.r7 * k.u[0],
        -k.to_jack.y * w5 - toe.y * w6,
        q9_rate,
    ];
    (q, rates)
}
