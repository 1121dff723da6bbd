//! Where every body is and how it moves, from the three independent coordinates and the phase.
//!
//! Loop S1 (capstan on heel) and the jack's carrier give wippen and jack in closed form, with
//! their first-order ratios r and velocity-product accelerations b: ω = r·u, α = r·u̇ + b.

use super::jack::{self, JackMotion};
use super::spec::Spec;
use super::{Phase, state};
use crate::math::trig::direction;
use crate::math::vec2::Vec2;

/// Directions that the dimensions fix once for all: worked out per step, not per evaluation.
#[derive(Clone, Copy, Debug)]
pub struct Turns {
    /// Jack on its stop, in the wippen's frame.
    pub jack_home: Vec2,
    /// Fly, in the jack's frame.
    pub fly: Vec2,
    /// Upper surface of the repetition lever, in its frame.
    pub surface: Vec2,
    /// Outward normal of the check's face, in the key's frame.
    pub check_normal: Vec2,
}

impl Turns {
    /// Of the dimensions `spec`.
    #[inline]
    #[must_use]
    pub fn new(spec: &Spec) -> Self {
        Self {
            jack_home: direction(spec.jack.stop),
            fly: direction(spec.jack.lean).perp(),
            surface: direction(spec.lever.surface_angle),
            // The face's normal points back at the hammer, beyond the series' range.
            check_normal: direction(spec.check.normal - std::f64::consts::FRAC_PI_2).perp(),
        }
    }
}

/// Configuration and velocities of one key.
#[derive(Clone, Copy, Debug)]
pub struct Kinematics {
    /// Speeds u1, u2, u3 of key, hammer, repetition lever, rad/s.
    pub u: [f64; 3],
    /// Key-front depth, m, and its speed.
    pub depth: f64,
    /// Direction (cos, sin) of the key.
    pub key: Vec2,
    /// Direction of the hammer's shank.
    pub hammer: Vec2,
    /// Direction of the repetition lever.
    pub lever: Vec2,
    /// Direction of the lever's upper surface.
    pub surface: Vec2,
    /// Outward normal of the check's face.
    pub check_normal: Vec2,
    /// Direction of the wippen.
    pub wippen: Vec2,
    /// Capstan to wippen centre along the heel, q7, m.
    pub q7: f64,
    /// Wippen ratio dq5/dq1 and its velocity-product acceleration.
    pub r5: f64,
    /// See [`Kinematics::r5`].
    pub b5: f64,
    /// Jack: direction, ratios and velocity-product acceleration.
    pub jack: JackMotion,
    /// Wippen centre to jack centre, world.
    pub to_jack: Vec2,
    /// Wippen centre to repetition-lever centre, world.
    pub to_lever: Vec2,
    /// The knuckle seen along the jack.
    pub head: Head,
}

/// Jack head and knuckle, along the jack's axis.
#[derive(Clone, Copy, Debug)]
pub struct Head {
    /// Unit vector along the fly.
    pub axis: Vec2,
    /// Knuckle's line beyond the jack centre along the axis, m.
    pub reach: f64,
    /// Compression of jack on knuckle (negative: gap), m.
    pub q4: f64,
    /// Where the axis meets the knuckle's line, from the hammer centre along the shank, m.
    pub q9: f64,
    /// Where the head itself stands along the shank, m; equals q9 where it just touches.
    pub tip: f64,
    /// Share of the axis across the knuckle's line.
    pub across: f64,
}

impl Head {
    /// For a jack at `jack_centre` pointing along `axis`, under a hammer with shank `hammer`.
    #[inline]
    pub fn new(spec: &Spec, jack_centre: Vec2, axis: Vec2, hammer: Vec2) -> Self {
        let h = &spec.hammer;
        let from_jack = h.pivot - jack_centre;
        let across = axis.dot(hammer.perp());
        let reach = (from_jack.dot(hammer.perp()) - h.knuckle_depth) / across;
        Self {
            axis,
            reach,
            q4: spec.jack.length - reach,
            q9: (axis * reach - from_jack).dot(hammer),
            tip: (axis * spec.jack.length - from_jack).dot(hammer),
            across,
        }
    }
}

