//! The window's access to the instrument's parameters; implemented for hosts and for tests.

use std::sync::Arc;

use touchback_action::ActionKind;
use touchback_action::interface::key_sheet::KeySheet;
use touchback_core::math::setting::Value as _;
use touchback_instrument::Settings;
use touchback_instrument::host::mechanism::LoadedMechanism;
use touchback_instrument::host::params::midi_map::MidiMap;
use touchback_instrument::host::params::{Parameter, all, find};
use touchback_sound::tuning::scala::Texts;

/// Access to the parameters. Every change is a gesture with a beginning and an end, so that hosts can
/// record and undo it.
pub trait Controls {
    /// The current value, in the parameter's unit.
    fn value(&self, parameter: &'static Parameter) -> f64;
    /// Begins a gesture on the parameter.
    fn begin(&mut self, parameter: &'static Parameter);
    /// Sets the parameter to `value`, in its unit, within a gesture.
    fn set(&mut self, parameter: &'static Parameter, value: f64);
    /// Ends the gesture.
    fn end(&mut self, parameter: &'static Parameter);

    /// The scale that replaces the temperament.
    fn texts(&self) -> Option<Texts>;
    /// Tunes by a scale, or by the temperament if none.
    ///
    /// # Errors
    /// The fault in the texts; the tuning is unchanged.
    fn tune(&mut self, by: Option<Texts>) -> Result<(), String>;

    /// The mechanism from a file.
    fn mechanism(&self) -> Arc<LoadedMechanism>;
    /// Sets the mechanism from a file.
    fn set_mechanism(&mut self, mechanism: Arc<LoadedMechanism>);
    /// Chooses the action `kind`.
    fn choose_action(&mut self, kind: ActionKind) {
        if let Ok(action) = find("action") {
            self.put(action, kind.number());
        }
    }

    /// The sheet of single keys' differences.
    fn keys(&self) -> KeySheet;
    /// Sets the sheet of single keys' differences.
    fn set_keys(&mut self, keys: &KeySheet);
    /// Begins a gesture on the sheet.
    fn begin_keys(&mut self) {}
    /// Ends the gesture on the sheet; `_name` is the changed quantity.
    fn end_keys(&mut self, _name: &str) {}

    /// The sheet without the fault of the current exercise; none without an exercise.
    fn exercised(&self) -> Option<KeySheet>;
    /// Sets the sheet that projects save while an exercise has put a fault into the keys; none ends this.
    fn exercise(&mut self, before: Option<&KeySheet>);
    /// Begins an exercise with the sheet `faulty`.
    fn begin_exercise(&mut self, faulty: &KeySheet) {
        let before = self.keys();
        self.set_keys(faulty);
        self.exercise(Some(&before));
    }
    /// Ends the current exercise, if there is one, and restores the sheet from before.
    fn end_exercise(&mut self) {
        if let Some(before) = self.exercised() {
            self.set_keys(&before);
            self.exercise(None);
        }
    }

    /// Which MIDI controllers move which parameters.
    fn midi_map(&self) -> MidiMap;
    /// Sets which MIDI controllers move which parameters.
    fn set_midi_map(&mut self, map: &MidiMap);
    /// Removes the controller of `parameter`.
    fn forget_controller(&mut self, parameter: &'static Parameter) {
        let mut map = self.midi_map();
        map.forget(parameter);
        self.set_midi_map(&map);
    }
    /// The parameter to which the next moved controller will be assigned.
    fn learning_parameter(&self) -> Option<&'static Parameter>;
    /// Requests that the next moved controller be assigned to `parameter`; none cancels the request.
    fn learn(&mut self, parameter: Option<&'static Parameter>);

    /// Whether the host has a menu of its own for a parameter.
    fn has_host_menu(&self) -> bool {
        false
    }
    /// Requests the host's menu of `_parameter` at `_at`, pixels from the window's upper left corner.
    fn open_host_menu(&mut self, _parameter: &'static Parameter, _at: [i32; 2]) {}

    /// Sets the parameter to `value` as a gesture of its own.
    fn put(&mut self, parameter: &'static Parameter, value: f64) {
        self.begin(parameter);
        self.set(parameter, value);
        self.end(parameter);
    }

    /// Sets several parameters as one edit, called `_name`.
    fn put_together(&mut self, _name: &str, values: &[(&'static Parameter, f64)]) {
        for (parameter, value) in values {
            self.put(parameter, *value);
        }
    }

    /// Ends the gestures on `parameters` as one edit, called `_name`.
    fn end_together(&mut self, _name: &str, parameters: &[&'static Parameter]) {
        for parameter in parameters {
            self.end(parameter);
        }
    }

    /// Sets the parameter to `value` as one of several small steps, by wheel or arrow key.
    fn nudge(&mut self, parameter: &'static Parameter, value: f64) {
        self.put(parameter, value);
    }

    /// The settings with all current values.
    fn settings(&self) -> Settings {
        let mut settings = Settings::default();
        for parameter in all() {
            parameter.set(&mut settings, self.value(parameter));
        }
        settings.set_key_sheet(self.keys());
        settings.action.mechanism.clone_from(&self.mechanism().file);
        settings
    }

    /// [`Self::recall`] with another mechanism from a file.
    fn recall_with(
        &mut self,
        mechanism: Arc<LoadedMechanism>,
        settings: &Settings,
        piano: Option<&str>,
    ) {
        self.set_mechanism(mechanism);
        self.recall(settings, piano);
    }

    /// Sets every parameter and key that differs from `settings`, the settings of the piano `_piano`.
    fn recall(&mut self, settings: &Settings, _piano: Option<&str>) {
        for parameter in all() {
            let value = parameter.get(settings);
            if self.value(parameter).to_bits() != value.to_bits() {
                self.put(parameter, value);
            }
        }
        let sheet = settings.key_sheet();
        if self.keys() != sheet {
            self.set_keys(&sheet);
        }
    }
}

/// Parameters without a host, for pictures and tests.
#[derive(Clone, Debug, Default)]
pub struct DetachedControls {
    /// Current settings.
    pub settings: Settings,
    /// Ids of parameters with an open gesture.
    pub held: Vec<&'static str>,
    /// Changes so far: id and value, in order.
    pub changes: Vec<(&'static str, f64)>,
    /// The current scale.
    pub scale: Option<Texts>,
    /// The current mechanism from a file.
    pub mechanism: Arc<LoadedMechanism>,
    /// Assignment of MIDI controllers.
    pub midi: MidiMap,
    /// The parameter that waits for a controller.
    pub learning_parameter: Option<&'static Parameter>,
    /// The sheet that a project would save during an exercise.
    pub kept: Option<KeySheet>,
    /// The last requested host menu: parameter and position.
    pub host_menu: Option<(&'static str, [i32; 2])>,
}

impl DetachedControls {
    /// Controls of a piano with these settings, but for its scale.
    #[must_use]
    pub fn of(settings: Settings) -> Self {
        let file = settings.action.mechanism.as_ref();
        let mechanism = file.cloned().map(LoadedMechanism::playing).unwrap_or_default();
        Self { settings, mechanism, ..Self::default() }
    }
}

impl Controls for DetachedControls {
    fn value(&self, parameter: &'static Parameter) -> f64 {
        parameter.get(&self.settings)
    }

    fn begin(&mut self, parameter: &'static Parameter) {
        self.held.push(parameter.id);
    }

    fn set(&mut self, parameter: &'static Parameter, value: f64) {
        parameter.set(&mut self.settings, value);
        self.changes.push((parameter.id, value));
    }

    fn end(&mut self, parameter: &'static Parameter) {
        self.held.retain(|id| *id != parameter.id);
    }

    fn texts(&self) -> Option<Texts> {
        self.scale.clone()
    }

    fn tune(&mut self, by: Option<Texts>) -> Result<(), String> {
        self.settings.sound.scale = by.as_ref().map(Texts::scale).transpose()?.into();
        self.scale = by;
        Ok(())
    }

    fn mechanism(&self) -> Arc<LoadedMechanism> {
        self.mechanism.clone()
    }

    fn set_mechanism(&mut self, mechanism: Arc<LoadedMechanism>) {
        self.settings.action.mechanism.clone_from(&mechanism.file);
        self.mechanism = mechanism;
    }

    fn keys(&self) -> KeySheet {
        self.settings.key_sheet()
    }

    fn set_keys(&mut self, keys: &KeySheet) {
        self.settings.set_key_sheet(keys.clone());
    }

    fn exercised(&self) -> Option<KeySheet> {
        self.kept.clone()
    }

    fn exercise(&mut self, before: Option<&KeySheet>) {
        self.kept = before.cloned();
    }

    fn midi_map(&self) -> MidiMap {
        self.midi
    }

    fn set_midi_map(&mut self, map: &MidiMap) {
        self.midi = *map;
    }

    fn learning_parameter(&self) -> Option<&'static Parameter> {
        self.learning_parameter
    }

    fn learn(&mut self, parameter: Option<&'static Parameter>) {
        self.learning_parameter = parameter;
    }

    fn has_host_menu(&self) -> bool {
        true
    }

    fn open_host_menu(&mut self, parameter: &'static Parameter, at: [i32; 2]) {
        self.host_menu = Some((parameter.id, at));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recall_changes_only_differing_parameters_and_ends_its_gestures() {
        let mut connection = DetachedControls::default();
        connection.put(find("blow_mm").unwrap(), 44.0);
        connection.set_keys(&"key,drop_mm\n7,1\n".parse().unwrap());
        let worn = connection.settings();
        connection.put(find("blow_mm").unwrap(), 47.0);
        connection.set_keys(&KeySheet::EVEN);
        connection.changes.clear();
        connection.recall(&worn, None);
        assert_eq!(connection.changes, [("blow_mm", 44.0)]);
        assert_eq!(connection.settings(), worn);
        assert!(connection.held.is_empty());
    }
}
