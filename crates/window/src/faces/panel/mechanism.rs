//! The mechanism from a file: its path, its name, its parameters, and what is wrong with it.

use std::sync::Arc;

use egui::{RichText, Slider, Ui};

use super::heading;
use crate::state::controls::Controls;
use crate::widgets::path_field::{PathField, text};
use crate::widgets::theme;
use touchback_action::ActionKind;
use touchback_instrument::host::mechanism::{LoadedMechanism, Parameter, is_named};

/// The typed path, a parameter that is being changed, and the outcome of the last change.
pub struct MechanismPanel {
    file: PathField,
    /// Id and value of the parameter that is being changed.
    held: Option<(String, f64)>,
    outcome: String,
}

impl Default for MechanismPanel {
    fn default() -> Self {
        let file = PathField::new("File", "path of a .mechanism.toml file", "toml");
        Self { file, held: None, outcome: String::new() }
    }
}

impl MechanismPanel {
    /// Draws the file and the parameters.
    pub fn ui(&mut self, ui: &mut Ui, controls: &mut dyn Controls) {
        heading(ui, "Mechanism from a file");
        let loaded = controls.mechanism();
        self.file.ui(ui);
        ui.horizontal_wrapped(|ui| {
            if ui.button("Load mechanism").clicked() {
                self.outcome = self.load(controls).err().unwrap_or_default();
            }
            let name = loaded.source.as_ref().map(|source| source.name.as_str());
            if ui.add_enabled(name.is_some(), egui::Button::new("Remove mechanism")).clicked() {
                controls.set_mechanism(Arc::default());
                controls.choose_action(ActionKind::Grand);
                self.outcome.clear();
            }
            let shown = match (name, &*loaded.file) {
                (Some(name), Some(file)) => format!("{} ({name})", file.title()),
                (Some(name), None) => format!("{name}: the grand plays instead"),
                (None, _) => "None: the grand plays instead".into(),
            };
            ui.label(RichText::new(shown).color(theme::faint(ui)));
        });
        for error in loaded.fault.iter().chain(Some(&self.outcome).filter(|text| !text.is_empty()))
        {
            ui.label(RichText::new(error).color(theme::accent(ui)));
        }
        if let Some(file) = &*loaded.file {
            for (parameter, value) in file.parameters().iter().zip(file.values()) {
                self.parameter(ui, parameter, *value, &loaded, controls);
            }
        }
    }

    /// Draws a parameter. A change builds all keys anew, so that it holds at the end of a gesture.
    fn parameter(
        &mut self,
        ui: &mut Ui,
        parameter: &Parameter,
        value: f64,
        loaded: &LoadedMechanism,
        controls: &mut dyn Controls,
    ) {
        let is_held = self.held.as_ref().is_some_and(|(id, _)| *id == parameter.id);
        let mut shown = self.held.as_ref().filter(|_| is_held).map_or(value, |(_, value)| *value);
        ui.horizontal(|ui| {
            let label = ui.label(&parameter.name).on_hover_text(&parameter.about);
            let suffix = match parameter.unit.as_str() {
                "" => String::new(),
                unit => format!(" {unit}"),
            };
            let slider = Slider::new(&mut shown, parameter.min..=parameter.max).suffix(suffix);
            let response = ui.add(slider).labelled_by(label.id);
            if response.changed() {
                self.held = Some((parameter.id.clone(), shown));
            }
            let is_over = !response.dragged() && !response.has_focus() || response.drag_stopped();
            if let Some((id, value)) = self.held.take_if(|(id, _)| is_over && *id == parameter.id) {
                let changed = loaded.file.as_ref().map(|file| file.with(&id, value));
                match changed {
                    Some(Ok(file)) => controls.set_mechanism(LoadedMechanism::playing(file)),
                    Some(Err(error)) => self.outcome = error,
                    None => {}
                }
            }
        });
    }

    /// Loads the typed file.
    fn load(&self, controls: &mut dyn Controls) -> Result<(), String> {
        let path = self.file.path().ok_or("Type the path of a mechanism file first.")?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        controls.open_mechanism(&name, text(&path)?)
    }

    /// Loads the mechanism files that were dropped on the window.
    pub fn follow(&mut self, ui: &Ui, controls: &mut dyn Controls) {
        let dropped = ui.input(|input| input.raw.dropped_files.clone());
        for file in dropped {
            let path = file.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if is_named(&name) {
                let opened = text(path).and_then(|text| controls.open_mechanism(&name, text));
                self.outcome = opened.err().unwrap_or_default();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::controls::DetachedControls;
    use crate::state::history::{History, Recorded};
    use touchback_instrument::host::mechanism::MechanismText;

    const SAMPLE: &str = include_str!("../../../../../mechanisms/ball.mechanism.toml");

    #[test]
    fn a_loaded_file_plays_and_a_faulty_one_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("own.mechanism.toml");
        std::fs::write(&path, SAMPLE).unwrap();
        let (mut connection, mut history) = (DetachedControls::default(), History::default());
        let mut panel = MechanismPanel::default();
        let mut controls = Recorded { controls: &mut connection, history: &mut history };
        assert!(panel.load(&mut controls).unwrap_err().contains("path"));
        panel.file.fill(&path.display().to_string());
        panel.load(&mut controls).unwrap();
        let settings = controls.settings();
        assert_eq!(settings.action.played(), ActionKind::File);
        assert_eq!(settings.action.mechanism.as_ref().unwrap().source().text, SAMPLE);
        std::fs::write(&path, "name = \n").unwrap();
        assert!(panel.load(&mut controls).is_err());
        assert_eq!(controls.settings(), settings);
        // Undo: first the choice of the action, then the file.
        history.undo(&mut connection);
        history.undo(&mut connection);
        assert_eq!(connection.mechanism(), Arc::default());
        assert_eq!(connection.settings.action.action, ActionKind::Grand);
    }

    #[test]
    fn a_file_that_cannot_be_read_is_kept_and_the_grand_plays() {
        let source = MechanismText {
            name: "newer.mechanism.toml".into(),
            text: "new".into(),
            ..MechanismText::default()
        };
        let mut connection = DetachedControls::default();
        connection.set_mechanism(LoadedMechanism::of(source.clone()));
        connection.choose_action(ActionKind::File);
        let loaded = connection.mechanism();
        assert_eq!((loaded.source.as_ref(), loaded.fault.is_some()), (Some(&source), true));
        assert_eq!(connection.settings.action.played(), ActionKind::Grand);
    }
}
