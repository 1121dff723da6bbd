//! The common geometry of models A and B of 1993: a slider pivoted on the key slides along the hammer
//! [Gillespie and Cutkosky 1993, §4].
//!
//! Key K turns on P1 at the origin, hammer H on P2. The slider S is on the key at the distance `back` from
//! P1 and slides along H, whose crown is at the distance `crown` from P2. Angles are counter-clockwise: s of
//! the key, q of the hammer, which is 0 at the string. The table of values of the paper is lost; the
//! dimensions are those of the thesis where it gives them.

use crate::interface::numbers::{SpecError, check};
use crate::interface::pose::Pose;
use crate::interface::press::{Press, Travel};
use crate::simple::simplified::THROW;
use crate::simple::substeps::{self, Pressed};
use serde::{Deserialize, Serialize};
use touchback_core::math::vec2::Vec2;
use touchback_core::mech::felt::{Contact, Felt};

/// Dimensions and masses of key and hammer.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bodies {
    /// P1 to the finger's point of contact, m.
    pub front: f64,
    /// P1 to the slider, m.
    pub back: f64,
    /// Hammer's centre P2, m.
    pub pivot: Vec2,
    /// P2 to crown, m.
    pub crown: f64,
    /// Inertia of the key about P1, kg·m².
    pub key_inertia: f64,
    /// Torque of the key's weight, N·m; positive presses the front down.
    pub key_torque: f64,
    /// Inertia of the hammer about P2, kg·m².
    pub hammer_inertia: f64,
    /// Weight of the hammer times the distance of its centre of mass H* from P2, N·m.
    pub hammer_weight: f64,
    /// Key angle at depth 0, rad.
    pub rest_angle: f64,
    /// String, at the crown; elastic, where the paper reverses the speed of the hammer.
    pub string: Felt,
    /// Depth of the key bed at the front, m.
    pub dip: f64,
    /// Key bed, by front depth. In the paper the user holds the key from both sides; bed and rest felt are
    /// added so that the key can be released.
    pub bed: Felt,
    /// Felt under the back of the key at rest, by front height.
    pub rest: Felt,
}

impl Default for Bodies {
    /// From the thesis: key of 0.12 kg with arms of 0.2286 and 0.1260 m, hammer of 0.014 kg. Chosen: a key of
    /// uniform section; the hammer's mass at 0.12 m and its crown at 0.13 m; P2 such that 11 mm of key travel
    /// move the hammer by 46 mm to the string; a string that returns a hammer of 2 m/s within 2 ms; bed and
    /// rest felt similar to the concert grand's.
    fn default() -> Self {
        let (front, back) = (0.2286, 0.1260);
        let (hammer, reach, crown) = (0.014, 0.12, 0.13);
        let angle = -0.0240;
        let key = 0.12 * (front + back) * (front + back) / 12.0;
        let off_centre = 0.5 * (front - back);
        Self {
            front,
            back,
            pivot: Vec2::new(back - 0.0165, 0.003),
            crown,
            key_inertia: key + 0.12 * off_centre * off_centre,
            key_torque: 0.0,
            hammer_inertia: hammer * reach * reach,
            hammer_weight: hammer * crate::GRAVITY * reach,
            rest_angle: angle,
            string: Felt::new(4e5, 1.5, 0.0),
            dip: 0.0125,
            bed: Felt { hysteresis: 0.7, ..Felt::new(1.6e6, 1.5, 0.6) },
            rest: Felt { hysteresis: 0.7, ..Felt::new(4e5, 1.5, 1.5) },
        }
    }
}

/// Directions and slider position of a configuration of key and hammer.
#[derive(Clone, Copy, Debug)]
pub struct Configuration {
    /// Direction of the hammer.
    pub hammer: Vec2,
    /// Vector from P2 to the slider, m.
    pub to_slider: Vec2,
    /// Direction of the key.
    pub key: Vec2,
}

