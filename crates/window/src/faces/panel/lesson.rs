//! The exercise on the face of the keys: symptoms and causes, the key's own screws, the result.

use egui::{CollapsingHeader, Grid, RichText, Ui};

use crate::faces::lesson::{FAULTS, Lesson, Verdict};
use crate::state::controls::Controls;
use crate::views::keyboard::name;
use crate::widgets::control::{self, gesture};
use crate::widgets::theme;
use touchback_action::interface::key_sheet::{KeySheet, QUANTITIES};
use touchback_core::math::compass::KeyNumber;

/// State of the exercises.
pub(super) struct LessonPanel {
    /// Number of the current exercise, or of the next one.
    number: u64,
    lesson: Option<Lesson>,
    /// Whether the fault has been shown.
    is_disclosed: bool,
    /// The learner's sheet, while the piano plays with the sheet from before.
    own_sheet: Option<KeySheet>,
    outcome: Option<Result<String, String>>,
}

impl Default for LessonPanel {
    fn default() -> Self {
        Self { number: 1, lesson: None, is_disclosed: false, own_sheet: None, outcome: None }
    }
}

impl LessonPanel {
    /// Whether there is an exercise. It also ends when a piano or a sheet of keys is loaded.
    pub(super) fn is_active(&mut self, controls: &dyn Controls) -> bool {
        if controls.exercised().is_none() {
            (self.lesson, self.own_sheet) = (None, None);
        }
        self.lesson.is_some()
    }

    /// Begins the exercise of the current number: a fault in `key`.
    pub(super) fn hide_fault(&mut self, key: KeyNumber, controls: &mut dyn Controls) {
        let lesson = Lesson::new(self.number, key, &controls.keys());
        controls.begin_exercise(&lesson.faulty());
        *self = Self { number: self.number, lesson: Some(lesson), ..Self::default() };
    }

    /// Draws the number and the button that hide a fault in the chosen key.
    pub(super) fn begin(&mut self, ui: &mut Ui, key: KeyNumber, controls: &mut dyn Controls) {
        let hint = "Hides a fault in the chosen key: find it with the bench and by ear, and \
             correct it with the key's own screws. The fault stays in the piano until the exercise \
             ends";
        if ui.button("Find a fault").on_hover_text(hint).clicked() {
            self.hide_fault(key, controls);
        }
        let label = ui.label("Exercise");
        let number = control::typed(ui, &mut self.number, 1..=9999, "", |drag| drag.speed(0.05));
        number.labelled_by(label.id);
    }

    /// Draws the current exercise.
    pub(super) fn ui(&mut self, ui: &mut Ui, controls: &mut dyn Controls) {
        let Some(lesson) = self.lesson.clone() else { return };
        super::heading(
            ui,
            &format!("Exercise {}: {} has a fault", lesson.number, name(lesson.key)),
        );
        ui.label(
            "Weigh the key at the right, try its repetition, play it, and compare it with a neighbour: \
             a click on the keyboard below chooses one. Then turn the screw that you suspect.",
        );
        ui.add_space(4.0);
        let sheet = controls.keys();
        if sheet != *lesson.before() {
            // Undo has restored the learner's sheet.
            self.own_sheet = None;
        }
        let is_editable = self.own_sheet.is_none();
        Grid::new("screws").num_columns(2).spacing(egui::vec2(12.0, 3.0)).show(ui, |ui| {
            for (q, quantity) in QUANTITIES.iter().enumerate() {
                let label = ui.label(quantity.name);
                let (mut value, range) = (lesson.turned(&sheet, q), Lesson::range(q));
                let drag = ui.add_enabled_ui(is_editable, |ui| {
                    control::typed(ui, &mut value, -range..=range, quantity.unit, |drag| {
                        drag.speed(quantity.step).custom_formatter(|v, _| format!("{v:+.3}"))
                    })
                });
                let drag = drag.inner.labelled_by(label.id);
                if drag.changed() {
                    self.outcome = None;
                }
                let turned = lesson.turn(&sheet, q, value);
                gesture::follow_sheet(&drag, controls, &turned, "exercise");
                ui.end_row();
            }
        });
        ui.add_space(4.0);
        ui.horizontal_wrapped(|ui| {
            if ui.add_enabled(is_editable, egui::Button::new("Is it corrected?")).clicked() {
                self.outcome = Some(message(lesson.verdict(&controls.keys())));
            }
            if ui.button("Show the fault").clicked() {
                self.is_disclosed = true;
            }
            let text = if self.own_sheet.is_some() { "Back to mine" } else { "Compare in order" };
            let hint = "Switches between the key before the exercise and the key now, to hear and weigh both";
            if ui.button(text).on_hover_text(hint).clicked() {
                let current = controls.keys();
                match self.own_sheet.take() {
                    Some(own_sheet) => put(controls, &own_sheet),
                    None => {
                        put(controls, lesson.before());
                        self.own_sheet = Some(current);
                    }
                }
            }
            if ui.button("Begin again").clicked() {
                put(controls, &lesson.faulty());
                (self.own_sheet, self.outcome) = (None, None);
            }
            if ui.button("End the exercise").on_hover_text("Every key as it was before").clicked() {
                controls.end_exercise();
            }
        });
        super::outcome(ui, self.outcome.as_ref());
        if self.is_disclosed {
            let fault = lesson.fault();
            let text = format!("{}. {}. Remedy: {}.", fault.name, fault.symptom, fault.remedy);
            ui.label(RichText::new(text).color(theme::accent(ui)));
        }
        CollapsingHeader::new("Symptoms and causes").default_open(true).show(ui, table);
    }
}

/// Changes the sheet as one gesture.
fn put(controls: &mut dyn Controls, sheet: &KeySheet) {
    controls.begin_keys();
    controls.set_keys(sheet);
    controls.end_keys("exercise");
}

fn message(verdict: Verdict) -> Result<String, String> {
    match verdict {
        Verdict::Corrected => {
            Ok("Corrected: the key is in order, and nothing else was moved.".into())
        }
        Verdict::StillThere => Err("Not yet: the key still differs from its state before.".into()),
        Verdict::ButMoved(q) => Err(format!(
            "The fault is corrected, but {} was moved too, by more than a key may differ.",
            QUANTITIES[q].name.to_lowercase()
        )),
    }
}

/// Draws the table of symptoms, causes and repairs.
fn table(ui: &mut Ui) {
    for fault in &FAULTS {
        ui.label(RichText::new(fault.symptom).small());
        let cause = format!("    {} – {}", fault.name.to_lowercase(), fault.remedy.to_lowercase());
        ui.label(RichText::new(cause).small().color(theme::faint(ui)));
    }
}
