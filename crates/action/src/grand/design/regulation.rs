//! Sets the screws of a key from a technician's distances, in closed form.
//!
//! | distance | screw |
//! | --- | --- |
//! | blow, jack clearance | capstan height, repetition-lever stop |
//! | dip | key-bed height |
//! | let-off | let-off button height |
//! | drop | drop screw |
//! | check distance | backcheck position |
//! | key height, capstan position | shims, capstan line |
//! | (follows the blow) | rest rail |
//! | (follows the knuckle) | jack stop |
//! | damper pick-up | gap under the damper lever |
//!
//! The compression of a felt is included where the felt bears a known static load; all else is rigid.

mod limits;

use crate::GRAVITY;
use crate::grand::design::spec::Spec;
use crate::grand::equations::{contact, kinematics};
use touchback_core::math::trig::direction;
use touchback_core::math::vec2::Vec2;

pub use limits::Limits;

/// Angle of the jack off its stop at the slip, rad, at which the jack spring's torque is computed.
const EJECTED: f64 = 0.06;

/// Share of the hammer's weight that the jack still bears at the slip, the repetition lever the
/// rest: as slow presses of keys 4, 40 and 80 have it.
const JACK_BEARS: f64 = 0.95;

/// Compression of the check's leather by a held tail, m: the simulated value of mezzo-forte blows.
const CHECK_BITE: f64 = 0.35e-3;

/// Distance of the rest rail below the resting shank, m at the crown: only a hammer thrown back by an
/// unchecked blow reaches the rail (chosen).
const RAIL_BELOW_REST: f64 = 7e-3;

/// The distances a technician sets, m.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Regulation {
    /// Depth of the key bed at the key front.
    pub dip: f64,
    /// Distance of the crown below the string at rest.
    pub blow: f64,
    /// Distance of the crown below the string where the jack slips.
    pub let_off: f64,
    /// Fall of the crown from let-off onto the lever.
    pub drop: f64,
    /// Distance of the crown below the string when checked.
    pub check: f64,
    /// Gap between jack and knuckle at rest, along the jack.
    pub jack_clearance: f64,
    /// Share of the blow at which the key begins to lift the damper, 0…1.
    pub damper_pickup: f64,
    /// Height of the key front at rest above the design's level.
    pub key_height: f64,
}

/// Results of a regulation; lengths in m at the key front.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Regulated {
    /// Key depth at which the jack slips; infinite if it cannot.
    pub let_off_depth: f64,
    /// Key travel from the let-off depth to the key bed.
    pub aftertouch: f64,
    /// Angles of key, hammer and lever at rest, rad.
    pub rest: [f64; 3],
    /// Upward force at the key front at rest of all weights but the key's own, N.
    pub upward_force: f64,
    /// Distances that the screws cannot give.
    pub limits: Limits,
}

