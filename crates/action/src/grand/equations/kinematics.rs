//! Where every body is and how it moves, from the three independent coordinates and the phase.
//!
//! Loop S1 (capstan on heel) and the jack's carrier give wippen and jack in closed form, with
//! their first-order ratios r and velocity-product accelerations b: ω = r·u, α = r·u̇ + b.

use crate::grand::SPEEDS;
use crate::grand::design::spec::Spec;
use crate::grand::equations::jack::{self, JackMotion};
use crate::grand::equations::phase::Phases;
use crate::grand::equations::precomputed::Precomputed;
use crate::grand::{Phase, STATES, state};
use touchback_core::math::real::{Mask, Real};
use touchback_core::math::trig::{
    angle, direction, slight_direction, small_angle, small_direction,
};
use touchback_core::math::vec2::Vec2;

/// Configuration and velocities of one key, or of one in each lane.
#[derive(Clone, Copy, Debug)]
pub struct Kinematics<R = f64> {
    /// Speeds of key, hammer and repetition lever, of the jack relative to the wippen beyond
    /// what rigid constraints ask, and of the shank's bend, rad/s.
    pub u: [R; SPEEDS],
    /// Key-front depth, m, and its speed.
    pub depth: R,
    /// Direction (cos, sin) of the key.
    pub key: Vec2<R>,
    /// Direction from the hammer's centre to its crown.
    pub hammer: Vec2<R>,
    /// Direction of its butt with the knuckle: the same where the shank is straight.
    pub butt: Vec2<R>,
    /// Speed of the butt, rad/s.
    pub butt_speed: R,
    /// Bend of the shank, rad.
    pub bend: R,
    /// Direction of the repetition lever.
    pub lever: Vec2<R>,
    /// Direction of the lever's upper surface.
    pub surface: Vec2<R>,
    /// Outward normal of the check's face.
    pub check_normal: Vec2<R>,
    /// Direction of the wippen.
    pub wippen: Vec2<R>,
    /// Capstan to wippen centre along the heel, q7, m.
    pub q7: R,
    /// dq7/dq1, m/rad: how far the capstan slides along the heel.
    pub r7: R,
    /// Wippen ratio dq5/dq1 and its velocity-product acceleration.
    pub r5: R,
    /// See [`Kinematics::r5`].
    pub b5: R,
    /// Jack: direction, ratios and velocity-product acceleration.
    pub jack: JackMotion<R>,
    /// Wippen centre to jack centre, world.
    pub to_jack: Vec2<R>,
    /// Wippen centre to repetition-lever centre, world.
    pub to_lever: Vec2<R>,
    /// The knuckle seen along the jack.
    pub head: Head<R>,
}

/// Jack head and knuckle: where they meet, or would.
#[derive(Clone, Copy, Debug)]
pub struct Head<R = f64> {
    /// Unit vector along the fly.
    pub axis: Vec2<R>,
    /// Unit vector of the contact's force on the hammer.
    pub normal: Vec2<R>,
    /// Jack centre to the meeting point.
    pub from_jack: Vec2<R>,
    /// Hammer centre to the meeting point.
    pub from_hammer: Vec2<R>,
    /// Compression of jack on knuckle (negative: gap), m.
    pub q4: R,
    /// The meeting point, from the hammer centre along the shank, m.
    pub q9: R,
    /// Where the head itself stands along the shank, m; on a straight knuckle equal to q9 where it
    /// just touches.
    pub tip: R,
    /// Compression along the normal is q4 times this: one over the share of the axis across a
    /// straight knuckle, 1 of a round one.
    pub inv_across: R,
}

impl<R: Real> Head<R> {
    /// For a jack `to_jack` from the wippen's centre pointing along `axis`, under a hammer with
    /// butt `hammer`.
    #[inline(always)]
    pub fn new(n: &Precomputed<R>, to_jack: Vec2<R>, axis: Vec2<R>, hammer: Vec2<R>) -> Self {
        if n.is_rigid() {
            Self::straight(n, to_jack, axis, hammer)
        } else {
            Self::round(n, to_jack, axis, hammer)
        }
    }

    /// A straight knuckle, compressed along the jack.
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

