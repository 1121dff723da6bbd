//! The concert grand: one design, with masses and felts across the compass.
//!
//! Sources: [`hammer`] for the hammer; [Hirschkorn 2004] centre friction and key lever; [Stanwood
//! tables] front and balance weights, friction; [Gillespie 1996] jack, wippen and knuckle lengths;
//! factory sheets for the regulation. "Chosen" marks what no source gives; the reason follows.

use crate::ActionSettings;
use crate::grand::design::fitted::Fitted;
use crate::grand::design::regulation::{Regulated, Regulation, regulate};
use crate::grand::design::spec::{
    Check, Damper, GRAVITY, Hammer, Jack, Key, Lever, Shank, Spec, Wippen, rail_cloth,
};
use crate::grand::design::string_law;
use touchback_core::math::compass::{self, linear};
use touchback_core::math::vec2::Vec2;
use touchback_core::mech::felt::Felt;
use touchback_core::mech::hammer;

/// Friction weight at the key front, g [Stanwood tables, medium zone].
const FRICTION_WEIGHT_G: [(f64, f64); 2] = [(1.0, 15.0), (88.0, 11.0)];

/// Balance weight at rest, g: 37 [Stanwood tables; also the mean of factory down and up weights] where
/// a weight sinks and rises, half a gram more than at rest.
const BALANCE_WEIGHT_G: f64 = 36.5;

/// Balance point to the middle of the leads, m: a usual place, chosen.
const LEAD_ARM: f64 = 0.15;

/// A part does not lose more than this of its inertia by taking lead or wood away (chosen: keeps
/// every mixture of settings physical).
const LEAST_SHARE: f64 = 0.3;

/// Room between a lifted damper and its stop rail, m (chosen, as technicians set it).
const UNDER_RAIL: f64 = 2e-3;

/// Last key with a damper (E6 to G6 in most makes).
const LAST_DAMPER: u8 = 68;

/// One key's parts and leads before anyone regulates them.
#[derive(Clone, Copy, Debug)]
pub struct Design {
    spec: Spec,
    key: compass::KeyNumber,
    /// The concert grand's hammer.
    hammer: hammer::Hammer,
}

/// A key, regulated.
#[derive(Clone, Copy, Debug)]
pub struct Built {
    /// Its numbers.
    pub spec: Spec,
    /// Where it rests and lets off.
    pub regulated: Regulated,
}

impl Design {
    /// The parts of `key`, its leads placed for the balance weight in the standard regulation.
    #[must_use]
    pub fn new(key: compass::KeyNumber) -> Self {
        Self::with(key, &Fitted::CONCERT)
    }

    /// The same with other numbers in place of the fitted ones.
    #[must_use]
    pub fn with(key: compass::KeyNumber, fitted: &Fitted) -> Self {
        let hammer = hammer::Hammer::concert(key);
        let mut spec = parts(key, &hammer, fitted);
        let mut standard = spec;
        let regulated = regulate(&mut standard, &regulation(&ActionSettings::default()));
        let balance = BALANCE_WEIGHT_G * 1e-3 * GRAVITY;
        spec.key.lead_torque = (regulated.upward_force - balance) * spec.key.front;
        Self { spec, key, hammer }
    }

    /// The key with its own of `settings`, regulated. Closed form: no iteration over poses.
    #[must_use]
    pub fn build(&self, settings: &ActionSettings) -> Built {
        let settings = &settings.of(self.key);
        let mut spec = self.spec;
        let hammer = self.hammer.set(&settings.hammers());
        spec.string = string_law::of(f64::from(self.key.number()), &hammer, &self.hammer);
        scale(&mut spec, &hammer, settings);
        let regulated = regulate(&mut spec, &regulation(settings));
        let damper = &mut spec.damper;
        let lifted = damper.arm / spec.key.front * (spec.key.dip - damper.pickup);
        damper.top = damper.top.max(lifted + UNDER_RAIL);
        let taken = settings.key_lead_g * 1e-3 * spec.key.front;
        spec.key.lead_torque -= taken * GRAVITY;
        spec.key.inertia =
            (spec.key.inertia - taken * LEAD_ARM).max(LEAST_SHARE * spec.key.inertia);
        // The rest felt carries what is left, so that the key stands at depth 0.
        let left = regulated.upward_force - spec.key.lead_torque / spec.key.front;
        spec.key.rest_compression = spec.key.rest_felt.compression(left);
        Built { spec, regulated }
    }
}

