//! Forces and accelerations at one instant, of one key or of one key in each lane.

use crate::grand::equations::contact::{self, Contacts};
use crate::grand::equations::drive::DriveNow;
use crate::grand::equations::dynamics::{self, Balance};
use crate::grand::equations::held_friction::HeldFriction;
use crate::grand::equations::jack;
use crate::grand::equations::kinematics::Kinematics;
use crate::grand::equations::phase::Phases;
use crate::grand::equations::precomputed::Precomputed;
use crate::grand::{SPEEDS, STATES, state};
use crate::interface::key::REST_DEPTH;
use touchback_core::math::real::{Mask, Real};

/// Indices of the guards: functions whose sign changes split the step and are reported as events.
pub mod guard {
    /// Crown passes the string.
    pub const STRING: usize = 0;
    /// Front meets the key bed.
    pub(crate) const KEY_BED: usize = 1;
    /// Damper leaves or meets the string.
    pub const DAMPER: usize = 2;
    /// Tail meets the backcheck.
    pub const CHECK: usize = 3;
    /// Key is within the rest felt's reach.
    pub const REST: usize = 4;
}

/// Number of indicators: most transitions out of a phase.
pub(crate) const INDICATORS: usize = 3;
/// Number of guards; see [`guard`].
pub(crate) const GUARDS: usize = 5;

/// Configuration, forces and accelerations at one instant.
#[derive(Clone, Copy, Debug)]
pub struct Evaluation<R: Real = f64> {
    /// The constraints that hold.
    pub phases: Phases<R>,
    /// Configuration.
    pub kinematics: Kinematics<R>,
    /// Contacts.
    pub contacts: Contacts<R>,
    /// Mass matrix and forces.
    pub balance: Balance<R>,
    /// Accelerations of key, hammer, lever, jack and bend, rad/s².
    pub acceleration: [R; SPEEDS],
    /// Force of the drive on the key front, N.
    pub key_force: R,
    /// Torques of flank and button on a jack that both hold, N·m; positive pushes it off its stop.
    pub wedge: [R; 2],
}

impl<R: Real> Evaluation<R> {
    /// Evaluates the equations at `x` without friction.
    #[inline(always)]
    #[must_use]
    pub fn new(
        n: &Precomputed<R>,
        phases: &Phases<R>,
        input: &DriveNow<R>,
        x: &[R; STATES],
    ) -> Self {
        Self::at(n, phases, &Kinematics::at(n, phases, x), input, x)
    }

    /// Evaluates the equations at `x` without friction, the configuration being known.
    #[inline(always)]
    #[must_use]
    pub fn at(
        n: &Precomputed<R>,
        phases: &Phases<R>,
        kinematics: &Kinematics<R>,
        input: &DriveNow<R>,
        x: &[R; STATES],
    ) -> Self {
        let kinematics = *kinematics;
        let lever_turn = kinematics.lever_turn(n);
        let contacts = Contacts::new(n, phases, &kinematics, x, lever_turn, input.tray);
        let balance = dynamics::balance(n, phases, &kinematics, &contacts, x, lever_turn, input);
        let zero = R::of(0.0);
        let evaluation = Self {
            phases: *phases,
            kinematics,
            contacts,
            balance,
            acceleration: [zero; SPEEDS],
            key_force: zero,
            wedge: [zero; 2],
        };
        evaluation.with_accelerations(n, input, x)
    }

    /// This evaluation with the friction `held` added.
    #[inline(always)]
    #[must_use]
    pub(crate) fn with_friction(
        mut self,
        n: &Precomputed<R>,
        held: &HeldFriction<R>,
        input: &DriveNow<R>,
        x: &[R; STATES],
    ) -> Self {
        for i in 0..SPEEDS {
            self.balance.force[i] = self.balance.force[i] + held.torques[i];
        }
        let on_damper = held.on_damper;
        self.balance.damper_force = self.balance.damper_force + on_damper;
        self.balance.loss =
            self.balance.loss + held.loss(&self.kinematics.u) - on_damper * x[state::DAMPER_SPEED];
        self.with_accelerations(n, input, x)
    }