    /// A round knuckle on a flat head with a round corner and a side below it.
    #[inline(always)]
    fn round(n: &Precomputed<R>, to_jack: Vec2<R>, axis: Vec2<R>, hammer: Vec2<R>) -> Self {
        let zero = R::of(0.0);
        let centre = n.knuckle_centre.turned(hammer);
        let across = -axis.perp();
        let corner = axis * n.corner.x + across * n.corner.y;
        let apart = n.hammer_from_wippen + centre - to_jack - corner;
        // Beyond the corner along the flat, above it along the fly; nearest of flat, corner, side.
        let (beyond, above) = (apart.dot(across).max(zero), apart.dot(axis).max(zero));
        let beside = beyond.gt(zero);
        let (mut distance, mut normal) = (above.max(R::of(NEAREST)), axis);
        if beside.any() {
            let far = (beyond * beyond + above * above).sqrt().max(R::of(NEAREST));
            let inv_far = R::of(1.0) / far;
            let turned = across * (beyond * inv_far) + axis * (above * inv_far);
            distance = R::select(beside, far, distance);
            normal = Vec2::select(beside, turned, normal);
        }
        // A point of the jack's surface.
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

/// Least distance of the knuckle's centre from the corner's, m: nearer, the jack would stand inside
/// the knuckle.
const NEAREST: f64 = 1e-6;

/// Wippen direction and q7 for a key direction: loop S1 in closed form.
pub fn wippen(spec: &Spec, key: Vec2) -> (Vec2, f64) {
    let heel = spec.wippen.heel;
    let (direction, q7, _) =
        closed(spec.key.capstan.turned(key) - spec.wippen.pivot, heel, heel * heel);
    (direction, q7)
}

/// The same from the vector `d` of wippen centre to capstan; and 1/q7.
#[inline(always)]
fn closed<R: Real>(d: Vec2<R>, heel: R, heel_squared: R) -> (Vec2<R>, R, R) {
    let square = d.norm_squared();
    let q7 = (square - heel_squared).sqrt();
    // One division for both: they are dear.
    let per_both = R::of(1.0) / (square * q7);
    // Complex division of the world vector by its image (−q7, −heel) in the wippen's frame.
    let image = Vec2::new(-q7, -heel);
    let direction = Vec2::new(d.dot(image), image.cross(d)) * (q7 * per_both);
    (direction, q7, square * per_both)
}

impl Kinematics {
    /// Configuration and velocities at `x` in `phase`, from the dimensions.
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
        // Key and shank turn by hundredths, the jack by tenths.
        let key = slight_direction(x[state::KEY]);
        let hammer = direction(x[state::HAMMER]);
        let bend = x[state::BEND];
        let butt = hammer.turned(slight_direction(-(n.bend_share * bend)));
        let lever = direction(x[state::LEVER]);
        let capstan = n.key.capstan.turned(key);
        let (wippen, q7, per_q7) = closed(capstan - n.wippen.pivot, n.wippen.heel, n.heel_squared);
        let normal = wippen.perp();
        let r5 = -(capstan.perp().dot(normal) * per_q7);
        let w5 = r5 * u[0];
        let along = capstan.perp().dot(wippen);
        let capstan_along = u[0] * along;
        let q7_rate = w5 * n.wippen.heel - capstan_along;
        let b5 = (u[0] * u[0] * capstan.dot(normal) + w5 * (capstan_along - q7_rate)) * per_q7;

        let to_jack = n.wippen.jack_pivot.turned(wippen);
        let to_lever = n.wippen.lever_pivot.turned(wippen);
        let ground = jack::Ground { wippen, to_jack, hammer, r5, b5, u };
        let mut jack = jack::on_stop(n, &ground);
        if !n.is_rigid() {
            jack.direction = jack.direction.turned(small_direction(x[state::JACK]));
        } else if phases.on_button.any() {
            jack = jack::on_button(n, &ground);
        } else if phases.on_flank.any() {
            jack = jack::on_flank(n, &ground);
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

    /// What the jack's closures ask of the bodies around it.
    #[inline(always)]
    #[must_use]
    pub fn ground(&self) -> jack::Ground<R> {
        jack::Ground {
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
    pub fn wippen_speed(&self) -> R {
        self.r5 * self.u[0]
    }

    /// Angular speed of the jack, rad/s.
    #[inline(always)]
    #[must_use]
    pub fn jack_speed(&self) -> R {
        self.jack.inv_key * self.u[0] + self.jack.inv_hammer * self.u[1] + self.u[3]
    }

    /// Velocity of the jack's point at the meeting point past the knuckle's, m/s.
    #[inline(always)]
    fn head_velocity(&self) -> Vec2<R> {
        self.to_jack.perp() * self.wippen_speed() + self.head.from_jack.perp() * self.jack_speed()
            - self.head.from_hammer.perp() * self.butt_speed
    }

    /// Speed at which the jack–knuckle compression q4 grows, m/s.
    #[inline(always)]
    #[must_use]
    pub fn q4_rate(&self) -> R {
        self.head_velocity().dot(self.head.normal) * self.head.inv_across
    }

    /// Direction along the knuckle toward the crown.
    #[inline(always)]
    #[must_use]
    pub fn along_knuckle(&self) -> Vec2<R> {
        -self.head.normal.perp()
    }

    /// Speed at which the jack head slides along the knuckle toward the crown, m/s.
    #[inline(always)]
    #[must_use]
    pub fn slide_speed(&self) -> R {
        self.head_velocity().dot(self.along_knuckle())
    }

    /// How far the head's flat has turned under the knuckle: sine of the normal's angle to the fly,
    /// 0 on the flat and 1 on the side.
    #[inline(always)]
    #[must_use]
    pub fn beside(&self) -> R {
        self.head.normal.cross(self.head.axis)
    }

    /// Angle of jack to wippen beyond the stop, rad.
    #[inline(always)]
    #[must_use]
    pub fn jack_turn(&self, n: &Precomputed<R>) -> R {
        let home = n.jack_home.turned(self.wippen);
        angle(Vec2::new(home.dot(self.jack.direction), home.cross(self.jack.direction)))
    }

    /// Its sine: the sign of the turn.
    #[inline(always)]
    #[must_use]
    pub fn jack_turn_sine(&self, n: &Precomputed<R>) -> R {
        n.jack_home.turned(self.wippen).cross(self.jack.direction)
    }

    /// Angle of lever to wippen beyond the regulating button, rad: how far it is pressed down.
    #[inline(always)]
    #[must_use]
    pub fn lever_turn(&self, n: &Precomputed<R>) -> R {
        let stop = n.lever_stop.turned(self.wippen);
        small_angle(Vec2::new(stop.dot(self.lever), stop.cross(self.lever)))
    }
}
