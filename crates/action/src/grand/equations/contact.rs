//! The one-sided contacts of one key at one instant: compressions, their rates and lever arms.

use crate::grand::design::spec::Spec;
use crate::grand::equations::kinematics::Kinematics;
use crate::grand::equations::phase::Phases;
use crate::grand::equations::precomputed::Precomputed;
use crate::grand::{STATES, state};
use touchback_core::math::real::{Mask, Real};
use touchback_core::math::vec2::Vec2;
use touchback_core::mech::felt::{Contact, Felt};

/// Compression of a contact and its rate.
#[derive(Clone, Copy, Debug)]
pub struct Compression<R = f64> {
    /// Compression, m or rad; negative is a gap.
    pub depth: R,
    /// Rate of `depth`, m/s or rad/s.
    pub rate: R,
}

impl<R: Real> Compression<R> {
    #[inline(always)]
    fn of(self, felt: &Felt<R>) -> Contact<R> {
        felt.contact(self.depth, self.rate)
    }
}

/// Knuckle on the repetition lever.
#[derive(Clone, Copy, Debug)]
pub struct KnuckleOnLever<R = f64> {
    /// Compression along the lever's normal.
    pub compression: Compression<R>,
    /// Unit normal of the lever's surface.
    pub normal: Vec2<R>,
    /// Vector from hammer centre to the contact point of the knuckle, m.
    pub from_hammer: Vec2<R>,
    /// Vector from repetition-lever centre to the contact point of the knuckle, m.
    pub from_lever: Vec2<R>,
}

/// Geometry of the knuckle on the repetition lever: a circle that rolls on the lever's surface, or a point
/// of the knuckle.
#[inline(always)]
pub fn knuckle_on_lever<R: Real>(n: &Precomputed<R>, k: &Kinematics<R>) -> KnuckleOnLever<R> {
    let normal = k.surface.perp();
    let from_hammer = n.rolling_centre.turned(k.butt) - normal * n.rolling_radius;
    let from_lever = n.hammer_from_wippen + from_hammer - k.to_lever;
    let velocity = from_hammer.perp() * k.butt_speed
        - k.to_lever.perp() * k.wippen_speed()
        - from_lever.perp() * k.u[2];
    KnuckleOnLever {
        compression: Compression {
            depth: n.lever.surface_height - from_lever.dot(normal),
            rate: -velocity.dot(normal),
        },
        normal,
        from_hammer,
        from_lever,
    }
}

/// Direction of the lever's upper surface.
pub fn surface(spec: &Spec, lever: Vec2) -> Vec2 {
    touchback_core::math::trig::direction(spec.lever.surface_angle).turned(lever)
}

/// Vector from the lever's centre to the point under the drop screw, m, for the direction `surface` of the
/// lever's upper surface.
pub fn drop_point(spec: &Spec, surface: Vec2) -> Vec2 {
    surface.perp() * spec.lever.surface_height - surface * spec.lever.drop_reach
}

/// Lever on the drop screw: vertical compression, and the vector from the lever's centre to the contact, m.
#[inline(always)]
pub fn drop_screw<R: Real>(n: &Precomputed<R>, k: &Kinematics<R>) -> (Compression<R>, Vec2<R>) {
    let arm = n.drop_point.turned(k.surface);
    let height = k.to_lever.y + arm.y;
    let rate = k.wippen_speed() * k.to_lever.x + k.u[2] * arm.x;
    (Compression { depth: height - n.drop_from_wippen, rate }, arm)
}

/// Compression of the jack's toe against the let-off button.
#[inline(always)]
pub(crate) fn toe_on_button<R: Real>(n: &Precomputed<R>, k: &Kinematics<R>) -> Compression<R> {
    let toe = n.jack.toe.turned(k.jack.direction);
    let rate = k.wippen_speed() * k.to_jack.x + k.jack_speed() * toe.x;
    Compression { depth: k.to_jack.y + toe.y - n.button_from_wippen, rate }
}

/// Hammer tail on the backcheck.
#[derive(Clone, Copy, Debug)]
pub struct TailOnCheck<R = f64> {
    /// Compression along the face's normal.
    pub compression: Compression<R>,
    /// Derivatives of the compression by key angle, hammer angle and bend of the shank, m/rad.
    pub across: [R; 3],
    /// Derivatives of the tail's upward slide along the face by the same three, m/rad.
    pub along: [R; 3],
}

