//! Every force on every body at one moment.

use super::{
    Coupling, DAMPER, HAMMER, JACK, JACK_AT, KEY, LEVER, LEVER_AT, PLACES, STATES, WIPPEN, WORK,
};
use crate::action::grand::contact;
use crate::action::grand::drive::{Causality, DriveNow, FINGER_DAMPING, FINGER_STIFFNESS};
use crate::action::grand::spec::{GRAVITY, Spec};
use crate::math::trig::direction;
use crate::math::vec2::Vec2;
use crate::mech::felt::{Contact, Felt};
use crate::mech::friction::{self, Element};

/// A body: where its reference point is (pin or centre of mass), how it moves, what acts on it.
#[derive(Clone, Copy, Debug)]
struct Body {
    at: Vec2,
    velocity: Vec2,
    turned: Vec2,
    speed: f64,
    force: Vec2,
    torque: f64,
}

impl Body {
    fn pinned(at: Vec2, angle: f64, speed: f64) -> Self {
        Self::free(at, Vec2::default(), angle, speed)
    }

    fn free(at: Vec2, velocity: Vec2, angle: f64, speed: f64) -> Self {
        let (force, torque) = (Vec2::default(), 0.0);
        Self { at, velocity, turned: direction(angle), speed, force, torque }
    }

    /// World place of a point given from the reference point in the body's frame.
    fn point(&self, local: Vec2) -> Vec2 {
        self.at + local.turned(self.turned)
    }

    fn velocity_at(&self, point: Vec2) -> Vec2 {
        self.velocity + (point - self.at).perp() * self.speed
    }

    fn push(&mut self, point: Vec2, force: Vec2) {
        self.force = self.force + force;
        self.torque += (point - self.at).cross(force);
    }
}

/// A hard one-sided contact: a spring with a dashpot that does not pull.
fn hard(stiffness: f64, damping: f64, depth: f64, rate: f64) -> Contact {
    if depth <= 0.0 {
        return Contact::default();
    }
    let elastic = stiffness * depth;
    let force = (elastic + damping * rate).max(0.0);
    Contact { force, loss: (force - elastic) * rate }
}

/// Friction elements: key, hammer, lever's centre, toe on button, jack on knuckle, tail on check.
const ELEMENTS: usize = 6;
const CENTRES: usize = 3;

/// Friction found at the beginning of a part and held through it: a force on every coordinate.
pub type Held = [f64; PLACES];

/// The forces of one moment and what they come to.
pub struct Moment {
    /// Of the drive on the key front, N.
    pub drive: f64,
    /// Jack on knuckle, along the jack, N.
    pub jack: f64,
    /// Capstan on heel, N.
    pub capstan: f64,
    /// Kinetic and stored energy, J.
    pub kinetic: f64,
    /// See `kinetic`.
    pub potential: f64,
    acceleration: [f64; PLACES],
    inverse: [f64; PLACES],
    friction: [Element<PLACES>; ELEMENTS],
    power: f64,
    loss: f64,
    /// Jack head beyond the knuckle's edge, and above its line, m.
    head: [f64; 2],
    /// Jack off its stop, rad; toe above the button's face, m; pull of the stop on it, N·m.
    jack_home: [f64; 3],
}

/// What the sums run over.
struct Sums {
    loss: f64,
    stored: f64,
    friction: [Element<PLACES>; ELEMENTS],
}

impl Sums {
    fn felt(&mut self, felt: &Felt, depth: f64, rate: f64) -> f64 {
        let c = felt.contact(depth, rate);
        self.stored += felt.energy(depth);
        self.loss += c.loss;
        c.force
    }

    fn hard(&mut self, k: f64, b: f64, depth: f64, rate: f64) -> f64 {
        let c = hard(k, b, depth, rate);
        self.stored += 0.5 * k * depth.max(0.0) * depth.max(0.0);
        self.loss += c.loss;
        c.force
    }
}

