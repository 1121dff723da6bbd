//! Position and velocity of every body, from the independent coordinates and the phase.
//!
//! Loop S1 (capstan on heel) gives the wippen, and the constraint that guides the jack gives the jack, in
//! closed form, with their first-order ratios r and velocity-product accelerations b: ω = r·u,
//! α = r·u̇ + b.

use crate::grand::design::spec::Spec;
use crate::grand::equations::jack::{self, JackMotion};
use crate::grand::equations::phase::Phases;
use crate::grand::equations::precomputed::Precomputed;
use crate::grand::{Phase, SPEEDS, STATES, state};
use touchback_core::math::real::{Mask, Real};
use touchback_core::math::trig::{
    angle, direction, slight_direction, small_angle, small_direction,
};
use touchback_core::math::vec2::Vec2;

/// Configuration and velocities of one key, or of one key in each lane.
#[derive(Clone, Copy, Debug)]
pub struct Kinematics<R = f64> {
    /// Independent speeds of key, hammer, repetition lever, jack and bend of the shank, rad/s. The speed
    /// of a free jack is relative to the wippen; where rigid constraints guide the jack it is 0.
    pub u: [R; SPEEDS],
    /// Depth of the key front, m.
    pub depth: R,
    /// Direction (cos, sin) of the key.
    pub key: Vec2<R>,
    /// Direction from the hammer's centre pin to its crown.
    pub hammer: Vec2<R>,
    /// Direction of the hammer butt, which carries the knuckle; equal to `hammer` with a straight shank.
    pub butt: Vec2<R>,
    /// Angular speed of the butt, rad/s.
    pub butt_speed: R,
    /// Bend of the shank, rad.
    pub bend: R,
    /// Direction of the repetition lever.
    pub lever: Vec2<R>,
    /// Direction of the lever's upper surface.
    pub surface: Vec2<R>,
    /// Outward normal of the backcheck's face.
    pub check_normal: Vec2<R>,
    /// Direction of the wippen.
    pub wippen: Vec2<R>,
    /// q7: distance from capstan to wippen centre along the heel, m.
    pub q7: R,
    /// dq7/dq1: slide of the capstan along the heel, m/rad.
    pub r7: R,
    /// Wippen ratio dq5/dq1.
    pub r5: R,
    /// Velocity-product acceleration of the wippen, rad/s².
    pub b5: R,
    /// Jack: direction, ratios and velocity-product acceleration.
    pub jack: JackMotion<R>,
    /// Vector from wippen centre to jack centre in world axes, m.
    pub to_jack: Vec2<R>,
    /// Vector from wippen centre to repetition-lever centre in world axes, m.
    pub to_lever: Vec2<R>,
    /// Contact geometry of jack head and knuckle.
    pub head: Head<R>,
}

/// Contact geometry of jack head and knuckle; where they do not touch, of their nearest points.
#[derive(Clone, Copy, Debug)]
pub struct Head<R = f64> {
    /// Unit vector along the fly.
    pub axis: Vec2<R>,
    /// Unit vector of the contact force on the hammer.
    pub normal: Vec2<R>,
    /// Vector from jack centre to contact point, m.
    pub from_jack: Vec2<R>,
    /// Vector from hammer centre to contact point, m.
    pub from_hammer: Vec2<R>,
    /// q4: compression of jack on knuckle, m; negative is a gap.
    pub q4: R,
    /// q9: distance of the contact point from the hammer centre along the shank, m.
    pub q9: R,
    /// Distance of the jack's tip from the hammer centre along the shank, m; equal to q9 where the tip just
    /// touches a straight knuckle.
    pub tip: R,
    /// Rate of q4 over the approach speed along the normal: the reciprocal of `axis`·`normal` for a straight
    /// knuckle, which is compressed along the jack; 1 for a round one.
    pub inv_across: R,
}

impl<R: Real> Head<R> {
    /// Geometry for a jack whose centre is at `to_jack` from the wippen centre and whose fly points along
    /// `axis`, under a hammer butt of direction `hammer`.
    #[inline(always)]
    pub fn new(n: &Precomputed<R>, to_jack: Vec2<R>, axis: Vec2<R>, hammer: Vec2<R>) -> Self {
        if n.is_rigid() {
            Self::straight(n, to_jack, axis, hammer)
        } else {
            Self::round(n, to_jack, axis, hammer)
        }
    }

    /// Contact with a straight knuckle, which is compressed along the jack.
    #[inline(always)]
    fn straight(n: &Precomputed<R>, to_jack: Vec2<R>, axis: Vec2<R>, hammer: Vec2<R>) -> Self {
        let from_jack = n.hammer_from_wippen - to_jack;
        let normal = hammer.perp();
        let inv_across = R::of(1.0) / axis.dot(normal);
        let reach = (from_jack.dot(normal) - n.hammer.knuckle_depth) * inv_across;
        let (along, back) = (axis.dot(hammer), from_jack.dot(hammer));
        let q9 = along * reach - back;
        Self {
            axis,
            normal,
            from_jack: axis * reach,
            from_hammer: hammer * q9 - normal * n.hammer.knuckle_depth,
            q4: n.jack.length - reach,
            q9,
            tip: along * n.jack.length - back,
            inv_across,
        }
    }

