//! The three pedals, output level, balance and pitch bend.

use super::Block;
use crate::engine_traits::{Keys, Strings};
use crate::event_queue::{Entry, Sounding};
use crate::midi::controller;
use crate::settings::{PedalSettings, Switch};
use touchback_core::math::compass::KEYS;

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

impl<K: Keys, S: Strings> Block<K, S> {
    pub(super) fn sustain(&mut self, travel: f64) {
        self.pedals.sustain = travel.clamp(0.0, 1.0);
        self.tell_sustain();
        self.pass_on(controller::SUSTAIN, travel);
    }

    pub(super) fn sostenuto(&mut self, travel: f64) {
        let down = travel >= ROD_TURNS;
        if down != self.pedals.sostenuto {
            self.pedals.sostenuto = down;
            let keys = &self.keys;
            self.dampers.rod(down, |key| keys.damper_lift(key));
        }
        self.pass_on(controller::SOSTENUTO, travel);
    }

    pub(super) fn una_corda(&mut self, travel: f64) {
        self.pedals.una_corda = travel.clamp(0.0, 1.0);
        self.strings.una_corda(self.pedals.una_corda);
        self.pass_on(controller::UNA_CORDA, travel);
    }

    /// Tells action and strings the pedals after a reset; the sostenuto rod then holds no damper.
    pub(super) fn tell_pedals(&mut self) {
        self.tell_sustain();
        self.strings.una_corda(self.pedals.una_corda);
    }

    pub(super) fn tell_sustain(&mut self) {
        self.keys.sustain(self.settings.pedals.lift(self.pedals.sustain));
    }

    fn pass_on(&mut self, number: u8, travel: f64) {
        self.note_output.pedal(number, travel.clamp(0.0, 1.0), self.clock.now());
    }

    /// The level that settings and controllers ask for.
    pub(super) fn follow_mix(&mut self) {
        for level in &mut self.levels {
            level.guard(self.settings.output_guard == Switch::On);
            level.aim(self.settings.output_db, self.mix);
        }
    }

    /// The pitch bend in the range that is set.
    pub(super) fn follow_bend(&mut self) {
        self.pitch.bend(self.bend * 100.0 * self.settings.midi.bend_range);
    }

    /// A tuning from outside: cents of each key.
    pub fn retune(&mut self, cents: &[f64; KEYS]) {
        self.pitch.retune(cents);
    }

    /// Sends the strings what has changed in pitch, once a step.
    pub(super) fn tell_pitch(&mut self) {
        let (event_queue, sample) = (&mut self.event_queue, self.clock.now());
        self.pitch.tell(|key, cents| {
            event_queue.add(Entry { sample, delay: 0.0, what: Sounding::Pitch { key, cents } });
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_zone_of_the_pedal_is_where_dampers_move() {
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