impl Moment {
    /// At `x` with what is remembered and the friction held.
    pub fn new(
        spec: &Spec,
        coupling: &Coupling,
        memory: Memory,
        held: &Held,
        input: &DriveNow,
        x: &[f64; STATES],
    ) -> Self {
        let rate = |i: usize| x[PLACES + i];
        let vector = |i: usize| Vec2::new(x[i], x[i + 1]);
        let mut key = Body::pinned(Vec2::default(), x[KEY], rate(KEY));
        let mut wippen = Body::pinned(spec.wippen.pivot, x[WIPPEN], rate(WIPPEN));
        let mut hammer = Body::pinned(spec.hammer.pivot, x[HAMMER], rate(HAMMER));
        let free = |at: usize, angle: usize| {
            Body::free(vector(at), vector(PLACES + at), x[angle], rate(angle))
        };
        let (mut fly, mut lever) = (free(JACK_AT, JACK), free(LEVER_AT, LEVER));
        let none = Element { direction: [0.0; PLACES], bound: 0.0 };
        let mut sums = Sums { loss: 0.0, stored: 0.0, friction: [none; ELEMENTS] };
        let k = coupling.stiffness;
        let damper_of = |mass: f64| 2.0 * coupling.damping * (k * mass).sqrt();

        weights(spec, &mut sums, &mut wippen, &mut hammer, &mut fly, &mut lever);
        let capstan = heel(spec, k, damper_of, &mut sums, &mut key, &mut wippen);
        let pins = [spec.wippen.jack_pivot, spec.wippen.lever_pivot];
        let hung = [
            (&mut fly, spec.jack.centre, spec.jack.mass),
            (&mut lever, spec.lever.centre, spec.lever.mass),
        ];
        for (pin, (body, centre, mass)) in pins.into_iter().zip(hung) {
            joint(k, damper_of(mass), &mut sums, (&mut wippen, pin), (body, -centre));
        }
        let jack_home = carry_jack(spec, coupling, memory, &mut sums, &mut wippen, &mut fly);
        let (jack, head) = knuckle(spec, coupling, memory, &mut sums, &mut fly, &mut hammer);
        repetition(spec, &mut sums, &mut wippen, &mut lever, &mut hammer);
        backcheck(spec, &mut sums, &mut key, &mut hammer);

        // String and rest rail at the crown; the centres' friction.
        let crown = spec.hammer.crown;
        let (z, w) = (crown * x[HAMMER], crown * rate(HAMMER));
        hammer.torque -= crown * sums.felt(&spec.string, z, w);
        hammer.torque += crown * sums.felt(&spec.hammer.rail_felt, -z - spec.hammer.rail, -w);
        let centre = |bound: f64, turning: &[(usize, f64)]| element(bound, turning);
        sums.friction[0] = centre(spec.key.friction, &[(KEY, 1.0)]);
        sums.friction[1] = centre(spec.hammer.friction, &[(HAMMER, 1.0)]);
        sums.friction[2] = centre(spec.lever.friction, &[(LEVER, 1.0), (WIPPEN, -1.0)]);

        // Key: leads, felts, damper, drive.
        let front = spec.key.front;
        let depth = front * (x[KEY] - spec.key.rest_angle);
        let speed = front * key.speed;
        key.torque += spec.key.lead_torque;
        sums.stored -= spec.key.lead_torque * (x[KEY] - spec.key.rest_angle);
        key.torque -= front * sums.felt(&spec.key.bed_felt, depth - spec.key.dip, speed);
        let under_back = spec.key.rest_compression - depth;
        key.torque += front * sums.felt(&spec.key.rest_felt, under_back, -speed);
        let damper = damper(spec, &mut sums, &mut key, depth, x, input.tray);

        key.torque += held[KEY];
        let imposed = input.is_imposed();
        let drive = match input.causality {
            Causality::Motion => -key.torque / front,
            Causality::Force if input.target > depth => {
                let finger = FINGER_STIFFNESS * (input.target - depth)
                    + FINGER_DAMPING * (input.rate - speed);
                input.force + finger.max(0.0)
            }
            Causality::Force => input.force,
            Causality::Manipulandum => {
                let [stiffness, damping] = spec.coupling;
                (stiffness * (input.target - x[KEY]) + damping * (input.rate - key.speed)) / front
            }
        };
        key.torque += front * drive;

        let about = |inertia: f64, mass: f64, centre: Vec2| inertia - mass * centre.norm_squared();
        let jack_inertia = about(spec.jack.inertia, spec.jack.mass, spec.jack.centre);
        let lever_inertia = about(spec.lever.inertia, spec.lever.mass, spec.lever.centre);
        let (of_jack, of_lever) = (1.0 / spec.jack.mass, 1.0 / spec.lever.mass);
        let inverse = [
            if imposed { 0.0 } else { 1.0 / spec.key.inertia },
            1.0 / spec.wippen.inertia,
            1.0 / spec.hammer.inertia,
            1.0 / jack_inertia,
            1.0 / lever_inertia,
            of_jack,
            of_jack,
            of_lever,
            of_lever,
            0.0,
        ];
        let force = [
            key.torque - held[KEY],
            wippen.torque,
            hammer.torque,
            fly.torque,
            lever.torque,
            fly.force.x,
            fly.force.y,
            lever.force.x,
            lever.force.y,
            0.0,
        ];
        let mut acceleration = std::array::from_fn(|i| inverse[i] * (force[i] + held[i]));
        acceleration[DAMPER] = damper;
        sums.loss -= (0..PLACES).map(|i| held[i] * rate(i)).sum::<f64>();
        let moving = if spec.damper.present { spec.damper.mass } else { 0.0 };
        let kinetic = 0.5
            * (spec.key.inertia * key.speed * key.speed
                + spec.wippen.inertia * wippen.speed * wippen.speed
                + spec.hammer.inertia * hammer.speed * hammer.speed
                + jack_inertia * fly.speed * fly.speed
                + lever_inertia * lever.speed * lever.speed
                + spec.jack.mass * fly.velocity.norm_squared()
                + spec.lever.mass * lever.velocity.norm_squared()
                + moving * rate(DAMPER) * rate(DAMPER));
        Self {
            drive,
            jack,
            capstan,
            kinetic,
            potential: sums.stored,
            acceleration,
            inverse,
            friction: sums.friction,
            power: drive * speed,
            loss: sums.loss,
            head,
            jack_home,
        }
    }

