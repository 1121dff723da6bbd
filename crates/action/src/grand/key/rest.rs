//! The rest pose of a key: all forces in balance, all speeds zero.

use crate::grand::design::regulation::CarriedHammer;
use crate::grand::design::spec::Spec;
use crate::grand::equations::drive::{AWAY, Causality, DriveNow};
use crate::grand::equations::held_friction::HeldFriction;
use crate::grand::equations::kinematics::Kinematics;
use crate::grand::equations::model::Grand;
use crate::grand::{Phase, STATES, state};
use touchback_core::episode::State;

/// The drive of an untouched key, with the damper tray down.
pub const UNTOUCHED: DriveNow = DriveNow {
    causality: Causality::Force,
    given: 0.0,
    impedance: 0.0,
    target: AWAY,
    rate: 0.0,
    tray: TRAY_DOWN,
};

/// Height of the damper tray with the pedal released, m: clear of every damper.
pub const TRAY_DOWN: f64 = -3e-3;

/// The submodel of a key at rest at `x`: a regulated grand's jack stands clear of the knuckle, or carries the hammer
/// by its felt in the same equations; the thesis's straight knuckle rests on its jack.
fn phase(grand: &Grand, x: &[f64; STATES]) -> Phase {
    let n = &grand.numbers;
    let rests_on_jack = || Kinematics::at(n, &Phase::Return.into(), x).head.q4 > 0.0;
    if n.is_rigid() && rests_on_jack() { Phase::Acceleration } else { Phase::Return }
}

/// The unknowns: angles of key, hammer and lever, height of the damper, angle of the jack, bend of the
/// shank.
const UNKNOWNS: [usize; 6] =
    [state::KEY, state::HAMMER, state::LEVER, state::DAMPER, state::JACK, state::BEND];

/// Largest change of each unknown in one step, rad or m, so that felts stay in contact.
const LIMITS: [f64; 6] = [2e-4, 1e-3, 1e-3, 5e-5, 1e-4, 1e-4];

/// Most steps of the undamped Newton iteration, which converges from a close guess because the felts are
/// smooth under load.
const STEPS: u32 = 40;

/// Most steps of the damped iteration, which needs 50 to 80. The search is bounded because settings may
/// change during play.
const DAMPED_STEPS: u32 = 200;

/// Scale of the torques, N·m, and of the damper's force, N: with damping 1 such a force moves its part by
/// its limit.
const FORCES: [f64; 6] = [0.1, 0.1, 0.02, 1.0, 0.01, 0.1];

/// Least damping of the damped iteration, relative to [`FORCES`] over [`LIMITS`].
const MIN_DAMPING: f64 = 1e-6;

/// Change, relative to [`LIMITS`], below which the iteration has converged.
const CONVERGED: f64 = 1e-10;

/// Rest pose of the untouched key `spec`, searched from the angles `near` of key, hammer and lever, rad; see
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

/// Incremental search for the rest pose of a key.
///
/// Newton's method on the force balances with a finite-difference Jacobian and limited steps. If it
/// oscillates between two felts, the search restarts with viscous damping added to the forces (implicit
/// Euler), which converges to a stable balance.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    guess: [f64; STATES],
    x: [f64; STATES],
    /// Steps taken by the present method.
    steps: u32,
    /// Relative damping of the damped iteration; none in the undamped one.
    damping: Option<f64>,
}

impl Search {
    /// Most steps of a search.
    pub const LONGEST: usize = (STEPS + DAMPED_STEPS) as usize;

    /// Begins a search for the key `spec` from the angles `near` of key, hammer and lever, rad.
    #[must_use]
    pub fn new(spec: &Spec, near: &[f64; 3]) -> Self {
        let mut x = [0.0; STATES];
        x[..3].copy_from_slice(near);
        if !spec.is_rigid() {
            x[state::JACK] = -spec.jack.stop_felt.compression(spec.jack.spring_torque);
        }
        x[state::BEND] = CarriedHammer::at(spec, near[1]).bend;
        x[state::DAMPER] = -spec.damper.seat_felt.compression(spec.damper.weight);
        Self { guess: x, x, steps: 0, damping: None }
    }

    /// Takes one step, about 1 µs; the rest pose once it is found. `spec` and `grand` must be the same in
    /// all steps.
    pub fn step(&mut self, spec: &Spec, grand: &Grand) -> Option<State<Phase, STATES>> {
        let balance = Balance { spec, grand };
        let size = balance.step(&mut self.x, self.damping.unwrap_or(0.0));
        self.steps += 1;
        let is_converged = size.is_some_and(|size| size < CONVERGED);
        let is_over = match self.damping {
            None if is_converged || size.is_none() || self.steps == STEPS => {
                let is_found = (is_converged || size.is_none()) && balance.is_found(&self.x);
                if !is_found {
                    (self.x, self.steps, self.damping) = (self.guess, 0, Some(1.0));
                }
                is_found
            }
            None => false,
            Some(damping) => {
                // The damping grows while steps reach their limits and falls near the balance.
                self.damping = Some(match size {
                    Some(size) if size < 0.5 => (damping * 0.7).max(MIN_DAMPING),
                    _ => (damping * 2.0).min(1.0),
                });
                is_converged || self.steps == DAMPED_STEPS
            }
        };
        is_over.then(|| State { phase: phase(grand, &self.x), x: self.x })
    }
}

/// The balance of forces at rest.
struct Balance<'a> {
    spec: &'a Spec,
    grand: &'a Grand,
}

impl Balance<'_> {
    /// Torques, N·m, and the damper's force, N, at `x`, in the order of [`UNKNOWNS`].
    fn forces(&self, x: &[f64; STATES]) -> nalgebra::Vector6<f64> {
        let phase = phase(self.grand, x);
        let balance = self.grand.evaluation(phase, &HeldFriction::default(), &UNTOUCHED, x).balance;
        let f = balance.force;
        let on_jack = if self.spec.is_rigid() { 0.0 } else { f[3] };
        nalgebra::Vector6::new(f[0], f[1], f[2], balance.damper_force, on_jack, f[4])
    }

    /// Takes one step of `x` with the relative damping `damping`. Returns the largest change relative to its
    /// limit, `None` if the Jacobian is singular.
    fn step(&self, x: &mut [f64; STATES], damping: f64) -> Option<f64> {
        let f = self.forces(x);
        let mut jacobian = nalgebra::Matrix6::<f64>::zeros();
        for (column, &i) in UNKNOWNS.iter().enumerate() {
            let step = 1e-8;
            let mut moved = *x;
            moved[i] += step;
            jacobian.set_column(column, &((self.forces(&moved) - f) / step));
            jacobian[(column, column)] -= damping * FORCES[column] / LIMITS[column];
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

    /// Whether all forces at `x` are in balance.
    fn is_found(&self, x: &[f64; STATES]) -> bool {
        self.forces(x).iter().zip(FORCES).all(|(force, scale)| force.abs() < 1e-6 * scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ActionSettings;
    use crate::grand::design::concert::Design;
    use touchback_core::math::compass::KeyNumber;

    #[test]
    fn the_rest_pose_is_balanced_for_all_hammer_masses_and_spring_torques() {
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