/// Vector from hammer centre to tail, m, and compression of the backcheck's face by the tail, m. A bend of
/// the shank turns the head about its crown.
#[inline(always)]
fn tail<R: Real>(n: &Precomputed<R>, k: &Kinematics<R>) -> (Vec2<R>, R) {
    let tail = (n.check.tail + n.tail_by_bend * k.bend).turned(k.hammer);
    let face = n.check.face.turned(k.key);
    (tail, (face - n.hammer.pivot - tail).dot(k.check_normal))
}

/// Compression of the tail on the backcheck, m.
#[inline(always)]
pub fn check_depth<R: Real>(n: &Precomputed<R>, k: &Kinematics<R>) -> R {
    tail(n, k).1
}

/// Geometry of the tail on the backcheck.
#[inline(always)]
pub(crate) fn tail_on_check<R: Real>(n: &Precomputed<R>, k: &Kinematics<R>) -> TailOnCheck<R> {
    let (tail, depth) = tail(n, k);
    let normal = k.check_normal;
    // Velocities per rad/s of the backcheck's material point under the tail, and of the tail.
    let face = (n.hammer.pivot + tail).perp();
    let bent = n.tail_by_bend.turned(k.hammer);
    let across = [face.dot(normal), -tail.perp().dot(normal), -bent.dot(normal)];
    let upward = -normal.perp();
    let along = [-face.dot(upward), tail.perp().dot(upward), bent.dot(upward)];
    let rate = across[0] * k.u[0] + across[1] * k.u[1] + across[2] * k.u[4];
    TailOnCheck { compression: Compression { depth, rate }, across, along }
}

/// Contacts of the damper: with the key's tail, the string, the pedal's tray and the stop rail.
#[derive(Clone, Copy, Debug)]
pub struct DamperContacts<R = f64> {
    /// Damper on the key's tail.
    pub lift: Compression<R>,
    /// Damper on the string.
    pub seat: Compression<R>,
    /// Damper on the tray.
    pub tray: Compression<R>,
    /// Damper against its stop rail.
    pub top: Compression<R>,
}

/// Geometry of the damper's contacts with the pedal's tray at the height `tray` m.
#[inline(always)]
pub fn damper<R: Real>(
    n: &Precomputed<R>,
    k: &Kinematics<R>,
    x: &[R; STATES],
    tray: R,
) -> DamperContacts<R> {
    let (y, v) = (x[state::DAMPER], x[state::DAMPER_SPEED]);
    DamperContacts {
        lift: Compression {
            depth: n.damper_ratio * (k.depth - n.damper.pickup) - y,
            rate: n.damper.arm * k.u[0] - v,
        },
        seat: Compression { depth: -y, rate: -v },
        tray: Compression { depth: tray - y, rate: -v },
        top: Compression { depth: y - n.damper.top, rate: v },
    }
}

/// Force of the jack on the knuckle, along the jack, in the lanes in which it `bears`. That on a straight knuckle is
/// the force of a spring in the jack [Gillespie 1996, k4], which the drag of the slide can extend.
#[inline(always)]
fn jack_on_knuckle<R: Real>(n: &Precomputed<R>, k: &Kinematics<R>, bears: R::Mask) -> Contact<R> {
    let (felt, rate) = (&n.hammer.knuckle_felt, k.q4_rate());
    if n.is_rigid() && k.head.q4.lt(R::of(0.0)).any() {
        let Contact { force, loss } = felt.contact(-k.head.q4, -rate);
        return Contact { force: -force, loss };
    }
    felt.contact(R::select(bears, k.head.q4, -R::of(1.0)), rate)
}

