//! The jack and the let-off button.

use crate::grand::design::sources::{
    FITTED, LAYOUT, LET_OFF, NO_EFFECT, RIGID_JACK, STIFF_CLOTH, USUAL_SIZE,
};
use crate::grand::design::table::{Number, Point, part};
use crate::grand::design::thesis_pose::LEAN;
use crate::grand::design::torsional::torsional;
use touchback_core::math::vec2::Vec2;
use touchback_core::mech::felt::{ANGULAR_REVERSAL_SPEED, Felt};

part! {
    /// The jack and the let-off button.
    pub struct Jack, JackNumbers: "jack", c, t {
        /// Distance of the head's flat from the centre pin along the fly.
        length: f64 as Number, "m", positive;
            concert 0.0577, "near [Gillespie 1996] L18; fitted with the rest of the let-off";
            thesis t.jack_length, "[Gillespie 1996] L18";

        /// Angle of the fly to the body's y axis; positive leans toward the player.
        lean: f64, "rad";
            concert -0.193, LET_OFF;
            thesis LEAN, "chosen: dq2/dq1 is 12.2 at the start";

        /// Point of the toe that meets the button, in the jack's frame.
        toe: Vec2 as Point, "m";
            concert Vec2::new(-0.035, 0.002), (LET_OFF, LAYOUT);
            thesis t.toe, "[Gillespie 1996] L8";

        /// Mass.
        mass: f64, "kg";
            concert 6e-3, USUAL_SIZE;
            thesis 0.05, "[Gillespie 1996] m4";

        /// Centre of mass, in the jack's frame.
        centre: Vec2, "m";
            concert Vec2::new(-0.004, 0.02), USUAL_SIZE;
            thesis Vec2::default(), "[Gillespie 1996]: a point mass at the pin";

        /// Inertia about the centre pin.
        inertia: f64 as Number, "kg·m²", positive;
            concert 5.5e-6, USUAL_SIZE;
            thesis 1e-6, "chosen: as good as none";

        /// Angle of the jack less that of the wippen with the jack on its stop.
        stop: f64, "rad";
            // The knuckle's centre stays over the flat of the head until the button turns the jack.
            concert 0.029, LET_OFF;
            thesis t.jack_stop, "[Gillespie 1996, Table 3.5] q6 − q5";

        /// Torque by which the spring presses the jack, clockwise, on its stop.
        spring_torque: f64 as Number, "N·m";
            // Returns the jack within the rise of a fast repetition.
            concert 3.3e-3, LET_OFF;
            thesis 0.0, NO_EFFECT;

        /// Growth of that torque with the turn off the stop.
        spring_rate: f64 as Number, "N·m/rad";
            concert 5.0e-3, LET_OFF;
            // Unloaded on the stop.
            thesis 0.35, "[Gillespie 1996] k5, read as N·m/rad";

        /// Height of the button's level face above the key's balance point.
        button_height: f64, "m";
            concert 0.07, "regulated: let-off distance [regulation sheets]";
            thesis t.button_height, "fitted: let-off begins at the printed time";

        /// Horizontal position of the button's centre line, where q8 is zero.
        button_x: f64 as Number, "m";
            concert 0.0665, LAYOUT;
            thesis t.button_x, "[Gillespie 1996, Table 3.5] q8";

        /// Friction coefficient of toe on button.
        button_friction: f64 as Number, "1";
            concert 0.15, "chosen: leather on felt";
            thesis 0.0, NO_EFFECT;

        /// Distance from the fly, toward the crown, at which the flat of the head ends: that of the
        /// centre of the round corner.
        #[serde(default)]
        corner: f64, "m";
            concert c.fitted.corner, FITTED;
            thesis 0.0, RIGID_JACK;

        /// Radius of the head's corner.
        #[serde(default)]
        corner_radius: f64 as Number, "m";
            concert 0.4e-3, "chosen: a worn edge";
            thesis 0.0, RIGID_JACK;

        /// Angle off the stop at which the jack meets the other end of its window.
        #[serde(default)]
        window: f64 as Number, "rad";
            concert 0.2, "chosen: room for a jack that a blow throws";
            thesis 0.0, RIGID_JACK;

        /// Torsional felt of stop and window.
        #[serde(default = "no_felt", deserialize_with = "torsional")]
        stop_felt: Felt as Felt, "N·m/rad^p";
            concert Felt {
                hysteresis: 0.9,
                reversal_speed: ANGULAR_REVERSAL_SPEED,
                reversal_growth: 12.5,
                ..Felt::new(50.0, 1.0, 0.0)
            }, STIFF_CLOTH;
            thesis no_felt(), RIGID_JACK;

        /// Felt between toe and button.
        #[serde(default = "no_felt")]
        button_felt: Felt as Felt, "N/m^p";
            concert Felt {
                hysteresis: 0.95,
                reversal_growth: 1.67e-2,
                ..Felt::new(8e4, 1.0, 0.0)
            }, STIFF_CLOTH;
            thesis no_felt(), RIGID_JACK;
    }
}

/// The felt of a jack that rigid constraints carry: none.
const fn no_felt() -> Felt {
    Felt::new(0.0, 1.0, 0.0)
}