    /// x' at `x`.
    pub fn rates(&self, x: &[f64; STATES]) -> [f64; STATES] {
        let mut rates = [0.0; STATES];
        rates[..PLACES].copy_from_slice(&x[PLACES..WORK]);
        rates[PLACES..WORK].copy_from_slice(&self.acceleration);
        rates[WORK] = self.power;
        rates[WORK + 1] = self.loss;
        rates
    }

    /// Friction for the part of `h` s that begins here at `x`, this moment having been taken
    /// without any.
    pub fn hold(&self, x: &[f64; STATES], imposed: bool, h: f64) -> Held {
        let mut inverse = [[0.0; PLACES]; PLACES];
        for (i, row) in inverse.iter_mut().enumerate() {
            row[i] = self.inverse[i];
        }
        let speeds = std::array::from_fn(|i| x[PLACES + i]);
        let mut forces = friction::forces(&self.friction, &inverse, &speeds, &self.acceleration, h);
        if imposed && speeds[KEY] != 0.0 {
            // The key goes where it is told: friction there loads the drive.
            forces[0] = -self.friction[0].bound * speeds[KEY].signum();
        }
        let mut held = [0.0; PLACES];
        for (element, force) in self.friction.iter().zip(forces) {
            for i in 0..PLACES {
                held[i] += element.direction[i] * force;
            }
        }
        held
    }

    /// What is to be remembered of this moment.
    pub const fn remembered(&self, memory: Memory) -> Memory {
        let [inside, above] = self.head;
        let [turn, toe, _] = self.jack_home;
        Memory {
            // The head leaves over the edge, and comes back below the knuckle's line.
            under: above <= 0.0 || (memory.under && inside > 0.0),
            // The button takes the jack over, and hands it back on its stop.
            home: toe <= 0.0 && (memory.home || turn <= 0.0),
        }
    }

    /// Torque with which the stop had to pull the jack home, N·m.
    pub const fn pull(&self, memory: Memory) -> f64 {
        if memory.home { self.jack_home[2] } else { 0.0 }
    }
}

/// Which of two sides a contact is on: all that the forces depend on beside the coordinates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Memory {
    /// The jack's head stands under the knuckle, not beside it.
    pub under: bool,
    /// The jack is on its stop, the button clear of its toe.
    pub home: bool,
}

/// A friction element that slides at the given multiples of some of the rates.
fn element(bound: f64, slide: &[(usize, f64)]) -> Element<PLACES> {
    let mut direction = [0.0; PLACES];
    for &(i, share) in slide {
        direction[i] = share;
    }
    Element { direction, bound }
}

fn weights(
    spec: &Spec,
    sums: &mut Sums,
    wippen: &mut Body,
    hammer: &mut Body,
    jack: &mut Body,
    lever: &mut Body,
) {
    let mut hang = |body: &mut Body, mass: f64, centre: Vec2| {
        let point = body.point(centre);
        body.push(point, Vec2::new(0.0, -GRAVITY * mass));
        sums.stored += GRAVITY * mass * point.y;
    };
    hang(wippen, spec.wippen.mass, spec.wippen.centre);
    hang(hammer, spec.hammer.mass, spec.hammer.centre);
    hang(jack, spec.jack.mass, Vec2::default());
    hang(lever, spec.lever.mass, Vec2::default());
}

