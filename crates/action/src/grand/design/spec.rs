//! Every number of one key: dimensions, masses, springs, felts, frictions and screws. SI.
//!
//! Points are given in the frame of the body that carries them, whose x axis lies along the body
//! at angle 0. The screws (capstan height, button height, lever stop, drop screw, check, damper
//! pick-up) are set from a technician's millimetres by `regulation`.

use crate::interface::numbers::{SpecError, check};
use serde::{Deserialize, Serialize};
use touchback_core::math::vec2::Vec2;
use touchback_core::mech::felt::Felt;

/// Standard gravity, m/s².
pub const GRAVITY: f64 = 9.806_65;

/// One key's action.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// Key K.
    pub key: Key,
    /// Wippen W.
    pub wippen: Wippen,
    /// Jack J and let-off button.
    pub jack: Jack,
    /// Repetition lever R, its spring, stops and drop screw.
    pub lever: Lever,
    /// Hammer H with knuckle and shank.
    pub hammer: Hammer,
    /// The backcheck and the hammer's tail.
    pub check: Check,
    /// The damper and its lever.
    pub damper: Damper,
    /// The string as the action feels it.
    pub string: Felt,
    /// The thesis's manipulandum coupling: k1, N·m/rad, and b1, N·m·s/rad.
    pub coupling: [f64; 2],
}

/// The key, turning on the balance rail at the origin.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Key {
    /// Balance point to where the finger plays, m.
    pub front: f64,
    /// Inertia about the balance point, kg·m².
    pub inertia: f64,
    /// Torque of the key's own weight and leads, N·m; positive presses the front down.
    pub lead_torque: f64,
    /// Angle at rest, rad.
    pub rest_angle: f64,
    /// Depth at which the front meets the key-bed felt, m.
    pub dip: f64,
    /// Centre of the capstan's dome.
    pub capstan: Vec2,
    /// Felt under the front, by front depth.
    pub bed_felt: Felt,
    /// Felt under the back, by front height; carries the key at rest.
    pub rest_felt: Felt,
    /// Compression of the rest felt at depth 0, m.
    pub rest_compression: f64,
    /// Coulomb torque of the balance pin, bushings and wippen centre, N·m.
    pub friction: f64,
    /// Friction coefficient of the capstan's slide along the heel.
    #[serde(default)]
    pub capstan_friction: f64,
}

impl Key {
    /// Depth of its front below rest at `angle` rad, m.
    #[must_use]
    pub fn depth(&self, angle: f64) -> f64 {
        self.front * (angle - self.rest_angle)
    }
}

impl Damper {
    /// How far it is off its string at `height` m, 0 (resting) … 1 (clear); 1 where there is none.
    #[must_use]
    pub fn lift(&self, height: f64) -> f64 {
        if self.present { (height / self.clear).clamp(0.0, 1.0) } else { 1.0 }
    }
}

/// The wippen, turning on its flange.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wippen {
    /// Its centre pin P2.
    pub pivot: Vec2,
    /// How far the line of capstan centres runs below the centre pin, m.
    pub heel: f64,
    /// Jack centre pin JJ.
    pub jack_pivot: Vec2,
    /// Repetition-lever centre pin RR.
    pub lever_pivot: Vec2,
    /// Mass without jack and lever, kg.
    pub mass: f64,
    /// Its centre of mass.
    pub centre: Vec2,
    /// Inertia about the centre pin, without jack and lever, kg·m².
    pub inertia: f64,
}

/// The jack and the let-off button.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Jack {
    /// Centre pin to head, m.
    pub length: f64,
    /// Angle of the fly from the body's y axis, rad; positive leans toward the player.
    pub lean: f64,
    /// The toe that meets the button.
    pub toe: Vec2,
    /// Mass, kg.
    pub mass: f64,
    /// Centre of mass.
    pub centre: Vec2,
    /// Inertia about the centre pin, kg·m².
    pub inertia: f64,
    /// Angle to the wippen when on its stop, rad.
    pub stop: f64,
    /// Torque of its spring on the stop, N·m.
    pub spring_torque: f64,
    /// Rate of its spring, N·m/rad.
    pub spring_rate: f64,
    /// Height of the button's face, m.
    pub button_height: f64,
    /// Horizontal position of the button's centre line, m: where q8 is zero.
    pub button_x: f64,
    /// Friction coefficient of toe on button.
    pub button_friction: f64,
    /// Fly to where the flat of the head ends in a round corner, toward the crown, m.
    #[serde(default)]
    pub corner: f64,
    /// Radius of that corner, m.
    #[serde(default)]
    pub corner_radius: f64,
    /// Turn off the stop at which the jack meets the other end of its window, rad.
    #[serde(default)]
    pub window: f64,
    /// Stop and window, torsional.
    #[serde(default = "no_felt")]
    pub stop_felt: Felt,
    /// Toe under button.
    #[serde(default = "no_felt")]
    pub button_felt: Felt,
}

