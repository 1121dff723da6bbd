//! Specification of a Viennese key, with sources.

use crate::GRAVITY;
use crate::grand::design::string_law;
use crate::interface::numbers::{SpecError, check};
use crate::simple::substeps;
use serde::{Deserialize, Serialize};
use touchback_core::math::compass::{self, linear, log_linear};
use touchback_core::math::trig::direction;
use touchback_core::mech::felt::Felt;

/// Specification of a Viennese key, in SI units. Heights are above the key's balance point; the key is level
/// at rest.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// Balance point to the finger's point of contact, m.
    pub front: f64,
    /// Balance point to the Kapsel, l₂, m.
    pub back: f64,
    /// Kapsel to the head's crown, c, m.
    pub crown: f64,
    /// Kapsel to the beak's tip, b, m.
    pub beak: f64,
    /// Inertia of the key about its balance point, without the hammer, kg·m².
    pub key_inertia: f64,
    /// Torque of the key's weight, N·m; positive presses the front down.
    pub key_torque: f64,
    /// Mass of the hammer, kg.
    pub hammer: f64,
    /// Kapsel to the hammer's centre of mass, r, m.
    pub centre: f64,
    /// Inertia of the hammer about the Kapsel, kg·m².
    pub hammer_inertia: f64,
    /// Height of the string, m.
    pub string_height: f64,
    /// Height of the rest rail under the crown, m.
    pub rail_height: f64,
    /// Height of the notch, m.
    pub notch_height: f64,
    /// Edge of the notch, from the balance point, m.
    pub notch_edge: f64,
    /// Depth of the key bed at the front, m.
    pub dip: f64,
    /// Beak on the leather of the notch.
    pub notch: Felt,
    /// Beak on the hopper's face above the notch: the hopper's spring.
    pub hopper: Felt,
    /// Crown on the rest rail.
    pub rail: Felt,
    /// Key bed, by front depth.
    pub bed: Felt,
    /// Cloth under the back of the key, by front height.
    pub rest: Felt,
    /// String, at the crown.
    pub string: Felt,
}

/// Blow, m. Blow, let-off, play and aftertouch are chosen within the range of reproductions of Walter.
pub(super) const BLOW: f64 = 38e-3;
/// Distance of the crown below the string at let-off, m.
pub(super) const LET_OFF: f64 = 2e-3;
/// Play between beak and notch at rest, m.
const PLAY: f64 = 0.3e-3;
/// Key travel that remains after let-off, m.
pub(super) const AFTERTOUCH: f64 = 0.8e-3;
/// Angle of the hammer at rest, rad (chosen: the head is slightly below the Kapsel).
const REST_ANGLE: f64 = -0.05;
/// Weight that just moves the key, N: 24 g (chosen: half that of a modern piano).
const TOUCH: f64 = 0.024 * GRAVITY;
/// Mass of the hammer with shank and leather by key number, kg (chosen: a third of a modern one).
const HAMMER: [(f64, f64); 2] = [(1.0, 4.5e-3), (88.0, 2.4e-3)];
/// Contact time with the string at 2.5 m/s by key number, s (chosen: that of a modern piano times the square
/// root of the ratio of the hammer masses).
const CONTACT_TIME: [(f64, f64); 3] = [(1.0, 3.5e-3), (40.0, 1.1e-3), (88.0, 0.25e-3)];
/// Coefficient of restitution of the leathered hammer (chosen).
const RESTITUTION: f64 = 0.5;

