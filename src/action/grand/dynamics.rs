//! Equations of motion by Kane's method: generalized forces on the independent speeds, the
//! 3 × 3 mass matrix, and the damper beside them.
//!
//! With body speeds ω = A(q)·u the equations are AᵀℳA·u̇ = Aᵀ(Q − ℳ·Ȧu − velocity products).

use super::contact::{self, DamperContacts, KnuckleOnLever, TailOnCheck};
use super::drive::DriveNow;
use super::kinematics::Kinematics;
use super::spec::{GRAVITY, Spec};
use super::{Phase, STATES, state};
use crate::math::vec2::Vec2;
use crate::mech::felt::{Contact, Felt};

/// Everything that touches, at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Contacts {
    /// Jack on knuckle, along the jack (only where the jack drives).
    pub jack: Contact,
    /// Knuckle on repetition lever.
    pub lever: (KnuckleOnLever, Contact),
    /// Tail on backcheck.
    pub check: (TailOnCheck, Contact),
    /// Damper's contacts and the forces of key, string and tray on it.
    pub damper: (DamperContacts, [Contact; 3]),
    /// Hammer on string.
    pub string: Contact,
    /// Shank on the rest rail, referred to the crown.
    pub rail: Contact,
    /// Key front on the key bed.
    pub bed: Contact,
    /// Key on its rest felt, referred to the front.
    pub rest: Contact,
}

impl Contacts {
    /// All contacts in `phase` at `x`.
    #[inline]
    pub fn new(spec: &Spec, phase: Phase, k: &Kinematics, x: &[f64; STATES], tray: f64) -> Self {
        let jack = if phase.jack_drives() {
            spec.hammer.knuckle_felt.contact(k.head.q4, k.q4_rate())
        } else {
            Contact::default()
        };
        let on_lever = contact::knuckle_on_lever(spec, k);
        let lever = squeeze(&spec.lever.knuckle_felt, on_lever.squeeze);
        let on_check = contact::tail_on_check(spec, k);
        let check = squeeze(&spec.check.felt, on_check.squeeze);
        let crown = spec.hammer.crown;
        let string = spec.string.contact(crown * x[state::HAMMER], crown * k.u[1]);
        let fallen = -crown * x[state::HAMMER] - spec.hammer.rail;
        let rail = spec.hammer.rail_felt.contact(fallen, -crown * k.u[1]);
        let front = spec.key.front * k.u[0];
        let bed = spec.key.bed_felt.contact(k.depth - spec.key.dip, front);
        let rest = spec.key.rest_felt.contact(spec.key.rest_compression - k.depth, -front);
        let around = contact::damper(spec, k, x, tray);
        let d = &spec.damper;
        let on_damper = if d.present {
            [
                squeeze(&d.lift_felt, around.lift),
                squeeze(&d.seat_felt, around.seat),
                squeeze(&d.lift_felt, around.tray),
            ]
        } else {
            [Contact::default(); 3]
        };
        Self {
            jack,
            lever: (on_lever, lever),
            check: (on_check, check),
            damper: (around, on_damper),
            string,
            rail,
            bed,
            rest,
        }
    }
}

#[inline]
fn squeeze(felt: &Felt, s: contact::Squeeze) -> Contact {
    felt.contact(s.depth, s.rate)
}

/// Mass matrix and generalized forces of one moment.
#[derive(Clone, Copy, Debug)]
pub struct Balance {
    /// m11, m12, m13, m22, m33 (m23 is zero).
    pub mass: [f64; 5],
    /// Right-hand sides for key, hammer and lever, N·m.
    pub force: [f64; 3],
    /// Torque on the jack about its centre, N·m, the button's reaction left out.
    pub on_jack: f64,
    /// Force on the damper, N.
    pub damper_force: f64,
    /// Power turned into heat, W.
    pub loss: f64,
    /// Force of the drive on the key front, N (not known here for imposed motion).
    pub drive_force: f64,
}

