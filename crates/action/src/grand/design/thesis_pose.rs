//! The thesis's initial coordinates and the dimensions that close the loops there.

use touchback_core::math::trig::direction;
use touchback_core::math::vec2::Vec2;

/// Initial coordinates q1…q9 [Gillespie 1996, Table 3.5].
pub const INITIAL: [f64; 9] =
    [-0.034_73, -0.356_22, -0.385_72, 0.0, -0.036_84, -0.389_557, 0.062_23, -2.54e-5, 0.016_49];

/// Lean of the jack, rad: dq2/dq1 is 12.2 in the initial configuration.
pub(crate) const LEAN: f64 = 0.1;

/// Height of the button's face above the toe at the start, m.
const TOE_GAP: f64 = 3.3e-3;

/// Centre pin to knuckle along the shank, m: L12.
pub(crate) const KNUCKLE: f64 = 0.0170;

/// Dimensions of the thesis's key, chosen or derived from [`INITIAL`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThesisPose {
    /// Centre of the capstan's dome, m.
    pub(crate) capstan: Vec2,
    /// Distance of the capstan's line below the wippen's centre pin, m.
    pub(crate) heel: f64,
    /// Centre pin of the wippen, m.
    pub(crate) wippen_pivot: Vec2,
    /// Centre pin of the jack on the wippen, m.
    pub(crate) jack_pivot: Vec2,
    /// Centre pin of the repetition lever on the wippen, m.
    pub(crate) lever_pivot: Vec2,
    /// Length of the jack, m.
    pub(crate) jack_length: f64,
    /// Toe of the jack, m.
    pub(crate) toe: Vec2,
    /// Height of the button's face, m.
    pub(crate) button_height: f64,
    /// Horizontal position of the button's centre line, m.
    pub(crate) button_x: f64,
    /// Distance of the knuckle's face below the shank's axis, m.
    pub(crate) knuckle_depth: f64,
    /// Centre pin of the hammer, m.
    pub(crate) hammer_pivot: Vec2,
    /// Angle of the lever's upper surface, rad.
    pub(crate) surface_angle: f64,
    /// Height of the lever's upper surface above its centre pin, m.
    pub(crate) surface_height: f64,
    /// Angle of the jack to the wippen, rad.
    pub(crate) jack_stop: f64,
    /// Angle of the lever to the wippen, rad.
    pub(crate) lever_stop: f64,
}

impl ThesisPose {
    /// The dimensions.
    pub(crate) fn new() -> Self {
        let [q1, q2, q3, _, q5, q6, q7, q8, q9] = INITIAL;
        let (key, hammer) = (direction(q1), direction(q2));
        let (wippen, jack) = (direction(q5), direction(q6));
        let capstan = Vec2::new(0.126, 0.03);
        let heel = 0.0208;
        // S1: the capstan lies at (−q7, −heel) of the wippen.
        let wippen_pivot = capstan.turned(key) - Vec2::new(-q7, -heel).turned(wippen);
        let jack_pivot = Vec2::new(-0.1001, 0.0025);
        let lever_pivot = Vec2::new(-0.0493, 0.0223);
        let jack_length = 0.0556;
        let knuckle_depth = 4e-3;
        let fly = direction(LEAN).perp().turned(jack);
        let jack_centre = wippen_pivot + jack_pivot.turned(wippen);
        // S3: the head lies at (q9, −depth) of the hammer.
        let hammer_pivot =
            jack_centre + fly * jack_length - Vec2::new(q9, -knuckle_depth).turned(hammer);
        let toe = Vec2::new(-0.025, 0.0);
        let toe_at = jack_centre + toe.turned(jack);
        // The lever's surface lies under the knuckle, parallel to its face.
        let lowest = hammer_pivot + Vec2::new(KNUCKLE, -knuckle_depth).turned(hammer);
        let lever_centre = wippen_pivot + lever_pivot.turned(wippen);
        Self {
            capstan,
            heel,
            wippen_pivot,
            jack_pivot,
            lever_pivot,
            jack_length,
            toe,
            button_height: toe_at.y + TOE_GAP,
            button_x: toe_at.x - q8,
            knuckle_depth,
            hammer_pivot,
            surface_angle: q2 - q3,
            surface_height: (lowest - lever_centre).dot(hammer.perp()),
            jack_stop: q6 - q5,
            lever_stop: q3 - q5,
        }
    }
}
