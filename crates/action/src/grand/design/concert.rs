//! The concert grand: one design, with masses and felts across the compass.
//!
//! Sources: [`hammer`] for the hammer; [Hirschkorn 2004] centre friction and key lever; [Stanwood
//! tables] front and balance weights, friction; [Gillespie 1996] jack, wippen and knuckle lengths;
//! factory sheets for the regulation. "Chosen" marks numbers without a source, followed by the
//! reason.

use crate::grand::design::concert_key::ConcertKey;
use crate::grand::design::fitted::Fitted;
use crate::grand::design::parts::damper::UNDER_RAIL;
use crate::grand::design::regulation::{Regulated, Regulation, regulate};
use crate::grand::design::spec::Spec;
use crate::grand::design::string_law;
use crate::{ActionSettings, GRAVITY};
use touchback_core::math::compass;
use touchback_core::mech::hammer;

/// Balance weight at rest, g. [Stanwood tables], and the mean of factory down and up weights, give
/// 37 g for a weight that sinks and rises; the balance weight at rest is half a gram less.
pub const BALANCE_WEIGHT_G: f64 = 36.5;

/// Distance of the middle of the leads from the balance point, m: usual, chosen.
const LEAD_ARM: f64 = 0.15;

/// Least share of its inertia that a key keeps when lead is taken out (chosen: keeps every mixture
/// of settings physical).
const LEAST_SHARE: f64 = 0.3;

/// One key's parts and leads before regulation.
#[derive(Clone, Copy, Debug)]
pub struct Design {
    spec: Spec,
    key: compass::KeyNumber,
    /// The concert grand's hammer.
    hammer: hammer::Hammer,
    /// Balance weight at rest, g.
    balance: f64,
}

/// A regulated key.
#[derive(Clone, Copy, Debug)]
pub struct Built {
    /// The numbers of the key.
    pub spec: Spec,
    /// The pose at rest and the let-off.
    pub regulated: Regulated,
}

impl Design {
    /// The parts of `key`, its leads placed for the balance weight in the standard regulation.
    #[must_use]
    pub fn new(key: compass::KeyNumber) -> Self {
        Self::with(key, &Fitted::CONCERT)
    }

    /// The parts of `key` with the numbers `fitted`, its leads placed for the balance weight in the
    /// standard regulation.
    #[must_use]
    pub fn with(key: compass::KeyNumber, fitted: &Fitted) -> Self {
        let hammer = hammer::Hammer::concert(key);
        let spec = Spec::concert(&ConcertKey { key, hammer: &hammer, fitted });
        Self { spec, key, hammer, balance: BALANCE_WEIGHT_G }.leaded()
    }

    /// This design with other parts, its leads placed anew. Distances that are regulated are
    /// overwritten by [`Self::build`].
    #[must_use]
    pub fn changed(mut self, change: impl FnOnce(&mut Spec)) -> Self {
        change(&mut self.spec);
        self.leaded()
    }

    /// This design with leads for the balance weight `grams` at rest in the standard regulation.
    #[must_use]
    pub fn balanced(mut self, grams: f64) -> Self {
        self.balance = grams;
        self.leaded()
    }

    /// This design with leads for the balance weight in the standard regulation.
    fn leaded(mut self) -> Self {
        let mut standard = self.spec;
        let regulated = regulate(&mut standard, &regulation(&ActionSettings::default()));
        let balance = self.balance * 1e-3 * GRAVITY;
        self.spec.key.lead_torque = (regulated.upward_force - balance) * self.spec.key.front;
        self
    }

    /// The key regulated with the `settings` that apply to it, in closed form: no iteration over
    /// poses.
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
        // The rest felt carries the remaining force, so that the key rests at depth 0.
        let carried = regulated.upward_force - spec.key.lead_torque / spec.key.front;
        spec.key.rest_compression = spec.key.rest_felt.compression(carried);
        Built { spec, regulated }
    }
}

/// The distances of `s`, converted from millimetres to metres.
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

/// Applies `hammer` and the settings that are no screws: parts' positions and scales.
fn scale(spec: &mut Spec, hammer: &hammer::Hammer, s: &ActionSettings) {
    let h = &mut spec.hammer;
    (h.mass, h.centre, h.inertia) = (hammer.body_mass, hammer.centre, hammer.inertia);
    // The jack's stop moves the head with the knuckle, and under it.
    let farther = s.knuckle_mm * 1e-3 - h.knuckle;
    h.knuckle += farther;
    h.knuckle_edge += farther;
    spec.jack.stop -= (farther + s.jack_position_mm * 1e-3) / spec.jack.length;
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
    use crate::grand::design::parts::shank::DAMPING_SHARE;
    use crate::grand::equations::precomputed::Precomputed;
    use touchback_core::math::compass::KeyNumber;

    /// With the butt held, a shank turns the head alone, by the share s of the bend: an inertia of
    /// s²·I_head, which swings at √(k/I) on the hinge with 3 % of critical damping.
    #[test]
    fn a_shank_held_at_its_butt_swings_and_decays_as_documented() {
        let mut lowest = f64::INFINITY;
        let mut highest = 0.0f64;
        for key in KeyNumber::all() {
            let hammer = Design::new(key).spec.hammer;
            let shank = hammer.shank;
            let inertia = hammer.bend_share().powi(2) * hammer.head_inertia();
            let critical = 2.0 * (shank.stiffness * inertia).sqrt();
            assert!((shank.damping / critical - DAMPING_SHARE).abs() < 1e-12, "{key:?}");
            let frequency = (shank.stiffness / inertia).sqrt() / std::f64::consts::TAU;
            (lowest, highest) = (lowest.min(frequency), highest.max(frequency));
        }
        assert_eq!((lowest.round(), highest.round()), (67.0, 92.0), "{lowest} {highest}");
    }

    /// In flight, head and butt swing against each other.
    #[test]
    fn a_hammer_in_flight_ripples_at_the_documented_frequencies() {
        let ripple = |index: usize| {
            let n = Precomputed::new(&Design::new(KeyNumber::from_index(index).unwrap()).spec);
            (n.hammer.shank.stiffness * n.inv_mass_bend).sqrt() / std::f64::consts::TAU
        };
        assert_eq!([0, 87].map(|index| ripple(index).round()), [251.0, 349.0]);
    }
}