/// Millimetres to metres.
fn regulation(s: &ActionSettings) -> Regulation {
    let mm = 1e-3;
    Regulation {
        dip: s.key_dip_mm * mm,
        blow: s.blow_mm * mm,
        let_off: s.let_off_mm * mm,
        drop: s.drop_mm * mm,
        check: s.check_mm * mm,
        jack_clearance: s.jack_clearance_mm * mm,
        damper_pickup: s.damper_pickup,
        key_height: s.key_height_mm * mm,
    }
}

/// Stiffness of the shank's hinge by key number, N·m/rad. A shank of E I clamped at the butt and loaded
/// at the crown bends as one rigid out to two thirds of its free length L from the crown, with a hinge
/// of 4 E I / 3 L there: hornbeam or maple of 12.7 GPa, a quarter of an inch thick, 0.12 m free; thinned
/// in the treble (chosen). With the butt held it swings at 67 to 92 Hz; [Askenfelt 1991] has 50 Hz.
const SHANK_STIFFNESS: [(f64, f64); 2] = [(1.0, 11.3), (88.0, 10.0)];

/// Centre pin to that hinge, m.
const SHANK_HINGE: f64 = 0.052;

/// Share of the hammer's inertia that turns with the butt: with it a hammer in flight ripples at 251 Hz
/// (A0) to 349 Hz (C8), 250 Hz as measured [Askenfelt 1991]; the butt's wood alone would be a hundredth.
const BUTT_SHARE: f64 = 0.07;

/// Damping of the shank held at its butt, share of critical: wood with glued joints, chosen.
const SHANK_DAMPING: f64 = 0.03;

/// The shank of `key` as it bends under a hammer of `inertia` kg·m².
fn shank(key: compass::KeyNumber, inertia: f64) -> Shank {
    let stiffness = linear(&SHANK_STIFFNESS, f64::from(key.number()));
    let share = 1.0 - SHANK_HINGE / hammer::CROWN;
    let bent = share * share * (1.0 - BUTT_SHARE) * inertia;
    let damping = 2.0 * SHANK_DAMPING * (stiffness * bent).sqrt();
    Shank { stiffness, damping, hinge: SHANK_HINGE, butt: BUTT_SHARE }
}

/// Of the knuckle's buckskin on jack and lever, well graphited: with 0.12 the let-off is felt half again
/// as strongly.
const KNUCKLE_FRICTION: f64 = 0.06;

/// Damper head with its wire by key number, and damper lever with its lead, kg: chosen, for the weight
/// felt at the key.
const DAMPER_HEAD: [(f64, f64); 2] = [(1.0, 22e-3), (68.0, 12e-3)];
/// See [`DAMPER_HEAD`].
const DAMPER_LEVER: f64 = 20e-3;

