//! What the window may do to the instrument's parameters; implemented by the host's glue and by
//! tests.

use touchback_action::interface::key_sheet::KeySheet;
use touchback_instrument::Settings;
use touchback_instrument::params::midi_map::MidiMap;
use touchback_instrument::params::{Parameter, all};
use touchback_sound::scala::Texts;

/// Parameters as a host shows them: every change lies between a beginning and an end, so that
/// hosts can record and undo it.
pub trait Controls {
    /// Present value in the parameter's unit.
    fn value(&self, parameter: &'static Parameter) -> f64;
    /// Begins a gesture on the parameter.
    fn begin(&mut self, parameter: &'static Parameter);
    /// Sets the parameter to `value`, in its unit, within a gesture.
    fn set(&mut self, parameter: &'static Parameter, value: f64);
    /// Ends the gesture.
    fn end(&mut self, parameter: &'static Parameter);

    /// The scale that tunes in place of the temperament.
    fn texts(&self) -> Option<Texts>;
    /// Tunes by a scale, or by the temperament again.
    ///
    /// # Errors
    /// What is wrong with the texts; the tuning is unchanged.
    fn tune(&mut self, by: Option<Texts>) -> Result<(), String>;

    /// What single keys differ by.
    fn keys(&self) -> KeySheet;
    /// Sets what single keys differ by.
    fn set_keys(&mut self, keys: &KeySheet);
    /// Begins a gesture on them.
    fn begin_keys(&mut self) {}
    /// Ends it; `_name` is what was changed.
    fn end_keys(&mut self, _name: &str) {}

    /// What the keys differ by without the fault of the present exercise; none where there is none.
    fn exercised(&self) -> Option<KeySheet>;
    /// An exercise has put a fault into the keys: projects save `before` until it is over (`None`).
    fn exercise(&mut self, before: Option<&KeySheet>);
    /// Begins an exercise: the keys differ by `faulty` until it ends.
    fn begin_exercise(&mut self, faulty: &KeySheet) {
        let before = self.keys();
        self.set_keys(faulty);
        self.exercise(Some(&before));
    }
    /// Ends the present exercise, if there is one: every key as it was before.
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
    /// No controller moves `parameter` any more.
    fn forget_controller(&mut self, parameter: &'static Parameter) {
        let mut map = self.midi_map();
        map.forget(parameter);
        self.set_midi_map(&map);
    }
    /// The parameter that the next controller moved will move.
    fn learns(&self) -> Option<&'static Parameter>;
    /// The next controller moved is to move `parameter`, or nothing new.
    fn learn(&mut self, parameter: Option<&'static Parameter>);

    /// Whether the host has a menu of its own for a parameter.
    fn has_host_menu(&self) -> bool {
        false
    }
    /// Asks the host to show its menu of `_parameter` at `_at`, pixels from the window's corner.
    fn open_host_menu(&mut self, _parameter: &'static Parameter, _at: [i32; 2]) {}

    /// Sets the parameter to `value` as a gesture of its own.
    fn put(&mut self, parameter: &'static Parameter, value: f64) {
        self.begin(parameter);
        self.set(parameter, value);
        self.end(parameter);
    }

    /// Sets several parameters by one act, called `_name`.
    fn put_together(&mut self, _name: &str, values: &[(&'static Parameter, f64)]) {
        for (parameter, value) in values {
            self.put(parameter, *value);
        }
    }

    /// Moves the parameter to `value` by a wheel's click or a key: one of several such steps.
    fn nudge(&mut self, parameter: &'static Parameter, value: f64) {
        self.put(parameter, value);
    }

    /// The settings all values mean.
    fn settings(&self) -> Settings {
        let mut settings = Settings::default();
        for parameter in all() {
            parameter.set(&mut settings, self.value(parameter));
        }
        settings.action.keys = self.keys();
        settings
    }

    /// Puts every parameter and key that differs to its value in `settings`, those of the piano so named.
    fn recall(&mut self, settings: &Settings, _piano: Option<&str>) {
        for parameter in all() {
            let value = parameter.get(settings);
            if self.value(parameter).to_bits() != value.to_bits() {
                self.put(parameter, value);
            }
        }
        if self.keys() != settings.action.keys {
            self.set_keys(&settings.action.keys);
        }
    }
}

/// Parameters without a host: for pictures and tests.
#[derive(Clone, Debug, Default)]
pub struct DetachedControls {
    /// Present settings.
    pub settings: Settings,
    /// Ids of parameters whose gesture has begun and not ended.
    pub held: Vec<&'static str>,
    /// Changes so far: id and value, in order.
    pub changes: Vec<(&'static str, f64)>,
    /// The scale in force.
    pub scale: Option<Texts>,
    /// What MIDI controllers move.
    pub midi: MidiMap,
    /// What waits for a controller.
    pub learns: Option<&'static Parameter>,
    /// What a project would save of the keys instead.
    pub kept: Option<KeySheet>,
    /// Which parameter's menu a host would have been asked for, where.
    pub host_menu: Option<(&'static str, [i32; 2])>,
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
        self.settings.sound.scale = by.as_ref().map(Texts::scale).transpose()?;
        self.scale = by;
        Ok(())
    }

    fn keys(&self) -> KeySheet {
        self.settings.action.keys
    }

    fn set_keys(&mut self, keys: &KeySheet) {
        self.settings.action.keys = *keys;
    }

    fn exercised(&self) -> Option<KeySheet> {
        self.kept
    }

    fn exercise(&mut self, before: Option<&KeySheet>) {
        self.kept = before.copied();
    }

    fn midi_map(&self) -> MidiMap {
        self.midi
    }

    fn set_midi_map(&mut self, map: &MidiMap) {
        self.midi = *map;
    }

    fn learns(&self) -> Option<&'static Parameter> {
        self.learns
    }

    fn learn(&mut self, parameter: Option<&'static Parameter>) {
        self.learns = parameter;
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
    use touchback_instrument::params::find;

    #[test]
    fn a_recall_changes_what_differs_and_lets_go() {
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