/// Sets the screws of `spec` to the distances `r`. A screw that cannot give its distance is set as near
/// as possible.
pub fn regulate(spec: &mut Spec, r: &Regulation) -> Regulated {
    let crown = spec.hammer.crown;
    spec.key.dip = r.dip;
    spec.key.rest_angle = -(0.5 * r.dip + r.key_height) / spec.key.front;
    spec.hammer.rail = r.blow + RAIL_BELOW_REST;
    let key_rest = direction(spec.key.rest_angle);
    let at_rest = CarriedHammer::at(spec, -r.blow / crown);

    // Wippen height: the jack on its stop, the head below the knuckle by the clearance.
    let mut limits = Limits {
        blow: !within_reach(spec, at_rest.butt, spec.jack.length + r.jack_clearance),
        ..Limits::default()
    };
    let wippen_rest = wippen_under(spec, at_rest.butt, spec.jack.length + r.jack_clearance);
    // Capstan: on the heel's line with the wippen at rest.
    let normal = wippen_rest.perp();
    let wanted = spec.wippen.pivot.dot(normal) - spec.wippen.heel;
    let x = Vec2::new(spec.key.capstan.x, 0.0).turned(key_rest).dot(normal);
    let up = Vec2::new(0.0, 1.0).turned(key_rest).dot(normal);
    spec.key.capstan.y = (wanted - x) / up;

    // Repetition lever: the surface under the knuckle, both felts compressed by the hammer.
    let lever_pivot = spec.wippen.pivot + spec.wippen.lever_pivot.turned(wippen_rest);
    let load = at_rest.weight;
    let touch = knuckle(spec, at_rest.butt);
    let mut lever_rest = lever_under(spec, lever_pivot, touch, 0.0);
    let mut bearing = 0.0;
    for _ in 0..2 {
        let normal = contact::surface(spec, lever_rest).perp();
        bearing = load / (touch - spec.hammer.pivot).cross(normal);
        let sunk = spec.lever.knuckle_felt.compression(bearing);
        lever_rest = lever_under(spec, lever_pivot, touch, sunk);
    }
    let normal = contact::surface(spec, lever_rest).perp();
    let pressed = (touch - lever_pivot).cross(normal * bearing)
        + GRAVITY * spec.lever.mass * spec.lever.centre.turned(lever_rest).x;
    // The spring's excess torque presses the lever on the regulating button.
    let spare = (spec.lever.spring_torque + pressed).max(0.0);
    limits.spring = spec.lever.spring_torque + pressed < 0.0;
    let on_button = spec.lever.stop_felt.compression(spare);
    spec.lever.stop = angle_between(wippen_rest, lever_rest) + on_button;

    // Let-off: the jack's head at the knuckle's edge with the crown at the let-off distance.
    let let_off = let_off_pose(spec, -r.let_off / crown);
    let let_off_depth = match let_off {
        Some((wippen, jack)) => {
            let toe = spec.wippen.jack_pivot.turned(wippen) + spec.jack.toe.turned(jack);
            spec.jack.button_height = spec.wippen.pivot.y + toe.y;
            depth_of(spec, wippen)
        }
        None => f64::INFINITY,
    };
    limits.let_off = let_off.is_none();
    limits.string = r.let_off <= 0.0;
    limits.after_touch = !limits.let_off && let_off_depth >= r.dip;

    // Drop screw: the lever carries the hammer at let-off plus drop with the key on its bed.
    let key_down = direction(spec.key.rest_angle + r.dip / spec.key.front);
    let (wippen_down, _) = kinematics::wippen(spec, key_down);
    let lever_pivot = spec.wippen.pivot + spec.wippen.lever_pivot.turned(wippen_down);
    let dropped = CarriedHammer::at(spec, -(r.let_off + r.drop) / crown);
    let load = dropped.weight / spec.hammer.knuckle;
    let sunk = spec.lever.knuckle_felt.compression(load);
    let lever = lever_under(spec, lever_pivot, knuckle(spec, dropped.butt), sunk);
    spec.lever.drop_height =
        lever_pivot.y + contact::drop_point(spec, contact::surface(spec, lever)).y;

    // Backcheck: the face at the tail with the key down and the hammer at the check distance.
    let checked = direction(-r.check / crown);
    let tail = spec.hammer.pivot + spec.check.tail.turned(checked);
    let normal = Vec2::unit(spec.check.normal).turned(key_down);
    let gap = (tail - spec.check.face.turned(key_down)).dot(normal) + CHECK_BITE;
    spec.check.face = spec.check.face + Vec2::unit(spec.check.normal) * gap;

    let tail = spec.hammer.pivot + spec.check.tail.turned(at_rest.crown);
    let normal = Vec2::unit(spec.check.normal).turned(key_rest);
    limits.check = (tail - spec.check.face.turned(key_rest)).dot(normal) < 0.0;

    // Damper: pick-up where the jack has lifted the hammer by the given share of the blow.
    let halfway = CarriedHammer::at(spec, -(1.0 - r.damper_pickup) * r.blow / crown);
    let pickup = depth_of(spec, wippen_under(spec, halfway.butt, spec.jack.length));
    limits.damper = !pickup.is_finite();
    spec.damper.pickup = if pickup.is_finite() { pickup.max(0.2e-3) } else { 0.5 * r.dip };

    Regulated {
        let_off_depth,
        aftertouch: r.dip - let_off_depth,
        rest: [
            spec.key.rest_angle,
            -r.blow / crown,
            angle_between(wippen_rest, lever_rest) + wippen_rest.angle(),
        ],
        upward_force: upward_force(spec, key_rest, &at_rest, lever_rest),
        limits,
    }
}

/// Upward force at the key front of all weights but the key's own, N: the hammer is carried by the
/// lever, the lever by its button.
fn upward_force(spec: &Spec, key: Vec2, hammer: &CarriedHammer, lever: Vec2) -> f64 {
    let w = &spec.wippen;
    let (wippen, q7) = kinematics::wippen(spec, key);
    let key_ratio = -spec.key.capstan.turned(key).perp().dot(wippen.perp()) / q7;
    let jack = spec.jack.centre.turned(direction(spec.jack.stop).turned(wippen));
    let to_lever = w.lever_pivot.turned(wippen);
    let normal = contact::surface(spec, lever).perp();
    let arm = knuckle(spec, hammer.butt) - spec.hammer.pivot;
    let carried = knuckle(spec, hammer.butt) - w.pivot;
    let hammer_per_wippen = carried.perp().dot(normal) / arm.perp().dot(normal);
    let torque = -GRAVITY
        * (w.mass * w.centre.turned(wippen).x
            + spec.jack.mass * (w.jack_pivot.turned(wippen).x + jack.x)
            + spec.lever.mass * (to_lever.x + spec.lever.centre.turned(lever).x));
    let through_wippen = torque - hammer_per_wippen * hammer.weight;
    -key_ratio * through_wippen / spec.key.front
}