/// The parts of `key` with its `hammer`.
fn parts(key: compass::KeyNumber, hammer: &hammer::Hammer, fitted: &Fitted) -> Spec {
    let n = f64::from(key.number());
    let crown = hammer::CROWN;
    // Ratio of hammer to key speed in angle, for what friction and spring mean at the front.
    let turns = 9.2;
    let front = 0.218;
    let friction_torque = linear(&FRICTION_WEIGHT_G, n) * 1e-3 * GRAVITY * front;
    let hammer_friction = 1.01e-3;
    let hammer_torque = hammer::strike_weight(key) * GRAVITY * crown;
    Spec {
        key: Key {
            front,
            // Stick and leads, bass keys longer; order of magnitude only: a spruce stick of
            // 100 g with three leads.
            inertia: linear(&[(1.0, 3.4e-3), (88.0, 2.4e-3)], n),
            lead_torque: 0.0,
            rest_angle: 0.0,
            dip: 0.01,
            capstan: Vec2::new(fitted.capstan, 0.03),
            // Front punching: 50 N at about 0.65 mm.
            bed_felt: Felt { hysteresis: 0.7, ..Felt::new(fitted.bed, 1.5, 0.6) },
            // Back rail cloth: softer than the punching, chosen.
            rest_felt: Felt { hysteresis: 0.7, ..Felt::new(4e5, 1.5, 1.5) },
            rest_compression: 0.0,
            // What the hammer centre and the lever's and knuckle's slides do not take.
            friction: (friction_torque - turns * hammer_friction) * 0.65,
            capstan_friction: 0.15,
        },
        wippen: Wippen {
            pivot: Vec2::new(0.186, 0.06),
            heel: 0.03,
            jack_pivot: Vec2::new(-0.0945, 0.004),
            lever_pivot: Vec2::new(-0.0605, 0.036),
            // With jack and lever a radius weight of 18 g at the capstan [Stanwood tables].
            mass: 9e-3,
            centre: Vec2::new(-0.022, 0.0),
            inertia: 1.5e-5,
        },
        jack: Jack {
            length: 0.0577,
            lean: -0.193,
            toe: Vec2::new(-0.035, 0.002),
            mass: 6e-3,
            centre: Vec2::new(-0.004, 0.02),
            inertia: 5.5e-6,
            // The knuckle's centre stays over the flat of the head until the button turns it.
            stop: 0.029,
            // Brings the jack home within the rise of a fast repetition.
            spring_torque: 3.3e-3,
            spring_rate: 5.0e-3,
            button_height: 0.07,
            button_x: 0.0665,
            button_friction: 0.15,
            corner: fitted.corner,
            corner_radius: 0.4e-3,
            window: 0.2,
            // Cloth: stiff, yet followed by the step.
            stop_felt: Felt { hysteresis: 0.9, ..Felt::new(50.0, 1.0, 0.0) },
            button_felt: Felt { hysteresis: 0.95, ..Felt::new(8e4, 1.0, 0.0) },
        },
        lever: Lever {
            surface_angle: 0.0,
            surface_height: 0.006,
            mass: 8e-3,
            centre: Vec2::new(-0.015, 0.0),
            inertia: 1.1e-5,
            stop: 0.0,
            travel: 0.25,
            stop_felt: Felt { hysteresis: 0.3, ..Felt::new(3.0e3, 1.5, 0.02) },
            // The lever's own weight, and a little more than the resting hammer asks for: it carries
            // the hammer, rises from check without a kick, and weighs no more on the drop screw
            // than the hammer did on the jack.
            spring_torque: fitted.repetition_spring * hammer_torque + 8e-3 * GRAVITY * 0.015,
            spring_rate: 5e-3,
            damping: 2e-5,
            friction: 4e-4,
            knuckle_felt: Felt { hysteresis: 0.6, ..Felt::new(3.0e6, 1.5, 0.5) },
            // As well graphited as the jack's head.
            knuckle_friction: KNUCKLE_FRICTION,
            drop_reach: 0.08,
            drop_height: 0.2,
            drop_felt: Felt { hysteresis: 0.3, ..Felt::new(5e6, 1.5, 0.5) },
        },
        hammer: Hammer {
            pivot: Vec2::new(0.083, 0.1333),
            crown,
            knuckle: 0.017,
            knuckle_depth: 0.0132,
            knuckle_radius: 5e-3,
            knuckle_edge: 0.017,
            mass: hammer.body_mass,
            centre: hammer.centre,
            inertia: hammer.inertia,
            friction: hammer_friction,
            // With what yields beside it: 40 N at about 1.6 mm.
            knuckle_felt: Felt { hysteresis: 0.6, ..Felt::new(fitted.knuckle, 1.5, 0.3) },
            knuckle_friction: KNUCKLE_FRICTION,
            slide_damping: 0.0,
            rail: 0.055,
            rail_felt: Felt { hysteresis: 0.7, ..Felt::new(1e6, 1.5, 0.5) },
            shank: shank(key, hammer.inertia),
        },
        check: Check {
            face: Vec2::new(0.228, 0.12),
            normal: std::f64::consts::PI - fitted.check_slope,
            tail: Vec2::new(0.134, -0.022),
            // Leather over felt on a wire that yields.
            felt: Felt { hysteresis: 0.5, ..Felt::new(fitted.check, 1.5, 1.0) },
            friction: 0.7,
        },
        damper: Damper {
            present: key.number() <= LAST_DAMPER,
            arm: 0.2,
            pickup: 4.5e-3,
            // Lifts with +0.25 N at the key front [force literature]; weight without spring. The
            // lever is a bar from its centre to the wire: half of its mass is felt as weight, a third
            // as mass.
            mass: linear(&DAMPER_HEAD, n) + DAMPER_LEVER / 3.0,
            weight: (linear(&DAMPER_HEAD, n) + 0.5 * DAMPER_LEVER) * GRAVITY,
            damping: 0.4,
            friction: 0.02,
            lift_felt: Felt { hysteresis: 0.3, ..Felt::new(fitted.damper_lift, 1.5, 1.0) },
            // Soft felt: half a millimetre under the damper's weight.
            seat_felt: Felt { hysteresis: 0.5, ..Felt::new(2e4, 1.5, 2.0) },
            clear: 1.5e-3,
            tray: 8e-3,
            top: 8e-3 + UNDER_RAIL,
            top_felt: rail_cloth(),
        },
        string: string_law::of(n, hammer, hammer),
        coupling: [200.0, 0.82],
    }
}