    /// This evaluation with the accelerations, and the force of the drive that they require, computed.
    #[inline(always)]
    fn with_accelerations(
        mut self,
        n: &Precomputed<R>,
        input: &DriveNow<R>,
        x: &[R; STATES],
    ) -> Self {
        let (m, f) = (&self.balance.mass, &self.balance.force);
        if input.is_imposed() {
            // The acceleration of the key is given; the force is the one that causes it.
            let key = input.given / n.key.front;
            self.acceleration = m.follow(f, key);
            self.key_force = m.missing(f, key) / n.key.front;
        } else {
            self.acceleration = m.solve(f);
            self.key_force = self.balance.drive_force;
            if input.is_coupled() {
                let couple = input.couple(n, &self.kinematics, x);
                self.key_force = self.key_force + couple / n.key.front;
            }
        }
        if n.is_rigid() && self.phases.wedged.any() {
            self.wedge(n, input.is_imposed());
        }
        self
    }

    /// Adds the reaction of the knuckle's flank on a jack that the button guides: the hammer follows the key.
    #[inline(never)]
    fn wedge(&mut self, n: &Precomputed<R>, is_imposed: bool) {
        let (k, m) = (&self.kinematics, &self.balance.mass);
        let flank = jack::on_flank(n, &k.jack_inputs());
        // Acceleration of the flank toward the jack, rad/s² of the jack: must be 0.
        let across = [flank.key_ratio - k.jack.key_ratio, flank.hammer_ratio];
        let [a1, a2, ..] = self.acceleration;
        let mut closing = across[0] * a1 + across[1] * a2 + flank.product - k.jack.product;
        // Errors of the integration decay.
        let rate = across[0] * k.u[0] + across[1] * k.u[1];
        let apart = k.jack.direction.cross(flank.direction);
        closing = closing + R::of(2.0 * DECAY) * rate + R::of(DECAY * DECAY) * apart;
        let zero = R::of(0.0);
        let mut by_torque = [zero; SPEEDS];
        if is_imposed {
            by_torque[1] = m.hammer(across[1], zero)[0];
        } else {
            by_torque = m.solve(&[across[0], across[1], zero, zero, zero]);
        }
        let torque = closing / (across[0] * by_torque[0] + across[1] * by_torque[1]);
        for (a, by) in self.acceleration.iter_mut().zip(by_torque) {
            *a = *a - by * torque;
        }
        if is_imposed {
            self.key_force = self.key_force + across[0] * torque / n.key.front;
        }
        let coupled = dynamics::WippenCoupling::new(n, k).jack[0] * k.r5;
        let inertial = (n.jack.inertia * k.jack.key_ratio + coupled) * self.acceleration[0];
        self.wedge = [torque, inertial - self.balance.force[3] - torque];
    }

    /// x': rates of the integrated states.
    #[inline(always)]
    #[must_use]
    pub fn rates(&self, n: &Precomputed<R>, x: &[R; STATES]) -> [R; STATES] {
        let [a1, a2, a3, a4, a5] = self.acceleration;
        let u = &self.kinematics.u;
        let lift = self.balance.damper_force * n.inv_damper_mass;
        let power = self.key_force * n.key.front * u[0];
        let damper = x[state::DAMPER_SPEED];
        let loss = self.balance.loss;
        [u[0], u[1], u[2], a1, a2, a3, damper, lift, power, loss, u[3], a4, u[4], a5]
    }
}

/// Rate at which the distance of a wedged jack from the flank decays, 1/s (chosen: 2 ms, many steps).
const DECAY: f64 = 500.0;

/// Angle of a free jack from its stop below which the jack counts as returned, rad; above the amplitude
/// of its vibration on the stop felt.
const OFF_STOP: f64 = 2e-3;
/// Gap of the toe of a free jack under the button above which the jack counts as returned, m.
const CLEAR: f64 = 2e-5;