    /// Contact of a round knuckle with a flat head that has a rounded corner and a side below the corner.
    #[inline(always)]
    fn round(n: &Precomputed<R>, to_jack: Vec2<R>, axis: Vec2<R>, hammer: Vec2<R>) -> Self {
        let zero = R::of(0.0);
        let centre = n.knuckle_centre.turned(hammer);
        let across = -axis.perp();
        let corner = axis * n.corner.x + across * n.corner.y;
        let apart = n.hammer_from_wippen + centre - to_jack - corner;
        // Position of the knuckle's centre relative to the corner's: beyond it along the flat, above it
        // along the fly. The distance is that of the nearest of flat, corner and side; inside the head,
        // where it is negative, that of the nearer of flat and side.
        let (beyond, above) = (apart.dot(across), apart.dot(axis));
        let (mut distance, mut normal) = (above, axis);
        let beside = beyond.gt(zero) | beyond.gt(above);
        if beside.any() {
            let at_corner = beyond.gt(zero) & above.gt(zero);
            let far = (beyond * beyond + above * above).sqrt().max(R::of(NEAREST));
            let inv_far = R::of(1.0) / far;
            let turned = across * (beyond * inv_far) + axis * (above * inv_far);
            let at_side = above.le(zero) & beyond.gt(above);
            distance = R::select(at_side, beyond, R::select(at_corner, far, distance));
            normal = Vec2::select(at_side, across, Vec2::select(at_corner, turned, normal));
        }
        // The contact point is taken on the jack's surface.
        let from_hammer = centre - normal * (distance - n.jack.corner_radius);
        let from_jack = n.hammer_from_wippen + from_hammer - to_jack;
        Self {
            axis,
            normal,
            from_jack,
            from_hammer,
            q4: n.hammer.knuckle_radius + n.jack.corner_radius - distance,
            q9: from_hammer.dot(hammer),
            tip: (axis * n.jack.length - n.hammer_from_wippen + to_jack).dot(hammer),
            inv_across: R::of(1.0),
        }
    }
}

/// Lower bound of the distance between the centres of knuckle and corner, m: it keeps the normal defined
/// where they coincide.
const NEAREST: f64 = 1e-6;

/// Wippen direction and q7 for a key direction: loop S1 in closed form.
pub fn wippen(spec: &Spec, key: Vec2) -> (Vec2, f64) {
    let heel = spec.wippen.heel;
    let (direction, q7, _) =
        close_loop_s1(spec.key.capstan.turned(key) - spec.wippen.pivot, heel, heel * heel);
    (direction, q7)
}

/// Wippen direction, q7 and 1/q7 from the vector `d` of wippen centre to capstan.
#[inline(always)]
fn close_loop_s1<R: Real>(d: Vec2<R>, heel: R, heel_squared: R) -> (Vec2<R>, R, R) {
    let square = d.norm_squared();
    let q7 = (square - heel_squared).sqrt();
    // One division for both reciprocals: divisions dominate the cost here.
    let inv_product = R::of(1.0) / (square * q7);
    // Complex division of the world vector by its image (−q7, −heel) in the wippen's frame.
    let image = Vec2::new(-q7, -heel);
    let direction = Vec2::new(d.dot(image), image.cross(d)) * (q7 * inv_product);
    (direction, q7, square * inv_product)
}

impl Kinematics {
    /// Configuration and velocities at `x` in `phase`, from the specification of a key.
    #[must_use]
    pub fn new(spec: &Spec, phase: Phase, x: &[f64; STATES]) -> Self {
        Self::at(&Precomputed::new(spec), &phase.into(), x)
    }
}

