//! The hammer with its knuckle, and the rest rail.

use crate::grand::design::concert_key::{HAMMER_FRICTION, KNUCKLE_FRICTION};
use crate::grand::design::parts::shank::{Shank, ShankNumbers};
use crate::grand::design::sources::{
    CLOSED_LOOPS, FITTED, LEATHER, LET_OFF, NO_EFFECT, OUT_OF_REACH,
};
use crate::grand::design::table::{Number, Point, part};
use crate::grand::design::thesis_pose::KNUCKLE;
use touchback_core::math::vec2::Vec2;
use touchback_core::mech::felt::Felt;
use touchback_core::mech::hammer::CROWN;

/// Mass of the thesis's hammer, kg: m1.
const THESIS_MASS: f64 = 0.014;

/// Distance of the thesis's m1 from the centre pin, m: L20, a reading.
const THESIS_CENTRE: f64 = 0.0988;

part! {
    /// The hammer with its shank and knuckle.
    pub struct Hammer, HammerNumbers: "hammer", c, t {
        /// Centre pin P3.
        pivot: Vec2 as Point, "m";
            concert Vec2::new(0.083, 0.1333), LET_OFF;
            thesis t.hammer_pivot, CLOSED_LOOPS;

        /// Distance of the crown from the centre pin along the shank; the crown moves by this times the
        /// hammer's angle.
        crown: f64 as Number, "m", positive;
            concert CROWN, "[Hirschkorn 2004] centre pin to crown, second hand";
            thesis 0.13, "chosen: usual size; the figure is lost";

        /// Distance of the knuckle from the centre pin along the shank.
        knuckle: f64, "m", positive;
            concert 0.017, "[Gillespie 1996] L12";
            thesis KNUCKLE, "[Gillespie 1996] L12";

        /// Distance of the knuckle's face below the shank's axis.
        knuckle_depth: f64 as Number, "m";
            concert 0.0132, LET_OFF;
            thesis t.knuckle_depth,
                "chosen with the jack's lean: carries the hammer through let-off";

        /// Radius of the knuckle; 0 for a straight knuckle along the shank, whose jack is carried
        /// by rigid constraints and slips off at the edge.
        #[serde(default)]
        knuckle_radius: f64 as Number, "m";
            concert 5e-3, "chosen: a usual knuckle, 10 mm thick";
            thesis 0.0, "none: the knuckle is a line, loop S3";

        /// Position along the shank at which the jack slips off a straight knuckle.
        knuckle_edge: f64 as Number, "m";
            concert 0.017, "none: the knuckle is round";
            thesis 0.0113, "fitted: let-off ends at the printed time";

        /// Mass with shank and butt.
        mass: f64, "kg";
            concert c.hammer.body_mass, "[Hirschkorn 2004] by strike weight [Stanwood tables]";
            thesis THESIS_MASS, "[Gillespie 1996] m1";

        /// Centre of mass, in the frame of the line from centre pin to crown.
        centre: Vec2, "m";
            concert c.hammer.centre, "[Hirschkorn 2004] second hand";
            thesis Vec2::new(THESIS_CENTRE, 0.0),
                "[Gillespie 1996] L20, a reading: the figure is lost";

        /// Inertia of the straight hammer about the centre pin.
        inertia: f64, "kg·m²", positive;
            concert c.hammer.inertia, "[Hirschkorn 2004] by strike weight [Stanwood tables]";
            thesis THESIS_MASS * THESIS_CENTRE * THESIS_CENTRE,
                "[Gillespie 1996] m1 at L20, a reading";

        /// Coulomb torque of the centre pin on the butt.
        friction: f64 as Number, "N·m";
            concert HAMMER_FRICTION, "[Hirschkorn 2004] second hand";
            thesis 0.0, NO_EFFECT;

        /// Felt between jack and knuckle, along the normal of the contact; of a straight knuckle along
        /// the jack (the thesis's k4).
        knuckle_felt: Felt as Felt, "N/m^p";
            // With what yields beside the knuckle: 40 N at about 1.6 mm.
            concert Felt {
                hysteresis: 0.75,
                reversal_speed: 0.005,
                reversal_growth: 2.5e-3,
                ..Felt::new(c.fitted.knuckle, 1.5, 0.3)
            },
                (FITTED, LEATHER);
            thesis Felt::new(2000.0, 1.0, 0.0), "[Gillespie 1996] k4";

        /// Friction coefficient of the jack's slide on the knuckle.
        knuckle_friction: f64 as Number, "1";
            concert KNUCKLE_FRICTION, LET_OFF;
            thesis 0.0, NO_EFFECT;

        /// Viscous resistance of the jack's slide on the knuckle (the thesis's b8).
        slide_damping: f64 as Number, "N·s/m";
            concert 0.0, "none: the slide has Coulomb friction instead";
            thesis 8.0, "[Gillespie 1996] b8";

        /// Distance of the crown below the string at which the shank meets the rest rail.
        rail: f64 as Number, "m";
            concert 0.055, "chosen: 7 mm below the resting shank";
            thesis 0.1, OUT_OF_REACH;

        /// Felt between shank and rest rail, referred to the crown.
        rail_felt: Felt as Felt, "N/m^p";
            concert Felt { hysteresis: 0.7, ..Felt::new(1e6, 1.5, 0.5) }, "chosen: soft cloth";
            thesis Felt::new(2000.0, 1.0, 1.0), OUT_OF_REACH;
    }
    /// The bending shank.
    #[serde(default)]
    shank: Shank, ShankNumbers;
}

impl Hammer {
    /// The hammer in the equations: a rigid shank has no damping.
    #[must_use]
    pub(crate) fn in_equations(&self) -> Self {
        let damping = if self.bends() { self.shank.damping } else { 0.0 };
        Self { shank: Shank { damping, ..self.shank }, ..*self }
    }

    /// Whether the shank bends.
    #[must_use]
    pub fn bends(&self) -> bool {
        self.shank.bends()
    }

    /// Turn of the butt against the line from the centre pin to the crown, per turn of the shank's
    /// hinge; 0 with a rigid shank.
    #[must_use]
    pub fn bend_share(&self) -> f64 {
        if self.bends() { 1.0 - self.shank.hinge / self.crown } else { 0.0 }
    }

    /// Inertia of the butt and of the part of the shank that turns with it, kg·m²; 0 with a rigid
    /// shank.
    #[must_use]
    pub fn butt_inertia(&self) -> f64 {
        if self.bends() { self.shank.butt * self.inertia } else { 0.0 }
    }

    /// Inertia of the head, kg·m²; of the whole hammer with a rigid shank.
    #[must_use]
    pub fn head_inertia(&self) -> f64 {
        self.inertia - self.butt_inertia()
    }

    /// Bend of the shank, rad, where the knuckle instead of the head carries the torque `carried`
    /// N·m about the centre pin.
    #[must_use]
    pub fn bend_under(&self, carried: f64) -> f64 {
        if self.bends() { -self.bend_share() * carried / self.shank.stiffness } else { 0.0 }
    }
}
