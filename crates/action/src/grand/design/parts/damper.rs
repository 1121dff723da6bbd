//! The damper, its lever and its stop rail.

use crate::GRAVITY;
use crate::grand::design::concert_key::ConcertKey;
use crate::grand::design::sources::{FITTED, LAYOUT, LEATHER, NO_EFFECT, USUAL_SIZE};
use crate::grand::design::table::{Number, part};
use touchback_core::math::compass::linear;
use touchback_core::mech::felt::Felt;

/// Last key with a damper (E6 to G6 in most makes).
const LAST_DAMPER: u8 = 68;

/// Mass of damper head and wire by key number, kg: chosen for the weight at the key.
const HEAD: [(f64, f64); 2] = [(1.0, 22e-3), (68.0, 12e-3)];

/// Mass of the damper lever with its lead, kg: chosen for the weight at the key. The lever is a bar
/// from its centre pin to the wire: half of its mass counts as weight, a third as mass.
const LEVER: f64 = 20e-3;

/// Height to which the tray of the concert grand's pedal lifts the damper, m.
const TRAY: f64 = 8e-3;

/// Room between a lifted damper and its stop rail, m (chosen, as technicians set it).
pub(crate) const UNDER_RAIL: f64 = 2e-3;

/// Source of mass and weight.
const AT_KEY: &str = "chosen: adds about 0.25 N at the key front [force literature]";

part! {
    /// The damper, lifted by the key's tail or by the pedal's tray.
    pub struct Damper, DamperNumbers: "damper", c, t {
        /// Whether the key has a damper.
        present: bool, "true or false";
            concert c.key.number() <= LAST_DAMPER, "";
            thesis false, "";

        /// Distance from the balance point to where the key lifts the damper.
        arm: f64 as Number, "m";
            concert 0.2, LAYOUT;
            thesis 0.2, NO_EFFECT;

        /// Depth of the key front at which lifting begins.
        pickup: f64 as Number, "m";
            concert 4.5e-3, "regulated: damper at half blow [regulation sheets]";
            thesis 1.0, NO_EFFECT;

        /// Mass where the key lifts: head and wire, and the inertia of the damper lever about its
        /// centre.
        mass: f64 as Number, "kg", positive;
            concert head(c) + LEVER / 3.0, AT_KEY;
            thesis 0.03, NO_EFFECT;

        /// Force of weight and spring where the key lifts.
        weight: f64 as Number, "N";
            // Weight without spring.
            concert (head(c) + 0.5 * LEVER) * GRAVITY, AT_KEY;
            thesis 0.3, NO_EFFECT;

        /// Viscous damping of the wire's guide.
        damping: f64 as Number, "N·s/m";
            concert 0.4, USUAL_SIZE;
            thesis 0.0, NO_EFFECT;

        /// Coulomb force of the wire's guide and the damper lever's centre where the key lifts.
        #[serde(default)]
        friction: f64 as Number, "N";
            concert 0.02, "chosen: two grams, a damper that falls by itself";
            thesis 0.0, NO_EFFECT;

        /// Felt between key tail and damper lever, and between the pedal's tray and the damper.
        lift_felt: Felt as Felt, "N/m^p";
            concert Felt { hysteresis: 0.3, ..Felt::new(c.fitted.damper_lift, 1.5, 1.0) },
                (FITTED, LEATHER);
            thesis Felt::new(6e5, 1.5, 1.0), NO_EFFECT;

        /// Felt of the damper on the string.
        seat_felt: Felt as Felt, "N/m^p";
            concert Felt { hysteresis: 0.5, ..Felt::new(2e4, 1.5, 2.0) },
                "chosen: soft felt, half a millimetre under the damper's weight";
            thesis Felt::new(4e5, 1.5, 2.0), NO_EFFECT;

        /// Height above the string at which the damper is clear; for the sound only.
        clear: f64, "m";
            concert 1.5e-3, "chosen: felt off the string over its whole width";
            thesis 1.5e-3, NO_EFFECT;

        /// Height to which the pedal's tray lifts the damper.
        tray: f64, "m";
            concert TRAY, "chosen: full pedal lifts the dampers well clear";
            thesis 8e-3, NO_EFFECT;

        /// Height at which the damper meets its stop rail; older model files have no rail.
        #[serde(default = "no_rail")]
        top: f64 as Number, "m";
            concert TRAY + UNDER_RAIL, "chosen: stop rail 2 mm above what pedal and key lift";
            thesis no_rail(), NO_EFFECT;

        /// Cloth of the stop rail.
        #[serde(default = "rail_cloth")]
        top_felt: Felt as Felt, "N/m^p";
            concert rail_cloth(), "chosen: a fortissimo's damper sinks 2 to 3 mm into it";
            thesis rail_cloth(), NO_EFFECT;
    }
}

impl Damper {
    /// Height `height` m off the string as a share, 0 (resting) … 1 (clear); 1 of a key without
    /// damper.
    #[must_use]
    pub fn lift(&self, height: f64) -> f64 {
        if self.present { (height / self.clear).clamp(0.0, 1.0) } else { 1.0 }
    }

    /// The damper in the equations: a key without damper has one of no weight that nothing touches
    /// and that never moves.
    #[must_use]
    pub(crate) fn in_equations(&self) -> Self {
        let there = self.scale();
        Self {
            arm: self.arm * there,
            mass: self.mass * there,
            weight: self.weight * there,
            damping: self.damping * there,
            friction: self.friction * there,
            lift_felt: self.lift_felt.stiffened(there),
            seat_felt: self.seat_felt.stiffened(there),
            top_felt: self.top_felt.stiffened(there),
            ..*self
        }
    }

    /// Scale of masses and forces in the equations: 1 of a key with damper, else 0.
    #[must_use]
    pub(crate) fn scale(&self) -> f64 {
        if self.present { 1.0 } else { 0.0 }
    }
}

/// Mass of head and wire, kg.
fn head(c: &ConcertKey<'_>) -> f64 {
    linear(&HEAD, c.number())
}

/// Height of a stop rail that no damper reaches, m.
const fn no_rail() -> f64 {
    1.0
}

/// Cloth of a damper stop rail; chosen: a fortissimo's damper sinks 2 to 3 mm into it.
const fn rail_cloth() -> Felt {
    Felt { hysteresis: 0.3, ..Felt::new(3e5, 1.5, 1.0) }
}
