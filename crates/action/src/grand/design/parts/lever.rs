//! The repetition lever, its spring, its stops and the drop screw.

use crate::GRAVITY;
use crate::grand::design::concert_key::KNUCKLE_FRICTION;
use crate::grand::design::sources::{
    CLOSED_LOOPS, FITTED, LAYOUT, LEATHER, LET_OFF, NO_EFFECT, OUT_OF_REACH, USUAL_SIZE,
};
use crate::grand::design::table::{Number, part};
use crate::grand::design::torsional::torsional;
use touchback_core::math::compass::linear;
use touchback_core::math::vec2::Vec2;
use touchback_core::mech::felt::{ANGULAR_REVERSAL_SPEED, Felt};

/// Mass of the concert grand's lever, kg.
const MASS: f64 = 8e-3;

/// Centre of mass of the concert grand's lever before its centre pin, m.
const CENTRE: f64 = 0.015;

/// Radius with which the knuckle rolls on the lever by key number, m. The jack is clear of the knuckle of
/// a resting hammer by 0.2 mm. Of a hammer that rides on its lever half way up it would overlap the
/// knuckle by 0.19 mm if the knuckle met the lever with its lowest point, by 0.16 mm with 1 mm of radius,
/// and be clear by 0.04 mm with the whole 5 mm; until it is clear the jack does not return. Bass hammers,
/// which hardly rebound from their strings, ride so in fast repetition.
const ROLLING: [(f64, f64); 2] = [(28.0, 1e-3), (71.0, 0.0)];

/// Height of the upper surface above the centre pin by key number, m: lower where the knuckle rolls, so
/// that the hammer's weight turns the lever no more than without rolling.
const SURFACE: [(f64, f64); 2] = [(28.0, 5.5e-3), (71.0, 6e-3)];

/// Torque of the repetition spring over the hammer's weight by key number, relative to A0. The spring
/// carries the resting hammer with 0.5 (treble) to 2.3 % (bass) to spare, which needs more torque where
/// the knuckle rolls; a checked hammer rises at 0.17 to 0.20 m/s when its key is eased.
const SPRING: [(f64, f64); 3] = [(1.0, 1.0), (28.0, 0.992), (71.0, 0.9698)];

/// Source of [`ROLLING`] and [`SURFACE`].
const REPEATS: &str = "fitted to V24 and V25 of the validation on keys 1 to 88: the jack returns under a hammer \
     that rides on its lever; a knuckle that rolls with its whole radius needs another layout";