/// Mass coupling of a body hinged on the wippen: value and its derivatives by either angle.
#[inline]
fn coupling(mass: f64, to_hinge: Vec2, centre: Vec2) -> [f64; 3] {
    [
        mass * to_hinge.dot(centre),
        mass * to_hinge.perp().dot(centre),
        mass * to_hinge.dot(centre.perp()),
    ]
}

/// Wippen, jack and lever inertia as the three body speeds feel it.
#[derive(Clone, Copy, Debug)]
pub struct Carried {
    /// Wippen inertia with the masses of jack and lever at their hinges, kg·m².
    pub wippen: f64,
    /// Coupling wippen–jack and its derivatives by q5 and q6.
    pub jack: [f64; 3],
    /// Coupling wippen–lever and its derivatives by q5 and q3.
    pub lever: [f64; 3],
}

impl Carried {
    /// At the configuration `k`.
    #[inline]
    pub fn new(spec: &Spec, k: &Kinematics) -> Self {
        let (jack, lever) = (&spec.jack, &spec.lever);
        Self {
            wippen: spec.wippen.inertia
                + jack.mass * k.to_jack.norm_squared()
                + lever.mass * k.to_lever.norm_squared(),
            jack: coupling(jack.mass, k.to_jack, jack.centre.turned(k.jack.direction)),
            lever: coupling(lever.mass, k.to_lever, lever.centre.turned(k.lever)),
        }
    }

    /// m11, m12, m13, m22, m33.
    #[inline]
    pub fn mass_matrix(&self, spec: &Spec, k: &Kinematics) -> [f64; 5] {
        let (r5, a, b) = (k.r5, k.jack.per_key, k.jack.per_hammer);
        let inertia = spec.jack.inertia;
        [
            spec.key.inertia
                + self.wippen * r5 * r5
                + inertia * a * a
                + 2.0 * self.jack[0] * r5 * a,
            b * (inertia * a + self.jack[0] * r5),
            self.lever[0] * r5,
            spec.hammer.inertia + inertia * b * b,
            spec.lever.inertia,
        ]
    }
}

/// Solves the mass matrix for accelerations.
#[inline]
#[must_use]
pub fn solve(m: &[f64; 5], f: &[f64; 3]) -> [f64; 3] {
    let [m11, m12, m13, m22, m33] = *m;
    let (p, q) = (m12 / m22, m13 / m33);
    let key = (f[0] - p * f[1] - q * f[2]) / (m11 - p * m12 - q * m13);
    [key, (f[1] - m12 * key) / m22, (f[2] - m13 * key) / m33]
}

/// Inverse of the mass matrix.
#[inline]
#[must_use]
pub fn inverse(m: &[f64; 5]) -> [[f64; 3]; 3] {
    let a = solve(m, &[1.0, 0.0, 0.0]);
    let b = solve(m, &[0.0, 1.0, 0.0]);
    let c = solve(m, &[0.0, 0.0, 1.0]);
    [[a[0], b[0], c[0]], [a[1], b[1], c[1]], [a[2], b[2], c[2]]]
}

