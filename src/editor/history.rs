//! Undo and redo: one edit a gesture, over parameters, whole pianos, scales and the sheet of single
//! keys.
//!
//! [`Recorded`] stands before the host's [`Controls`] and writes down what the window changes. What a
//! host automates is neither written down nor fought: an edit takes back only values that still stand
//! where it left them.

use crate::action::interface::key_sheet::KeySheet;
use crate::editor::controls::Controls;
use crate::instrument::Settings;
use crate::params::midi_map::MidiMap;
use crate::params::{Parameter, all};
use crate::sound::scala::Texts;

/// Edits kept: more than a session's.
const MOST: usize = 1000;
/// Nudges of one parameter that follow within this time are one edit, s.
const TOGETHER: f64 = 0.8;

/// One state of what an edit changed.
#[derive(Clone, Default, Debug)]
struct Side {
    values: Vec<(&'static Parameter, f64)>,
    /// The scale, where the edit changed it.
    scale: Option<Option<Texts>>,
    /// What single keys differ by, where the edit changed it.
    keys: Option<Box<KeySheet>>,
    /// The piano's name, where another was loaded.
    piano: Option<String>,
}

/// One gesture, or one piano loaded.
#[derive(Clone, Debug)]
struct Edit {
    name: String,
    before: Side,
    after: Side,
    /// When its last nudge came, s.
    nudged: Option<f64>,
}

/// A gesture that has begun: its parameter, the value before, the value now.
#[derive(Clone, Debug)]
struct Gesture(&'static Parameter, f64, f64);

/// What was edited in this window, and the name of the piano it began from.
#[derive(Clone, Default, Debug)]
pub struct History {
    /// Name of the piano loaded last; empty before the first.
    pub piano: String,
    /// The window's clock, s.
    pub now: f64,
    done: Vec<Edit>,
    undone: Vec<Edit>,
    open: Vec<Gesture>,
    /// The sheet of the keys when a gesture on it began.
    open_keys: Option<Box<KeySheet>>,
}

impl History {
    /// What [`Self::undo`] would take back.
    #[must_use]
    pub fn undoes(&self) -> Option<&str> {
        self.done.last().map(|edit| edit.name.as_str())
    }

    /// What [`Self::redo`] would do again.
    #[must_use]
    pub fn redoes(&self) -> Option<&str> {
        self.undone.last().map(|edit| edit.name.as_str())
    }

    /// Takes the last edit back; the parameters left alone because something else, a host's
    /// automation, has moved them since.
    pub fn undo(&mut self, controls: &mut dyn Controls) -> Vec<&'static Parameter> {
        let Some(edit) = self.done.pop() else { return Vec::new() };
        let left = self.apply(&edit.after, &edit.before, controls);
        self.undone.push(edit);
        left
    }

    /// Does the edit again that was taken back last; the parameters left alone, as by
    /// [`Self::undo`].
    pub fn redo(&mut self, controls: &mut dyn Controls) -> Vec<&'static Parameter> {
        let Some(edit) = self.undone.pop() else { return Vec::new() };
        let left = self.apply(&edit.before, &edit.after, controls);
        self.done.push(edit);
        left
    }