/// A hammer at rest, carried at the knuckle: the shank sags under the head.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CarriedHammer {
    /// Direction from the centre pin to the crown.
    pub(crate) crown: Vec2,
    /// Direction of the butt.
    pub(crate) butt: Vec2,
    /// Bend of the shank, rad.
    pub(crate) bend: f64,
    /// Torque about the centre pin that carries the hammer's weight, N·m.
    pub(crate) weight: f64,
}

impl CarriedHammer {
    /// The hammer with the line from centre pin to crown at `angle` rad.
    pub(crate) fn at(spec: &Spec, angle: f64) -> Self {
        let h = &spec.hammer;
        let crown = direction(angle);
        let weight = GRAVITY * h.mass * h.centre.turned(crown).x;
        let bend = h.bend_under(weight);
        Self { crown, butt: direction(angle - h.bend_share() * bend), bend, weight }
    }
}

/// Centre of the knuckle's rolling on the lever, world frame, m.
fn knuckle(spec: &Spec, hammer: Vec2) -> Vec2 {
    spec.hammer.pivot + spec.rolling_centre().turned(hammer)
}

/// Angle from one direction to another, rad.
fn angle_between(from: Vec2, to: Vec2) -> f64 {
    libm::atan2(from.cross(to), from.dot(to))
}

/// Direction by which `point` must be turned to have the component `wanted` along the unit vector
/// `normal`; of the two solutions, the one with the turned point to the left of the normal (toward the
/// player).
fn turn_to(point: Vec2, normal: Vec2, wanted: f64) -> Vec2 {
    let length = point.norm_squared().sqrt();
    let across = (wanted / length).clamp(-1.0, 1.0);
    let along = (1.0 - across * across).sqrt();
    let image = normal.perp() * (length * along) + normal * wanted.clamp(-length, length);
    Vec2::new(image.dot(point), point.cross(image)) * (1.0 / (length * length))
}

/// Distance along the fly from the jack's centre pin to the face of a straight knuckle, or to the centre
/// of a round knuckle, whose face is `reach` m away.
fn fly_to(spec: &Spec, reach: f64) -> f64 {
    reach + spec.hammer.knuckle_radius
}

/// The fly in the wippen's frame, the jack on its stop.
fn fly_home(spec: &Spec) -> Vec2 {
    direction(spec.jack.lean).perp().turned(direction(spec.jack.stop))
}

/// Centre of a round knuckle from the wippen's centre pin, m.
fn knuckle_centre(spec: &Spec, hammer: Vec2) -> Vec2 {
    let h = &spec.hammer;
    let centre = Vec2::new(h.knuckle, h.knuckle_radius - h.knuckle_depth);
    h.pivot - spec.wippen.pivot + centre.turned(hammer)
}

/// Whether a jack on its stop can have the knuckle `reach` m along its fly.
fn within_reach(spec: &Spec, hammer: Vec2, reach: f64) -> bool {
    let (w, fly) = (&spec.wippen, fly_home(spec));
    if !spec.is_rigid() {
        let wanted = fly_to(spec, reach) + w.jack_pivot.dot(fly);
        return wanted * wanted <= knuckle_centre(spec, hammer).norm_squared();
    }
    let wanted = (spec.hammer.pivot - w.pivot).dot(hammer.perp()) - spec.hammer.knuckle_depth;
    wanted * wanted <= (w.jack_pivot + fly * reach).norm_squared()
}

/// Direction of the wippen whose jack, on its stop, has the knuckle `reach` m along its fly.
fn wippen_under(spec: &Spec, hammer: Vec2, reach: f64) -> Vec2 {
    let (w, fly) = (&spec.wippen, fly_home(spec));
    if !spec.is_rigid() {
        // The flat has a fixed height along the fly above the wippen's pin; the wippen turns until the
        // flat touches the knuckle.
        let centre = knuckle_centre(spec, hammer);
        let distance = centre.norm_squared().sqrt();
        let share = ((fly_to(spec, reach) + w.jack_pivot.dot(fly)) / distance).clamp(-1.0, 1.0);
        // The fly stands on the crown's side of the line to the knuckle.
        let image = Vec2::new(share, -(1.0 - share * share).sqrt());
        let upright = centre.turned(image) * (1.0 / distance);
        return Vec2::new(upright.dot(fly), fly.cross(upright));
    }
    let head = w.jack_pivot + fly * reach;
    let wanted = (spec.hammer.pivot - w.pivot).dot(hammer.perp()) - spec.hammer.knuckle_depth;
    turn_to(head, hammer.perp(), wanted)
}

