//! Forces, friction and accelerations of one moment, of one key or of one in each lane.

use crate::grand::equations::contact::{self, Contacts};
use crate::grand::equations::drive::DriveNow;
use crate::grand::equations::dynamics::{self, Balance};
use crate::grand::equations::held_friction::HeldFriction;
use crate::grand::equations::jack;
use crate::grand::equations::kinematics::Kinematics;
use crate::grand::equations::phase::Phases;
use crate::grand::equations::precomputed::{HALVINGS, Precomputed};
use crate::grand::{SPEEDS, STATES, state};
use crate::interface::key::REST_DEPTH;
use touchback_core::math::real::{Mask, Real};

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

/// Forces and accelerations of one moment.
#[derive(Clone, Copy, Debug)]
pub struct Evaluation<R: Real = f64> {
    /// Which constraints hold.
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
}

impl<R: Real> Evaluation<R> {
    /// Everything at one moment, friction left out.
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

    /// The same with the configuration at hand.
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
        };
        evaluation.accelerated(n, input, x)
    }

    /// The same with the friction `held`.
    #[inline(always)]
    #[must_use]
    pub fn with(
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
        self.accelerated(n, input, x)
    }

    /// Accelerations, and the force that the drive then takes.
    #[inline(always)]
    fn accelerated(mut self, n: &Precomputed<R>, input: &DriveNow<R>, x: &[R; STATES]) -> Self {
        let (m, f) = (&self.balance.mass, &self.balance.force);
        if input.is_imposed() {
            // Constant speed inside a step: the force is what that takes.
            let (a3, a4) = (f[2] * m.inv_lever, f[3] * m.inv_jack);
            let [a2, a5] = m.hammer(f[1], f[4]);
            self.acceleration = [R::of(0.0), a2, a3, a4, a5];
            self.key_force = (m.m12 * a2 + m.m13 * a3 + m.m14 * a4 - f[0]) / n.key.front;
        } else {
            self.acceleration = m.solve(f);
            self.key_force = self.balance.drive_force;
            if input.is_coupled() {
                let couple = input.couple(n, &self.kinematics, x);
                self.key_force = self.key_force + couple / n.key.front;
            }
        }
        self
    }

    /// x'.
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

/// Turn of a free jack off its stop, rad, and gap of its toe under the button, m, below which it
/// counts as home again: above what its felts swing by.
const OFF_STOP: f64 = 2e-3;
const CLEAR: f64 = 2e-5;

/// [`Kinematics::beside`] from which a knuckle leans on the side of the jack's head, and below
/// which it stands on it again.
pub const BESIDE: f64 = 0.3;
/// See [`BESIDE`].
pub const UNDER: f64 = 0.15;

/// Positive while the head is not both under the knuckle and touching it.
#[inline(always)]
fn under_knuckle<R: Real>(n: &Precomputed<R>, k: &Kinematics<R>) -> R {
    (n.hammer.knuckle_edge - k.head.tip).max(-k.head.q4)
}

/// Indicators and guards of the configuration `k`; [`crate::grand::Phase::Flank`] of a rigid knuckle has
/// indicators of its own.
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
        carrier = R::select(phases.on_button, k.jack_turn_sine(n), toe);
        head = R::select(phases.jack_drives, k.head.q4, under_knuckle(n, k));
        let let_off = phases.on_button & phases.jack_drives;
        edge = R::select(let_off, k.head.tip - n.hammer.knuckle_edge, never);
    } else {
        // Off its stop, or still at the button.
        let off = x[state::JACK] - R::of(OFF_STOP);
        let out = off.max((R::of(CLEAR) - toe) * n.inv_toe_length);
        let bears = phases.jack_drives | phases.on_flank;
        carrier = R::select(phases.on_button | phases.on_flank, out, toe);
        head = R::select(bears, k.head.q4, -k.head.q4);
        let let_off = phases.on_button & phases.jack_drives;
        let beside = k.beside();
        let back = R::select(phases.on_flank, beside - R::of(UNDER), never);
        edge = R::select(let_off, R::of(BESIDE) - beside, back);
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

/// The hammer is on its string, or just meeting it.
#[inline(always)]
fn on_string<R: Real>(x: &[R; STATES]) -> R::Mask {
    let zero = R::of(0.0);
    let angle = x[state::HAMMER];
    angle.gt(zero) | (angle.ge(zero) & x[state::HAMMER_SPEED].gt(zero))
}

/// Equal parts into which a full step is cut at `x`: a power of two, from the stiffest moment that
/// a hammer on its string has the energy for, and from how hard the key is pressed on its bed.
#[inline(always)]
pub fn substeps<R: Real>(n: &Precomputed<R>, x: &[R; STATES]) -> R {
    let one = R::of(1.0);
    let touching = on_string(x);
    let key = x[state::KEY];
    let pressed = key.gt(n.bed_angles[0]);
    let mut parts = one;
    if pressed.any() {
        let mut more = one;
        for angle in n.bed_angles {
            more = more + more;
            parts = R::select(key.gt(angle), more, parts);
        }
    }
    if !touching.any() {
        return parts;
    }
    let u = x[state::HAMMER_SPEED];
    let stored = n.string.energy(n.hammer.crown * x[state::HAMMER]);
    let energy = R::of(0.5) * n.head_inertia * u * u + stored;
    let mut more = one;
    for i in 0..HALVINGS {
        more = more + more;
        let short = touching & energy.gt(n.contact_energies[i]);
        parts = R::select(short, more.max(parts), parts);
    }
    parts
}

/// Share of a bend's rate that counts beside other parts' speeds where a key is asked whether it moves: a
/// swing gets nowhere, and at 0.03 rad/s moves the crown by 5 µm.
const SWING_COUNTS: f64 = 0.003;

/// Fastest speed of any part at `x`, rad/s, of the damper m/s; a hammer's is its butt's.
#[inline(always)]
pub fn fastest<R: Real>(n: &Precomputed<R>, x: &[R; STATES]) -> R {
    let swing = x[state::BEND_SPEED];
    let butt = x[state::HAMMER_SPEED] - n.bend_share * swing;
    let (key, lever) = (x[state::KEY_SPEED].abs(), x[state::LEVER_SPEED].abs());
    let (damper, jack) = (x[state::DAMPER_SPEED].abs(), x[state::JACK_SPEED].abs());
    let swing = (swing * R::of(SWING_COUNTS)).abs();
    key.max(lever).max(damper.max(jack)).max(butt.abs().max(swing))
}

/// Longest (sub)step from `x` on within a step of `h` s: a part of it, or less where the hammer turns
/// round on its string, because felt's hysteresis jumps there.
#[inline(always)]
pub fn max_substep<R: Real>(n: &Precomputed<R>, x: &[R; STATES], h: R) -> R {
    let zero = R::of(0.0);
    let part = h / substeps(n, x);
    let speed = n.hammer.crown * x[state::HAMMER_SPEED];
    let rising = on_string(x) & speed.gt(zero);
    if !rising.any() {
        return part;
    }
    let momentum = speed * n.head_inertia / (n.hammer.crown * n.hammer.crown);
    let turn = n.string.turn(n.hammer.crown * x[state::HAMMER], speed, momentum, h);
    // Not for a sliver: a turn that near is as good as now.
    let cut = rising & turn.lt(part) & turn.gt(R::of(0.1) * part);
    R::select(cut, turn, part)
}
