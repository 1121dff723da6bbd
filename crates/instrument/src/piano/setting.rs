//! New settings: who hears of them, and when.

use super::{Block, asks_finger};
use crate::Settings;
use crate::engine_traits::{Keys, Strings};
use crate::settings::{KeyPressure, StrikeOutput};
use touchback_action::ActionSettings;
use touchback_sound::SoundSettings;

impl<K: Keys, S: Strings> Block<K, S> {
    /// New settings from the present sample on: the sound at once, what single keys' strings and hammers
    /// differ by and the regulation from the step that covers this sample on, the level by a ramp. A
    /// strike always has its own hammer.
    pub fn set(&mut self, settings: &Settings) {
        let old = std::mem::replace(&mut self.settings, *settings);
        self.regulation_is_news |= settings.action != old.action;
        let evenness = |s: &ActionSettings| (s.keys, s.unevenness, s.unevenness_seed);
        let spread = evenness(&settings.action) != evenness(&old.action);
        self.unisons_are_news |= spread;
        if settings.sound != old.sound {
            self.tell_voicing();
        }
        if spread || settings.action.hammers() != old.action.hammers() {
            self.hammers.come();
        }
        self.efforts.follow(&settings.action, asks_finger(settings));
        if settings.pedals != old.pedals {
            self.dampers.watch();
            self.tell_sustain();
        }
        self.follow_settings();
    }

    /// What depends on settings beside action, strings and pedals.
    pub(super) fn follow_settings(&mut self) {
        self.follow_mix();
        self.follow_bend();
        let sends = self.settings.midi.strike_output != StrikeOutput::Off;
        self.note_output.switch(sends, self.clock.now());
        if self.settings.touch.key_pressure == KeyPressure::Ignored {
            self.let_positions_go();
        }
    }

    /// Tells the action of a new regulation, once a step however often it was set.
    pub(super) fn tell_regulation(&mut self) {
        if std::mem::take(&mut self.regulation_is_news) {
            self.keys.configure(&self.settings.action);
            self.dampers.watch();
        }
    }

    fn tell_voicing(&mut self) {
        self.strings.set(&SoundSettings { unisons: self.unisons, ..self.settings.sound });
    }

    /// Tells the strings what the unisons of single keys differ by, once a step however often it was set.
    pub(super) fn tell_unisons(&mut self) {
        if std::mem::take(&mut self.unisons_are_news) {
            self.unisons = self.settings.strings().unisons;
            self.tell_voicing();
        }
    }
}