/// Capstan on the heel: holds both ways, as the other formulation's loop does; the force tells
/// whether it would have had to pull.
fn heel(
    spec: &Spec,
    k: f64,
    damper_of: impl Fn(f64) -> f64,
    sums: &mut Sums,
    key: &mut Body,
    wippen: &mut Body,
) -> f64 {
    let capstan = key.point(spec.key.capstan);
    let normal = wippen.turned.perp();
    let from_pin = capstan - wippen.at;
    let arm = from_pin.dot(wippen.turned);
    let depth = from_pin.dot(normal) + spec.wippen.heel;
    let rate = (key.velocity_at(capstan) - wippen.velocity_at(capstan)).dot(normal);
    let b = damper_of(spec.wippen.inertia / (arm * arm) + spec.jack.mass);
    let force = k * depth + b * rate;
    sums.stored += 0.5 * k * depth * depth;
    sums.loss += b * rate * rate;
    wippen.push(capstan, normal * force);
    key.push(capstan, normal * -force);
    force
}

/// A pin: holds two points together.
fn joint(k: f64, b: f64, sums: &mut Sums, on: (&mut Body, Vec2), of: (&mut Body, Vec2)) {
    let ((carrier, here), (body, there)) = (on, of);
    let (a, c) = (carrier.point(here), body.point(there));
    let apart = a - c;
    let rate = carrier.velocity_at(a) - body.velocity_at(c);
    let force = apart * k + rate * b;
    sums.stored += 0.5 * k * apart.norm_squared();
    sums.loss += b * rate.norm_squared();
    body.push(c, force);
    carrier.push(a, -force);
}

/// The jack's spring, its stop on the wippen and its toe under the button; where it is.
///
/// Home, the stop holds it both ways until the button meets the toe, as in the other formulation.
fn carry_jack(
    spec: &Spec,
    coupling: &Coupling,
    memory: Memory,
    sums: &mut Sums,
    wippen: &mut Body,
    fly: &mut Body,
) -> [f64; 3] {
    let j = &spec.jack;
    let home = direction(j.stop).turned(wippen.turned);
    let turn = home.cross(fly.turned).asin();
    let turning = fly.speed - wippen.speed;
    let arm = j.toe.norm_squared();
    let k = coupling.stiffness;
    let b = 2.0 * coupling.damping * (k * j.inertia / arm).sqrt();
    let stop = if memory.home {
        sums.stored += 0.5 * k * arm * turn * turn;
        sums.loss += b * arm * turning * turning;
        -arm * (k * turn + b * turning)
    } else {
        sums.hard(k * arm, b * arm, -turn, -turning)
    };
    let torque = stop - j.spring_torque - j.spring_rate * turn;
    sums.stored += j.spring_torque * turn + 0.5 * j.spring_rate * turn * turn;
    fly.torque += torque;
    wippen.torque -= torque;

    let toe = fly.point(j.toe - j.centre);
    let velocity = fly.velocity_at(toe);
    let press = sums.hard(k, b, toe.y - j.button_height, velocity.y);
    let slide = [(JACK_AT, 1.0), (JACK, (toe - fly.at).perp().x)];
    sums.friction[CENTRES] = element(j.button_friction * press, &slide);
    fly.push(toe, Vec2::new(0.0, -press));
    [turn, toe.y - j.button_height, -stop]
}

/// Jack head under the knuckle, or on its flank. The force along the jack, and where the head is.
fn knuckle(
    spec: &Spec,
    coupling: &Coupling,
    memory: Memory,
    sums: &mut Sums,
    fly: &mut Body,
    hammer: &mut Body,
) -> (f64, [f64; 2]) {
    let h = &spec.hammer;
    let pin = fly.point(-spec.jack.centre);
    let axis = direction(spec.jack.lean).perp().turned(fly.turned);
    let (along, normal) = (hammer.turned, hammer.turned.perp());
    let across = axis.dot(normal);
    let reach = ((hammer.at - pin).dot(normal) - h.knuckle_depth) / across;
    let above = spec.jack.length - reach;
    let tip = pin + axis * spec.jack.length;
    let inside = (tip - hammer.at).dot(along) - h.knuckle_edge;
    if memory.under {
        let point = pin + axis * reach;
        let sliding = fly.velocity_at(point) - hammer.velocity_at(point);
        let force = sums.felt(&h.knuckle_felt, above, sliding.dot(normal) / across);
        let push = force / across;
        if force > 0.0 {
            let slide = sliding.dot(along);
            sums.loss += h.slide_damping * slide * slide;
            let sides = [
                (JACK_AT, along.x),
                (JACK_AT + 1, along.y),
                (JACK, (point - fly.at).perp().dot(along)),
                (HAMMER, -(point - hammer.at).perp().dot(along)),
            ];
            sums.friction[CENTRES + 1] = element(h.knuckle_friction * push, &sides);
            let on_jack = along * (-h.slide_damping * slide) - normal * push;
            fly.push(point, on_jack);
            hammer.push(point, -on_jack);
        }
        return (force, [inside, above]);
    }
    if above > 0.0 {
        let rate = (fly.velocity_at(tip) - hammer.velocity_at(tip)).dot(along);
        let k = coupling.stiffness;
        let mass = spec.jack.inertia / (spec.jack.length * spec.jack.length);
        let b = 2.0 * coupling.damping * (k * mass).sqrt();
        let push = along * sums.hard(k, b, inside, rate);
        fly.push(tip, -push);
        hammer.push(tip, push);
    }
    (0.0, [inside, above])
}