/// Direction of a lever about `pivot` whose surface the knuckle rolling about `touch` compresses by `sunk`
/// m.
fn lever_under(spec: &Spec, pivot: Vec2, touch: Vec2, sunk: f64) -> Vec2 {
    let to = touch - pivot;
    let length = to.norm_squared().sqrt();
    let height = spec.lever.surface_height + spec.lever.knuckle_radius - sunk;
    let height = height.clamp(-length, length);
    // The knuckle lies toward the player from the pivot: its image on the surface is (−a, height).
    let image = Vec2::new(-(length * length - height * height).sqrt(), height);
    let surface = Vec2::new(to.dot(image), image.cross(to)) * (1.0 / (length * length));
    let back = direction(spec.lever.surface_angle);
    surface.turned(Vec2::new(back.x, -back.y))
}

/// Directions of wippen and jack at the slip with the hammer at `angle` rad; none where the jack does not
/// reach the knuckle's edge.
fn let_off_pose(spec: &Spec, angle: f64) -> Option<(Vec2, Vec2)> {
    let (h, w) = (&spec.hammer, &spec.wippen);
    let hammer = CarriedHammer::at(spec, angle);
    // In a slow press the hammer's weight compresses the knuckle.
    let load = JACK_BEARS * hammer.weight / h.knuckle;
    // Vector from the jack's centre pin to the knuckle, in the jack's frame, and the knuckle's position.
    let upright = direction(spec.jack.lean).perp();
    let (to_knuckle, knuckle) = if spec.is_rigid() {
        let load = hammer.weight / h.knuckle_edge;
        let depth = h.knuckle_depth - h.knuckle_felt.compression(load);
        let edge = h.pivot + Vec2::new(h.knuckle_edge, -depth).turned(hammer.crown);
        (upright * spec.jack.length, edge)
    } else {
        (ejected(spec, load), w.pivot + knuckle_centre(spec, hammer.butt))
    };
    // The jack's centre pin lies on a circle about the wippen's centre pin and on one about the knuckle.
    let s = to_knuckle.norm_squared();
    let r = w.jack_pivot.norm_squared();
    let to = knuckle - w.pivot;
    let d2 = to.norm_squared();
    let along = (d2 + r - s) / (2.0 * d2);
    let square = r / d2 - along * along;
    if square <= 0.0 {
        return None;
    }
    // Of the two intersections, the one below the line to the knuckle.
    let centre = to * along + to.perp() * square.sqrt();
    let wippen = Vec2::new(centre.dot(w.jack_pivot), w.jack_pivot.cross(centre)) * (1.0 / r);
    let fly = to - centre;
    let jack = Vec2::new(fly.dot(to_knuckle), to_knuckle.cross(fly)) * (1.0 / s);
    Some((wippen, jack))
}

/// Vector from the jack's centre pin to the centre of a round knuckle, in the jack's frame, at the
/// moment when the load `load` N on the knuckle pushes the jack out against spring and friction, m.
fn ejected(spec: &Spec, load: f64) -> Vec2 {
    let (j, h) = (&spec.jack, &spec.hammer);
    let upright = direction(j.lean).perp();
    let across = -upright.perp();
    let radius = h.knuckle_radius + j.corner_radius - h.knuckle_felt.compression(load);
    let (up, out) = (j.length - j.corner_radius, j.corner);
    // With the normal at β from the fly: (up − μ out) sin β − (out + μ up) cos β = μ ρ + M/F.
    let slip = h.knuckle_friction;
    let (sine, cosine) = (up - slip * out, out + slip * up);
    let spring = j.spring_torque + j.spring_rate * EJECTED;
    let wanted = (slip * j.corner_radius + spring / load.max(1e-3)).min(0.9 * up);
    let whole = (sine * sine + cosine * cosine).sqrt();
    let angle = libm::asin(wanted / whole) + libm::atan2(cosine, sine);
    let normal = across * libm::sin(angle) + upright * libm::cos(angle);
    upright * up + across * out + normal * radius
}

/// Depth of the key front that gives the wippen the direction `wippen`, m; NaN if there is none.
fn depth_of(spec: &Spec, wippen: Vec2) -> f64 {
    let c = spec.key.capstan;
    let length = c.norm_squared().sqrt();
    let normal = wippen.perp();
    let wanted = spec.wippen.pivot.dot(normal) - spec.wippen.heel;
    if wanted.abs() > length {
        return f64::NAN;
    }
    // Angle of the capstan arm above the heel's line.
    let angle = libm::asin(wanted / length) + wippen.angle() - c.angle();
    spec.key.depth(angle)
}