impl<R: Real> Kinematics<R> {
    /// Configuration and velocities at `x` in `phases`.
    #[inline(always)]
    #[must_use]
    pub fn at(n: &Precomputed<R>, phases: &Phases<R>, x: &[R; STATES]) -> Self {
        let u = [
            x[state::KEY_SPEED],
            x[state::HAMMER_SPEED],
            x[state::LEVER_SPEED],
            x[state::JACK_SPEED],
            x[state::BEND_SPEED],
        ];
        // Angles of key and bend are of the order of 0.01 rad, those of the jack 0.1 rad: the polynomials
        // of `slight_direction` and `small_direction` are accurate there.
        let key = slight_direction(x[state::KEY]);
        let hammer = direction(x[state::HAMMER]);
        let bend = x[state::BEND];
        let butt = hammer.turned(slight_direction(-(n.bend_share * bend)));
        let lever = direction(x[state::LEVER]);
        let capstan = n.key.capstan.turned(key);
        let (wippen, q7, inv_q7) =
            close_loop_s1(capstan - n.wippen.pivot, n.wippen.heel, n.heel_squared);
        let normal = wippen.perp();
        let r5 = -(capstan.perp().dot(normal) * inv_q7);
        let w5 = r5 * u[0];
        let along = capstan.perp().dot(wippen);
        let capstan_along = u[0] * along;
        let q7_rate = w5 * n.wippen.heel - capstan_along;
        let b5 = (u[0] * u[0] * capstan.dot(normal) + w5 * (capstan_along - q7_rate)) * inv_q7;

        let to_jack = n.wippen.jack_pivot.turned(wippen);
        let to_lever = n.wippen.lever_pivot.turned(wippen);
        let jack_inputs = jack::JackInputs { wippen, to_jack, hammer, r5, b5, u };
        let mut jack = jack::on_stop(n, &jack_inputs);
        if !n.is_rigid() {
            jack.direction = jack.direction.turned(small_direction(x[state::JACK]));
        } else if phases.on_button.any() {
            jack = jack::on_button(n, &jack_inputs);
        } else if phases.on_flank.any() {
            jack = jack::on_flank(n, &jack_inputs);
        }
        let axis = n.fly.turned(jack.direction);
        Self {
            u,
            depth: n.depth(x[state::KEY]),
            key,
            hammer,
            butt,
            butt_speed: u[1] - n.bend_share * u[4],
            bend,
            lever,
            surface: n.lever_surface.turned(lever),
            check_normal: n.check_normal.turned(key),
            wippen,
            q7,
            r7: r5 * n.wippen.heel - along,
            r5,
            b5,
            jack,
            to_jack,
            to_lever,
            head: Head::new(n, to_jack, axis, butt),
        }
    }

    /// Motion of the bodies around the jack, from which its constraints give its own motion.
    #[inline(always)]
    #[must_use]
    pub(crate) fn jack_inputs(&self) -> jack::JackInputs<R> {
        jack::JackInputs {
            wippen: self.wippen,
            to_jack: self.to_jack,
            hammer: self.hammer,
            r5: self.r5,
            b5: self.b5,
            u: self.u,
        }
    }

    /// Angular speed of the wippen, rad/s.
    #[inline(always)]
    #[must_use]
    pub(crate) fn wippen_speed(&self) -> R {
        self.r5 * self.u[0]
    }

    /// Angular speed of the jack, rad/s.
    #[inline(always)]
    #[must_use]
    pub(crate) fn jack_speed(&self) -> R {
        self.jack.key_ratio * self.u[0] + self.jack.hammer_ratio * self.u[1] + self.u[3]
    }

    /// Velocity of the jack relative to the knuckle at the contact point, m/s.
    #[inline(always)]
    fn head_velocity(&self) -> Vec2<R> {
        self.to_jack.perp() * self.wippen_speed() + self.head.from_jack.perp() * self.jack_speed()
            - self.head.from_hammer.perp() * self.butt_speed
    }

    /// Rate of the jack–knuckle compression q4, m/s.
    #[inline(always)]
    #[must_use]
    pub(crate) fn q4_rate(&self) -> R {
        self.head_velocity().dot(self.head.normal) * self.head.inv_across
    }

    /// Direction along the knuckle toward the crown.
    #[inline(always)]
    #[must_use]
    pub(crate) fn along_knuckle(&self) -> Vec2<R> {
        -self.head.normal.perp()
    }

    /// Sliding speed of the jack head along the knuckle toward the crown, m/s.
    #[inline(always)]
    #[must_use]
    pub(crate) fn slide_speed(&self) -> R {
        self.head_velocity().dot(self.along_knuckle())
    }

    /// Speed on which the viscous drag of the slide acts, m/s: on a straight knuckle that of slider S3, whose
    /// coordinate q9 moves with the compression along the jack too.
    #[inline(always)]
    #[must_use]
    pub(crate) fn drag_speed(&self, n: &Precomputed<R>) -> R {
        let slide = self.slide_speed();
        if n.is_rigid() {
            return slide - self.head.axis.dot(self.butt) * self.q4_rate();
        }
        slide
    }

    /// Sine of the angle from the contact normal to the fly: 0 where the knuckle is on the flat of the head,
    /// 1 where it is on the side.
    #[inline(always)]
    #[must_use]
    pub(crate) fn normal_tilt(&self) -> R {
        self.head.normal.cross(self.head.axis)
    }

    /// Angle of the jack from its stop on the wippen, rad.
    #[inline(always)]
    #[must_use]
    pub(crate) fn jack_turn(&self, n: &Precomputed<R>) -> R {
        let home = n.jack_home.turned(self.wippen);
        angle(Vec2::new(home.dot(self.jack.direction), home.cross(self.jack.direction)))
    }

    /// Sine of [`Self::jack_turn`], which has its sign.
    #[inline(always)]
    #[must_use]
    pub(crate) fn jack_turn_sine(&self, n: &Precomputed<R>) -> R {
        n.jack_home.turned(self.wippen).cross(self.jack.direction)
    }

    /// Angle of the repetition lever from its regulating button, rad, positive when pressed down.
    #[inline(always)]
    #[must_use]
    pub(crate) fn lever_turn(&self, n: &Precomputed<R>) -> R {
        let stop = n.lever_stop.turned(self.wippen);
        small_angle(Vec2::new(stop.dot(self.lever), stop.cross(self.lever)))
    }
}
