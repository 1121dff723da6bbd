//! Pianos A and B, each with its own history of edits.

use std::sync::Arc;

use egui::Ui;

use crate::state::controls::Controls;
use crate::state::history::{History, Recorded};
use touchback_instrument::Settings;
use touchback_instrument::host::mechanism::LoadedMechanism;
use touchback_sound::tuning::scala::Texts;

/// The inactive piano.
#[derive(Clone, Debug)]
struct PianoState {
    settings: Settings,
    texts: Option<Texts>,
    mechanism: Arc<LoadedMechanism>,
    history: History,
}

/// Which piano is active, and the inactive one.
#[derive(Clone, Debug, Default)]
pub struct Compare {
    is_b: bool,
    other: Option<PianoState>,
}

impl Compare {
    /// Draws buttons A and B, and one that copies the active piano to the other. Changes through `controls`
    /// are not recorded: an edit can be undone only on the piano it was made on.
    pub fn ui(&mut self, ui: &mut Ui, controls: &mut dyn Controls, history: &mut History) {
        for (is_b, name) in [(false, "A"), (true, "B")] {
            let label = ui.selectable_label(self.is_b == is_b, name);
            let hint = format!("Play with the settings {name}");
            let info =
                || egui::WidgetInfo::selected(egui::Role::Button, true, self.is_b == is_b, &hint);
            label.widget_info(info);
            if label.on_hover_text(&hint).clicked() && self.is_b != is_b {
                self.swap(controls, history);
            }
        }
        let name = if self.is_b { "Copy B to A" } else { "Copy A to B" };
        let copy = ui.button("Copy");
        copy.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, name));
        let hint = format!("{name}: make both equal. Undo on the other one reverts it");
        if copy.on_hover_text(hint).clicked() {
            self.copy(controls, history, if self.is_b { "a copy of B" } else { "a copy of A" });
        }
    }

    /// Copies the active piano to the other one, as an edit of the other's history, called `name`.
    fn copy(&mut self, controls: &mut dyn Controls, history: &mut History, name: &str) {
        Recorded { controls, history }.end_exercise();
        let mut present = state(controls, history.clone());
        if let Some(mut other) = self.other.take() {
            let before = (&other.settings, other.texts.as_ref());
            let after = (&present.settings, present.texts.as_ref());
            other.history.push_copy(name, before, after, &history.piano);
            present.history = other.history;
        }
        self.other = Some(present);
    }

    /// Switches to the other piano, which equals the active one until one of them is changed.
    pub fn swap(&mut self, controls: &mut dyn Controls, history: &mut History) {
        // The exercise's fault is in this piano's keys only.
        Recorded { controls, history }.end_exercise();
        let present = state(controls, history.clone());
        if let Some(other) = self.other.replace(present) {
            controls.recall(&other.settings, None);
            if controls.texts() != other.texts {
                // These texts were accepted before, so they are valid.
                let _ = controls.tune(other.texts);
            }
            if controls.mechanism() != other.mechanism {
                controls.set_mechanism(other.mechanism);
            }
            *history = other.history;
        }
        self.is_b = !self.is_b;
    }
}

fn state(controls: &dyn Controls, history: History) -> PianoState {
    let (texts, mechanism) = (controls.texts(), controls.mechanism());
    PianoState { settings: controls.settings(), texts, mechanism, history }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::controls::DetachedControls;
    use touchback_instrument::host::params::find;

    #[test]
    fn both_pianos_keep_their_edits_when_switched() {
        let (mut connection, mut compare) = (DetachedControls::default(), Compare::default());
        let mut history = History::default();
        let blow = find("blow_mm").unwrap();
        let put = |connection: &mut DetachedControls, history: &mut History, value: f64| {
            Recorded { controls: connection, history }.put(blow, value);
        };
        put(&mut connection, &mut history, 44.0);
        compare.swap(&mut connection, &mut history);
        assert_eq!(connection.value(blow), 44.0);
        put(&mut connection, &mut history, 50.0);
        for expected in [44.0, 50.0, 44.0] {
            compare.swap(&mut connection, &mut history);
            assert_eq!(connection.value(blow), expected);
        }
        history.undo(&mut connection);
        assert_eq!((connection.value(blow), history.undoes()), (blow.default_value(), None));
        compare.swap(&mut connection, &mut history);
        history.undo(&mut connection);
        assert_eq!(connection.value(blow), 44.0);
    }

    #[test]
    fn a_copy_is_undone_on_the_piano_it_was_made_to() {
        let (mut connection, mut compare) = (DetachedControls::default(), Compare::default());
        let mut history = History::default();
        let blow = find("blow_mm").unwrap();
        compare.swap(&mut connection, &mut history);
        Recorded { controls: &mut connection, history: &mut history }.put(blow, 50.0);
        compare.swap(&mut connection, &mut history);
        Recorded { controls: &mut connection, history: &mut history }.put(blow, 44.0);
        compare.copy(&mut connection, &mut history, "a copy of A");
        compare.swap(&mut connection, &mut history);
        assert_eq!((connection.value(blow), history.undoes()), (44.0, Some("a copy of A")));
        for expected in [50.0, blow.default_value()] {
            assert!(history.undo(&mut connection).is_empty());
            assert_eq!(connection.value(blow), expected);
        }
        for expected in [50.0, 44.0] {
            assert!(history.redo(&mut connection).is_empty());
            assert_eq!(connection.value(blow), expected);
        }
        compare.swap(&mut connection, &mut history);
        assert_eq!((connection.value(blow), history.undoes()), (44.0, Some("Blow distance")));
    }
}
