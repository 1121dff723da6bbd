//! Tools: transposition, panic, and export of strokes and of the performance.

use egui::Ui;

use crate::state::controls::Controls;
use crate::state::export;
use crate::state::stroke::Memory;
use crate::views::scope::Scope;
use crate::widgets::path_field::PathField;
use touchback_core::exchange::file_worker::FileWorker;
use touchback_instrument::Event;
use touchback_instrument::host::params::find;
use touchback_instrument::watch::monitor::tape::TimedMessage;

/// State of the panel.
pub struct ToolsPanel {
    file_worker: FileWorker<Result<String, String>>,
    /// Outcome of the last export.
    outcome: Option<Result<String, String>>,
    /// Whether the user has requested to save the performance.
    wants_performance: bool,
    /// The folder of recorded MIDI; the folder of all exports while it is empty.
    folder: PathField,
}

impl Default for ToolsPanel {
    fn default() -> Self {
        Self {
            file_worker: FileWorker::default(),
            outcome: None,
            wants_performance: false,
            folder: PathField::of_folder("Folder of MIDI files", "~/Touchback"),
        }
    }
}

impl ToolsPanel {
    /// Whether the user has requested since the last call to save the performance, by [`Self::save`].
    pub const fn wants_performance(&mut self) -> bool {
        std::mem::replace(&mut self.wants_performance, false)
    }

    /// Saves the performance.
    pub fn save(&mut self, messages: Vec<TimedMessage>) {
        let folder = self.folder.folder().unwrap_or_else(export::folder);
        self.file_worker.order(move || export::performance(&folder, &messages));
    }

    /// The chosen folder of recorded MIDI, as the project saves it; empty for the usual one.
    #[must_use]
    pub fn midi_folder(&self) -> &str {
        self.folder.text()
    }

    /// Sets the folder of recorded MIDI.
    pub fn set_midi_folder(&mut self, text: &str) {
        self.folder.fill(text);
    }

    /// Takes the outcome of a save. Call once a frame.
    pub fn follow(&mut self, ui: &Ui) {
        if let Some(outcome) = self.file_worker.answer() {
            self.outcome = Some(outcome);
        }
        if self.file_worker.is_busy() {
            ui.ctx().request_repaint_after(std::time::Duration::from_millis(20));
        }
    }

    /// Draws the menu of a stroke.
    pub fn stroke(&mut self, ui: &mut Ui, memory: &mut Memory, scope: &Scope) {
        let menu = ui.menu_button("Stroke", |ui| {
            let mut keeps = memory.kept.is_some();
            ui.add_enabled_ui(memory.last.is_some() || keeps, |ui| {
                let checkbox = ui.checkbox(&mut keeps, "Keep this stroke to compare");
                if checkbox
                    .on_hover_text("Draws this stroke dashed with the next strokes")
                    .changed()
                {
                    memory.keep(keeps);
                }
            });
            let Some(stroke) = &memory.last else { return };
            let csv = ui.button("Save CSV").on_hover_text("Every action step, all quantities");
            let png = ui.button("Save PNG").on_hover_text("The scope as a picture");
            if csv.clicked() {
                let stroke = stroke.clone();
                self.file_worker.order(move || export::csv(&export::folder(), &stroke));
            }
            if png.clicked() {
                let (memory, scope) = (memory.clone(), scope.clone());
                let dark = ui.visuals().dark_mode;
                let draw = move || export::png(&export::folder(), &memory, &scope, dark);
                self.file_worker.order(draw);
            }
            super::outcome(ui, self.outcome.as_ref());
        });
        menu.response.on_hover_text("Keep or save the last stroke");
    }

    /// Draws saving of the performance, transposition and panic.
    pub fn ui(&mut self, ui: &mut Ui, play: &mut Vec<Event>, controls: &mut dyn Controls) {
        transpose(ui, controls);
        ui.horizontal_wrapped(|ui| {
            let hint = "The last ten minutes of host, window and motorized keyboard as a MIDI file in the folder \
                        below, from where it can be dragged into the host. They are also kept while this \
                        window is closed.";
            if ui.button("Save what was played as MIDI").on_hover_text(hint).clicked() {
                self.wants_performance = true;
            }
            let panic = ui.button("Panic: stop everything");
            let hint = "Releases every key and pedal and silences all strings";
            if panic.on_hover_text(hint).clicked() {
                play.extend([
                    Event::Sustain(0.0),
                    Event::Sostenuto(0.0),
                    Event::UnaCorda(0.0),
                    Event::Bend(0.0),
                    Event::AllSoundOff,
                ]);
            }
        });
        self.folder.ui(ui);
        if !self.folder.is_empty() && self.folder.folder().is_none() {
            let error =
                Err("A folder's path begins with / or ~/, on Windows with its drive.".to_owned());
            super::outcome(ui, Some(&error));
        }
        super::outcome(ui, self.outcome.as_ref());
    }
}

/// Draws the transposition's buttons.
fn transpose(ui: &mut Ui, controls: &mut dyn Controls) {
    let Ok(parameter) = find("transpose") else { return };
    let value = controls.value(parameter);
    ui.horizontal_wrapped(|ui| {
        ui.label("Transposed by");
        for (name, text, wanted) in [
            ("Octave down", "−12", value - 12.0),
            ("Semitone down", "−1", value - 1.0),
            ("Semitone up", "+1", value + 1.0),
            ("Octave up", "+12", value + 12.0),
        ] {
            let button = ui.small_button(text).on_hover_text(name);
            button.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, name));
            if button.clicked() {
                controls.put(parameter, parameter.quantize(wanted));
            }
        }
        ui.label(parameter.text(value));
    });
}