    fn apply(
        &mut self,
        from: &Side,
        side: &Side,
        controls: &mut dyn Controls,
    ) -> Vec<&'static Parameter> {
        let mut left = Vec::new();
        for ((parameter, value), (_, stood)) in side.values.iter().zip(&from.values) {
            // As a host keeps them.
            let [present, wanted, stood] =
                [controls.value(parameter), *value, *stood].map(|v| parameter.quantize(v));
            if present.to_bits() == wanted.to_bits() {
                continue;
            }
            if present.to_bits() == stood.to_bits() {
                controls.put(parameter, *value);
            } else {
                left.push(*parameter);
            }
        }
        if let Some(scale) = &side.scale {
            // These texts were in force once.
            let _ = controls.tune(scale.clone());
        }
        if let Some(keys) = &side.keys {
            controls.set_keys(keys);
        }
        if let Some(piano) = &side.piano {
            self.piano.clone_from(piano);
        }
        left
    }

    fn push(&mut self, edit: Edit) {
        self.undone.clear();
        if let (Some(now), Some(last)) = (edit.nudged, self.done.last_mut())
            && last.nudged.is_some_and(|then| now - then < TOGETHER)
            && last.name == edit.name
        {
            last.after = edit.after;
            last.nudged = edit.nudged;
            return;
        }
        if self.done.len() == MOST {
            self.done.remove(0);
        }
        self.done.push(edit);
    }

    fn push_keys(&mut self, name: &str, sheets: [KeySheet; 2]) {
        if sheets[0] != sheets[1] {
            let [before, after] =
                sheets.map(|sheet| Side { keys: Some(Box::new(sheet)), ..Side::default() });
            self.push(Edit { name: name.to_owned(), before, after, nudged: None });
        }
    }

    fn push_value(&mut self, parameter: &'static Parameter, values: [f64; 2], nudged: Option<f64>) {
        let [before, after] =
            values.map(|value| Side { values: vec![(parameter, value)], ..Side::default() });
        if values[0].to_bits() != values[1].to_bits() {
            self.push(Edit { name: parameter.name.to_owned(), before, after, nudged });
        }
    }
}

