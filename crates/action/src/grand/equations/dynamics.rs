//! Equations of motion by Kane's method: generalized forces on the independent speeds, the
//! 5 × 5 mass matrix, and the damper, which is a separate body.
//!
//! With a flexible shank of bend β, the hammer's butt is at the angle q2 − s β and its crown at q2. The
//! head is a mass at the crown, so that T = ½ I_h q̇2² + ½ I_b (q̇2 − s β̇)².
//!
//! With body speeds ω = A(q)·u the equations are AᵀℳA·u̇ = Aᵀ(Q − ℳ·Ȧu − velocity products).

use crate::GRAVITY;
use crate::grand::equations::contact::{self, Contacts};
use crate::grand::equations::drive::DriveNow;
use crate::grand::equations::kinematics::Kinematics;
use crate::grand::equations::phase::Phases;
use crate::grand::equations::precomputed::Precomputed;
use crate::grand::{SPEEDS, STATES, state};
use touchback_core::math::real::{Mask, Real};
use touchback_core::math::vec2::Vec2;
use touchback_core::mech::friction::InverseMass;

/// The mass matrix, kg·m², partly eliminated. Hammer, lever and jack are coupled to the key, the bend of
/// the shank to the hammer.
#[derive(Clone, Copy, Debug)]
pub struct Mass<R = f64> {
    /// Coupling of key and hammer, kg·m².
    pub m12: R,
    /// Coupling of key and lever, kg·m².
    pub m13: R,
    /// Coupling of key and jack, kg·m².
    pub m14: R,
    /// Reciprocal of m22 with the bend eliminated, 1/(kg·m²).
    pub inv_hammer: R,
    /// Off-diagonal element of the inverse of hammer and bend, 1/(kg·m²): acceleration of either by a unit
    /// torque on the other. 0 of a rigid shank and of a rigid knuckle, whose constraints couple the hammer
    /// to the key.
    pub inv_hammer_bend: R,
    /// Acceleration of the bend by a unit torque on the bend, 1/(kg·m²); 0 of a rigid shank.
    pub inv_bend: R,
    /// Reciprocal of m33, 1/(kg·m²).
    pub inv_lever: R,
    /// Reciprocal of m44, 1/(kg·m²); 0 where rigid constraints guide the jack.
    pub inv_jack: R,
    /// Reciprocal of m11 with the other speeds eliminated, 1/(kg·m²).
    pub inv_key: R,
    /// Elimination factors m12 / m22, m13 / m33 and m14 / m44.
    pub shares: [R; 3],
}

impl<R: Real> Mass<R> {
    /// Accelerations, rad/s², caused by the generalized forces `f`, N·m.
    #[inline(always)]
    pub fn solve(&self, f: &[R; SPEEDS]) -> [R; SPEEDS] {
        self.follow(f, self.key(f))
    }

    /// Accelerations, rad/s², caused by the generalized forces `f`, N·m, where that of the key is `key`.
    #[inline(always)]
    pub fn follow(&self, f: &[R; SPEEDS], key: R) -> [R; SPEEDS] {
        let [hammer, bend] = self.hammer(f[1] - self.m12 * key, f[4]);
        [
            key,
            hammer,
            (f[2] - self.m13 * key) * self.inv_lever,
            (f[3] - self.m14 * key) * self.inv_jack,
            bend,
        ]
    }

    /// Acceleration of the key, rad/s², caused by the generalized forces `f`, N·m.
    #[inline(always)]
    pub fn key(&self, f: &[R; SPEEDS]) -> R {
        let [p, q, r] = self.shares;
        (f[0] - p * f[1] - q * f[2] - r * f[3]) * self.inv_key
    }

    /// Torque on the key, N·m, with which the generalized forces `f`, N·m, give it the acceleration `key`, rad/s².
    #[inline(always)]
    pub fn missing(&self, f: &[R; SPEEDS], key: R) -> R {
        let [p, q, r] = self.shares;
        key / self.inv_key - (f[0] - p * f[1] - q * f[2] - r * f[3])
    }

    /// Accelerations of hammer and bend, rad/s², caused by torques on these two, N·m.
    #[inline(always)]
    pub fn hammer(&self, on_hammer: R, on_bend: R) -> [R; 2] {
        [
            on_hammer * self.inv_hammer + on_bend * self.inv_hammer_bend,
            on_hammer * self.inv_hammer_bend + on_bend * self.inv_bend,
        ]
    }
}

impl<R: Real> InverseMass<SPEEDS, R> for Mass<R> {
    #[inline(always)]
    fn apply(&self, forces: &[R; SPEEDS]) -> [R; SPEEDS] {
        self.solve(forces)
    }
}

