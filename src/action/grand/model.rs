//! The grand action as a model for the EPISODE engine: rates, indicators, guards, transitions.

use super::drive::{DriveKind, DriveNow};
use super::dynamics::{self, Balance, Carried, Contacts};
use super::kinematics::{Head, Kinematics, Turns};
use super::spec::Spec;
use super::{Phase, STATES, contact, energy, jack, state};
use crate::action::STEP;
use crate::episode::Model;
use crate::mech::friction::{self, Element};

/// Guards, by index: sign changes that split the step and are reported.
pub mod guard {
    /// Crown passes the string.
    pub const STRING: usize = 0;
    /// Front meets the key bed.
    pub const KEY_BED: usize = 1;
    /// Damper leaves or meets the string.
    pub const DAMPER: usize = 2;
    /// Tail meets the backcheck.
    pub const CHECK: usize = 3;
    /// Key is within the rest felt's reach.
    pub const REST: usize = 4;
}

/// Transitions a phase can have, and guards.
pub const INDICATORS: usize = 3;
/// See [`guard`].
pub const GUARDS: usize = 5;

/// Key-front depth that counts as returned, m (chosen: a third of a millimetre).
const REST_DEPTH: f64 = 0.3e-3;

/// Friction forces held through a (sub)step.
#[derive(Clone, Copy, Debug, Default)]
pub struct Held {
    directions: [[f64; 3]; 5],
    forces: [f64; 5],
}

impl Held {
    /// Generalized friction forces.
    #[inline]
    fn apply(&self, force: &mut [f64; 3]) {
        for (direction, f) in self.directions.iter().zip(self.forces) {
            for i in 0..3 {
                force[i] += f * direction[i];
            }
        }
    }

    /// Power turned into heat at the speeds `u`, W.
    #[inline]
    fn loss(&self, u: &[f64; 3]) -> f64 {
        let mut sum = 0.0;
        for (direction, f) in self.directions.iter().zip(self.forces) {
            sum -= f * (direction[0] * u[0] + direction[1] * u[1] + direction[2] * u[2]);
        }
        sum
    }
}

/// One key's action over its numbers.
#[derive(Clone, Copy, Debug)]
pub struct Grand<'a> {
    spec: &'a Spec,
    turns: Turns,
}

/// Forces and accelerations of one moment.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// Configuration.
    pub kinematics: Kinematics,
    /// Contacts.
    pub contacts: Contacts,
    /// Mass matrix and forces, friction included.
    pub balance: Balance,
    /// Accelerations of key, hammer, lever, rad/s².
    pub acceleration: [f64; 3],
    /// Force of the drive on the key front, N.
    pub key_force: f64,
}

impl<'a> Grand<'a> {
    /// The model over the numbers `spec`.
    #[inline]
    #[must_use]
    pub fn new(spec: &'a Spec) -> Self {
        Self { spec, turns: Turns::new(spec) }
    }

    fn kinematics(&self, phase: Phase, x: &[f64; STATES]) -> Kinematics {
        Kinematics::with(self.spec, &self.turns, phase, x)
    }

    /// Everything at one moment, with the friction `held`.
    #[inline]
    #[must_use]
    pub fn moment(&self, phase: Phase, held: &Held, input: &DriveNow, x: &[f64; STATES]) -> Moment {
        let kinematics = self.kinematics(phase, x);
        let contacts = Contacts::new(self.spec, phase, &kinematics, x, input.tray);
        let mut balance = dynamics::balance(self.spec, phase, &kinematics, &contacts, x, input);
        held.apply(&mut balance.force);
        balance.loss += held.loss(&kinematics.u);
        let m = &balance.mass;
        let (acceleration, key_force) = if input.kind == DriveKind::Motion {
            // Constant speed inside a step: the force is what that takes.
            let a2 = balance.force[1] / m[3];
            let a3 = balance.force[2] / m[4];
            let torque = m[1] * a2 + m[2] * a3 - balance.force[0];
            ([0.0, a2, a3], torque / self.spec.key.front)
        } else {
            let couple = input.couple(self.spec, &kinematics, x) / self.spec.key.front;
            (dynamics::solve(m, &balance.force), balance.drive_force + couple)
        };
        Moment { kinematics, contacts, balance, acceleration, key_force }
    }