/// Viscous drag of the jack's slide along the knuckle, N, and what of the `force` N along the jack presses the knuckle,
/// N.
///
/// The drag on a straight knuckle acts on slider S3 and thus across the jack: a part of it presses or lifts. As the
/// contact cannot pull, the drag is limited to what the spring presses.
#[inline(always)]
pub(crate) fn slide_drag<R: Real>(n: &Precomputed<R>, k: &Kinematics<R>, force: R) -> [R; 2] {
    let drag = n.hammer.slide_damping * k.drag_speed(n);
    if !n.is_rigid() {
        return [drag, force];
    }
    let (lifts, most) = (drag * k.head.axis.dot(k.butt), force.max(R::of(0.0)));
    if lifts.gt(most).any() {
        return [drag * (most / lifts), force - most];
    }
    [drag, force - lifts]
}

/// Compression of the knuckle by a jack that bears on it, m; on a straight knuckle positive while the contact presses,
/// also with the spring in the jack extended.
#[inline(always)]
pub(crate) fn bearing<R: Real>(n: &Precomputed<R>, k: &Kinematics<R>) -> R {
    if !n.is_rigid() {
        return k.head.q4;
    }
    let [_, pressed] = slide_drag(n, k, jack_on_knuckle(n, k, !R::Mask::none()).force);
    k.head.q4.max(pressed / n.hammer.knuckle_felt.stiffness)
}

/// Forces and losses of all contacts at one instant.
#[derive(Clone, Copy, Debug)]
pub struct Contacts<R = f64> {
    /// Jack on knuckle, along the jack; of a rigid knuckle only in phases in which the jack drives, and negative where
    /// the spring in the jack is extended.
    pub jack: Contact<R>,
    /// Knuckle on repetition lever.
    pub lever: (KnuckleOnLever<R>, Contact<R>),
    /// Tail on backcheck.
    pub check: (TailOnCheck<R>, Contact<R>),
    /// Jack against its stop.
    pub stop: Contact<R>,
    /// Jack against the other end of its window.
    pub window: Contact<R>,
    /// Toe against the let-off button.
    pub button: Contact<R>,
    /// Lever against its regulating button.
    pub raised: Contact<R>,
    /// Lever against the wippen.
    pub lowered: Contact<R>,
    /// Lever against the drop screw, with the vector from the lever's centre to the contact, m.
    pub drop: (Vec2<R>, Contact<R>),
    /// Damper against key, string, tray and stop rail.
    pub damper: [Contact<R>; 4],
    /// Hammer on string.
    pub string: Contact<R>,
    /// Shank on the rest rail, referred to the crown.
    pub rail: Contact<R>,
    /// Key front on the key bed.
    pub bed: Contact<R>,
    /// Key on its rest felt, referred to the front.
    pub rest: Contact<R>,
}

