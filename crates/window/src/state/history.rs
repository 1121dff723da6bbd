//! Undo and redo: one edit per gesture, for parameters, whole pianos, scales, the sheet of single keys and
//! the assignment of MIDI controllers.
//!
//! [`Recorded`] wraps the host's [`Controls`] and records what the window changes. Automation and loaded
//! projects are not recorded: undo changes only what still has the value that the edit left.

mod recorded;
#[cfg(test)]
mod tests;

pub use recorded::Recorded;

use std::sync::Arc;

use crate::state::controls::Controls;
use touchback_action::interface::key_sheet::KeySheet;
use touchback_instrument::Settings;
use touchback_instrument::host::mechanism::LoadedMechanism;
use touchback_instrument::host::params::midi_map::MidiMap;
use touchback_instrument::host::params::{Parameter, all};
use touchback_sound::tuning::scala::Texts;

/// Most edits kept: more than a session has.
const MOST: usize = 1000;
/// Names of edits that concern no parameter.
const SCALE: &str = "the scale";
const MECHANISM: &str = "the mechanism";
const SETTINGS: &str = "all settings";
const SHEET: &str = "the sheet of the keys";
const CONTROLLERS: &str = "MIDI controllers";
/// Nudges of one parameter within this time are one edit, s.
const TOGETHER: f64 = 0.8;