    /// The friction elements of one moment.
    fn friction_elements(&self, phase: Phase, m: &Moment) -> [Element<3>; 5] {
        let spec = self.spec;
        let (k, c) = (&m.kinematics, &m.contacts);
        let mut key_bound = spec.key.friction;
        if matches!(phase, Phase::LetOff | Phase::Catch) && spec.jack.button_friction > 0.0 {
            let toe = spec.jack.toe.turned(k.jack.direction);
            let carried = Carried::new(spec, k);
            let a5 = k.r5 * m.acceleration[0] + k.b5;
            let a6 = k.jack.per_key * m.acceleration[0] + k.jack.product;
            let w5 = k.wippen_speed();
            let inertial =
                spec.jack.inertia * a6 + carried.jack[0] * a5 + carried.jack[1] * w5 * w5;
            let button = ((inertial - m.balance.on_jack) / -toe.x).max(0.0);
            let slide = -k.to_jack.y * k.r5 - toe.y * k.jack.per_key;
            key_bound += spec.jack.button_friction * button * slide.abs();
        }
        let along = k.head.reach * k.head.axis.perp().dot(k.hammer);
        let knuckle = [
            k.r5 * k.to_jack.perp().dot(k.hammer) + k.jack.per_key * along,
            k.jack.per_hammer * along - spec.hammer.knuckle_depth,
            0.0,
        ];
        let (check, check_force) = &c.check;
        [
            Element { direction: [1.0, 0.0, 0.0], bound: key_bound },
            Element { direction: [0.0, 1.0, 0.0], bound: spec.hammer.friction },
            Element { direction: [-k.r5, 0.0, 1.0], bound: spec.lever.friction },
            Element {
                direction: knuckle,
                bound: spec.hammer.knuckle_friction * c.jack.force / k.head.across,
            },
            Element {
                direction: [check.along[0], check.along[1], 0.0],
                bound: spec.check.friction * check_force.force,
            },
        ]
    }

    /// Where a jack let go from the knuckle's flank comes to stand, C on the button or D on its
    /// stop, and the head there.
    fn swung_home(&self, k: &Kinematics) -> (Phase, Head) {
        let spec = self.spec;
        let ground = k.ground();
        let mut phase = Phase::Return;
        let mut carried = jack::on_stop(&self.turns, &ground);
        if jack::toe_gap(spec, k.to_jack, carried.direction) < 0.0 {
            phase = Phase::Catch;
            carried = jack::on_button(spec, &ground);
        }
        let axis = self.turns.fly.turned(carried.direction);
        (phase, Head::new(spec, spec.wippen.pivot + k.to_jack, axis, k.hammer))
    }

    /// The jack passes to another carrier: momentum balance over all bodies, the loss booked.
    fn hand_over(&self, from: Phase, to: Phase, tray: f64, x: &mut [f64; STATES]) {
        let spec = self.spec;
        let before = self.kinematics(from, x);
        let after = self.kinematics(to, x);
        let had = energy::total(spec, from, &before, x, tray);
        let carried = Carried::new(spec, &after);
        let (w5, w6, u) = (before.wippen_speed(), before.jack_speed(), before.u);
        let on_jack = spec.jack.inertia * w6 + carried.jack[0] * w5;
        let momentum = [
            spec.key.inertia * u[0]
                + after.r5 * (carried.wippen * w5 + carried.jack[0] * w6 + carried.lever[0] * u[2])
                + after.jack.per_key * on_jack,
            spec.hammer.inertia * u[1] + after.jack.per_hammer * on_jack,
            spec.lever.inertia * u[2] + carried.lever[0] * w5,
        ];
        let speeds = dynamics::solve(&carried.mass_matrix(spec, &after), &momentum);
        x[state::KEY_SPEED..=state::LEVER_SPEED].copy_from_slice(&speeds);
        let settled = self.kinematics(to, x);
        x[state::DISSIPATED] += had - energy::total(spec, to, &settled, x, tray);
    }
}

/// Positive while the head is not both under the knuckle and touching it.
#[inline]
fn under_knuckle(spec: &Spec, head: &Head) -> f64 {
    (spec.hammer.knuckle_edge - head.tip).max(-head.q4)
}