/// Mass matrix and generalized forces at one instant.
#[derive(Clone, Copy, Debug)]
pub struct Balance<R = f64> {
    /// Mass matrix.
    pub mass: Mass<R>,
    /// Right-hand sides for key, hammer, lever, jack and bend, N·m.
    pub force: [R; SPEEDS],
    /// Torque on the key without the reaction of the capstan, N·m.
    pub on_key: R,
    /// Torque on the jack about its centre, N·m, without the reaction of a rigid button.
    pub on_jack: R,
    /// Force on the damper, N.
    pub damper_force: R,
    /// Dissipated power, W.
    pub loss: R,
    /// Force of the drive on the key front, N; 0 for imposed motion, whose force follows from the motion.
    pub drive_force: R,
}

/// Inertial couplings of jack and lever to the wippen that carries them.
#[derive(Clone, Copy, Debug)]
pub struct WippenCoupling<R = f64> {
    /// First moment of the jack's mass about its centre pin in world axes, kg·m.
    pub jack_moment: Vec2<R>,
    /// First moment of the lever's mass about its centre pin in world axes, kg·m.
    pub lever_moment: Vec2<R>,
    /// Coupling of wippen and jack, kg·m², and its derivative by q5, which is minus that by q6.
    pub jack: [R; 2],
    /// Coupling of wippen and lever, kg·m², and its derivative by q5, which is minus that by q3.
    pub lever: [R; 2],
}

impl<R: Real> WippenCoupling<R> {
    /// The couplings in the configuration `k`.
    #[inline(always)]
    pub fn new(n: &Precomputed<R>, k: &Kinematics<R>) -> Self {
        let jack_moment = n.jack_moment.turned(k.jack.direction);
        let lever_moment = n.lever_moment.turned(k.lever);
        Self {
            jack_moment,
            lever_moment,
            jack: [k.to_jack.dot(jack_moment), k.to_jack.cross(jack_moment)],
            lever: [k.to_lever.dot(lever_moment), k.to_lever.cross(lever_moment)],
        }
    }

    /// The mass matrix in the configuration `k`.
    #[inline(always)]
    pub fn mass(&self, n: &Precomputed<R>, k: &Kinematics<R>) -> Mass<R> {
        let (r5, a, b) = (k.r5, k.jack.key_ratio, k.jack.hammer_ratio);
        let inertia = n.jack.inertia;
        let m11 = n.key.inertia
            + n.wippen_inertia * r5 * r5
            + inertia * a * a
            + R::of(2.0) * self.jack[0] * r5 * a;
        let m12 = b * (inertia * a + self.jack[0] * r5);
        let m13 = self.lever[0] * r5;
        let mut inv_hammer = n.inv_head_inertia;
        if n.is_rigid() {
            // Only the flank of a straight knuckle couples the jack to the hammer.
            inv_hammer = R::of(1.0) / (n.head_inertia + inertia * b * b);
        }
        let inv_lever = n.inv_lever_inertia;
        let (zero, one) = (R::of(0.0), R::of(1.0));
        let (mut m14, mut inv_jack) = (zero, zero);
        if !n.is_rigid() {
            m14 = inertia * a + self.jack[0] * r5;
            inv_jack = n.inv_jack_inertia;
        }
        let shares = [m12 * inv_hammer, m13 * inv_lever, m14 * inv_jack];
        let inv_key = one / (m11 - shares[0] * m12 - shares[1] * m13 - shares[2] * m14);
        let (inv_hammer_bend, inv_bend) = (n.inv_mass_hammer_bend, n.inv_mass_bend);
        Mass {
            m12,
            m13,
            m14,
            inv_hammer,
            inv_hammer_bend,
            inv_bend,
            inv_lever,
            inv_jack,
            inv_key,
            shares,
        }
    }
}

