//! The mechanism from a file: its path, its name, its parameters, and what is wrong with it.

use std::path::Path;
use std::sync::Arc;

use egui::{RichText, Slider, Ui};

use super::heading;
use crate::state::controls::Controls;
use crate::widgets::path_field::{PathField, text};
use crate::widgets::theme;
use touchback_action::ActionKind;
use touchback_core::exchange::file_worker::FileWorker;
use touchback_instrument::host::mechanism::{LoadedMechanism, MechanismText, Parameter, is_named};

/// Time between looks whether a mechanism is built.
const POLL: std::time::Duration = std::time::Duration::from_millis(30);

/// A mechanism that is being built beside the frames.
struct Awaited {
    number: u32,
    source: MechanismText,
    /// Whether a file was opened; else the present one has other values.
    is_opened: bool,
    /// The mechanism when this one was ordered.
    over: Arc<LoadedMechanism>,
}

/// The typed path, a parameter that is being changed, what is being built, and the outcome of the last change.
pub struct MechanismPanel {
    file: PathField,
    /// Id and value of the parameter that is being changed.
    held: Option<(String, f64)>,
    builder: FileWorker<(u32, Arc<LoadedMechanism>)>,
    awaited: Option<Awaited>,
    ordered: u32,
    outcome: String,
}

