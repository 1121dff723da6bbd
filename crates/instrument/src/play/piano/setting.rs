//! New settings: which part takes them, and when.
//!
//! While something sounds or moves they are slewed, so that nothing clicks. What begins from rest begins
//! with the settings set last, whatever is still being slewed: at rest no slew can be heard.

use super::Piano;
use super::mechanism::uses_efforts;
use crate::Settings;
use crate::play::engine_traits::{Keys, Strings};
use crate::settings::KeyPressure;

impl<K: Keys, S: Strings> Piano<K, S> {
    /// New settings from the present sample on, without clicks: the sound at once; the regulation, and
    /// the differences between single keys' strings and hammers, from the action step that covers this
    /// sample on; the output level by a ramp of 10 ms. A strike always has its own hammer. If nothing
    /// sounds or moves, they are in force as a whole at the next event.
    pub fn set(&mut self, settings: &Settings) {
        let old = std::mem::replace(&mut *self.settings, settings.clone());
        let (mechanism, output) = (&mut self.mechanism, &mut self.output);
        mechanism.is_regulation_pending |= settings.action != old.action;
        let is_action_of_keys_changed = settings.action.keys != old.action.keys
            || settings.action.unevenness != old.action.unevenness
            || settings.action.unevenness_seed != old.action.unevenness_seed;
        output.are_unisons_pending |=
            is_action_of_keys_changed || settings.sound.tones != old.sound.tones;
        if settings.sound != old.sound {
            output.apply_sound(settings);
        }
        if is_action_of_keys_changed || settings.action.hammers() != old.action.hammers() {
            output.pending_hammers.mark_all();
        }
        mechanism.efforts.follow(&settings.action, uses_efforts(settings));
        if settings.pedals != old.pedals {
            mechanism.dampers.watch();
            mechanism.apply_sustain(settings);
        }
        output.apply_mix(settings);
        output.apply_bend(settings);
        self.switch_note_output();
        if settings.touch.key_pressure != KeyPressure::Position {
            self.release_pressures();
        }
    }

    /// Ends every slew of settings at once if nothing sounds, moves or is scheduled: the event at hand is
    /// the first one under the settings set last.
    pub(super) fn settle(&mut self) {
        if !self.is_at_rest() {
            return;
        }
        let (settings, output) = (&self.settings, &mut self.output);
        self.mechanism.keys.settle();
        output.apply_unisons(settings);
        output.pending_hammers.apply_all(&settings.action, &mut output.sink);
        output.sink.settle();
        self.mechanism.efforts.adopt();
    }
}
