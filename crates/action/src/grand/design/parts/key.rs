//! The key.

use crate::grand::design::concert_key::{FRONT, HAMMER_FRICTION};
use crate::grand::design::sources::{FITTED, LOST_FIGURE, NO_EFFECT, OUT_OF_REACH};
use crate::grand::design::table::{Number, Point, part};
use crate::grand::design::thesis_pose::INITIAL;
use touchback_core::math::compass::linear;
use touchback_core::math::vec2::Vec2;
use touchback_core::mech::felt::Felt;

/// Inertia of the concert grand's key by key number, kg·m²: order of magnitude of a spruce stick of
/// 100 g with three leads, longer in the bass.
const INERTIA: [(f64, f64); 2] = [(1.0, 3.4e-3), (88.0, 2.4e-3)];

/// Ratio of the angular speeds of hammer and key.
const SPEED_RATIO: f64 = 9.2;

/// Share of the key's friction that the slides of lever and knuckle do not take.
const FRICTION_SHARE: f64 = 0.65;

part! {
    /// The key, which turns on the balance rail at the origin.
    pub struct Key, KeyNumbers: "key", c, t {
        /// Distance of the finger from the balance point; the force on it is perpendicular to the key.
        front: f64 as Number, "m", positive;
            concert FRONT, "[Hirschkorn 2004] key lever, second hand";
            thesis 0.2286, "[Gillespie 1996] L2";

        /// Inertia about the balance point.
        inertia: f64 as Number, "kg·m²", positive;
            concert linear(&INERTIA, c.number()),
                "derived: wooden key of usual size with leads, order of magnitude";
            // m2 spread along the key: 0.120 kg at a radius of gyration of L3/2 (chosen).
            thesis 0.120 * 0.063 * 0.063, "[Gillespie 1996] m2, spread along the key (chosen)";

        /// Torque of the weight of key and leads; positive presses the front down.
        lead_torque: f64 as Number, "N·m";
            concert 0.0, "regulated: balance weight 37 g at half stroke [Stanwood tables]";
            thesis 0.0, NO_EFFECT;

        /// Angle at rest, where the front's depth is 0.
        rest_angle: f64 as Number, "rad";
            concert 0.0, "regulated: half the dip below level";
            thesis INITIAL[0], "[Gillespie 1996, Table 3.5] q1";

        /// Depth at which the front meets the key-bed felt.
        dip: f64 as Number, "m";
            concert 0.01, "regulated: key dip [regulation sheets]";
            thesis 0.01, OUT_OF_REACH;

        /// Centre of the capstan's dome, in the key's frame.
        capstan: Vec2 as Point, "m";
            concert Vec2::new(c.fitted.capstan, 0.03),
                (FITTED, "regulated: blow distance [regulation sheets]");
            thesis t.capstan, ("[Gillespie 1996] L3", LOST_FIGURE);

        /// Felt under the front, the key bed, by front depth.
        bed_felt: Felt as Felt, "N/m^p";
            // Front punching: 50 N at about 0.65 mm.
            concert Felt { hysteresis: 0.7, ..Felt::new(c.fitted.bed, 1.5, 0.6) },
                (FITTED, "chosen: felt");
            thesis Felt { hysteresis: 0.3, ..Felt::new(1.6e6, 1.5, 0.6) }, OUT_OF_REACH;

        /// Felt under the back, by front height; carries the key at rest.
        rest_felt: Felt as Felt, "N/m^p";
            concert Felt { hysteresis: 0.7, ..Felt::new(4e5, 1.5, 1.5) },
                "chosen: softer than the key-bed punching";
            thesis Felt { hysteresis: 0.4, ..Felt::new(4e5, 1.5, 1.5) },
                "chosen; the key is up to 0.07 mm inside it from 26 to 81 ms of the run";

        /// Compression of the rest felt at depth 0.
        rest_compression: f64 as Number, "m";
            concert 0.0, "regulated: carries the weight that is left at rest";
            thesis 0.0, NO_EFFECT;

        /// Coulomb torque of the balance pin, the bushings and the wippen's centre pin.
        friction: f64 as Number, "N·m";
            concert (c.friction_torque() - SPEED_RATIO * HAMMER_FRICTION) * FRICTION_SHARE,
                "[Stanwood tables] friction weight, less what the hammer's centre takes";
            thesis 0.0, NO_EFFECT;

        /// Friction coefficient of the capstan's slide along the heel.
        #[serde(default)]
        capstan_friction: f64 as Number, "1";
            concert 0.15, "chosen: as the button's";
            thesis 0.0, NO_EFFECT;
    }
}

impl Key {
    /// Depth of the front below rest with the key at `angle` rad, m.
    #[must_use]
    pub fn depth(&self, angle: f64) -> f64 {
        self.front * (angle - self.rest_angle)
    }
}