/// Forces of springs, felts, weights and the drive; friction is added by the caller.
#[inline]
#[must_use]
pub fn balance(
    spec: &Spec,
    phase: Phase,
    k: &Kinematics,
    c: &Contacts,
    x: &[f64; STATES],
    drive: &DriveNow,
) -> Balance {
    let (w5, w6) = (k.wippen_speed(), k.jack_speed());
    let mut loss = 0.0;
    let mut take = |contact: &Contact| {
        loss += contact.loss;
        contact.force
    };

    // Key: weight, felts, drive.
    let front = spec.key.front;
    let drive_force = drive.force(spec, k);
    let mut on_key = spec.key.lead_torque + front * (drive_force - take(&c.bed) + take(&c.rest));
    on_key += drive.couple(spec, k, x);

    // Wippen, with the weights it carries.
    let w = &spec.wippen;
    let mut on_wippen = -GRAVITY
        * (w.mass * w.centre.turned(k.wippen).x
            + spec.jack.mass * k.to_jack.x
            + spec.lever.mass * k.to_lever.x);
    let mut on_jack = -GRAVITY * spec.jack.mass * spec.jack.centre.turned(k.jack.direction).x;
    let mut on_lever = -GRAVITY * spec.lever.mass * spec.lever.centre.turned(k.lever).x;
    let mut on_hammer = -GRAVITY * spec.hammer.mass * spec.hammer.centre.turned(k.hammer).x;

    // Jack spring, between jack and wippen; on the stop it is an inner force.
    if !matches!(phase, Phase::Acceleration | Phase::Return) {
        let torque = spec.jack.spring_torque + spec.jack.spring_rate * k.jack_turn(spec);
        on_jack -= torque;
        on_wippen += torque;
    }

    // Jack on knuckle: a force along the shank's normal at the meeting point, and its drag.
    if phase.jack_drives() {
        let push = take(&c.jack) / k.head.across;
        let slide = k.slide_speed(spec);
        let drag = spec.hammer.slide_damping * slide;
        loss += drag * slide;
        let force = -(k.hammer.perp() * push) - k.hammer * drag;
        on_hammer += k.head.q9 * push + drag * spec.hammer.knuckle_depth;
        on_wippen += k.to_jack.cross(force);
        on_jack += (k.head.axis * k.head.reach).cross(force);
    }

    // Repetition lever: knuckle, spring, stops, drop screw, centre.
    let lever = &spec.lever;
    let (knuckle, contact) = &c.lever;
    let mut take = |contact: &Contact| {
        loss += contact.loss;
        contact.force
    };
    let force = knuckle.normal * take(contact);
    on_hammer += knuckle.from_hammer.cross(force);
    on_lever -= knuckle.from_lever.cross(force);
    on_wippen -= k.to_lever.cross(force);
    let angle = contact::lever_angle(k, x);
    let turning = k.u[2] - w5;
    let raised = lever.stop_felt.contact(lever.stop - angle, -turning);
    let lowered = lever.stop_felt.contact(angle - lever.stop - lever.travel, turning);
    let torque = take(&raised)
        - take(&lowered)
        - lever.spring_torque
        - lever.spring_rate * (angle - lever.stop)
        - lever.damping * turning;
    on_lever += torque;
    on_wippen -= torque;
    let (press, arm) = contact::drop_screw(spec, k);
    let down = take(&lever.drop_felt.contact(press.depth, press.rate));
    on_lever -= arm.x * down;
    on_wippen -= k.to_lever.x * down;
    loss += lever.damping * turning * turning;

    // Backcheck, string, damper.
    let (check, contact) = &c.check;
    on_key -= contact.force * check.across[0];
    on_hammer -= contact.force * check.across[1];
    on_hammer += (c.rail.force - c.string.force) * spec.hammer.crown;
    let [lift, seat, tray] = &c.damper.1;
    on_key -= spec.damper.arm * lift.force;
    let v = x[state::DAMPER_SPEED];
    let damper_force =
        lift.force + seat.force + tray.force - spec.damper.weight - spec.damper.damping * v;
    loss += contact.loss + c.string.loss + c.rail.loss + lift.loss + seat.loss + tray.loss;
    loss += spec.damper.damping * v * v;

    // Velocity products.
    let carried = Carried::new(spec, k);
    let (b5, b6) = (k.b5, k.jack.product);
    let u3 = k.u[2];
    let wippen = on_wippen
        - carried.wippen * b5
        - carried.jack[0] * b6
        - carried.jack[2] * w6 * w6
        - carried.lever[2] * u3 * u3;
    let jack = on_jack - spec.jack.inertia * b6 - carried.jack[0] * b5 - carried.jack[1] * w5 * w5;
    let lever = on_lever - carried.lever[0] * b5 - carried.lever[1] * w5 * w5;
    Balance {
        mass: carried.mass_matrix(spec, k),
        force: [
            on_key + k.r5 * wippen + k.jack.per_key * jack,
            on_hammer + k.jack.per_hammer * jack,
            lever,
        ],
        on_jack,
        damper_force,
        loss,
        drive_force,
    }
}