part! {
    /// The repetition lever.
    pub struct Lever, LeverNumbers: "lever", c, t {
        /// Angle of the upper surface to the body's x axis.
        surface_angle: f64, "rad";
            concert 0.0, LAYOUT;
            thesis t.surface_angle, CLOSED_LOOPS;

        /// Distance of the upper surface from the centre pin, perpendicular to it.
        surface_height: f64 as Number, "m";
            concert linear(&SURFACE, c.number()), REPEATS;
            thesis t.surface_height, CLOSED_LOOPS;

        /// Mass.
        mass: f64, "kg";
            concert MASS, USUAL_SIZE;
            thesis 0.01, "[Gillespie 1996] m3";

        /// Centre of mass, in the lever's frame.
        centre: Vec2, "m";
            concert Vec2::new(-CENTRE, 0.0), USUAL_SIZE;
            thesis Vec2::default(), "[Gillespie 1996]: a point mass at the pin";

        /// Inertia about the centre pin.
        inertia: f64 as Number, "kg·m²", positive;
            concert 1.1e-5, USUAL_SIZE;
            // A point mass at the hinge turns freely: a slender lever of 0.1 m instead.
            thesis 0.01 * 0.1 * 0.1 / 12.0,
                "chosen: m3 as a slender rod of 0.1 m; a point mass would turn freely";

        /// Angle of the lever less that of the wippen with the lever on the regulating button, to
        /// which the spring lifts it.
        stop: f64, "rad";
            concert 0.0, "regulated: jack 0.2 mm clear of the knuckle [regulation sheets]";
            thesis t.lever_stop, "[Gillespie 1996, Table 3.5] q3 − q5";

        /// Travel from the regulating button down to the wippen.
        travel: f64 as Number, "rad";
            concert 0.25, LAYOUT;
            thesis 0.0, NO_EFFECT;

        /// Torsional felt of both stops, the regulating button and the wippen.
        #[serde(deserialize_with = "torsional")]
        stop_felt: Felt as Felt, "N·m/rad^p";
            concert Felt {
                hysteresis: 0.3,
                reversal_speed: ANGULAR_REVERSAL_SPEED,
                ..Felt::new(3.0e3, 1.5, 0.02)
            }, LEATHER;
            // k6 at the lever's bed, 0.0544 m from RR.
            thesis Felt::new(600.0 * 0.0544 * 0.0544, 1.0, 0.1),
                "[Gillespie 1996] k6 at L22 from the pin, a reading; damping chosen";

        /// Torque by which the repetition spring lifts the lever, clockwise, on the regulating button.
        spring_torque: f64 as Number, "N·m";
            // The lever's own weight and a little more than the resting hammer needs: the spring
            // carries the hammer, lifts it from check without a kick, and the force on the drop
            // screw is no larger than the force on the jack was.
            concert c.fitted.repetition_spring * linear(&SPRING, c.number()) * c.hammer_torque()
                + MASS * GRAVITY * CENTRE, FITTED;
            thesis 0.0, NO_EFFECT;

        /// Growth of that torque with the turn off the regulating button.
        spring_rate: f64 as Number, "N·m/rad";
            concert 5e-3, "chosen: nearly constant torque over the lever's travel";
            thesis 0.0, NO_EFFECT;

        /// Viscous damping of the centre pin.
        damping: f64 as Number, "N·m·s/rad";
            concert 2e-5, USUAL_SIZE;
            thesis 0.06, "[Gillespie 1996] b5, a reading, as N·m·s/rad";

        /// Coulomb torque of the centre pin.
        friction: f64 as Number, "N·m";
            concert 4e-4, USUAL_SIZE;
            thesis 0.0, NO_EFFECT;

        /// Felt between knuckle and lever.
        knuckle_felt: Felt as Felt, "N/m^p";
            concert Felt { hysteresis: 0.6, ..Felt::new(3.0e6, 1.5, 0.5) }, LEATHER;
            thesis Felt::new(600.0, 1.0, 8.0),
                "[Gillespie 1996] k3; damping chosen: the hammer strikes once";

        /// Friction coefficient of the knuckle's slide along the lever.
        #[serde(default)]
        knuckle_friction: f64 as Number, "1";
            concert KNUCKLE_FRICTION, "chosen: as well graphited as the jack's head";
            thesis 0.0, NO_EFFECT;

        /// Radius with which the knuckle rolls on the upper surface; 0: the knuckle meets the
        /// surface with its lowest point.
        #[serde(default)]
        knuckle_radius: f64, "m";
            concert linear(&ROLLING, c.number()), REPEATS;
            thesis 0.0, NO_EFFECT;

        /// Distance along the upper surface from the centre pin, toward the player, of the point under
        /// the drop screw.
        drop_reach: f64, "m";
            concert 0.08, LET_OFF;
            thesis 0.058, OUT_OF_REACH;

        /// Height of the drop screw's level leather above the key's balance point.
        drop_height: f64, "m";
            concert 0.2, "regulated: drop [regulation sheets]";
            thesis 1.0, "none in the thesis: out of reach";

        /// Felt between lever and drop screw.
        drop_felt: Felt as Felt, "N/m^p";
            concert Felt { hysteresis: 0.3, ..Felt::new(5e6, 1.5, 0.5) }, LEATHER;
            thesis Felt::new(0.0, 1.0, 0.0), NO_EFFECT;
    }
}
