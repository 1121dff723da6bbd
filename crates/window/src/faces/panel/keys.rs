//! The face of the 88 keys: their differences, the resulting let-off, and measurements of the chosen key.

use egui::{ComboBox, Panel, Ui};

use super::bench::Bench;
use super::lesson::LessonPanel;
use super::regulation::{RegulationPanel, is_of_keys};
use super::repetition::RepetitionPanel;
use super::sheet_file::SheetFile;
use crate::faces::face::Face;
use crate::state::controls::Controls;
use crate::views::key_curve::{KeyCurve, Reach};
use crate::views::keyboard::name;
use crate::widgets::control::{self, gesture};
use crate::widgets::theme;
use touchback_action::grand::key::weigh::Weighed;
use touchback_action::interface::key_sheet::{KeySheet, QUANTITIES};
use touchback_action::{ActionKind, ActionSettings};
use touchback_core::math::compass::KeyNumber;
use touchback_instrument::host::params::all;

/// Height of the curve in a small window, points.
const SMALL_CURVE: f32 = 170.0;

/// State of the face.
#[derive(Default)]
pub struct KeysFace {
    curve: KeyCurve,
    bench: Bench,
    repetition: RepetitionPanel,
    sheet: SheetFile,
    lesson: LessonPanel,
}

impl KeysFace {
    /// Draws the face. A click into the curve chooses a key.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        regulation: &mut RegulationPanel,
        chosen: &mut KeyNumber,
        face: &mut Face,
        controls: &mut dyn Controls,
    ) {
        let settings = controls.settings().action;
        if settings.played() != ActionKind::Grand {
            ui.horizontal_wrapped(|ui| face.pages(ui));
            ui.label("The chosen action has no regulation: choose the grand on the page Action.");
            return;
        }
        if theme::is_small(ui.ctx()) {
            super::scrolled(ui, |ui| {
                if self.lesson.is_active(controls) {
                    ui.horizontal_wrapped(|ui| face.pages(ui));
                    self.lesson.ui(ui, controls);
                } else {
                    self.switches(ui, *chosen, face, controls);
                    self.curve.ui(ui, SMALL_CURVE, chosen, controls);
                }
                self.bench(ui, *chosen, &settings, controls);
            });
            return;
        }
        let width = (0.36 * ui.available_width()).clamp(324.0, theme::size(ui) * 372.0);
        Panel::right("bench").resizable(false).exact_size(width).show(ui, |ui| {
            super::scrolled(ui, |ui| self.bench(ui, *chosen, &settings, controls));
        });
        if self.lesson.is_active(controls) {
            ui.horizontal(|ui| face.pages(ui));
            // The curves would show the fault.
            super::scrolled(ui, |ui| self.lesson.ui(ui, controls));
            return;
        }
        self.switches(ui, *chosen, face, controls);
        let room = (ui.available_height() - theme::size(ui) * 48.0).max(120.0);
        self.curve.ui(ui, 0.55 * room, chosen, controls);
        let measured = self.bench.measured(ui, *chosen, &settings).copied();
        regulation.curves(ui, 0.45 * room, *chosen, measured.as_ref(), controls);
    }

    /// Draws bench, repetition, sheet and unevenness.
    fn bench(
        &mut self,
        ui: &mut Ui,
        chosen: KeyNumber,
        settings: &ActionSettings,
        controls: &mut dyn Controls,
    ) {
        self.bench.ui(ui, chosen, settings);
        ui.add_space(6.0);
        self.repetition.ui(ui, chosen, settings);
        self.sheet.ui(ui, controls);
        super::heading(ui, "Unevenness");
        let parts = all().filter(|p| is_of_keys(p));
        control::rows(ui, "unevenness", parts, control::DENSE, controls);
    }

    /// Begins an exercise with a fault in `key`, unless there is one.
    pub(crate) fn hide_fault(&mut self, key: KeyNumber, controls: &mut dyn Controls) {
        if !self.lesson.is_active(controls) {
            self.lesson.hide_fault(key, controls);
        }
    }

    /// The measurements of `key` under `settings`; none until they are taken.
    pub fn measured(
        &mut self,
        ui: &Ui,
        key: KeyNumber,
        settings: &ActionSettings,
    ) -> Option<&Weighed> {
        self.bench.measured(ui, key, settings)
    }

    /// Takes the bench's results since the last frame.
    pub fn follow(&mut self) {
        self.bench.follow();
    }

    /// Whether a key is being measured or tried, or a sheet is being read.
    #[must_use]
    pub const fn is_busy(&self) -> bool {
        self.bench.is_busy() || self.repetition.is_busy() || self.sheet.is_busy()
    }

    /// Draws the choice of quantity and keys, the chosen key's number, and a button that makes all keys even.
    fn switches(
        &mut self,
        ui: &mut Ui,
        key: KeyNumber,
        face: &mut Face,
        controls: &mut dyn Controls,
    ) {
        ui.horizontal_wrapped(|ui| {
            face.pages(ui);
            let label = ui.label("Quantity");
            let combo = ComboBox::from_id_salt("quantity")
                .selected_text(QUANTITIES[self.curve.quantity].name)
                .width((theme::size(ui) * 150.0).min(ui.available_width() - 16.0));
            let inner = combo.show_ui(ui, |ui| {
                for (index, quantity) in QUANTITIES.iter().enumerate() {
                    ui.selectable_value(&mut self.curve.quantity, index, quantity.name);
                }
            });
            inner.response.labelled_by(label.id);
            for (reach, text) in Reach::NAMES {
                ui.selectable_value(&mut self.curve.reach, reach, text);
            }
            let quantity = &QUANTITIES[self.curve.quantity];
            let sheet = controls.keys();
            let mut value = sheet.action.get(key, self.curve.quantity);
            let most = 127.0 * quantity.step;
            let label = ui.label(name(key));
            let drag = control::typed(ui, &mut value, -most..=most, quantity.unit, |drag| {
                drag.speed(quantity.step)
            });
            let drag = drag.labelled_by(label.id);
            let moved = self.curve.moved(&sheet, key, value);
            gesture::follow_sheet(&drag, controls, &moved, quantity.name);
            let even = ui.add_enabled(!sheet.is_even(), egui::Button::new("All even"));
            if even.on_hover_text("No key differs in anything").clicked() {
                controls.set_keys(&KeySheet::EVEN);
            }
            ui.separator();
            self.lesson.begin(ui, key, controls);
        });
    }
}
