//! Travels of the pedals, and the lift of the damper tray that a travel gives.

use crate::settings::PedalSettings;
use touchback_core::math::compass::linear;

/// Lift of the damper tray over the travel within the pedal's zone, both 0…1. From 0.27 to 0.41 the tray takes the
/// grand's dampers off their strings; a foot has 45 % of the travel for it, 57 of the controller's 127 values, instead of
/// 14 % (chosen).
const LIFT: [(f64, f64); 4] = [(0.0, 0.0), (0.25, 0.27), (0.7, 0.41), (1.0, 1.0)];

/// Pedal travels as last sent, 0 up … 1 down.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Pedals {
    pub(super) sustain: f64,
    pub(super) sostenuto: bool,
    pub(super) una_corda: f64,
}

impl Pedals {
    /// All pedals up.
    pub(super) const UP: Self = Self { sustain: 0.0, sostenuto: false, una_corda: 0.0 };

    /// The sustain pedal's travel, 0…1.
    pub(super) const fn sustain(&self) -> f64 {
        self.sustain
    }
}

impl PedalSettings {
    /// Lift of the damper tray, 0…1, at a pedal travel of 0…1.
    #[must_use]
    pub fn lift(&self, travel: f64) -> f64 {
        let (from, to) = (0.01 * self.pedal_from, 0.01 * self.pedal_to);
        let share = if to > from { (travel - from) / (to - from) } else { travel - from };
        match share {
            share if to > from => linear(&LIFT, share.clamp(0.0, 1.0)),
            // Without a zone the pedal is a switch; a pedal that is up never lifts.
            share => f64::from(u8::from(share >= 0.0 && travel > 0.0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dampers_move_within_the_zone_of_the_pedal() {
        let plain = PedalSettings::default();
        for (travel, lift) in [(0.0, 0.0), (0.25, 0.27), (0.475, 0.34), (0.7, 0.41), (1.0, 1.0)] {
            assert!((plain.lift(travel) - lift).abs() < 1e-12, "{travel}");
        }
        assert_eq!((plain.lift(0.0), plain.lift(1.0)), (0.0, 1.0), "switches to the bit");
        let zone = PedalSettings { pedal_from: 30.0, pedal_to: 70.0, ..plain };
        assert_eq!((zone.lift(0.2), zone.lift(0.8)), (0.0, 1.0));
        assert!((zone.lift(0.58) - 0.41).abs() < 1e-12);
        let switch = PedalSettings { pedal_from: 50.0, pedal_to: 50.0, ..plain };
        assert_eq!((switch.lift(0.49), switch.lift(0.5)), (0.0, 1.0));
        let always = PedalSettings { pedal_from: 0.0, pedal_to: 0.0, ..plain };
        assert_eq!((always.lift(0.0), always.lift(0.01)), (0.0, 1.0));
        let none = PedalSettings { pedal_from: f64::NAN, pedal_to: f64::NAN, ..plain };
        assert_eq!(none.lift(1.0), 0.0);
    }
}