/// The repetition lever.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lever {
    /// Angle of its upper surface to the body's x axis, rad.
    pub surface_angle: f64,
    /// Height of that surface above the centre pin, m.
    pub surface_height: f64,
    /// Mass, kg.
    pub mass: f64,
    /// Centre of mass.
    pub centre: Vec2,
    /// Inertia about its centre pin, kg·m².
    pub inertia: f64,
    /// Angle to the wippen on its regulating button, rad: as high as its spring lifts it.
    pub stop: f64,
    /// Travel down from that button to the wippen, rad.
    pub travel: f64,
    /// Both stops, torsional.
    pub stop_felt: Felt,
    /// Torque of the repetition spring on the stop, N·m.
    pub spring_torque: f64,
    /// Rate of the repetition spring, N·m/rad.
    pub spring_rate: f64,
    /// Viscous torque of its centre, N·m·s/rad.
    pub damping: f64,
    /// Coulomb torque of its centre, N·m.
    pub friction: f64,
    /// Knuckle on lever.
    pub knuckle_felt: Felt,
    /// Friction coefficient of its slide along the lever.
    #[serde(default)]
    pub knuckle_friction: f64,
    /// Distance along the surface from the centre pin to where the drop screw bears, m.
    pub drop_reach: f64,
    /// Height of the drop screw's leather, m.
    pub drop_height: f64,
    /// Lever on drop screw.
    pub drop_felt: Felt,
}

/// The hammer with its shank and knuckle.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hammer {
    /// Its centre pin P3.
    pub pivot: Vec2,
    /// Centre pin to crown, along the string's normal at contact, m.
    pub crown: f64,
    /// Centre pin to knuckle, along the shank, m.
    pub knuckle: f64,
    /// Knuckle's face below the shank's axis, m.
    pub knuckle_depth: f64,
    /// Radius of the knuckle, m; 0 for a straight one along the shank, whose jack is carried by
    /// rigid constraints and slips off at the edge.
    #[serde(default)]
    pub knuckle_radius: f64,
    /// Where along the shank the jack slips off a straight knuckle, m.
    pub knuckle_edge: f64,
    /// Mass, kg.
    pub mass: f64,
    /// Centre of mass.
    pub centre: Vec2,
    /// Inertia about the centre pin, kg·m².
    pub inertia: f64,
    /// Coulomb torque of the centre, N·m.
    pub friction: f64,
    /// Jack on knuckle, along the jack (the thesis's k4).
    pub knuckle_felt: Felt,
    /// Friction coefficient of the jack's slide on the knuckle.
    pub knuckle_friction: f64,
    /// Viscous resistance of that slide, N·s/m (the thesis's b8).
    pub slide_damping: f64,
    /// Crown below the string where the shank meets the rest rail, m.
    pub rail: f64,
    /// Shank on rest rail, referred to the crown.
    pub rail_felt: Felt,
    /// Its shank, as it bends.
    #[serde(default)]
    pub shank: Shank,
}

/// The first bending mode of a hammer's shank: a hinge with a spring between the butt, which turns on
/// the centre pin, and the head, a mass at the crown.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shank {
    /// Stiffness of the hinge, N·m/rad; 0 for a rigid shank.
    pub stiffness: f64,
    /// Damping of the same, N·m·s/rad.
    pub damping: f64,
    /// Centre pin to hinge, m.
    pub hinge: f64,
    /// Share of the hammer's inertia that turns with the butt.
    pub butt: f64,
}

impl Hammer {
    /// Whether its shank bends.
    #[must_use]
    pub fn bends(&self) -> bool {
        self.shank.stiffness > 0.0
    }

    /// Turn of the butt against the line from the centre pin to the crown by the shank's bend; 0 of a
    /// rigid shank.
    #[must_use]
    pub fn bend_share(&self) -> f64 {
        if self.bends() { 1.0 - self.shank.hinge / self.crown } else { 0.0 }
    }

    /// Inertia of the butt with what of the shank turns with it, kg·m²; 0 with a rigid shank.
    #[must_use]
    pub fn butt_inertia(&self) -> f64 {
        if self.bends() { self.shank.butt * self.inertia } else { 0.0 }
    }

    /// Inertia of the head, kg·m²; of the whole hammer with a rigid shank.
    #[must_use]
    pub fn head_inertia(&self) -> f64 {
        self.inertia - self.butt_inertia()
    }

    /// Bend of the shank under the torque `carried` N·m about the centre pin that the knuckle bears
    /// in place of the head, rad.
    #[must_use]
    pub fn bend_under(&self, carried: f64) -> f64 {
        if self.bends() { -self.bend_share() * carried / self.shank.stiffness } else { 0.0 }
    }
}

/// The backcheck on the key and the hammer's tail.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// A point of the check's face, in the key's frame.
    pub face: Vec2,
    /// Angle of the face's outward normal in the key's frame, rad.
    pub normal: f64,
    /// The tail's rubbing point, in the hammer's frame.
    pub tail: Vec2,
    /// Tail on leather.
    pub felt: Felt,
    /// Friction coefficient of tail on leather.
    pub friction: f64,
}