/// The hammer as set, and the scales of the settings that are not distances.
fn scale(spec: &mut Spec, hammer: &hammer::Hammer, s: &ActionSettings) {
    let h = &mut spec.hammer;
    (h.mass, h.centre, h.inertia) = (hammer.body_mass, hammer.centre, hammer.inertia);
    // The jack's stop brings its head under the knuckle again.
    let farther = s.knuckle_mm * 1e-3 - h.knuckle;
    h.knuckle += farther;
    h.knuckle_edge += farther;
    spec.jack.stop -= farther / spec.jack.length;
    spec.key.capstan.x += s.capstan_mm * 1e-3;
    spec.key.inertia *= s.key_mass;
    spec.lever.spring_torque *= s.repetition_spring;
    spec.lever.spring_rate *= s.repetition_spring;
    spec.jack.spring_torque *= s.jack_spring;
    spec.jack.spring_rate *= s.jack_spring;
    spec.hammer.knuckle_felt = spec.hammer.knuckle_felt.stiffened(s.knuckle_stiffness);
    spec.key.bed_felt = spec.key.bed_felt.stiffened(s.key_bed_stiffness);
    for friction in [
        &mut spec.key.friction,
        &mut spec.key.capstan_friction,
        &mut spec.hammer.friction,
        &mut spec.hammer.knuckle_friction,
        &mut spec.jack.button_friction,
        &mut spec.lever.friction,
        &mut spec.lever.knuckle_friction,
        &mut spec.damper.friction,
    ] {
        *friction *= s.friction;
    }
    spec.check.friction = s.check_friction;
    spec.damper.mass *= s.damper_weight;
    spec.damper.weight *= s.damper_weight;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grand::equations::precomputed::Precomputed;
    use touchback_core::math::compass::KeyNumber;

    /// HeldFriction at its butt, a shank turns the head alone, by the share s of its bend: an inertia of
    /// s²·I_head, which the hinge swings at √(k/I) and its damping brings to rest at 3 % of critical.
    #[test]
    fn a_shank_held_at_its_butt_swings_and_decays_as_documented() {
        let mut lowest = f64::INFINITY;
        let mut highest = 0.0f64;
        for key in KeyNumber::all() {
            let hammer = Design::new(key).spec.hammer;
            let shank = hammer.shank;
            let inertia = hammer.bend_share().powi(2) * hammer.head_inertia();
            let critical = 2.0 * (shank.stiffness * inertia).sqrt();
            assert!((shank.damping / critical - SHANK_DAMPING).abs() < 1e-12, "{key:?}");
            let frequency = (shank.stiffness / inertia).sqrt() / std::f64::consts::TAU;
            (lowest, highest) = (lowest.min(frequency), highest.max(frequency));
        }
        assert_eq!((lowest.round(), highest.round()), (67.0, 92.0), "{lowest} {highest}");
    }

    /// In flight head and butt swing against each other.
    #[test]
    fn a_hammer_in_flight_ripples_at_the_documented_frequencies() {
        let ripple = |index: usize| {
            let n = Precomputed::new(&Design::new(KeyNumber::from_index(index).unwrap()).spec);
            (n.shank_stiffness * n.inv_bend).sqrt() / std::f64::consts::TAU
        };
        assert_eq!([0, 87].map(|index| ripple(index).round()), [251.0, 349.0]);
    }
}
