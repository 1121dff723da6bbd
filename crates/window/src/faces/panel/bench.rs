//! The technician's bench: measurements of the chosen key by weights, gauge and rule, now and before.

use egui::{Grid, RichText, Ui};

use crate::state::export;
use crate::views::keyboard::name;
use crate::widgets::theme;
use touchback_action::ActionSettings;
use touchback_action::grand::key::weigh::{FIGURES, Weighed};
use touchback_core::exchange::file_worker::FileWorker;
use touchback_core::math::compass::KeyNumber;

/// Height of a figure's row, points.
const ROW: f32 = 17.0;

/// Why set and measured distances differ.
const REASON: &str = "Distances are those of one slow press. Screws are set for parts at rest without friction: \
                      let-off and drop differ from their settings by some 0.1 mm.";

/// Measurements, and the key and settings that they belong to.
#[derive(Clone)]
struct Found {
    key: KeyNumber,
    settings: ActionSettings,
    weighed: Weighed,
}

/// Results of the worker.
enum Answer {
    Weighed(Box<Found>),
    Saved(Result<String, String>),
}

/// State of the bench.
#[derive(Default)]
pub struct Bench {
    file_worker: FileWorker<Answer>,
    now: Option<Found>,
    before: Option<Found>,
    outcome: Option<Result<String, String>>,
}

impl Bench {
    /// Whether a key is being measured.
    #[must_use]
    pub const fn is_busy(&self) -> bool {
        self.file_worker.is_busy()
    }

    /// Takes the worker's results since the last frame, on every face: a measurement outlives the face that ordered
    /// it.
    pub fn follow(&mut self) {
        while let Some(answer) = self.file_worker.answer() {
            match answer {
                Answer::Weighed(found) => self.now = Some(*found),
                Answer::Saved(outcome) => self.outcome = Some(outcome),
            }
        }
    }

    /// The figures of `key` under `settings`, which are measured on a worker thread; none until they are.
    pub fn measured(
        &mut self,
        ui: &Ui,
        key: KeyNumber,
        settings: &ActionSettings,
    ) -> Option<&Weighed> {
        self.follow();
        let is_of = |found: &Found| found.key == key && found.settings == *settings;
        let is_fresh = self.now.as_ref().is_some_and(is_of);
        if !is_fresh && !self.file_worker.is_busy() {
            let settings = settings.clone();
            self.file_worker.order(move || {
                let weighed = Weighed::of(key, &settings);
                Answer::Weighed(Box::new(Found { key, settings, weighed }))
            });
        }
        if self.file_worker.is_busy() {
            ui.ctx().request_repaint_after(std::time::Duration::from_millis(20));
        }
        self.now.as_ref().filter(|_| is_fresh).map(|found| &found.weighed)
    }

    /// Draws the figures of `key` under `settings`.
    pub fn ui(&mut self, ui: &mut Ui, key: KeyNumber, settings: &ActionSettings) {
        let is_fresh = self.measured(ui, key, settings).is_some();
        ui.label(RichText::new(format!("Bench: {}", name(key))).heading());
        ui.horizontal_wrapped(|ui| {
            let kept = self.before.is_some();
            let text = if kept { "Forget before" } else { "Keep as before" };
            let hint = "Keeps these figures in a separate column, to compare them with later ones";
            if ui.button(text).on_hover_text(hint).clicked() {
                self.before = if kept { None } else { self.now.clone() };
            }
            let is_ready = is_fresh && !self.file_worker.is_busy();
            let both = ui.add_enabled(is_ready, egui::Button::new("Save before and after"));
            let hint = "Writes this table as CSV and SVG into the folder Touchback of your home";
            if both.on_hover_text(hint).clicked()
                && let Some(Found { weighed, .. }) = self.now
            {
                let before = self.before.as_ref().filter(|before| before.key == key).map(|b| b.weighed);
                self.file_worker.order(move || {
                    let folder = export::folder();
                    Answer::Saved(export::bench(&folder, key, before.as_ref(), &weighed))
                });
            }
            let sheet = ui.button("Save sheet of 88 keys");
            let hint = "Weighs every key and writes the figures as CSV into the folder Touchback of \
                        your home";
            if sheet.on_hover_text(hint).clicked() {
                let settings = settings.clone();
                self.file_worker.order(move || Answer::Saved(export::weights(&export::folder(), &settings)));
            }
        });
        super::outcome(ui, self.outcome.as_ref());
        let colour = if is_fresh { ui.visuals().text_color() } else { theme::faint(ui) };
        let grid = Grid::new("bench").num_columns(4).min_row_height(theme::size(ui) * ROW);
        grid.spacing(egui::vec2(10.0, 1.0)).show(ui, |ui| {
            for figure in &FIGURES {
                ui.label(figure.name);
                let text = |found: &Option<Found>| match found {
                    None => "–".to_owned(),
                    Some(Found { weighed, .. }) => match weighed.missing(figure) {
                        Some(reason) => reason.to_owned(),
                        None => format!("{:.2} {}", (figure.get)(weighed), figure.unit),
                    },
                };
                let mut now = text(&self.now);
                if let Some(set) = figure.set.filter(|_| self.before.is_none()) {
                    now = format!("{now} (set {:.2})", set(&settings.of(key)));
                }
                ui.label(RichText::new(now).color(colour));
                if let Some(before) = &self.before {
                    let was = text(&self.before);
                    ui.label(RichText::new(format!("before {was}")).color(theme::faint(ui)));
                    if let (Some(pitch), Some(now)) = (figure.pitch_mm, &self.now) {
                        let turns =
                            ((figure.get)(&now.weighed) - (figure.get)(&before.weighed)) / pitch;
                        let text = format!("{turns:+.2} turns");
                        ui.label(RichText::new(text).color(theme::faint(ui)));
                    }
                }
                ui.end_row();
            }
        });
        // Always there, so that nothing below moves while a control is dragged.
        ui.label(RichText::new(REASON).small().color(theme::faint(ui)));
    }
}