/// The damper, lifted by the key's tail or by the pedal's tray.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Damper {
    /// The key has a damper.
    pub present: bool,
    /// Balance point to where the key lifts it, m.
    pub arm: f64,
    /// Front depth at which lifting begins, m.
    pub pickup: f64,
    /// Mass felt there, kg: head and wire, and the inertia of the damper lever about its centre.
    pub mass: f64,
    /// Weight and spring felt there, N.
    pub weight: f64,
    /// Guide damping, N·s/m.
    pub damping: f64,
    /// Coulomb friction of the wire's guide and the damper lever's centre, N there.
    #[serde(default)]
    pub friction: f64,
    /// Key tail under damper lever.
    pub lift_felt: Felt,
    /// Damper felt on string.
    pub seat_felt: Felt,
    /// Height at which the damper is clear of the string, m.
    pub clear: f64,
    /// Height to which the pedal's tray lifts it, m.
    pub tray: f64,
    /// Height at which its stop rail ends its way up, m; files of before have none.
    #[serde(default = "no_rail")]
    pub top: f64,
    /// Cloth of that rail.
    #[serde(default = "rail_cloth")]
    pub top_felt: Felt,
}

/// None: a jack that rigid constraints carry.
const fn no_felt() -> Felt {
    Felt::new(0.0, 1.0, 0.0)
}

/// A stop rail out of every damper's reach, m.
const fn no_rail() -> f64 {
    1.0
}

/// Cloth of a damper stop rail; chosen: a fortissimo's damper sinks 2 to 3 mm into it.
#[must_use]
pub const fn rail_cloth() -> Felt {
    Felt { hysteresis: 0.3, ..Felt::new(3e5, 1.5, 1.0) }
}

impl Spec {
    /// Whether the knuckle is a straight line and rigid constraints carry the jack, as in the
    /// thesis; else the knuckle is round and the jack swings between felts.
    #[must_use]
    pub fn is_rigid(&self) -> bool {
        self.hammer.knuckle_radius <= 0.0
    }

    /// Checks what the model relies on.
    ///
    /// # Errors
    /// The first value that is not finite, or not positive where it must be.
    pub fn check(&self) -> Result<(), SpecError> {
        let positive = [
            ("key.front", self.key.front),
            ("key.inertia", self.key.inertia),
            ("wippen.inertia", self.wippen.inertia),
            ("jack.length", self.jack.length),
            ("jack.inertia", self.jack.inertia),
            ("lever.inertia", self.lever.inertia),
            ("hammer.crown", self.hammer.crown),
            ("hammer.knuckle", self.hammer.knuckle),
            ("hammer.inertia", self.hammer.inertia),
            ("damper.mass", self.damper.mass),
        ];
        check(&positive, &[])?;
        let shank = &self.hammer.shank;
        let none = |name, value, must| Err(SpecError::Value { name, value, must });
        if !(shank.stiffness >= 0.0 && shank.stiffness.is_finite()) {
            return none("hammer.shank.stiffness", shank.stiffness, "≥ 0; 0 for a rigid shank");
        }
        if self.hammer.bends() {
            if self.is_rigid() {
                let radius = self.hammer.knuckle_radius;
                return none("hammer.knuckle_radius", radius, "positive where the shank bends");
            }
            if !(shank.hinge > 0.0 && shank.hinge < self.hammer.crown) {
                return none("hammer.shank.hinge", shank.hinge, "between centre pin and crown");
            }
            if !(shank.butt > 0.0 && shank.butt < 1.0) {
                return none("hammer.shank.butt", shank.butt, "a share between 0 and 1");
            }
            if !(shank.damping >= 0.0 && shank.damping.is_finite()) {
                return none("hammer.shank.damping", shank.damping, "≥ 0");
            }
        }
        let felts = [
            ("key.bed_felt", self.key.bed_felt),
            ("key.rest_felt", self.key.rest_felt),
            ("jack.stop_felt", self.jack.stop_felt),
            ("jack.button_felt", self.jack.button_felt),
            ("lever.stop_felt", self.lever.stop_felt),
            ("lever.knuckle_felt", self.lever.knuckle_felt),
            ("lever.drop_felt", self.lever.drop_felt),
            ("hammer.knuckle_felt", self.hammer.knuckle_felt),
            ("hammer.rail_felt", self.hammer.rail_felt),
            ("check.felt", self.check.felt),
            ("damper.lift_felt", self.damper.lift_felt),
            ("damper.seat_felt", self.damper.seat_felt),
            ("damper.top_felt", self.damper.top_felt),
            ("string", self.string),
        ];
        for (name, felt) in felts {
            let sound = felt.stiffness.is_finite()
                && felt.stiffness >= 0.0
                && (1.0..=6.0).contains(&felt.exponent)
                && felt.damping.is_finite()
                && felt.damping >= 0.0;
            if !sound {
                return Err(SpecError::Value {
                    name,
                    value: felt.stiffness,
                    must: "a felt with stiffness and damping ≥ 0 and exponent 1…6",
                });
            }
        }
        Ok(())
    }
}
