//! Controls whose changes are recorded for undo.

use std::sync::Arc;

use super::{Gesture, History, MECHANISM, SCALE, SETTINGS, SHEET, Side};
use crate::state::controls::Controls;
use touchback_action::interface::key_sheet::KeySheet;
use touchback_instrument::Settings;
use touchback_instrument::host::mechanism::LoadedMechanism;
use touchback_instrument::host::params::Parameter;
use touchback_instrument::host::params::midi_map::MidiMap;
use touchback_sound::tuning::scala::Texts;

/// Controls whose changes go into a history.
pub struct Recorded<'a> {
    /// The underlying controls.
    pub controls: &'a mut dyn Controls,
    /// The history that records the changes.
    pub history: &'a mut History,
}

impl Controls for Recorded<'_> {
    fn value(&self, parameter: &'static Parameter) -> f64 {
        self.controls.value(parameter)
    }

    fn begin(&mut self, parameter: &'static Parameter) {
        let value = self.controls.value(parameter);
        self.history.open.push(Gesture(parameter, value, value));
        self.controls.begin(parameter);
    }

    fn set(&mut self, parameter: &'static Parameter, value: f64) {
        let open = self.history.open.iter_mut().find(|g| std::ptr::eq(g.0, parameter));
        if let Some(gesture) = open {
            gesture.2 = value;
        }
        self.controls.set(parameter, value);
    }

    fn end(&mut self, parameter: &'static Parameter) {
        self.controls.end(parameter);
        let index = self.history.open.iter().position(|g| std::ptr::eq(g.0, parameter));
        if let Some(Gesture(_, before, after)) = index.map(|at| self.history.open.remove(at)) {
            self.history.push_value(parameter, [before, after], None);
        }
    }

    fn nudge(&mut self, parameter: &'static Parameter, value: f64) {
        let before = self.controls.value(parameter);
        self.controls.put(parameter, value);
        let now = self.history.now;
        self.history.push_value(parameter, [before, value], Some(now));
    }

    fn texts(&self) -> Option<Texts> {
        self.controls.texts()
    }

    fn tune(&mut self, by: Option<Texts>) -> Result<(), String> {
        let before = self.controls.texts();
        self.controls.tune(by.clone())?;
        if before != by {
            let side = |scale| Side { scale: Some(scale), ..Side::default() };
            self.history.push_sides(SCALE, [side(before), side(by)]);
        }
        Ok(())
    }

    fn mechanism(&self) -> Arc<LoadedMechanism> {
        self.controls.mechanism()
    }

    fn set_mechanism(&mut self, mechanism: Arc<LoadedMechanism>) {
        let before = self.controls.mechanism();
        self.controls.set_mechanism(mechanism.clone());
        if before != mechanism {
            let side = |mechanism| Side { mechanism: Some(mechanism), ..Side::default() };
            self.history.push_sides(MECHANISM, [side(before), side(mechanism)]);
        }
    }

    fn keys(&self) -> KeySheet {
        self.controls.keys()
    }

    fn set_keys(&mut self, keys: &KeySheet) {
        let before = self.controls.keys();
        self.controls.set_keys(keys);
        if self.history.open_keys.is_none() {
            self.history.push_keys(SHEET, [before, keys.clone()]);
        }
    }

    fn exercised(&self) -> Option<KeySheet> {
        self.controls.exercised()
    }

    fn exercise(&mut self, before: Option<&KeySheet>) {
        self.controls.exercise(before);
    }

    fn begin_exercise(&mut self, faulty: &KeySheet) {
        self.history.begin_exercise();
        self.controls.begin_exercise(faulty);
    }

    fn end_exercise(&mut self) {
        self.controls.end_exercise();
        self.history.end_exercise();
    }

    fn midi_map(&self) -> MidiMap {
        self.controls.midi_map()
    }

    fn set_midi_map(&mut self, map: &MidiMap) {
        let before = self.controls.midi_map();
        self.controls.set_midi_map(map);
        self.history.push_midi([before, *map]);
    }

    fn learning_parameter(&self) -> Option<&'static Parameter> {
        self.controls.learning_parameter()
    }

    fn learn(&mut self, parameter: Option<&'static Parameter>) {
        self.controls.learn(parameter);
    }

    fn has_host_menu(&self) -> bool {
        self.controls.has_host_menu()
    }

    fn open_host_menu(&mut self, parameter: &'static Parameter, at: [i32; 2]) {
        self.controls.open_host_menu(parameter, at);
    }

    fn begin_keys(&mut self) {
        self.history.open_keys = Some(self.controls.keys());
    }

    fn end_keys(&mut self, name: &str) {
        if let Some(before) = self.history.open_keys.take() {
            self.history.push_keys(&format!("{name} of keys"), [before, self.controls.keys()]);
        }
    }

    fn put_together(&mut self, name: &str, values: &[(&'static Parameter, f64)]) {
        let before: Vec<f64> = values.iter().map(|(p, _)| self.controls.value(p)).collect();
        self.controls.put_together(name, values);
        let changes = values.iter().zip(before).map(|((p, to), from)| Gesture(p, from, *to));
        self.history.push_sides(name, Side::of(changes));
    }

    fn end_together(&mut self, name: &str, parameters: &[&'static Parameter]) {
        let open = &mut self.history.open;
        let mut ended = Vec::new();
        for parameter in parameters {
            self.controls.end(parameter);
            let index = open.iter().position(|g| std::ptr::eq(g.0, *parameter));
            ended.extend(index.map(|at| open.remove(at)));
        }
        self.history.push_sides(name, Side::of(ended.into_iter()));
    }

    fn recall_with(
        &mut self,
        mechanism: Arc<LoadedMechanism>,
        settings: &Settings,
        piano: Option<&str>,
    ) {
        let was = self.controls.mechanism();
        self.controls.set_mechanism(mechanism.clone());
        let [mut before, mut after] = self.recalled(settings, piano);
        if was != mechanism {
            (before.mechanism, after.mechanism) = (Some(was), Some(mechanism));
        }
        self.history.push_sides(piano.unwrap_or(SETTINGS), [before, after]);
    }

    fn recall(&mut self, settings: &Settings, piano: Option<&str>) {
        let sides = self.recalled(settings, piano);
        self.history.push_sides(piano.unwrap_or(SETTINGS), sides);
    }
}

impl Recorded<'_> {
    /// Sets `settings`, those of the piano `piano`; what was before, and what is.
    fn recalled(&mut self, settings: &Settings, piano: Option<&str>) -> [Side; 2] {
        // The exercise's fault is in the previous piano's keys.
        self.end_exercise();
        let sheets = [self.controls.keys(), settings.key_sheet()];
        let values = |p: &'static Parameter| p.get(settings);
        let [mut before, mut after] = Side::both(|p| self.controls.value(p), values, sheets);
        for (parameter, value) in &after.values {
            self.controls.put(parameter, *value);
        }
        if let Some(keys) = &after.keys {
            self.controls.set_keys(keys);
        }
        if let Some(name) = piano.filter(|name| *name != self.history.piano) {
            after.piano = Some(name.to_owned());
            before.piano = Some(std::mem::replace(&mut self.history.piano, name.to_owned()));
        }
        [before, after]
    }
}