impl<R: Real> Contacts<R> {
    /// All contacts in `phases` at `x`, with the lever at the angle `lever_turn` rad from its regulating
    /// button and the tray at the height `tray` m.
    #[inline(always)]
    pub fn new(
        n: &Precomputed<R>,
        phases: &Phases<R>,
        k: &Kinematics<R>,
        x: &[R; STATES],
        lever_turn: R,
        tray: R,
    ) -> Self {
        let none = Contact::default();
        let mut jack = none;
        let bears = phases.jack_bears(n);
        if bears.any() {
            jack = jack_on_knuckle(n, k, bears);
        }
        let (mut stop, mut window, mut button) = (none, none, none);
        if !n.is_rigid() {
            let (turn, turning) = (x[state::JACK], k.u[3]);
            let felt = &n.jack.stop_felt;
            stop = felt.contact(-turn, -turning);
            window = felt.contact(turn - n.jack.window, turning);
            button = toe_on_button(n, k).of(&n.jack.button_felt);
        }
        let on_lever = knuckle_on_lever(n, k);
        let on_check = tail_on_check(n, k);
        let turning = k.u[2] - k.wippen_speed();
        let (drop, arm) = drop_screw(n, k);
        let crown = n.hammer.crown * x[state::HAMMER];
        let (hammer, front) = (n.hammer.crown * k.u[1], n.key.front * k.u[0]);
        let on_damper = damper(n, k, x, tray);
        Self {
            jack,
            lever: (on_lever, on_lever.compression.of(&n.lever.knuckle_felt)),
            stop,
            window,
            button,
            check: (on_check, on_check.compression.of(&n.check.felt)),
            raised: n.lever.stop_felt.contact(-lever_turn, -turning),
            lowered: n.lever.stop_felt.contact(lever_turn - n.lever.travel, turning),
            drop: (arm, drop.of(&n.lever.drop_felt)),
            damper: [
                on_damper.lift.of(&n.damper.lift_felt),
                on_damper.seat.of(&n.damper.seat_felt),
                on_damper.tray.of(&n.damper.lift_felt),
                on_damper.top.of(&n.damper.top_felt),
            ],
            string: n.string.contact(crown, hammer),
            rail: n.hammer.rail_felt.contact(-crown - n.hammer.rail, -hammer),
            bed: n.key.bed_felt.contact(k.depth - n.key.dip, front),
            rest: n.key.rest_felt.contact(n.key.rest_compression - k.depth, -front),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ActionSettings;
    use crate::grand::Phase;
    use crate::grand::design::concert::Design;
    use touchback_core::math::compass::KeyNumber;

    /// The compression and its rate with a knuckle that rolls with `radius` m, at a pose turned on by
    /// `time` s of the speeds.
    fn knuckle(radius: f64, time: f64) -> Compression {
        let key = KeyNumber::from_index(3).unwrap();
        let design = Design::new(key).changed(|spec| spec.lever.knuckle_radius = radius);
        let built = design.build(&ActionSettings::default());
        let [key, hammer, lever] = built.regulated.rest;
        let mut x = [0.0; STATES];
        let speeds = [0.4, 2.0, -0.7];
        for (i, (angle, speed)) in [key, hammer + 0.1, lever].into_iter().zip(speeds).enumerate() {
            x[state::KEY + i] = angle + speed * time;
            x[state::KEY_SPEED + i] = speed;
        }
        let k = Kinematics::new(&built.spec, Phase::Return, &x);
        knuckle_on_lever(&Precomputed::new(&built.spec), &k).compression
    }

    #[test]
    fn the_rate_of_a_rolling_knuckles_compression_is_its_derivative() {
        for radius in [0.0, 1e-3, 5e-3] {
            let step = 1e-6;
            let ends = [-step, step].map(|time| knuckle(radius, time).depth);
            let slope = (ends[1] - ends[0]) / (2.0 * step);
            let rate = knuckle(radius, 0.0).rate;
            assert!((slope - rate).abs() < 1e-6 * rate.abs(), "{radius}: {slope} {rate}");
        }
    }

    /// A hammer turned up from rest on its lever leaves less of the jack's clearance the less its knuckle
    /// rolls.
    #[test]
    fn a_rolling_knuckle_keeps_the_jacks_clearance() {
        let key = KeyNumber::from_index(3).unwrap();
        let clearance = |radius: f64| {
            let design = Design::new(key).changed(|spec| spec.lever.knuckle_radius = radius);
            let built = design.build(&ActionSettings::default());
            let (spec, n) = (&built.spec, Precomputed::new(&built.spec));
            let mut x = [0.0; STATES];
            let at = |key: f64, x: &mut [f64; STATES]| {
                // The lever on its button, turned with the wippen.
                let (wippen, _) = super::super::kinematics::wippen(
                    spec,
                    touchback_core::math::trig::direction(key),
                );
                x[state::KEY] = key;
                x[state::LEVER] = wippen.angle() + spec.lever.stop;
            };
            // Half way up: the key under which the lever carries the hammer.
            x[state::HAMMER] = 0.5 * built.regulated.rest[1];
            let (mut low, mut high) = (spec.key.rest_angle, spec.key.rest_angle + 0.04);
            for _ in 0..50 {
                let middle = 0.5 * (low + high);
                at(middle, &mut x);
                let k = Kinematics::new(spec, Phase::Return, &x);
                if knuckle_on_lever(&n, &k).compression.depth > 0.0 {
                    high = middle;
                } else {
                    low = middle;
                }
            }
            at(low, &mut x);
            -Kinematics::new(spec, Phase::Return, &x).head.q4
        };
        let [point, partly, whole] = [0.0, 1e-3, 5e-3].map(clearance);
        assert!((-0.3e-3..-0.1e-3).contains(&point), "{point}");
        assert!(point < partly && partly < -0.1e-3, "{point} {partly}");
        assert!((0.0..0.1e-3).contains(&whole), "{whole}");
    }
}
