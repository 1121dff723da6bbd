//! A player's tools: two settings compared, transposition, everything stopped, strokes and what was
//! played written to files, looks.

use egui::{RichText, Slider, ThemePreference, Ui};

use super::heading;
use crate::editor::compare::Compare;
use crate::editor::controls::Controls;
use crate::editor::export;
use crate::editor::file_worker::FileWorker;
use crate::editor::scope::Scope;
use crate::editor::stroke::Memory;
use crate::editor::theme;
use crate::editor::window_state::Looks;
use crate::instrument::{Event, Snapshot};
use crate::monitor::tape::TimedMessage;
use crate::params::find;

/// State of the panel.
#[derive(Default)]
pub struct ToolsPanel {
    clerk: FileWorker<Result<String, String>>,
    /// Outcome of the last export.
    said: Option<Result<String, String>>,
    /// Saving the performance was asked for.
    wants_performance: bool,
}

/// What the panel reads and changes.
pub struct ToolContext<'a> {
    /// The compared settings A and B.
    pub compare: &'a mut Compare,
    /// The last stroke, and one kept for comparison.
    pub memory: &'a mut Memory,
    /// The scope as it is set.
    pub scope: &'a Scope,
    /// Zoom and colours.
    pub looks: &'a mut Looks,
    /// What the instrument counts.
    pub snapshot: &'a Snapshot,
    /// Events for the instrument.
    pub play: &'a mut Vec<Event>,
}

impl ToolsPanel {
    /// Whether saving was asked for since the last call; the performance goes to [`Self::save`].
    pub const fn wants_performance(&mut self) -> bool {
        std::mem::replace(&mut self.wants_performance, false)
    }

    /// Saves what was played.
    pub fn save(&mut self, heard: Vec<TimedMessage>) {
        self.clerk.order(move || export::performance(&export::folder(), &heard));
    }

    /// All tools, one below the other.
    pub fn ui(&mut self, ui: &mut Ui, bench: ToolContext, controls: &mut dyn Controls) {
        let ToolContext { compare, memory, scope, looks, snapshot, play } = bench;
        if let Some(said) = self.clerk.answer() {
            self.said = Some(said);
        }
        if self.clerk.is_busy() {
            ui.ctx().request_repaint_after(std::time::Duration::from_millis(20));
        }
        heading(ui, "Compare");
        compare.ui(ui, controls);
        ui.add_space(8.0);

        heading(ui, "Stroke");
        let mut keeps = memory.kept.is_some();
        ui.add_enabled_ui(memory.last.is_some() || keeps, |ui| {
            let box_ = ui.checkbox(&mut keeps, "Keep this stroke to compare");
            if box_.on_hover_text("Draws it dashed beside the coming ones").changed() {
                memory.keep(keeps);
            }
        });
        ui.add_enabled_ui(memory.last.is_some(), |ui| {
            ui.horizontal(|ui| {
                let csv = ui.button("Save CSV").on_hover_text("Every action step, all quantities");
                let png = ui.button("Save PNG").on_hover_text("The scope as a picture");
                if let Some(stroke) = &memory.last {
                    if csv.clicked() {
                        let stroke = stroke.clone();
                        self.clerk.order(move || export::csv(&export::folder(), &stroke));
                    }
                    if png.clicked() {
                        let (memory, scope) = (memory.clone(), scope.clone());
                        let dark = ui.visuals().dark_mode;
                        let draw = move || export::png(&export::folder(), &memory, &scope, dark);
                        self.clerk.order(draw);
                    }
                }
            });
        });
        ui.add_space(8.0);

        heading(ui, "What was played");
        let hint = "The last ten minutes, from everywhere, as a MIDI file in the folder Touchback \
                    of your home. They are kept while this window is closed, too.";
        if ui.button("Save as MIDI").on_hover_text(hint).clicked() {
            self.wants_performance = true;
        }
        super::said(ui, self.said.as_ref());
        ui.add_space(8.0);

        heading(ui, "Instrument");
        transpose(ui, controls);
        let panic = ui.button("Panic: stop everything");
        if panic.on_hover_text("Lets go of every key and pedal and silences all strings").clicked()
        {
            play.extend([
                Event::Sustain(0.0),
                Event::Sostenuto(0.0),
                Event::UnaCorda(0.0),
                Event::Bend(0.0),
                Event::AllSoundOff,
            ]);
        }
        let c = &snapshot.counts;
        let text = format!(
            "{} notes, {} strikes, {} silent presses, {} ignored, {} lost; {} keys moving",
            c.notes, c.strikes, c.silent_presses, c.ignored, c.lost, snapshot.awake
        );
        ui.label(RichText::new(text).small().color(theme::faint(ui)));
        ui.add_space(8.0);

        heading(ui, "Looks");
        ui.horizontal(|ui| {
            for (theme, name) in [
                (ThemePreference::System, "System"),
                (ThemePreference::Light, "Light"),
                (ThemePreference::Dark, "Dark"),
            ] {
                ui.selectable_value(&mut looks.theme, theme, name);
            }
        });
        ui.horizontal(|ui| {
            let label = ui.label("Zoom");
            let mut percent = 100.0 * looks.zoom;
            let slider =
                Slider::new(&mut percent, 50.0..=300.0).suffix(" %").step_by(5.0).fixed_decimals(0);
            let response = ui.add(slider).labelled_by(label.id);
            // Zoom follows on release: the slider would move away from the pointer otherwise.
            if response.changed() {
                looks.wanted = Some(percent / 100.0);
            }
            if let Some(zoom) = looks.wanted
                && !response.dragged()
            {
                looks.zoom = zoom;
                looks.wanted = None;
            }
        });
    }
}

/// Transposition by buttons.
fn transpose(ui: &mut Ui, controls: &mut dyn Controls) {
    let Ok(parameter) = find("transpose") else { return };
    let value = controls.value(parameter);
    ui.horizontal(|ui| {
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