/// [`Kinematics::normal_tilt`] above which the knuckle counts as on the side of the jack's head.
pub const ON_SIDE_TILT: f64 = 0.3;
/// [`Kinematics::normal_tilt`] below which the knuckle counts as on the flat of the jack's head again.
pub(crate) const ON_FLAT_TILT: f64 = 0.15;

/// Indicator for a rigid knuckle: positive unless the head is under the knuckle and touches it.
#[inline(always)]
fn under_knuckle<R: Real>(n: &Precomputed<R>, k: &Kinematics<R>) -> R {
    (n.hammer.knuckle_edge - k.head.tip).max(-k.head.q4)
}

/// Indicators and guards of the configuration `k`. For [`crate::grand::Phase::Flank`] with a rigid knuckle
/// the caller replaces the indicators.
#[inline(always)]
pub fn event_functions<R: Real>(
    n: &Precomputed<R>,
    phases: &Phases<R>,
    k: &Kinematics<R>,
    x: &[R; STATES],
) -> ([R; INDICATORS], [R; GUARDS]) {
    let never = R::of(f64::INFINITY);
    let toe = jack::gap(n, k.to_jack, k.jack.direction);
    let (carrier, head, edge);
    if n.is_rigid() {
        // As the head moves, so that its jump at a transition stays within the engine's ε.
        let at_head = toe * (n.jack.length * n.inv_toe_length);
        carrier = R::select(phases.on_button, k.jack_turn_sine(n), at_head);
        head = R::select(phases.jack_drives, contact::bearing(n, k), under_knuckle(n, k));
        let let_off = phases.on_button & phases.jack_drives;
        edge = R::select(let_off, k.head.tip - n.hammer.knuckle_edge, never);
    } else {
        // Positive while the jack is off its stop or its toe is at the button.
        let off = x[state::JACK] - R::of(OFF_STOP);
        let out = off.max((R::of(CLEAR) - toe) * n.inv_toe_length);
        let bears = phases.jack_drives | phases.on_flank;
        carrier = R::select(phases.on_button | phases.on_flank, out, toe);
        head = R::select(bears, k.head.q4, -k.head.q4);
        let let_off = phases.on_button & phases.jack_drives;
        let tilt = k.normal_tilt();
        let back = R::select(phases.on_flank, tilt - R::of(ON_FLAT_TILT), never);
        edge = R::select(let_off, R::of(ON_SIDE_TILT) - tilt, back);
    }
    let guards = [
        n.hammer.crown * x[state::HAMMER],
        k.depth - n.key.dip,
        x[state::DAMPER],
        contact::check_depth(n, k),
        k.depth - R::of(REST_DEPTH),
    ];
    ([carrier, head, edge], guards)
}

/// Weight of the bend's rate against the other speeds when deciding whether a key moves. Vibration of the
/// shank does not displace the hammer: a rate of 0.03 rad/s moves the crown by only 5 µm.
const BEND_WEIGHT: f64 = 0.003;

/// Highest speed of the parts of a key at `x`, rad/s (m/s of the damper). The hammer counts with the speed
/// of its butt, the bend of the shank with the weight 0.003.
#[inline(always)]
pub fn fastest<R: Real>(n: &Precomputed<R>, x: &[R; STATES]) -> R {
    let bend = x[state::BEND_SPEED];
    let butt = x[state::HAMMER_SPEED] - n.bend_share * bend;
    let (key, lever) = (x[state::KEY_SPEED].abs(), x[state::LEVER_SPEED].abs());
    let (damper, jack) = (x[state::DAMPER_SPEED].abs(), x[state::JACK_SPEED].abs());
    let bend = (bend * R::of(BEND_WEIGHT)).abs();
    key.max(lever).max(damper.max(jack)).max(butt.abs().max(bend))
}