/// Mass matrix and the forces of springs, felts, weights and the drive. The caller adds friction.
#[inline(always)]
#[must_use]
pub fn balance<R: Real>(
    n: &Precomputed<R>,
    phases: &Phases<R>,
    k: &Kinematics<R>,
    c: &Contacts<R>,
    x: &[R; STATES],
    lever_turn: R,
    drive: &DriveNow<R>,
) -> Balance<R> {
    let (w5, w6) = (k.wippen_speed(), k.jack_speed());
    let gravity = R::of(GRAVITY);
    let coupling = WippenCoupling::new(n, k);

    // Key: weight, felts, drive.
    let drive_force = drive.force(n, k);
    let mut on_key = n.key.lead_torque + n.key.front * (drive_force - c.bed.force + c.rest.force);
    if drive.is_coupled() {
        on_key = on_key + drive.couple(n, k, x);
    }
    let mut loss = c.bed.loss + c.rest.loss;

    // Weights of the other bodies; `wippen_weight` includes those of jack and lever at their hinges.
    let mut on_wippen = -n.wippen_weight.turned(k.wippen).x;
    let mut on_jack = -(gravity * coupling.jack_moment.x);
    let mut on_lever = -(gravity * coupling.lever_moment.x);
    let mut on_hammer = -n.hammer_weight.turned(k.hammer).x;

    // Jack spring between jack and wippen; with the jack on a rigid stop it is an internal force.
    if !n.is_rigid() || (phases.on_button | phases.on_flank).any() {
        let turn = if n.is_rigid() { k.jack_turn(n) } else { x[state::JACK] };
        let torque =
            n.jack.spring_torque + n.jack.spring_rate * turn + c.window.force - c.stop.force;
        on_jack = on_jack - torque;
        on_wippen = on_wippen + torque;
        let press = c.button.force;
        let toe = n.jack.toe.turned(k.jack.direction);
        on_jack = on_jack - toe.x * press;
        on_wippen = on_wippen - k.to_jack.x * press;
        loss = loss + (c.window.loss + c.stop.loss + c.button.loss);
    }

    // Jack on knuckle: a force along the contact normal, and viscous drag along the knuckle.
    let drives = phases.jack_bears(n);
    let mut on_butt = R::of(0.0);
    if drives.any() {
        let slide = k.drag_speed(n);
        let [drag, pressed] = contact::slide_drag(n, k, c.jack.force);
        let push = pressed * k.head.inv_across;
        let force = -(k.head.normal * push) - k.along_knuckle() * drag;
        let turn = -k.head.from_hammer.cross(force);
        let jack = k.head.from_jack.cross(force);
        loss = R::select(drives, loss + c.jack.loss + drag * slide, loss);
        on_hammer = R::select(drives, on_hammer + turn, on_hammer);
        on_butt = R::select(drives, turn, on_butt);
        on_wippen = R::select(drives, on_wippen + k.to_jack.cross(force), on_wippen);
        on_jack = R::select(drives, on_jack + jack, on_jack);
    }

    // Repetition lever: knuckle, spring, stops, drop screw, centre.
    let (knuckle, contact) = &c.lever;
    let force = knuckle.normal * contact.force;
    let turn = knuckle.from_hammer.cross(force);
    on_hammer = on_hammer + turn;
    on_butt = on_butt + turn;
    on_lever = on_lever - knuckle.from_lever.cross(force);
    on_wippen = on_wippen - k.to_lever.cross(force);
    let turning = k.u[2] - w5;
    let damping = n.lever.damping * turning;
    let spring = n.lever.spring_torque + n.lever.spring_rate * lever_turn;
    let torque = c.raised.force - c.lowered.force - spring - damping;
    let (arm, drop) = &c.drop;
    on_lever = on_lever + torque - arm.x * drop.force;
    on_wippen = on_wippen - torque - k.to_lever.x * drop.force;
    loss = loss + (contact.loss + c.raised.loss + c.lowered.loss + drop.loss) + damping * turning;

    // Backcheck, string, damper.
    let (check, contact) = &c.check;
    let [lift, seat, tray, top] = &c.damper;
    let bending = n.hammer.shank.damping * k.u[4];
    let on_bend = -(n.bend_share * on_butt)
        - n.hammer.shank.stiffness * k.bend
        - bending
        - contact.force * check.across[2];
    on_key = on_key - contact.force * check.across[0] - n.damper.arm * lift.force;
    on_hammer = on_hammer - contact.force * check.across[1]
        + (c.rail.force - c.string.force) * n.hammer.crown;
    let v = x[state::DAMPER_SPEED];
    let drag = n.damper.damping * v;
    let damper_force = lift.force + seat.force + tray.force - top.force - n.damper.weight - drag;
    loss = loss
        + (contact.loss
            + c.string.loss
            + c.rail.loss
            + lift.loss
            + seat.loss
            + tray.loss
            + top.loss)
        + drag * v
        + bending * k.u[4];

    // Velocity products.
    let (b5, b6, u3) = (k.b5, k.jack.product, k.u[2]);
    let wippen = on_wippen - n.wippen_inertia * b5 - coupling.jack[0] * b6
        + coupling.jack[1] * (w6 * w6)
        + coupling.lever[1] * (u3 * u3);
    let square = w5 * w5;
    let jack = on_jack - n.jack.inertia * b6 - coupling.jack[0] * b5 - coupling.jack[1] * square;
    let lever = on_lever - coupling.lever[0] * b5 - coupling.lever[1] * square;
    Balance {
        mass: coupling.mass(n, k),
        force: [
            on_key + k.r5 * wippen + k.jack.key_ratio * jack,
            on_hammer + k.jack.hammer_ratio * jack,
            lever,
            jack,
            on_bend,
        ],
        on_key,
        on_jack,
        damper_force,
        loss,
        drive_force,
    }
}