/// Controls whose changes go into a history.
pub struct Recorded<'a> {
    /// What is changed.
    pub controls: &'a mut dyn Controls,
    /// Where it is written down.
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
        let place = self.history.open.iter().position(|g| std::ptr::eq(g.0, parameter));
        if let Some(Gesture(_, before, after)) = place.map(|at| self.history.open.remove(at)) {
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
            let (before, after) = (side(before), side(by));
            self.history.push(Edit { name: "the scale".to_owned(), before, after, nudged: None });
        }
        Ok(())
    }

    fn keys(&self) -> KeySheet {
        self.controls.keys()
    }

    fn set_keys(&mut self, keys: &KeySheet) {
        let before = self.controls.keys();
        self.controls.set_keys(keys);
        if self.history.open_keys.is_none() {
            self.history.push_keys("the sheet of the keys", [before, *keys]);
        }
    }

    fn exercise(&mut self, before: Option<&KeySheet>) {
        self.controls.exercise(before);
    }

    fn midi_map(&self) -> MidiMap {
        self.controls.midi_map()
    }

    fn set_midi_map(&mut self, map: &MidiMap) {
        self.controls.set_midi_map(map);
    }

    fn learns(&self) -> Option<&'static Parameter> {
        self.controls.learns()
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
        self.history.open_keys = Some(Box::new(self.controls.keys()));
    }

    fn end_keys(&mut self, name: &str) {
        if let Some(before) = self.history.open_keys.take() {
            self.history.push_keys(&format!("{name} of keys"), [*before, self.controls.keys()]);
        }
    }

    fn recall(&mut self, settings: &Settings, piano: Option<&str>) {
        let (mut before, mut after) = (Side::default(), Side::default());
        for parameter in all() {
            let (was, is) = (self.controls.value(parameter), parameter.get(settings));
            if was.to_bits() != is.to_bits() {
                before.values.push((parameter, was));
                after.values.push((parameter, is));
                self.controls.put(parameter, is);
            }
        }
        let (was, is) = (self.controls.keys(), settings.action.keys);
        if was != is {
            before.keys = Some(Box::new(was));
            after.keys = Some(Box::new(is));
            self.controls.set_keys(&is);
        }
        let renamed = piano.is_some_and(|name| name != self.history.piano);
        if let Some(name) = piano.filter(|_| renamed) {
            after.piano = Some(name.to_owned());
            before.piano = Some(std::mem::replace(&mut self.history.piano, name.to_owned()));
        }
        if renamed || after.keys.is_some() || !after.values.is_empty() {
            let name = piano.unwrap_or("all settings").to_owned();
            self.history.push(Edit { name, before, after, nudged: None });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::editor::controls::DetachedControls;
    use crate::params::find;
    use crate::sound::scala::texts::TWELVE;

    #[test]
    fn every_kind_of_edit_is_taken_back_and_done_again() {
        let (mut desk, mut history) = (DetachedControls::default(), History::default());
        let [blow, dip] = ["blow_mm", "key_dip_mm"].map(|id| find(id).unwrap());
        let states = {
            let mut controls = Recorded { controls: &mut desk, history: &mut history };
            let mut states = vec![(controls.settings(), controls.texts())];
            let mut mark = |c: &Recorded| states.push((c.settings(), c.texts()));
            // A drag of many values is one edit, and so are two parameters held at once two.
            controls.begin(blow);
            for value in [46.0, 45.0, 44.0] {
                controls.set(blow, value);
            }
            controls.end(blow);
            mark(&controls);
            let heavy = crate::preset::find("heavy").unwrap().settings();
            controls.recall(&heavy, Some("Heavy"));
            mark(&controls);
            let texts = Texts { name: "f".into(), scale: TWELVE.into(), map: None };
            controls.tune(Some(texts)).unwrap();
            mark(&controls);
            for value in [10.4, 10.3, 10.2] {
                controls.nudge(dip, value);
            }
            mark(&controls);
            controls.begin_keys();
            for text in ["key,drop_mm\n7,1\n", "key,drop_mm\n7,1.5\n8,1\n"] {
                controls.set_keys(&text.parse().unwrap());
            }
            controls.end_keys("Drop");
            mark(&controls);
            states
        };
        assert_eq!((history.done.len(), history.undoes()), (5, Some("Drop of keys")));
        for _ in 0..2 {
            for (settings, texts) in states.iter().rev().skip(1) {
                history.undo(&mut desk);
                assert_eq!((desk.settings(), desk.texts()), (*settings, texts.clone()));
            }
            assert_eq!((history.undoes(), history.piano.as_str()), (None, ""));
            history.undo(&mut desk);
            for (settings, texts) in &states[1..] {
                history.redo(&mut desk);
                assert_eq!((desk.settings(), desk.texts()), (*settings, texts.clone()));
            }
            assert_eq!((history.redoes(), history.piano.as_str()), (None, "Heavy"));
        }
        assert!(desk.held.is_empty() && history.open.is_empty());
    }

    #[test]
    fn what_a_host_has_moved_since_is_left_where_it_is() {
        let (mut desk, mut history) = (DetachedControls::default(), History::default());
        let heavy = crate::preset::find("heavy").unwrap().settings();
        let plain = desk.settings();
        Recorded { controls: &mut desk, history: &mut history }.recall(&heavy, Some("Heavy"));
        let moved = all().find(|p| p.get(&heavy).to_bits() != p.get(&plain).to_bits()).unwrap();
        let automated = moved.quantize(0.5 * (moved.min() + moved.max()) + 0.1);
        desk.set(moved, automated);
        let left = history.undo(&mut desk);
        assert!(left.len() == 1 && std::ptr::eq(left[0], moved));
        assert_eq!(desk.value(moved).to_bits(), automated.to_bits());
        desk.set(moved, moved.get(&plain));
        assert_eq!((desk.settings(), history.piano.as_str()), (plain, ""));
        assert!(history.redo(&mut desk).is_empty());
        assert_eq!(desk.settings(), heavy);
    }

    #[test]
    fn what_changes_nothing_is_no_edit_and_a_new_edit_ends_redo() {
        let (mut desk, mut history) = (DetachedControls::default(), History::default());
        let blow = find("blow_mm").unwrap();
        {
            let mut controls = Recorded { controls: &mut desk, history: &mut history };
            controls.put(blow, blow.default_value());
            controls.recall(&Settings::default(), None);
            assert!(controls.tune(None).is_ok() && controls.history.undoes().is_none());
            controls.put(blow, 44.0);
        }
        history.undo(&mut desk);
        assert_eq!(history.redoes(), Some("Blow distance"));
        Recorded { controls: &mut desk, history: &mut history }.nudge(blow, 45.0);
        assert_eq!((history.redoes(), history.done.len()), (None, 1));
        // Later nudges are edits of their own.
        history.now = 2.0;
        Recorded { controls: &mut desk, history: &mut history }.nudge(blow, 45.5);
        assert_eq!(history.done.len(), 2);
    }
}
