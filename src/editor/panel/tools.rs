//! A player's tools: two settings compared, everything stopped, strokes written to files, looks.

use egui::{RichText, Slider, ThemePreference, Ui};

use super::heading;
use crate::editor::compare::Compare;
use crate::editor::controls::Controls;
use crate::editor::export;
use crate::editor::looks::Looks;
use crate::editor::scope::Scope;
use crate::editor::stroke::Memory;
use crate::editor::theme;
use crate::instrument::{Event, Snapshot};

/// What the tools remember.
#[derive(Clone, Default)]
pub struct Panel {
    /// What the last export came to.
    said: Option<Result<String, String>>,
}

/// What the tools work on.
pub struct Bench<'a> {
    /// Two settings.
    pub compare: &'a mut Compare,
    /// Strokes.
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

impl Panel {
    /// All tools, one below the other.
    pub fn ui(&mut self, ui: &mut Ui, bench: Bench, controls: &mut dyn Controls) {
        let Bench { compare, memory, scope, looks, snapshot, play } = bench;
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
                        self.said = Some(export::csv(&export::folder(), stroke));
                    }
                    if png.clicked() {
                        let dark = ui.visuals().dark_mode;
                        self.said = Some(export::png(&export::folder(), memory, scope, dark));
                    }
                }
            });
        });
        if let Some(said) = &self.said {
            let (text, colour) = match said {
                Ok(text) => (text, ui.visuals().text_color()),
                Err(text) => (text, theme::accent(ui)),
            };
            ui.label(RichText::new(text).small().color(colour));
        }
        ui.add_space(8.0);

        heading(ui, "Instrument");
        let panic = ui.button("Panic: stop everything");
        if panic.on_hover_text("Lets go of every key and silences all strings").clicked() {
            play.extend([Event::Sustain(0.0), Event::AllSoundOff]);
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
            // The slider would run away from the pointer if everything grew while it moves.
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