impl Bodies {
    /// Checks the values of the bodies.
    ///
    /// # Errors
    /// The first invalid value.
    pub fn check(&self) -> Result<(), SpecError> {
        let distance = self.slider(0.0).norm_squared().sqrt();
        check(
            &[
                ("bodies.front", self.front),
                ("bodies.back", self.back),
                ("bodies.crown", self.crown),
                ("bodies.key_inertia", self.key_inertia),
                ("bodies.hammer_inertia", self.hammer_inertia),
                ("distance of the slider from bodies.pivot", distance),
                ("bodies.dip", self.dip),
            ],
            &[
                ("bodies.string", &self.string),
                ("bodies.bed", &self.bed),
                ("bodies.rest", &self.rest),
            ],
        )?;
        let front = self.front * self.front / self.key_inertia;
        substeps::check(&[
            ("bodies.string", &self.string, self.crown * self.crown / self.hammer_inertia),
            ("bodies.bed", &self.bed, front),
            ("bodies.rest", &self.rest, front),
        ])
    }

    /// Key angle at the front depth `depth` m, rad.
    #[must_use]
    pub fn angle(&self, depth: f64) -> f64 {
        self.rest_angle + depth / self.front
    }

    /// Vector from P2 to the slider at the front depth `depth` m.
    #[must_use]
    pub fn slider(&self, depth: f64) -> Vec2 {
        Vec2::unit(self.angle(depth)) * self.back - self.pivot
    }

    /// Configuration with the key front at `depth` m and the hammer at `q` rad.
    #[must_use]
    pub fn configuration(&self, depth: f64, q: f64) -> Configuration {
        let key = Vec2::unit(self.angle(depth));
        Configuration { hammer: Vec2::unit(q), to_slider: key * self.back - self.pivot, key }
    }

    /// Hammer angle, rad, with a rigid slider and the key front at `depth` m, and its first and second
    /// derivatives by the angle of the key.
    #[must_use]
    pub fn closed(&self, depth: f64) -> [f64; 3] {
        let key = Vec2::unit(self.angle(depth));
        let to_slider = key * self.back - self.pivot;
        let distance = to_slider.norm_squared().sqrt();
        let hammer = to_slider * (1.0 / distance);
        let across = self.back * key.perp().dot(hammer.perp());
        let along = self.back * key.perp().dot(hammer);
        let ratio = across / distance;
        // d²q/ds²: acceleration of the slider across the hammer, less the Coriolis term of its sliding.
        let second = (-self.back * key.dot(hammer.perp()) - 2.0 * along * ratio) / distance;
        [to_slider.angle(), ratio, second]
    }

    /// The default bodies with a bed that stops the key when the hammer is [`THROW`] below the string. Without
    /// such a bed an action without let-off presses its hammer against the string.
    #[must_use]
    pub(crate) fn to_play() -> Self {
        let mut bodies = Self::default();
        let target = -THROW / bodies.crown;
        let mut depth = 0.01;
        for _ in 0..20 {
            let [angle, ratio, _] = bodies.closed(depth);
            depth += (target - angle) / ratio * bodies.front;
        }
        bodies.dip = depth;
        bodies
    }

    /// Travel of the key.
    #[must_use]
    pub fn travel(&self) -> Travel {
        Travel::of(self.dip)
    }

    /// The mechanics that a pressing finger meets.
    #[must_use]
    pub fn press(&self) -> Press {
        let ratio = self.closed(0.5 * self.dip)[1];
        let inertia = self.key_inertia + self.hammer_inertia * ratio * ratio;
        Press {
            mass: inertia / (self.front * self.front),
            ratio: self.throw_ratio(self.dip),
            throw: self.dip,
            flight: -self.crown * self.closed(self.dip)[0],
            has_bed: true,
        }
    }

    /// Ratio of crown speed to key-front speed at `depth` m with a rigid slider.
    #[must_use]
    pub(crate) fn throw_ratio(&self, depth: f64) -> f64 {
        self.crown * self.closed(depth)[1] / self.front
    }

