//! The pose a key comes to rest in: all forces balanced, nothing moving.

use crate::grand::design::regulation::CarriedHammer;
use crate::grand::design::spec::Spec;
use crate::grand::equations::drive::{AWAY, Causality, DriveNow};
use crate::grand::equations::held_friction::HeldFriction;
use crate::grand::equations::model::Grand;
use crate::grand::{Phase, STATES, state};
use touchback_core::episode::State;

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

/// The submodel of a key at rest.
const PHASE: Phase = Phase::Return;

/// What is looked for: angles of key, hammer and lever, height of the damper, turn of the jack, bend of
/// the shank.
const UNKNOWNS: [usize; 6] =
    [state::KEY, state::HAMMER, state::LEVER, state::DAMPER, state::JACK, state::BEND];

/// Most that each may change in one step, rad or m: felts stay in contact.
const LIMITS: [f64; 6] = [2e-4, 1e-3, 1e-3, 5e-5, 1e-4, 1e-4];

/// Steps in which Newton's method finds the pose near a close guess: the felts are smooth under load.
const STEPS: u32 = 40;

/// Steps that the parts may take to sink where they are held back: they need 50 to 80. A key's numbers may
/// change under music.
const SINKING: u32 = 200;

/// Torques, N·m, and the damper's force, N, that count as much as one of the [`LIMITS`].
const FORCES: [f64; 6] = [0.1, 0.1, 0.02, 1.0, 0.01, 0.1];

/// Least hold, share of what keeps a part from going farther in a step than its limit.
const LEAST_HOLD: f64 = 1e-6;

/// Steps smaller than this share of the [`LIMITS`] are none.
const SETTLED: f64 = 1e-10;

/// Where the key `spec` comes to rest, untouched, near the angles `near` of key, hammer and lever; see
/// [`Search`].
#[must_use]
pub fn pose(spec: &Spec, near: &[f64; 3]) -> State<Phase, STATES> {
    let grand = Grand::new(spec);
    let mut search = Search::new(spec, near);
    loop {
        if let Some(found) = search.step(spec, &grand) {
            return found;
        }
    }
}

/// The pose of a key at rest, looked for step by step.
///
/// Newton's method on the force balances with a difference Jacobian, steps limited to what keeps the
/// felts in contact. Where that goes to and fro between two felts the parts sink as if in honey
/// (implicit Euler on dampers beside the forces), which ends where all is balanced and stable.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    guess: [f64; STATES],
    x: [f64; STATES],
    /// Steps of the present method.
    steps: u32,
    /// How much the parts are held back while they sink; none before that.
    hold: Option<f64>,
}

impl Search {
    /// Most steps of a search.
    pub const LONGEST: usize = (STEPS + SINKING) as usize;

    /// Of the key `spec`, near the angles `near` of key, hammer and lever.
    #[must_use]
    pub fn new(spec: &Spec, near: &[f64; 3]) -> Self {
        let mut x = [0.0; STATES];
        x[..3].copy_from_slice(near);
        if !spec.is_rigid() {
            x[state::JACK] = -spec.jack.stop_felt.compression(spec.jack.spring_torque);
        }
        x[state::BEND] = CarriedHammer::at(spec, near[1]).bend;
        x[state::DAMPER] = -spec.damper.seat_felt.compression(spec.damper.weight);
        Self { guess: x, x, steps: 0, hold: None }
    }

