//! Joints between the bodies: loops closed by stiff springs, felts, the hard contacts of the jack.

use super::body::{Body, Memory, PLASTIC, Sums, element, friction};
use super::elements::index;
use super::{
    BUTT, COORDINATES, Coupling, DAMPER, HAMMER, JACK, JACK_AT, KEY, LEVER, LEVER_AT, STATES,
    WIPPEN, butt_of,
};
use touchback_action::GRAVITY;
use touchback_action::grand::design::spec::{Hammer, Spec};
use touchback_action::grand::equations::{contact, evaluation};
use touchback_core::math::trig::direction;
use touchback_core::math::vec2::Vec2;
use touchback_core::mech::felt::Contact;

pub(super) fn weights(
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

/// Capstan on the heel: a contact that the wippen may leave; where the coupling holds it or the knuckle is
/// straight, as in the thesis, a two-sided joint. Returns the force, N, and the gap, m.
pub(super) fn heel(
    spec: &Spec,
    coupling: &Coupling,
    damper_of: impl Fn(f64) -> f64,
    sums: &mut Sums,
    key: &mut Body,
    wippen: &mut Body,
) -> [f64; 2] {
    let capstan = key.point(spec.key.capstan);
    let normal = wippen.turned.perp();
    let from_pin = capstan - wippen.at;
    let arm = from_pin.dot(wippen.turned);
    let depth = from_pin.dot(normal) + spec.wippen.heel;
    let rate = (key.velocity_at(capstan) - wippen.velocity_at(capstan)).dot(normal);
    let k = coupling.stiffness;
    let b = damper_of(spec.wippen.inertia / (arm * arm) + spec.jack.mass);
    let force = if coupling.holds_heel || spec.is_rigid() {
        let element = Contact { force: k * depth + b * rate, loss: b * rate * rate };
        sums.add(index::CAPSTAN, element, 0.5 * k * depth * depth)
    } else {
        sums.hard(index::CAPSTAN, k, b, depth, rate)
    };
    let along = wippen.turned;
    let slide =
        [(KEY, (capstan - key.at).perp().dot(along)), (WIPPEN, -from_pin.perp().dot(along))];
    sums.friction[friction::CAPSTAN_ON_HEEL] =
        element(spec.key.capstan_friction * force.abs(), &slide);
    wippen.push(capstan, normal * force);
    key.push(capstan, normal * -force);
    [force, (-depth).max(0.0)]
}

/// A pin joint, the element `index`: a stiff spring between two points.
pub(super) fn joint(
    index: usize,
    k: f64,
    b: f64,
    sums: &mut Sums,
    on: (&mut Body, Vec2),
    of: (&mut Body, Vec2),
) {
    let ((carrier, here), (body, there)) = (on, of);
    let (a, c) = (carrier.point(here), body.point(there));
    let offset = a - c;
    let rate = carrier.velocity_at(a) - body.velocity_at(c);
    let force = offset * k + rate * b;
    let pull = force.norm_squared().sqrt();
    let element = Contact { force: pull, loss: b * rate.norm_squared() };
    sums.add(index, element, 0.5 * k * offset.norm_squared());
    body.push(c, force);
    carrier.push(a, -force);
}

/// The flexible shank of the hammer: bend, rad, its rate, rad/s, and the share of the bend in the angle of the
/// butt.
pub(super) struct Shank {
    stiffness: f64,
    damping: f64,
    pub(super) share: f64,
    bend: f64,
    bending: f64,
}

impl Shank {
    pub(super) fn new(h: &Hammer, x: &[f64; STATES]) -> Self {
        let share = h.bend_share();
        let over = |a: f64| if h.bends() { a / share } else { 0.0 };
        Self {
            stiffness: h.shank.stiffness,
            damping: h.shank.damping,
            share,
            bend: over(x[HAMMER] - x[BUTT]),
            bending: over(x[COORDINATES + HAMMER] - x[COORDINATES + BUTT]),
        }
    }

    /// Restoring torque on the head, N·m.
    pub(super) fn torque(&self, sums: &mut Sums) -> f64 {
        let force = self.stiffness * self.bend + self.damping * self.bending;
        let loss = self.damping * self.bending * self.bending;
        let stored = 0.5 * self.stiffness * self.bend * self.bend;
        sums.add(index::SHANK, Contact { force, loss }, stored)
    }

    /// Position of the tail in the hammer's frame, m, and its derivative by the bend, m/rad.
    fn tail(&self, spec: &Spec) -> [Vec2; 2] {
        let h = &spec.hammer;
        let turned = if h.bends() { 1.0 - self.share } else { 0.0 };
        let by_bend = (spec.check.tail - Vec2::new(h.crown, 0.0)).perp() * turned;
        [spec.check.tail + by_bend * self.bend, by_bend]
    }
}

/// Angle from the direction `from` to `to`, rad in (−π, π].
fn turn(from: Vec2, to: Vec2) -> f64 {
    // Near a right angle rounding can make the sine of unit vectors exceed 1.
    let (sine, cosine) = (from.cross(to).clamp(-1.0, 1.0), from.dot(to));
    if cosine > 0.0 { libm::asin(sine) } else { libm::atan2(sine, cosine) }
}

/// The jack's spring, its stop on the wippen and its toe under the button. Returns the angle from the stop,
/// rad, the compression of the button, m, and the pull of the stop, N·m.
///
/// With a rigid knuckle, a jack on its stop is held in both directions until the button meets the toe, as in
/// the other formulation.
pub(super) fn carry_jack(
    spec: &Spec,
    coupling: &Coupling,
    memory: Memory,
    sums: &mut Sums,
    wippen: &mut Body,
    fly: &mut Body,
) -> [f64; 3] {
    let j = &spec.jack;
    let home = direction(j.stop).turned(wippen.turned);
    let turn = turn(home, fly.turned);
    let turning = fly.speed - wippen.speed;
    let arm = j.toe.norm_squared();
    let k = coupling.stiffness;
    let b = 2.0 * PLASTIC * (k * j.inertia / arm).sqrt();
    let stop = if !spec.is_rigid() {
        sums.felt(index::JACK_STOP, &j.stop_felt, -turn, -turning)
            - sums.felt(index::JACK_WINDOW, &j.stop_felt, turn - j.window, turning)
    } else if memory.home {
        let force = -arm * (k * turn + b * turning);
        let element = Contact { force, loss: b * arm * turning * turning };
        sums.add(index::JACK_STOP, element, 0.5 * k * arm * turn * turn)
    } else {
        sums.hard(index::JACK_STOP, k * arm, b * arm, -turn, -turning)
    };
    let torque = stop - j.spring_torque - j.spring_rate * turn;
    let spring = Contact { force: j.spring_torque + j.spring_rate * turn, loss: 0.0 };
    let stored = j.spring_torque * turn + 0.5 * j.spring_rate * turn * turn;
    sums.add(index::JACK_SPRING, spring, stored);
    fly.torque += torque;
    wippen.torque -= torque;

    let toe = fly.point(j.toe - j.centre);
    let velocity = fly.velocity_at(toe);
    let above = toe.y - j.button_height;
    let press = if spec.is_rigid() {
        sums.hard(index::LET_OFF_BUTTON, k, b, above, velocity.y)
    } else {
        sums.felt(index::LET_OFF_BUTTON, &j.button_felt, above, velocity.y)
    };
    let slide = [(JACK_AT, 1.0), (JACK, (toe - fly.at).perp().x)];
    sums.friction[friction::TOE_ON_BUTTON] = element(j.button_friction * press, &slide);
    fly.push(toe, Vec2::new(0.0, -press));
    let pull = if spec.is_rigid() { -stop } else { 0.0 };
    [turn, above, pull]
}

/// The jack's head under the knuckle or on its flank. Returns the force along the jack, N; the head's distance inside the
/// knuckle's edge and its compression of the knuckle, m, and the force that presses a straight knuckle, N.
pub(super) fn knuckle(
    spec: &Spec,
    coupling: &Coupling,
    memory: Memory,
    sums: &mut Sums,
    fly: &mut Body,
    hammer: &mut Body,
) -> (f64, [f64; 3]) {
    if !spec.is_rigid() {
        return round_knuckle(spec, sums, fly, hammer);
    }
    let h = &spec.hammer;
    let pin = fly.point(-spec.jack.centre);
    let axis = direction(spec.jack.lean).perp().turned(fly.turned);
    let (along, normal) = (hammer.turned, hammer.turned.perp());
    let across = axis.dot(normal);
    let reach = ((hammer.at - pin).dot(normal) - h.knuckle_depth) / across;
    // A jack that has turned past a right angle to the shank has no knuckle above it.
    let above = spec.jack.length - if across > 0.0 { reach } else { f64::INFINITY };
    let tip = pin + axis * spec.jack.length;
    let inside = (tip - hammer.at).dot(along) - h.knuckle_edge;
    if memory.under {
        let point = pin + axis * reach;
        let sliding = fly.velocity_at(point) - hammer.velocity_at(point);
        let rate = sliding.dot(normal) / across;
        let (mut force, mut push) = (0.0, 0.0);
        if memory.touches || above > 0.0 {
            // The drag can extend the spring.
            let side = 1.0f64.copysign(above);
            let Contact { force: size, loss } = h.knuckle_felt.contact(side * above, side * rate);
            let spring = Contact { force: side * size, loss };
            let stored = h.knuckle_felt.energy(side * above);
            force = sums.add(index::KNUCKLE_ON_JACK, spring, stored);
            // The rate of q9, which moves with the spring along the jack too.
            let slide = sliding.dot(along) - axis.dot(along) * rate;
            // The contact does not pull: the drag lifts the head by no more than the spring presses it.
            let (mut drag, most) = (h.slide_damping * slide, force.max(0.0));
            if drag * axis.dot(along) > most {
                drag = most / axis.dot(along);
            }
            sums.add(index::JACK_DRAG, Contact { force: drag, loss: drag * slide }, 0.0);
            push = (force - drag * axis.dot(along)) / across;
            let sides = [
                (JACK_AT, along.x),
                (JACK_AT + 1, along.y),
                (JACK, (point - fly.at).perp().dot(along)),
                (HAMMER, -(point - hammer.at).perp().dot(along)),
            ];
            let bound = h.knuckle_friction * push.max(0.0);
            sums.friction[friction::JACK_ON_KNUCKLE] = element(bound, &sides);
            let on_jack = along * -drag - normal * push;
            fly.push(point, on_jack);
            hammer.push(point, -on_jack);
        }
        return (force, [inside, above, push]);
    }
    if above > 0.0 {
        let rate = (fly.velocity_at(tip) - hammer.velocity_at(tip)).dot(along);
        let k = coupling.stiffness;
        let mass = spec.jack.inertia / (spec.jack.length * spec.jack.length);
        let b = 2.0 * PLASTIC * (k * mass).sqrt();
        let push = along * sums.hard(index::KNUCKLE_FLANK, k, b, inside, rate);
        fly.push(tip, -push);
        hammer.push(tip, push);
    }
    (0.0, [inside, above, 0.0])
}

/// [`knuckle`] for a round knuckle: a circle on the flat, the rounded corner or the side of the head.
fn round_knuckle(
    spec: &Spec,
    sums: &mut Sums,
    fly: &mut Body,
    hammer: &mut Body,
) -> (f64, [f64; 3]) {
    let (h, j) = (&spec.hammer, &spec.jack);
    let up = direction(j.lean).perp();
    let out = -up.perp();
    let corner = fly.point(up * (j.length - j.corner_radius) + out * j.corner - j.centre);
    let centre = hammer.point(Vec2::new(h.knuckle, h.knuckle_radius - h.knuckle_depth));
    let (up, out) = (up.turned(fly.turned), out.turned(fly.turned));
    let offset = centre - corner;
    let (above, beyond) = (offset.dot(up), offset.dot(out));
    let (distance, normal) = if above > 0.0 && beyond > 0.0 {
        let far = offset.norm_squared().sqrt().max(1e-9);
        (far, offset * (1.0 / far))
    } else if beyond > above {
        (beyond, out)
    } else {
        (above, up)
    };
    let point = centre - normal * (distance - j.corner_radius);
    let sliding = fly.velocity_at(point) - hammer.velocity_at(point);
    let depth = h.knuckle_radius + j.corner_radius - distance;
    let force = sums.felt(index::KNUCKLE_ON_JACK, &h.knuckle_felt, depth, sliding.dot(normal));
    let along = -normal.perp();
    let sides = [
        (JACK_AT, along.x),
        (JACK_AT + 1, along.y),
        (JACK, (point - fly.at).perp().dot(along)),
        (butt_of(h), -(point - hammer.at).perp().dot(along)),
    ];
    sums.friction[friction::JACK_ON_KNUCKLE] = element(h.knuckle_friction * force, &sides);
    fly.push(point, normal * -force);
    hammer.push(point, normal * force);
    (force, [evaluation::ON_SIDE_TILT - normal.cross(up), depth, 0.0])
}

/// The repetition lever: knuckle, spring, stops, drop screw and centre pin.
pub(super) fn repetition(
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
    let h = &spec.hammer;
    let point = hammer.point(spec.rolling_centre()) - normal * l.knuckle_radius;
    let depth = l.surface_height - (point - pin).dot(normal);
    let rate = (lever.velocity_at(point) - hammer.velocity_at(point)).dot(normal);
    let bearing = sums.felt(index::KNUCKLE_ON_LEVER, &l.knuckle_felt, depth, rate);
    let slide = [
        (LEVER_AT, surface.x),
        (LEVER_AT + 1, surface.y),
        (LEVER, (point - lever.at).perp().dot(surface)),
        (butt_of(h), -(point - hammer.at).perp().dot(surface)),
    ];
    sums.friction[friction::KNUCKLE_ON_LEVER] = element(l.knuckle_friction * bearing, &slide);
    hammer.push(point, normal * bearing);
    lever.push(point, normal * -bearing);

    let raised = turn(wippen.turned, lever.turned) - l.stop;
    let turning = lever.speed - wippen.speed;
    let torque = sums.felt(index::LEVER_STOP, &l.stop_felt, -raised, -turning)
        - sums.felt(index::WIPPEN_STOP, &l.stop_felt, raised - l.travel, turning)
        - l.spring_torque
        - l.spring_rate * raised
        - l.damping * turning;
    let spring = Contact { force: l.spring_torque + l.spring_rate * raised, loss: 0.0 };
    let stored = l.spring_torque * raised + 0.5 * l.spring_rate * raised * raised;
    sums.add(index::REPETITION_SPRING, spring, stored);
    sums.drag(index::LEVER_DRAG, l.damping, turning);
    lever.torque += torque;
    wippen.torque -= torque;

    let screw = pin + contact::drop_point(spec, surface);
    let (depth, rate) = (screw.y - l.drop_height, lever.velocity_at(screw).y);
    let down = sums.felt(index::DROP_SCREW, &l.drop_felt, depth, rate);
    lever.push(screw, Vec2::new(0.0, -down));
}

/// Hammer tail on the backcheck. Returns its torque on the shank's hinge, N·m.
pub(super) fn backcheck(
    spec: &Spec,
    sums: &mut Sums,
    key: &mut Body,
    hammer: &mut Body,
    shank: &Shank,
) -> f64 {
    let c = &spec.check;
    let normal = Vec2::unit(c.normal).turned(key.turned);
    let [tail, by_bend] = shank.tail(spec);
    let (tail, by_bend) = (hammer.point(tail), by_bend.turned(hammer.turned));
    let depth = (key.point(c.face) - tail).dot(normal);
    if depth <= 0.0 {
        return 0.0;
    }
    let sliding = hammer.velocity_at(tail) + by_bend * shank.bending - key.velocity_at(tail);
    let press = sums.felt(index::BACKCHECK, &c.felt, depth, -sliding.dot(normal));
    let upward = -normal.perp();
    let bent = if spec.hammer.bends() { by_bend.dot(upward) / shank.share } else { 0.0 };
    let slide = [
        (HAMMER, (tail - hammer.at).perp().dot(upward) + bent),
        (BUTT, -bent),
        (KEY, -tail.perp().dot(upward)),
    ];
    sums.friction[friction::TAIL_ON_CHECK] = element(c.friction * press, &slide);
    hammer.push(tail, normal * press);
    key.push(tail, normal * -press);
    by_bend.dot(normal) * press
}

/// Force on the damper, N.
pub(super) fn damper(
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
    let (y, v) = (x[DAMPER], x[COORDINATES + DAMPER]);
    let lifted = d.arm / spec.key.front * (depth - d.pickup) - y;
    let lift = sums.felt(index::DAMPER_LIFT, &d.lift_felt, lifted, d.arm * key.speed - v);
    key.torque -= d.arm * lift;
    let seat = sums.felt(index::DAMPER_SEAT, &d.seat_felt, -y, -v);
    let tray = sums.felt(index::DAMPER_TRAY, &d.lift_felt, tray - y, -v);
    let top = sums.felt(index::DAMPER_RAIL, &d.top_felt, y - d.top, v);
    sums.stored += d.weight * y;
    let drag = sums.drag(index::DAMPER_DRAG, d.damping, v);
    sums.friction[friction::DAMPER] = element(d.friction, &[(DAMPER, 1.0)]);
    lift + seat + tray - top - d.weight - drag
}

/// Compression of the backcheck's leather by the hammer's tail, m.
pub(crate) fn tail_in_check(spec: &Spec, x: &[f64; STATES]) -> f64 {
    let key = direction(x[KEY]);
    let normal = Vec2::unit(spec.check.normal).turned(key);
    let [tail, _] = Shank::new(&spec.hammer, x).tail(spec);
    let tail = spec.hammer.pivot + tail.turned(direction(x[HAMMER]));
    (spec.check.face.turned(key) - tail).dot(normal)
}
