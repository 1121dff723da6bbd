//! What a key shows: the nine coordinates of the thesis, forces and energies.

use super::kinematics::Kinematics;
use super::moment::Moment;
use super::precomputed::Precomputed;
use super::{Phase, STATES, energy, state};

/// Everything a row of a run holds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Readout {
    /// Submodel.
    pub phase: Phase,
    /// Key-front depth, m.
    pub key: f64,
    /// Its speed, m/s.
    pub key_speed: f64,
    /// Force on the key front, N.
    pub key_force: f64,
    /// Jack on knuckle, along the jack, N.
    pub jack_force: f64,
    /// Crown above the string, m: negative below it.
    pub hammer: f64,
    /// Its speed, m/s.
    pub hammer_speed: f64,
    /// q1…q9, rad and m.
    pub q: [f64; 9],
    /// Their rates.
    pub q_rate: [f64; 9],
    /// Kinetic energy, J.
    pub kinetic: f64,
    /// Stored energy, J.
    pub potential: f64,
    /// Dissipated since the start, J.
    pub dissipated: f64,
    /// Work put in at the key since the start, J.
    pub work: f64,
}

impl Readout {
    /// Of the state `x` at the moment `m`.
    #[must_use]
    pub fn new(n: &Precomputed, phase: Phase, m: &Moment, x: &[f64; STATES], tray: f64) -> Self {
        let k = &m.kinematics;
        let (q, q_rate) = coordinates(n, k, x);
        Self {
            phase,
            key: k.depth,
            key_speed: n.front * k.u[0],
            key_force: m.key_force,
            jack_force: m.contacts.jack.force,
            hammer: n.crown * x[state::HAMMER],
            hammer_speed: n.crown * k.u[1],
            q,
            q_rate,
            kinetic: energy::kinetic(n, k, x),
            potential: energy::potential(n, phase, k, x, tray),
            dissipated: x[state::DISSIPATED],
            work: x[state::WORK],
        }
    }
}

/// q1…q9 and their rates. q8 is the toe's horizontal distance from the button's centre line.
fn coordinates(n: &Precomputed, k: &Kinematics, x: &[f64; STATES]) -> ([f64; 9], [f64; 9]) {
    let (w5, w6) = (k.wippen_speed(), k.jack_speed());
    let toe = n.toe.turned(k.jack.direction);
    // The meeting point's speed along the shank, as q9 measures it.
    let jack = k.to_jack - n.hammer_pivot;
    let along = k.head.axis.dot(k.hammer);
    let point = jack + k.head.axis * k.head.reach;
    let q9_rate = (k.to_jack.perp() * w5 + k.head.axis.perp() * (k.head.reach * w6)).dot(k.hammer)
        - k.q4_rate() * along
        + k.u[1] * point.dot(k.hammer.perp());
    let q = [
        x[state::KEY],
        x[state::HAMMER],
        x[state::LEVER],
        k.head.q4,
        k.wippen.angle(),
        k.jack.direction.angle(),
        k.q7,
        n.wippen_pivot.x + k.to_jack.x + toe.x - n.button_x,
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
