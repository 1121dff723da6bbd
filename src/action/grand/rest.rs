//! The pose a key comes to rest in: all forces balanced, nothing moving.

use super::drive::{AWAY, Causality, DriveNow};
use super::model::Grand;
use super::regulation::Borne;
use super::rubbing::Held;
use super::spec::Spec;
use super::{Phase, STATES, state};
use crate::episode::State;

/// A drive that does nothing, with the damper tray well below.
pub const UNTOUCHED: DriveNow = DriveNow {
    causality: Causality::Force,
    force: 0.0,
    impedance: 0.0,
    target: AWAY,
    rate: 0.0,
    tray: TRAY_DOWN,
};

/// Height of the damper tray with the pedal up, m: clear of every damper.
pub const TRAY_DOWN: f64 = -3e-3;

/// Newton steps: the felts are smooth under load and the guess is close.
const STEPS: u32 = 40;

/// Where the key `spec` comes to rest, untouched, near the angles `near` of key, hammer and lever.
///
/// Newton's method on the force balances with a difference Jacobian, steps limited to what
/// keeps the felts in contact.
#[must_use]
pub fn pose(spec: &Spec, near: &[f64; 3]) -> State<Phase, STATES> {
    let phase = Phase::Return;
    let mut x = [0.0; STATES];
    x[..3].copy_from_slice(near);
    if !spec.is_rigid() {
        x[state::JACK] = -spec.jack.stop_felt.compression(spec.jack.spring_torque);
    }
    x[state::BEND] = Borne::at(spec, near[1]).bend;
    x[state::DAMPER] = -spec.damper.seat_felt.compression(spec.damper.weight);
    let unknowns =
        [state::KEY, state::HAMMER, state::LEVER, state::DAMPER, state::JACK, state::BEND];
    let limit = [2e-4, 1e-3, 1e-3, 5e-5, 1e-4, 1e-4];
    let grand = Grand::new(spec);
    let residual = |x: &[f64; STATES]| {
        let m = grand.moment(phase, &Held::default(), &UNTOUCHED, x);
        let f = m.balance.force;
        let on_jack = if spec.is_rigid() { 0.0 } else { f[3] };
        nalgebra::Vector6::new(f[0], f[1], f[2], m.balance.damper_force, on_jack, f[4])
    };
    for _ in 0..STEPS {
        let f = residual(&x);
        let mut jacobian = nalgebra::Matrix6::<f64>::zeros();
        for (column, &i) in unknowns.iter().enumerate() {
            let step = 1e-8;
            let mut moved = x;
            moved[i] += step;
            jacobian.set_column(column, &((residual(&moved) - f) / step));
        }
        if !spec.damper.present {
            jacobian[(3, 3)] = 1.0;
        }
        if grand.numbers.is_rigid() {
            jacobian.row_mut(4).fill(0.0);
            jacobian[(4, 4)] = 1.0;
        }
        if !spec.hammer.bends() {
            jacobian[(5, 5)] = 1.0;
        }
        let Some(change) = jacobian.lu().solve(&f) else { break };
        let mut largest = 0.0f64;
        for (row, &i) in unknowns.iter().enumerate() {
            let d = change[row].clamp(-limit[row], limit[row]);
            x[i] -= d;
            largest = largest.max((d / limit[row]).abs());
        }
        if largest < 1e-10 {
            break;
        }
    }
    State { phase, x }
}