/// The values on one side of an edit: before or after it.
#[derive(Clone, Default, Debug)]
struct Side {
    values: Vec<(&'static Parameter, f64)>,
    /// The scale, if the edit changed it.
    scale: Option<Option<Texts>>,
    /// The mechanism from a file, if the edit changed it.
    mechanism: Option<Arc<LoadedMechanism>>,
    /// The sheet of single keys' differences, if the edit changed it.
    keys: Option<KeySheet>,
    /// The assignment of MIDI controllers, if the edit changed it.
    midi: Option<Box<MidiMap>>,
    /// The piano's name, if another was loaded.
    piano: Option<String>,
}

impl Side {
    /// Both sides of the changes of parameters and keys from `was` to `is`.
    fn both(
        was: impl Fn(&'static Parameter) -> f64,
        is: impl Fn(&'static Parameter) -> f64,
        keys: [KeySheet; 2],
    ) -> [Self; 2] {
        let [mut before, mut after] = Self::of(all().map(|p| Gesture(p, was(p), is(p))));
        if keys[0] != keys[1] {
            [before.keys, after.keys] = keys.map(Some);
        }
        [before, after]
    }

    /// Both sides of `changes`, without those that change nothing.
    fn of(changes: impl Iterator<Item = Gesture>) -> [Self; 2] {
        let changes: Vec<Gesture> =
            changes.filter(|change| change.1.to_bits() != change.2.to_bits()).collect();
        let side = |at: fn(&Gesture) -> f64| Self {
            values: changes.iter().map(|change| (change.0, at(change))).collect(),
            ..Self::default()
        };
        [side(|change| change.1), side(|change| change.2)]
    }

    /// Whether the side holds no value.
    const fn is_empty(&self) -> bool {
        self.values.is_empty()
            && self.scale.is_none()
            && self.mechanism.is_none()
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
    /// Time of the last nudge, s.
    nudged: Option<f64>,
    /// Whether the edit belongs to an exercise and ends with it.
    is_of_exercise: bool,
}

/// An open gesture: its parameter, the value before, the value now.
#[derive(Clone, Debug)]
struct Gesture(&'static Parameter, f64, f64);

/// The edits made in this window, and the name of the loaded piano.
#[derive(Clone, Default, Debug)]
pub struct History {
    /// Name of the piano loaded last; empty before the first.
    pub piano: String,
    /// The window's clock, s.
    pub now: f64,
    done: Vec<Edit>,
    undone: Vec<Edit>,
    open: Vec<Gesture>,
    /// The sheet of the keys at the beginning of an open gesture.
    open_keys: Option<KeySheet>,
    /// Number of edits before the current exercise, which cannot be undone until it ends.
    undo_limit: Option<usize>,
}

impl History {
    /// Name of the edit that [`Self::undo`] would undo.
    #[must_use]
    pub(crate) fn undoes(&self) -> Option<&str> {
        let edit = self.done.last().filter(|_| self.done.len() > self.undo_limit.unwrap_or(0));
        edit.map(|edit| edit.name.as_str())
    }

    /// Name of the edit that [`Self::redo`] would redo.
    #[must_use]
    pub(crate) fn redoes(&self) -> Option<&str> {
        self.undone.last().map(|edit| edit.name.as_str())
    }

    /// Undoes the last edit. Returns the names of values that stay because automation or a loaded project
    /// has changed them since.
    pub fn undo(&mut self, controls: &mut dyn Controls) -> Vec<&'static str> {
        if self.undoes().is_none() {
            return Vec::new();
        }
        let Some(edit) = self.done.pop() else { return Vec::new() };
        let left = self.apply(&edit.after, &edit.before, controls);
        self.undone.push(edit);
        left
    }

    /// Redoes the edit that was undone last. Returns the names of values that stay, as [`Self::undo`] does.
    pub(crate) fn redo(&mut self, controls: &mut dyn Controls) -> Vec<&'static str> {
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
        for ((parameter, value), (_, expected)) in side.values.iter().zip(&from.values) {
            // Compared in the precision of a host.
            let [present, wanted, expected] =
                [controls.value(parameter), *value, *expected].map(|v| parameter.quantize(v));
            if present.to_bits() == wanted.to_bits() {
                continue;
            }
            if present.to_bits() == expected.to_bits() {
                controls.put(parameter, *value);
            } else {
                left.push(parameter.name);
            }
        }
        if let (Some(scale), Some(expected)) = (&side.scale, &from.scale) {
            if controls.texts() == *expected {
                // These texts were accepted before, so they are valid.
                let _ = controls.tune(scale.clone());
            } else {
                left.push(SCALE);
            }
        }
        if let (Some(mechanism), Some(expected)) = (&side.mechanism, &from.mechanism) {
            if controls.mechanism() == *expected {
                controls.set_mechanism(mechanism.clone());
            } else {
                left.push(MECHANISM);
            }
        }
        if let (Some(keys), Some(expected)) = (&side.keys, &from.keys) {
            if controls.keys() == *expected {
                controls.set_keys(keys);
            } else {
                left.push(SHEET);
            }
        }
        if let (Some(map), Some(expected)) = (&side.midi, &from.midi) {
            if controls.midi_map() == **expected {
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

    /// Records a change of the controllers' assignment from `maps[0]` to `maps[1]`.
    pub fn push_midi(&mut self, maps: [MidiMap; 2]) {
        if maps[0] != maps[1] {
            let side = |map| Side { midi: Some(Box::new(map)), ..Side::default() };
            self.push_sides(CONTROLLERS, maps.map(side));
        }
    }

    /// Records that this piano, with the settings `before`, has become a copy of another one called `piano`,
    /// with its settings and scale.
    pub(crate) fn push_copy(
        &mut self,
        name: &str,
        before: (&Settings, Option<&Texts>),
        after: (&Settings, Option<&Texts>),
        piano: &str,
    ) {
        let keys = [before.0.key_sheet(), after.0.key_sheet()];
        let [mut was, mut is] = Side::both(|p| p.get(before.0), |p| p.get(after.0), keys);
        if before.1 != after.1 {
            (was.scale, is.scale) = (Some(before.1.cloned()), Some(after.1.cloned()));
        }
        if self.piano != piano {
            is.piano = Some(piano.to_owned());
            was.piano = Some(std::mem::replace(&mut self.piano, piano.to_owned()));
        }
        self.push_sides(name, [was, is]);
    }

    /// Records the edit `name` with these sides, unless they are empty.
    fn push_sides(&mut self, name: &str, [before, after]: [Side; 2]) {
        if !after.is_empty() {
            self.push(Edit { name: name.to_owned(), before, after, ..Edit::default() });
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
            self.undo_limit = self.undo_limit.map(|undo_limit| undo_limit.saturating_sub(1));
        }
        self.done.push(edit);
    }

    fn push_keys(&mut self, name: &str, sheets: [KeySheet; 2]) {
        if sheets[0] != sheets[1] {
            let [before, after] = sheets.map(|sheet| Side { keys: Some(sheet), ..Side::default() });
            let (name, is_of_exercise) = (name.to_owned(), self.undo_limit.is_some());
            self.push(Edit { name, before, after, is_of_exercise, ..Edit::default() });
        }
    }

    /// Begins an exercise: earlier edits cannot be undone until its end.
    fn begin_exercise(&mut self) {
        self.undone.clear();
        self.undo_limit = Some(self.done.len());
    }

    /// Ends the exercise and drops its edits.
    fn end_exercise(&mut self) {
        for edits in [&mut self.done, &mut self.undone] {
            edits.retain(|edit| !edit.is_of_exercise);
        }
        self.undo_limit = None;
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