/// Repetition lever: knuckle on it, spring, stops, drop screw, centre.
fn repetition(
    spec: &Spec,
    sums: &mut Sums,
    wippen: &mut Body,
    lever: &mut Body,
    hammer: &mut Body,
) {
    let l = &spec.lever;
    let pin = lever.point(-l.centre);
    let surface = contact::surface(spec, lever.turned);
    let normal = surface.perp();
    let point = hammer.point(Vec2::new(spec.hammer.knuckle, -spec.hammer.knuckle_depth));
    let depth = l.surface_height - (point - pin).dot(normal);
    let rate = (lever.velocity_at(point) - hammer.velocity_at(point)).dot(normal);
    let push = normal * sums.felt(&l.knuckle_felt, depth, rate);
    hammer.push(point, push);
    lever.push(point, -push);

    let raised = wippen.turned.cross(lever.turned).asin() - l.stop;
    let turning = lever.speed - wippen.speed;
    let torque = sums.felt(&l.stop_felt, -raised, -turning)
        - sums.felt(&l.stop_felt, raised - l.travel, turning)
        - l.spring_torque
        - l.spring_rate * raised
        - l.damping * turning;
    sums.stored += l.spring_torque * raised + 0.5 * l.spring_rate * raised * raised;
    sums.loss += l.damping * turning * turning;
    lever.torque += torque;
    wippen.torque -= torque;

    let screw = pin + contact::drop_point(spec, surface);
    let down = sums.felt(&l.drop_felt, screw.y - l.drop_height, lever.velocity_at(screw).y);
    lever.push(screw, Vec2::new(0.0, -down));
}

/// Hammer tail on the backcheck.
fn backcheck(spec: &Spec, sums: &mut Sums, key: &mut Body, hammer: &mut Body) {
    let c = &spec.check;
    let normal = Vec2::unit(c.normal).turned(key.turned);
    let tail = hammer.point(c.tail);
    let depth = (key.point(c.face) - tail).dot(normal);
    if depth <= 0.0 {
        return;
    }
    let sliding = hammer.velocity_at(tail) - key.velocity_at(tail);
    let press = sums.felt(&c.felt, depth, -sliding.dot(normal));
    let upward = -normal.perp();
    let slide = [(HAMMER, (tail - hammer.at).perp().dot(upward)), (KEY, -tail.perp().dot(upward))];
    sums.friction[CENTRES + 2] = element(c.friction * press, &slide);
    hammer.push(tail, normal * press);
    key.push(tail, normal * -press);
}

/// The damper's acceleration, m/s².
fn damper(
    spec: &Spec,
    sums: &mut Sums,
    key: &mut Body,
    depth: f64,
    x: &[f64; STATES],
    tray: f64,
) -> f64 {
    let d = &spec.damper;
    if !d.present {
        return 0.0;
    }
    let (y, v) = (x[DAMPER], x[PLACES + DAMPER]);
    let lifted = d.arm / spec.key.front * (depth - d.pickup) - y;
    let lift = sums.felt(&d.lift_felt, lifted, d.arm * key.speed - v);
    key.torque -= d.arm * lift;
    let seat = sums.felt(&d.seat_felt, -y, -v);
    let tray = sums.felt(&d.lift_felt, tray - y, -v);
    sums.stored += d.weight * y;
    sums.loss += d.damping * v * v;
    (lift + seat + tray - d.weight - d.damping * v) / d.mass
}

/// Depth of the hammer's tail in the check's leather, m.
pub fn tail_in_check(spec: &Spec, x: &[f64; STATES]) -> f64 {
    let key = direction(x[KEY]);
    let normal = Vec2::unit(spec.check.normal).turned(key);
    let tail = spec.hammer.pivot + spec.check.tail.turned(direction(x[HAMMER]));
    (spec.check.face.turned(key) - tail).dot(normal)
}