/// Wippen direction and q7 for a key direction: loop S1 in closed form.
#[inline]
pub fn wippen(spec: &Spec, key: Vec2) -> (Vec2, f64) {
    let w = &spec.wippen;
    let d = spec.key.capstan.turned(key) - w.pivot;
    let square = d.norm_squared();
    let q7 = (square - w.heel * w.heel).sqrt();
    // Complex division of the world vector by its image (−q7, −heel) in the wippen's frame.
    let image = Vec2::new(-q7, -w.heel);
    let direction = Vec2::new(d.dot(image), image.cross(d)) * (1.0 / square);
    (direction, q7)
}

impl Kinematics {
    /// Configuration and velocities at `x` in `phase`.
    #[must_use]
    pub fn new(spec: &Spec, phase: Phase, x: &[f64; super::STATES]) -> Self {
        Self::with(spec, &Turns::new(spec), phase, x)
    }

    /// The same with the fixed directions at hand.
    #[inline]
    #[must_use]
    pub fn with(spec: &Spec, turns: &Turns, phase: Phase, x: &[f64; super::STATES]) -> Self {
        let u = [x[state::KEY_SPEED], x[state::HAMMER_SPEED], x[state::LEVER_SPEED]];
        let key = direction(x[state::KEY]);
        let hammer = direction(x[state::HAMMER]);
        let lever = direction(x[state::LEVER]);
        let capstan = spec.key.capstan.turned(key);
        let (wippen, q7) = wippen(spec, key);
        let normal = wippen.perp();
        let r5 = -capstan.perp().dot(normal) / q7;
        let w5 = r5 * u[0];
        let capstan_along = u[0] * capstan.perp().dot(wippen);
        let q7_rate = -capstan_along + w5 * spec.wippen.heel;
        let b5 = (u[0] * u[0] * capstan.dot(normal) + w5 * (capstan_along - q7_rate)) / q7;

        let to_jack = spec.wippen.jack_pivot.turned(wippen);
        let to_lever = spec.wippen.lever_pivot.turned(wippen);
        let ground = jack::Ground { wippen, to_jack, hammer, r5, b5, u };
        let jack = match phase {
            Phase::Acceleration | Phase::Return => jack::on_stop(turns, &ground),
            Phase::LetOff | Phase::Catch => jack::on_button(spec, &ground),
            Phase::Flank => jack::on_flank(spec, turns, &ground),
        };
        let axis = turns.fly.turned(jack.direction);
        let head = Head::new(spec, spec.wippen.pivot + to_jack, axis, hammer);
        Self {
            u,
            depth: spec.key.front * (x[state::KEY] - spec.key.rest_angle),
            key,
            hammer,
            lever,
            surface: turns.surface.turned(lever),
            check_normal: turns.check_normal.turned(key),
            wippen,
            q7,
            r5,
            b5,
            jack,
            to_jack,
            to_lever,
            head,
        }
    }

    /// What the jack's closures ask of the bodies around it.
    #[inline]
    #[must_use]
    pub const fn ground(&self) -> jack::Ground {
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
    #[inline]
    #[must_use]
    pub const fn wippen_speed(&self) -> f64 {
        self.r5 * self.u[0]
    }

    /// Angular speed of the jack, rad/s.
    #[inline]
    #[must_use]
    pub const fn jack_speed(&self) -> f64 {
        self.jack.per_key * self.u[0] + self.jack.per_hammer * self.u[1]
    }

    /// Speed at which the jack–knuckle compression q4 grows, m/s.
    #[inline]
    #[must_use]
    pub fn q4_rate(&self) -> f64 {
        let normal = self.hammer.perp();
        let swing = self.head.reach * self.head.axis.perp().dot(normal);
        (self.wippen_speed() * self.to_jack.perp().dot(normal) + self.jack_speed() * swing
            - self.u[1] * self.head.q9)
            / self.head.across
    }

    /// Speed at which the jack head slides along the knuckle toward the crown, m/s.
    #[inline]
    #[must_use]
    pub fn slide_speed(&self, spec: &Spec) -> f64 {
        self.wippen_speed() * self.to_jack.perp().dot(self.hammer)
            + self.jack_speed() * self.head.reach * self.head.axis.perp().dot(self.hammer)
            - self.u[1] * spec.hammer.knuckle_depth
    }

    /// Angle of jack to wippen beyond the stop, rad.
    #[inline]
    #[must_use]
    pub fn jack_turn(&self, spec: &Spec) -> f64 {
        let home = direction(spec.jack.stop).turned(self.wippen);
        home.cross(self.jack.direction).atan2(home.dot(self.jack.direction))
    }
}
