//! The three pedals, and the pitch of the strings once an action step.

use super::Piano;
use super::mechanism::Mechanism;
use crate::host::midi::controller;
use crate::play::engine_traits::{Keys, Strings};
use crate::play::event_queue::Sounding;

/// Travel from which the sostenuto pedal is down.
const ROD_TURNS: f64 = 0.5;

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
        self.output.sink.una_corda(self.mechanism.pedals.una_corda);
        self.send_pedal(controller::UNA_CORDA, travel);
    }

    /// Sends the pedals to action and strings after a reset; the sostenuto rod then holds no damper.
    pub(super) fn apply_pedals(&mut self) {
        self.mechanism.apply_sustain(&self.settings);
        self.output.sink.una_corda(self.mechanism.pedals.una_corda);
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