    /// One step, `spec` and its equations being those of the whole search: some 1 µs; the pose once it
    /// is found.
    pub fn step(&mut self, spec: &Spec, grand: &Grand) -> Option<State<Phase, STATES>> {
        let balance = Balance { spec, grand };
        let size = balance.step(&mut self.x, self.hold.unwrap_or(0.0));
        self.steps += 1;
        let is_settled = size.is_some_and(|size| size < SETTLED);
        let is_over = match self.hold {
            None if is_settled || size.is_none() || self.steps == STEPS => {
                let is_found = (is_settled || size.is_none()) && balance.is_found(&self.x);
                if !is_found {
                    (self.x, self.steps, self.hold) = (self.guess, 0, Some(1.0));
                }
                is_found
            }
            None => false,
            Some(hold) => {
                // At their limits the parts are held back more, near rest hardly at all.
                self.hold = Some(match size {
                    Some(size) if size < 0.5 => (hold * 0.7).max(LEAST_HOLD),
                    _ => (hold * 2.0).min(1.0),
                });
                is_settled || self.steps == SINKING
            }
        };
        is_over.then_some(State { phase: PHASE, x: self.x })
    }
}

/// The balance of forces at rest.
struct Balance<'a> {
    spec: &'a Spec,
    grand: &'a Grand,
}

impl Balance<'_> {
    /// Torques and the damper's force at `x`, in the order of [`UNKNOWNS`].
    fn forces(&self, x: &[f64; STATES]) -> nalgebra::Vector6<f64> {
        let m = self.grand.evaluation(PHASE, &HeldFriction::default(), &UNTOUCHED, x);
        let f = m.balance.force;
        let on_jack = if self.spec.is_rigid() { 0.0 } else { f[3] };
        nalgebra::Vector6::new(f[0], f[1], f[2], m.balance.damper_force, on_jack, f[4])
    }

    /// One step of `x`, each part held back by `hold` of what stops it within its limit; the largest
    /// change as a share of its limit, none where no step leads on.
    fn step(&self, x: &mut [f64; STATES], hold: f64) -> Option<f64> {
        let f = self.forces(x);
        let mut jacobian = nalgebra::Matrix6::<f64>::zeros();
        for (column, &i) in UNKNOWNS.iter().enumerate() {
            let step = 1e-8;
            let mut moved = *x;
            moved[i] += step;
            jacobian.set_column(column, &((self.forces(&moved) - f) / step));
            jacobian[(column, column)] -= hold * FORCES[column] / LIMITS[column];
        }
        if !self.spec.damper.present {
            jacobian[(3, 3)] = 1.0;
        }
        if self.spec.is_rigid() {
            jacobian.row_mut(4).fill(0.0);
            jacobian[(4, 4)] = 1.0;
        }
        if !self.spec.hammer.bends() {
            jacobian[(5, 5)] = 1.0;
        }
        let change = jacobian.lu().solve(&f)?;
        let mut largest = 0.0f64;
        for (row, &i) in UNKNOWNS.iter().enumerate() {
            let d = change[row].clamp(-LIMITS[row], LIMITS[row]);
            x[i] -= d;
            largest = largest.max((d / LIMITS[row]).abs());
        }
        Some(largest)
    }

    /// Whether all is balanced at `x`.
    fn is_found(&self, x: &[f64; STATES]) -> bool {
        self.forces(x).iter().zip(FORCES).all(|(force, one)| force.abs() < 1e-6 * one)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ActionSettings;
    use crate::grand::design::concert::Design;
    use touchback_core::math::compass::KeyNumber;

    #[test]
    fn a_pose_is_balanced_whatever_the_hammer_weighs_and_the_spring_carries() {
        for index in [0, 19, 39, 70, 87] {
            let key = KeyNumber::from_index(index).unwrap();
            let built = Design::new(key).build(&ActionSettings::default());
            for mass in [0.7, 1.0, 1.3, 1.6] {
                for spring in [0.5, 1.0, 1.5] {
                    let mut spec = built.spec;
                    spec.hammer.mass *= mass;
                    spec.lever.spring_torque *= spring;
                    let found = pose(&spec, &built.regulated.rest);
                    let balance = Balance { spec: &spec, grand: &Grand::new(&spec) };
                    assert!(
                        balance.is_found(&found.x),
                        "key {index}, mass {mass}, spring {spring}: {:?}",
                        balance.forces(&found.x)
                    );
                }
            }
        }
    }
}
