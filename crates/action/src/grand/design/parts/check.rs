//! The backcheck on the key and the tail of the hammer.

use crate::grand::design::sources::{FITTED, LAYOUT, LEATHER, NO_EFFECT};
use crate::grand::design::table::{Number, Point, part};
use touchback_core::math::vec2::Vec2;
use touchback_core::mech::felt::Felt;

part! {
    /// The backcheck on the key and the hammer's tail.
    pub struct Check, CheckNumbers: "check", c, t {
        /// A point of the check's face, in the key's frame.
        face: Vec2 as Point, "m";
            concert Vec2::new(0.228, 0.12), "regulated: check distance [regulation sheets]";
            thesis Vec2::new(1.0, 0.0), NO_EFFECT;

        /// Angle of the face's outward normal in the key's frame.
        normal: f64, "rad";
            concert std::f64::consts::PI - c.fitted.check_slope, FITTED;
            thesis 0.0, NO_EFFECT;

        /// Rubbing point of the tail, in the hammer's frame.
        tail: Vec2 as Point, "m";
            concert Vec2::new(0.134, -0.022), LAYOUT;
            thesis Vec2::new(0.13, -0.02), NO_EFFECT;

        /// Felt between tail and leather.
        felt: Felt as Felt, "N/m^p";
            // Leather over felt on a wire that yields.
            concert Felt { hysteresis: 0.5, ..Felt::new(c.fitted.check, 1.5, 1.0) },
                (FITTED, LEATHER);
            thesis Felt::new(0.0, 1.0, 0.0), NO_EFFECT;

        /// Friction coefficient of tail on leather.
        friction: f64 as Number, "1";
            concert 0.7, "regulated: check friction, 0.7 chosen with the face's slope";
            thesis 0.0, NO_EFFECT;
    }
}