    /// Compressions of bed and rest felt with the key front at `depth` m.
    #[must_use]
    pub fn pressed(&self, depth: f64) -> [Pressed<'_>; 2] {
        let mobility = self.front * self.front / self.key_inertia;
        [(&self.bed, depth - self.dip), (&self.rest, -depth)].map(|(felt, compression)| Pressed {
            felt,
            compression,
            mobility,
        })
    }

    /// Torque of weight and string on the hammer, N·m, and the contact with the string.
    #[must_use]
    pub fn on_hammer(&self, q: f64, rate: f64) -> (f64, Contact) {
        let string = self.string.contact(self.crown * q, self.crown * rate);
        (-self.hammer_weight * Vec2::unit(q).x - self.crown * string.force, string)
    }

    /// Torque of weight and felts on the key, N·m, and the contacts with bed and rest felt.
    #[must_use]
    pub fn on_key(&self, depth: f64, speed: f64) -> (f64, [Contact; 2]) {
        let bed = self.bed.contact(depth - self.dip, speed);
        let rest = self.rest.contact(-depth, -speed);
        (self.key_torque + self.front * (rest.force - bed.force), [bed, rest])
    }

    /// Depth of the key front at rest under the weight of the hammer, m; negative, because the rest felt is
    /// compressed.
    #[must_use]
    pub(crate) fn rest_depth(&self) -> f64 {
        let mut depth = 0.0;
        for _ in 0..20 {
            let [angle, ratio, _] = self.closed(depth);
            let lifted = -ratio * self.on_hammer(angle, 0.0).0 - self.key_torque;
            depth = -self.rest.compression(lifted / self.front);
        }
        depth
    }

    /// Kinetic and potential energy of key and hammer, J.
    #[must_use]
    pub fn energy(&self, depth: f64, speed: f64, q: f64, rate: f64) -> [f64; 2] {
        let turning = speed / self.front;
        [
            0.5 * (self.key_inertia * turning * turning + self.hammer_inertia * rate * rate),
            self.hammer_weight * Vec2::unit(q).y - self.key_torque * depth / self.front
                + self.string.energy(self.crown * q)
                + self.bed.energy(depth - self.dip)
                + self.rest.energy(-depth),
        ]
    }

    /// Positions of key, hammer, bed and string.
    #[must_use]
    pub fn pose(&self, depth: f64, q: f64) -> Pose {
        let m = self.configuration(depth, q);
        let crown = self.pivot + m.hammer * self.crown;
        let string = self.pivot + Vec2::new(self.crown, 0.0);
        Pose::default()
            .with("key", [m.key * -self.front, m.key * self.back])
            .with("hammer", [self.pivot, crown])
            .with("bed", [Vec2::new(-self.front, -self.front * self.rest_angle - self.dip)])
            .with("string", [string - Vec2::new(0.05, 0.0), string + Vec2::new(0.05, 0.0)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ratios_are_the_derivatives_of_the_angle() {
        let bodies = Bodies::default();
        let step = 1e-6;
        for depth in [0.0, 0.004, 0.009] {
            let [_, ratio, second] = bodies.closed(depth);
            let [before, r0, _] = bodies.closed(depth - step * bodies.front);
            let [after, r1, _] = bodies.closed(depth + step * bodies.front);
            assert!(((after - before) / (2.0 * step) - ratio).abs() < 1e-6 * ratio, "{depth}");
            assert!(((r1 - r0) / (2.0 * step) - second).abs() < 1e-5 * second.abs(), "{depth}");
        }
    }

    #[test]
    fn the_blow_distance_is_that_of_a_grand() {
        let bodies = Bodies::default();
        let blow = -bodies.crown * bodies.closed(0.0)[0];
        assert!((0.042..0.050).contains(&blow), "{blow}");
        assert!(bodies.closed(0.012)[0] > 0.0, "12 mm of key travel reach the string");
    }
}