impl Spec {
    /// The key `key`, regulated in closed form.
    #[must_use]
    pub fn of_key(key: compass::KeyNumber) -> Self {
        let n = f64::from(key.number());
        let (front, back, crown, beak) = (0.2, 0.17, 0.095, 0.0125);
        let hammer = linear(&HAMMER, n);
        let (centre, gyration) = (0.072, 0.08);
        let hammer_inertia = hammer * gyration * gyration;
        let low = direction(REST_ANGLE).y;
        let string_height = crown * low + BLOW;
        let notch_height = PLAY - beak * low;
        // With the beak at the edge of the notch, the crown is at the let-off distance.
        let sine = (string_height - LET_OFF - notch_height) / (beak + crown);
        let lifted = (notch_height + beak * sine) / back;
        let across = |sine: f64| (1.0 - sine * sine).sqrt();
        let mass = hammer_inertia / (crown * crown);
        Self {
            front,
            back,
            crown,
            beak,
            // A limewood stick of 60 g.
            key_inertia: 0.06 * (front + back) * (front + back) / 12.0,
            // In motion the key carries the whole weight of the hammer, and the moment of that weight about
            // the Kapsel times the ratio back/beak; at rest the rail supports a part.
            key_torque: hammer * GRAVITY * (back + centre * back / beak) - TOUCH * front,
            hammer,
            centre,
            hammer_inertia,
            string_height,
            rail_height: crown * low,
            notch_height,
            notch_edge: back * across(lifted) + beak * across(sine),
            dip: front * libm::asin(lifted) + AFTERTOUCH,
            notch: Felt { hysteresis: 0.5, ..Felt::new(2e6, 1.5, 0.5) },
            // A spring of 60 N/m: 0.03 N at a displacement of 0.5 mm, too little to hold the beak.
            hopper: Felt::new(60.0, 1.0, 2.0),
            rail: Felt { hysteresis: 0.8, ..Felt::new(3e4, 1.5, 1.0) },
            bed: Felt { hysteresis: 0.7, ..Felt::new(1.2e6, 1.5, 0.6) },
            rest: Felt { hysteresis: 0.7, ..Felt::new(4e5, 1.5, 1.5) },
            string: string_law::like(mass, log_linear(&CONTACT_TIME, n), RESTITUTION),
        }
    }

    /// Checks the values of the model.
    ///
    /// # Errors
    /// The first invalid value.
    pub fn check(&self) -> Result<(), SpecError> {
        check(
            &[
                ("front", self.front),
                ("back", self.back),
                ("crown", self.crown),
                ("beak", self.beak),
                ("key_inertia", self.key_inertia),
                ("hammer", self.hammer),
                ("centre", self.centre),
                // Otherwise the mass matrix is not positive definite.
                (
                    "hammer_inertia above hammer · centre²",
                    self.hammer_inertia - self.hammer * self.centre * self.centre,
                ),
                ("dip", self.dip),
            ],
            &[
                ("notch", &self.notch),
                ("hopper", &self.hopper),
                ("rail", &self.rail),
                ("bed", &self.bed),
                ("rest", &self.rest),
                ("string", &self.string),
            ],
        )?;
        // At rest key and hammer are nearly in line: cos (θ + φ) = 1.
        let mobility = |by| self.mobility(1.0, by);
        let (front, crown) = (mobility([self.front, 0.0]), mobility([self.back, self.crown]));
        let beak = mobility([self.back, -self.beak]);
        substeps::check(&[
            ("notch", &self.notch, beak),
            ("hopper", &self.hopper, beak),
            ("rail", &self.rail, crown),
            ("bed", &self.bed, front),
            ("rest", &self.rest, front),
            ("string", &self.string, crown),
        ])
    }

    /// Inverse effective mass, 1/kg, for a force with the lever arms `by`, m, about key and hammer, with
    /// cos (θ + φ) = `both`.
    pub(super) fn mobility(&self, both: f64, by: [f64; 2]) -> f64 {
        let key = self.key_inertia + self.hammer * self.back * self.back;
        let (joint, hammer) = (self.hammer * self.back * self.centre * both, self.hammer_inertia);
        (hammer * by[0] * by[0] - 2.0 * joint * by[0] * by[1] + key * by[1] * by[1])
            / (key * hammer - joint * joint)
    }
}
