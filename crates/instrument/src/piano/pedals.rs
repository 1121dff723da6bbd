//! The three pedals, and the pitch of the strings once an action step.

use super::Piano;
use super::mechanism::Mechanism;
use crate::engine_traits::{Keys, Strings};
use crate::event_queue::Sounding;
use crate::midi::controller;
use crate::settings::PedalSettings;

/// Travel from which the sostenuto pedal is down.
const ROD_TURNS: f64 = 0.5;

/// Pedal travels as last sent, 0 up … 1 down.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Pedals {
    sustain: f64,
    sostenuto: bool,
    una_corda: f64,
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
        let lift = if to > from { (travel - from) / (to - from) } else { travel - from };
        match lift {
            lift if to > from => lift.clamp(0.0, 1.0),
            // Without a zone the pedal is a switch; a pedal that is up never lifts.
            lift => f64::from(u8::from(lift >= 0.0 && travel > 0.0)),
        }
    }
}

impl<K: Keys, S: Strings> Piano<K, S> {
    /// The sustain pedal moves to `travel`.
    pub(super) fn sustain(&mut self, travel: f64) {
        self.mechanism.pedals.sustain = travel.clamp(0.0, 1.0);
        self.mechanism.apply_sustain(&self.settings);
        self.send_pedal(controller::SUSTAIN, travel);
    }

    /// The sostenuto pedal moves to `travel`.
    pub(super) fn sostenuto(&mut self, travel: f64) {
        let Mechanism { keys, pedals, dampers, .. } = &mut *self.mechanism;
        let is_down = travel >= ROD_TURNS;
        if is_down != pedals.sostenuto {
            pedals.sostenuto = is_down;
            dampers.rod(is_down, |key| keys.damper_lift(key));
        }
        self.send_pedal(controller::SOSTENUTO, travel);
    }

    /// The left pedal moves to `travel`.
    pub(super) fn una_corda(&mut self, travel: f64) {
        self.mechanism.pedals.una_corda = travel.clamp(0.0, 1.0);
        self.output.strings.una_corda(self.mechanism.pedals.una_corda);
        self.send_pedal(controller::UNA_CORDA, travel);
    }

    /// Sends the pedals to action and strings after a reset; the sostenuto rod then holds no damper.
    pub(super) fn apply_pedals(&mut self) {
        self.mechanism.apply_sustain(&self.settings);
        self.output.strings.una_corda(self.mechanism.pedals.una_corda);
    }

    /// Sends a pedal's travel to the strike output.
    fn send_pedal(&mut self, number: u8, travel: f64) {
        let now = self.time.clock.now();
        self.report.note_output.pedal(number, travel.clamp(0.0, 1.0), now);
    }

    /// Schedules the changes in pitch, once an action step.
    pub(super) fn schedule_pitch(&mut self) {
        let time = &mut *self.time;
        self.output.pitch.take_changes(|key, cents| {
            time.schedule_now(Sounding::Pitch { key, cents });
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dampers_move_within_the_zone_of_the_pedal() {
        let plain = PedalSettings::default();
        for travel in [0.0, 0.1, 0.37, 1.0] {
            assert_eq!(plain.lift(travel), travel, "untouched to the bit");
        }
        let zone = PedalSettings { pedal_from: 30.0, pedal_to: 70.0, ..plain };
        assert_eq!((zone.lift(0.2), zone.lift(0.8)), (0.0, 1.0));
        assert!((zone.lift(0.5) - 0.5).abs() < 1e-12);
        let switch = PedalSettings { pedal_from: 50.0, pedal_to: 50.0, ..plain };
        assert_eq!((switch.lift(0.49), switch.lift(0.5)), (0.0, 1.0));
        let always = PedalSettings { pedal_from: 0.0, pedal_to: 0.0, ..plain };
        assert_eq!((always.lift(0.0), always.lift(0.01)), (0.0, 1.0));
        let none = PedalSettings { pedal_from: f64::NAN, pedal_to: f64::NAN, ..plain };
        assert_eq!(none.lift(1.0), 0.0);
    }
}