impl Default for MechanismPanel {
    fn default() -> Self {
        let file = PathField::new("File", "path of a .mechanism.toml file", "toml");
        let builder = FileWorker::default();
        Self { file, held: None, builder, awaited: None, ordered: 0, outcome: String::new() }
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
                self.awaited = None;
                controls.set_mechanism(Arc::default());
                controls.choose_action(ActionKind::Grand);
                self.outcome.clear();
            }
            let shown = match (&self.awaited, name, &*loaded.file) {
                (Some(awaited), ..) => format!("Building the keys of {}…", awaited.source.name),
                (None, Some(name), Some(file)) => format!("{} ({name})", file.title()),
                (None, Some(name), None) => format!("{name}: the grand plays instead"),
                (None, None, _) => "None: the grand plays instead".into(),
            };
            ui.label(RichText::new(shown).color(theme::faint(ui)));
        });
        for error in loaded.fault.iter().chain(Some(&self.outcome).filter(|text| !text.is_empty()))
        {
            ui.label(RichText::new(error).color(theme::accent(ui)));
        }
        if let Some(file) = &*loaded.file {
            let is_opening = self.awaited.as_ref().is_some_and(|awaited| awaited.is_opened);
            ui.add_enabled_ui(!is_opening, |ui| {
                for (at, value) in file.values().iter().enumerate() {
                    self.parameter(ui, (at, &file.parameters()[at]), *value, controls);
                }
            });
        }
    }

    /// Draws a parameter. A change builds all keys anew, so that it holds at the end of a gesture.
    fn parameter(
        &mut self,
        ui: &mut Ui,
        (at, parameter): (usize, &Parameter),
        value: f64,
        controls: &mut dyn Controls,
    ) {
        let id = &parameter.id;
        let held = self.held.as_ref().filter(|(held, _)| held == id).map(|(_, value)| *value);
        let awaited = self.awaited.as_ref().and_then(|awaited| awaited.source.values.get(id));
        let mut shown = held.or(awaited.copied()).unwrap_or(value);
        ui.horizontal(|ui| {
            let automated = format!("Hosts automate it as Mechanism {}.", at + 1);
            let about = format!("{} {}", parameter.about, if at < 8 { &automated } else { "" });
            let label = ui.label(&parameter.name).on_hover_text(about.trim());
            let suffix = match parameter.unit.as_str() {
                "" => String::new(),
                unit => format!(" {unit}"),
            };
            let slider = Slider::new(&mut shown, parameter.min..=parameter.max).suffix(suffix);
            let response = ui.add(slider).labelled_by(label.id);
            if response.changed() {
                self.held = Some((id.clone(), shown));
            }
            let is_over = !response.dragged() && !response.has_focus() || response.drag_stopped();
            if let Some((id, value)) = self.held.take_if(|(held, _)| is_over && held == id) {
                let awaited = self.awaited.as_ref().map(|awaited| awaited.source.clone());
                let source = awaited.or_else(|| controls.mechanism().source.clone());
                if let Some(mut source) = source {
                    source.values.insert(id, value);
                    self.build(source, false, controls);
                }
            }
        });
    }

    /// Lets the keys of `source` be built.
    fn build(&mut self, source: MechanismText, is_opened: bool, controls: &dyn Controls) {
        self.ordered = self.ordered.wrapping_add(1);
        let (number, over) = (self.ordered, controls.mechanism());
        self.awaited = Some(Awaited { number, source: source.clone(), is_opened, over });
        self.builder.order_instead(move || (number, LoadedMechanism::of(source)));
    }

    /// Lets the typed file be loaded.
    fn load(&mut self, controls: &dyn Controls) -> Result<(), String> {
        let path = self.file.path().ok_or("Type the path of a mechanism file first.")?;
        self.open(&path, controls)
    }

    fn open(&mut self, path: &Path, controls: &dyn Controls) -> Result<(), String> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let source = MechanismText { name, text: text(path)?, ..MechanismText::default() };
        self.build(source, true, controls);
        Ok(())
    }

    /// Loads the mechanism files that were dropped on the window, and plays what was built, unless another mechanism
    /// was loaded meanwhile. Call once a frame.
    pub fn follow(&mut self, ctx: &egui::Context, controls: &mut dyn Controls) {
        for file in ctx.input(|input| input.raw.dropped_files.clone()) {
            if is_named(&file.path().to_string_lossy()) {
                self.outcome = self.open(file.path(), controls).err().unwrap_or_default();
            }
        }
        while let Some((number, built)) = self.builder.answer() {
            let Some(awaited) = self.awaited.take_if(|awaited| awaited.number == number) else {
                continue;
            };
            self.outcome = built.fault.clone().unwrap_or_default();
            if built.fault.is_none() && controls.mechanism() == awaited.over {
                controls.set_mechanism(built);
                if awaited.is_opened {
                    controls.choose_action(ActionKind::File);
                }
            }
        }
        if self.builder.is_busy() {
            ctx.request_repaint_after(POLL);
        }
    }

    /// Whether a mechanism is being built.
    #[must_use]
    pub const fn is_busy(&self) -> bool {
        self.builder.is_busy()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::controls::DetachedControls;
    use crate::state::history::{History, Recorded};

    const SAMPLE: &str = include_str!("../../../../../mechanisms/ball.mechanism.toml");

    /// Loads the typed file and waits until it is built.
    fn load(panel: &mut MechanismPanel, controls: &mut dyn Controls) {
        panel.load(controls).unwrap();
        settle(panel, controls);
    }

    fn settle(panel: &mut MechanismPanel, controls: &mut dyn Controls) {
        while panel.is_busy() {
            panel.follow(&egui::Context::default(), controls);
        }
    }

    #[test]
    fn a_loaded_file_plays_and_a_faulty_one_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("own.mechanism.toml");
        std::fs::write(&path, SAMPLE).unwrap();
        let (mut connection, mut history) = (DetachedControls::default(), History::default());
        let mut panel = MechanismPanel::default();
        let mut controls = Recorded { controls: &mut connection, history: &mut history };
        assert!(panel.load(&controls).unwrap_err().contains("path"));
        panel.file.fill(&path.display().to_string());
        load(&mut panel, &mut controls);
        let settings = controls.settings();
        assert_eq!(settings.action.played(), ActionKind::File);
        assert_eq!(settings.action.mechanism.as_ref().unwrap().source().text, SAMPLE);
        std::fs::write(&path, "name = \n").unwrap();
        load(&mut panel, &mut controls);
        assert!(panel.outcome.contains("line 1"), "{}", panel.outcome);
        assert_eq!(controls.settings(), settings);
        // Two changes, the second while the keys of the first are being built.
        let mut source = settings.action.mechanism.as_ref().unwrap().source().clone();
        for (id, value) in [("ball_mass", 0.1), ("spring", 1000.0)] {
            source.values.insert(id.into(), value);
            panel.build(source.clone(), false, &controls);
        }
        settle(&mut panel, &mut controls);
        let changed = controls.settings().action.mechanism.as_ref().unwrap().source().clone();
        assert_eq!(changed, source);
        history.undo(&mut connection);
        assert_eq!(connection.settings, settings);
        // A mechanism that was loaded meanwhile stays.
        panel.build(source, false, &connection);
        connection.set_mechanism(Arc::default());
        settle(&mut panel, &mut connection);
        assert_eq!(connection.mechanism(), Arc::default());
        connection.set_mechanism(LoadedMechanism::playing(
            settings.action.mechanism.as_ref().unwrap().clone(),
        ));
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