impl Model<STATES, INDICATORS, GUARDS> for Grand<'_> {
    type Input = DriveNow;
    type Phase = Phase;
    type Held = Held;

    #[inline]
    fn rates(
        &self,
        phase: Phase,
        held: &Held,
        input: &DriveNow,
        x: &[f64; STATES],
    ) -> [f64; STATES] {
        let m = self.moment(phase, held, input, x);
        let [a1, a2, a3] = m.acceleration;
        let u = m.kinematics.u;
        let (v, a) = if self.spec.damper.present {
            (x[state::DAMPER_SPEED], m.balance.damper_force / self.spec.damper.mass)
        } else {
            (0.0, 0.0)
        };
        let power = m.key_force * self.spec.key.front * u[0];
        [u[0], u[1], u[2], a1, a2, a3, v, a, power, m.balance.loss]
    }

    #[inline]
    fn surfaces(
        &self,
        phase: Phase,
        _input: &DriveNow,
        x: &[f64; STATES],
    ) -> ([f64; INDICATORS], [f64; GUARDS]) {
        const NEVER: f64 = f64::INFINITY;
        let spec = self.spec;
        let k = self.kinematics(phase, x);
        let edge = spec.hammer.knuckle_edge;
        let toe = || jack::toe_gap(spec, k.to_jack, k.jack.direction);
        let indicators = match phase {
            Phase::Acceleration => [toe(), k.head.q4, NEVER],
            Phase::LetOff => [k.jack_turn(spec), k.head.q4, k.head.tip - edge],
            Phase::Catch => [k.jack_turn(spec), under_knuckle(spec, &k.head), NEVER],
            Phase::Return => [toe(), under_knuckle(spec, &k.head), NEVER],
            Phase::Flank => [toe(), self.swung_home(&k).1.q4, k.jack_turn(spec)],
        };
        let check = contact::tail_on_check(spec, &k).squeeze.depth;
        let guards = [
            spec.hammer.crown * x[state::HAMMER],
            k.depth - spec.key.dip,
            if spec.damper.present { x[state::DAMPER] } else { NEVER },
            check,
            k.depth - REST_DEPTH,
        ];
        (indicators, guards)
    }

    fn transition(
        &self,
        phase: Phase,
        index: usize,
        input: &DriveNow,
        x: &mut [f64; STATES],
    ) -> Phase {
        let to = match (phase, index) {
            (Phase::Acceleration, 0) => Phase::LetOff,
            (Phase::Acceleration, _) => Phase::Return,
            (Phase::LetOff, 0) => Phase::Acceleration,
            (Phase::LetOff, _) => Phase::Catch,
            (Phase::Catch, 0) => Phase::Return,
            (Phase::Catch, _) => {
                // Down onto the head, or sideways against it: whichever gap closed last.
                let head = self.kinematics(phase, x).head;
                let under = head.q4 <= head.tip - self.spec.hammer.knuckle_edge;
                if under { Phase::LetOff } else { Phase::Flank }
            }
            (Phase::Return, 0) => Phase::Catch,
            (Phase::Return, _) => Phase::Acceleration,
            (Phase::Flank, 0) => Phase::Catch,
            (Phase::Flank, _) => {
                // The knuckle has made room: the jack swings home under it.
                match self.swung_home(&self.kinematics(phase, x)).0 {
                    Phase::Catch => Phase::Catch,
                    _ => {
                        let home = self.kinematics(Phase::Return, x);
                        if home.q4_rate() > 0.0 { Phase::Acceleration } else { Phase::Return }
                    }
                }
            }
        };
        self.hand_over(phase, to, input.tray, x);
        to
    }

    fn hold(&self, phase: Phase, input: &DriveNow, x: &[f64; STATES], dt: f64) -> Held {
        let m = self.moment(phase, &Held::default(), input, x);
        let elements = self.friction_elements(phase, &m);
        let directions = elements.map(|e| e.direction);
        let mass = &m.balance.mass;
        let imposed = input.kind == DriveKind::Motion;
        let inverse = if imposed {
            // The key goes where it is told: friction there loads the drive, not the motion.
            [[0.0; 3], [0.0, 1.0 / mass[3], 0.0], [0.0, 0.0, 1.0 / mass[4]]]
        } else {
            dynamics::inverse(mass)
        };
        let u = m.kinematics.u;
        let mut forces = friction::forces(&elements, &inverse, &u, &m.acceleration, dt);
        if imposed && u[0] != 0.0 {
            forces[0] = -elements[0].bound * u[0].signum();
        }
        Held { directions, forces }
    }

    fn substeps(&self, _phase: Phase, x: &[f64; STATES]) -> u32 {
        let hammer = &self.spec.hammer;
        let compression = hammer.crown * x[state::HAMMER];
        let u = x[state::HAMMER_SPEED];
        if compression < 0.0 || (compression == 0.0 && u <= 0.0) {
            return 1;
        }
        // The stiffest moment of this contact, from the energy it has.
        let string = &self.spec.string;
        let held = 0.5 * hammer.inertia * u * u + string.energy(compression);
        let deepest =
            ((string.exponent + 1.0) * held / string.stiffness).powf(1.0 / (string.exponent + 1.0));
        let rate = (string.tangent(deepest) * hammer.crown * hammer.crown / hammer.inertia).sqrt();
        let mut n = 1;
        while n < 32 && rate * STEP > 0.2 * f64::from(n) {
            n *= 2;
        }
        n
    }
}
