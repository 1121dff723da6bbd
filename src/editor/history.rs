//! Undo and redo: one edit a gesture, over parameters, whole pianos, scales, the sheet of single keys
//! and what MIDI controllers move.
//!
//! [`Recorded`] stands before the host's [`Controls`] and writes down what the window changes. What a
//! host automates or loads is neither written down nor fought: an edit takes back only what still
//! stands where it left it.

mod recorded;
#[cfg(test)]
mod tests;

pub use recorded::Recorded;

use crate::editor::controls::Controls;
use touchback_action::interface::key_sheet::KeySheet;
use touchback_instrument::Settings;
use touchback_instrument::params::midi_map::MidiMap;
use touchback_instrument::params::{Parameter, all};
use touchback_sound::scala::Texts;

/// Edits kept: more than a session's.
const MOST: usize = 1000;
/// What edits of no parameter are called.
const SCALE: &str = "the scale";
const SHEET: &str = "the sheet of the keys";
const CONTROLLERS: &str = "MIDI controllers";
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
    /// What MIDI controllers move, where the edit changed it.
    midi: Option<Box<MidiMap>>,
    /// The piano's name, where another was loaded.
    piano: Option<String>,
}

impl Side {
    /// Both sides of changes from values that `was` gives to those of `is`, of parameters and keys.
    fn both(
        was: impl Fn(&'static Parameter) -> f64,
        is: impl Fn(&'static Parameter) -> f64,
        keys: [&KeySheet; 2],
    ) -> [Self; 2] {
        let [mut before, mut after] = [Self::default(), Self::default()];
        for parameter in all() {
            let (from, to) = (was(parameter), is(parameter));
            if from.to_bits() != to.to_bits() {
                before.values.push((parameter, from));
                after.values.push((parameter, to));
            }
        }
        if keys[0] != keys[1] {
            [before.keys, after.keys] = keys.map(|sheet| Some(Box::new(*sheet)));
        }
        [before, after]
    }

    /// Whether it holds nothing.
    const fn is_empty(&self) -> bool {
        self.values.is_empty()
            && self.scale.is_none()
            && self.keys.is_none()
            && self.midi.is_none()
            && self.piano.is_none()
    }
}

/// One gesture, or one piano loaded.
#[derive(Clone, Default, Debug)]
struct Edit {
    name: String,
    before: Side,
    after: Side,
    /// When its last nudge came, s.
    nudged: Option<f64>,
    /// A turn of an exercise, gone with it.
    is_of_exercise: bool,
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
    /// Edits before the present exercise, which stay until it ends.
    fixed: Option<usize>,
}

impl History {
    /// What [`Self::undo`] would take back.
    #[must_use]
    pub fn undoes(&self) -> Option<&str> {
        let edit = self.done.last().filter(|_| self.done.len() > self.fixed.unwrap_or(0));
        edit.map(|edit| edit.name.as_str())
    }

    /// What [`Self::redo`] would do again.
    #[must_use]
    pub fn redoes(&self) -> Option<&str> {
        self.undone.last().map(|edit| edit.name.as_str())
    }

    /// Takes the last edit back; names of what is left alone because something else, a host's
    /// automation or a loaded project, has moved it since.
    pub fn undo(&mut self, controls: &mut dyn Controls) -> Vec<&'static str> {
        if self.undoes().is_none() {
            return Vec::new();
        }
        let Some(edit) = self.done.pop() else { return Vec::new() };
        let left = self.apply(&edit.after, &edit.before, controls);
        self.undone.push(edit);
        left
    }

    /// Does the edit again that was taken back last; names of what is left alone, as by
    /// [`Self::undo`].
    pub fn redo(&mut self, controls: &mut dyn Controls) -> Vec<&'static str> {
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
    ) -> Vec<&'static str> {
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
                left.push(parameter.name);
            }
        }
        if let (Some(scale), Some(stood)) = (&side.scale, &from.scale) {
            if controls.texts() == *stood {
                // These texts were in force once.
                let _ = controls.tune(scale.clone());
            } else {
                left.push(SCALE);
            }
        }
        if let (Some(keys), Some(stood)) = (&side.keys, &from.keys) {
            if controls.keys() == **stood {
                controls.set_keys(keys);
            } else {
                left.push(SHEET);
            }
        }
        if let (Some(map), Some(stood)) = (&side.midi, &from.midi) {
            if controls.midi_map() == **stood {
                controls.set_midi_map(map);
            } else {
                left.push(CONTROLLERS);
            }
        }
        if let Some(piano) = &side.piano {
            self.piano.clone_from(piano);
        }
        left
    }

    /// Writes down that controllers which moved what `maps[0]` says now move what `maps[1]` says.
    pub fn push_midi(&mut self, maps: [MidiMap; 2]) {
        if maps[0] != maps[1] {
            let [before, after] =
                maps.map(|map| Side { midi: Some(Box::new(map)), ..Side::default() });
            self.push(Edit { name: CONTROLLERS.to_owned(), before, after, ..Edit::default() });
        }
    }

    /// Writes down that this piano, `before` until now, has become a copy of another, called
    /// `piano`: settings and the scale that tunes.
    pub fn push_copy(
        &mut self,
        name: &str,
        before: (&Settings, Option<&Texts>),
        after: (&Settings, Option<&Texts>),
        piano: &str,
    ) {
        let keys = [&before.0.action.keys, &after.0.action.keys];
        let [mut was, mut is] = Side::both(|p| p.get(before.0), |p| p.get(after.0), keys);
        if before.1 != after.1 {
            (was.scale, is.scale) = (Some(before.1.cloned()), Some(after.1.cloned()));
        }
        if self.piano != piano {
            is.piano = Some(piano.to_owned());
            was.piano = Some(std::mem::replace(&mut self.piano, piano.to_owned()));
        }
        if !is.is_empty() {
            self.push(Edit { name: name.to_owned(), before: was, after: is, ..Edit::default() });
        }
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
            self.fixed = self.fixed.map(|fixed| fixed.saturating_sub(1));
        }
        self.done.push(edit);
    }

    fn push_keys(&mut self, name: &str, sheets: [KeySheet; 2]) {
        if sheets[0] != sheets[1] {
            let [before, after] =
                sheets.map(|sheet| Side { keys: Some(Box::new(sheet)), ..Side::default() });
            let (name, is_of_exercise) = (name.to_owned(), self.fixed.is_some());
            self.push(Edit { name, before, after, is_of_exercise, ..Edit::default() });
        }
    }

    /// An exercise begins: what was done before waits for its end.
    fn begin_exercise(&mut self) {
        self.undone.clear();
        self.fixed = Some(self.done.len());
    }

    /// It ends, and with it what was turned in it.
    fn end_exercise(&mut self) {
        for edits in [&mut self.done, &mut self.undone] {
            edits.retain(|edit| !edit.is_of_exercise);
        }
        self.fixed = None;
    }

    fn push_value(&mut self, parameter: &'static Parameter, values: [f64; 2], nudged: Option<f64>) {
        let [before, after] =
            values.map(|value| Side { values: vec![(parameter, value)], ..Side::default() });
        if values[0].to_bits() != values[1].to_bits() {
            let name = parameter.name.to_owned();
            self.push(Edit { name, before, after, nudged, ..Edit::default() });
        }
    }
}
