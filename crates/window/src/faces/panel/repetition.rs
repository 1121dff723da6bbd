//! Repetition of the chosen key: strokes per second, misses, double strikes.

use egui::{RichText, Ui};

use crate::state::stroke::repetition::{RATES, Repeated, STROKES, fastest, repeated};
use crate::views::keyboard::name;
use crate::widgets::{control, theme};
use touchback_action::ActionSettings;
use touchback_core::exchange::file_worker::FileWorker;
use touchback_core::math::compass::KeyNumber;

/// A result, and the key and settings that it belongs to.
struct Found {
    key: KeyNumber,
    settings: ActionSettings,
    rate: u32,
    speed: f64,
    repeated: Repeated,
    fastest: Option<u32>,
}

impl Found {
    fn message(&self) -> String {
        let Repeated { sounded, missed, doubled } = self.repeated;
        let up_to = match self.fastest {
            Some(rate) if rate == RATES.1 => format!("at every rate up to {rate} a second"),
            Some(rate) => format!("up to {rate} a second"),
            None => format!("at no rate from {} a second on", RATES.0),
        };
        format!(
            "{}, {STROKES} strokes at {} a second: {sounded} sounded, {missed} missed, {doubled} \
             double. Every stroke sounds once {up_to}.",
            name(self.key),
            self.rate
        )
    }
}

/// State of the trial.
pub(super) struct RepetitionPanel {
    rate: u32,
    speed: f64,
    file_worker: FileWorker<Box<Found>>,
    found: Option<Box<Found>>,
}

impl Default for RepetitionPanel {
    fn default() -> Self {
        Self { rate: 8, speed: 1.5, file_worker: FileWorker::default(), found: None }
    }
}

impl RepetitionPanel {
    pub(super) const fn is_busy(&self) -> bool {
        self.file_worker.is_busy()
    }

    /// Draws rate, hammer speed, and a button that starts a trial on a worker thread.
    pub(super) fn ui(&mut self, ui: &mut Ui, key: KeyNumber, settings: &ActionSettings) {
        if let Some(found) = self.file_worker.answer() {
            self.found = Some(found);
        }
        if self.file_worker.is_busy() {
            ui.ctx().request_repaint_after(std::time::Duration::from_millis(20));
        }
        super::heading(ui, "Repetition");
        ui.horizontal_wrapped(|ui| {
            let label = ui.label("Strokes a second");
            let rates = RATES.0..=RATES.1;
            let rate = control::typed(ui, &mut self.rate, rates, "", |drag| drag.speed(0.05));
            rate.labelled_by(label.id);
            let label = ui.label("at");
            let speed = control::typed(ui, &mut self.speed, 0.3..=4.0, "m/s", |drag| {
                drag.speed(0.02).fixed_decimals(2)
            });
            let speed = speed.labelled_by(label.id);
            speed.on_hover_text("Speed that the same press gives the hammer of a key at rest");
            let tries = ui.add_enabled(!self.is_busy(), egui::Button::new("Try repetition"));
            let hint =
                "A hand strikes the chosen key evenly and releases it once it is down. Silent.";
            if tries.on_hover_text(hint).clicked() {
                let (settings, rate, speed) = (settings.clone(), self.rate, self.speed);
                self.file_worker.order(move || {
                    let repeated = repeated(key, &settings, rate, speed);
                    let fastest = fastest(key, &settings, speed);
                    Box::new(Found { key, settings, rate, speed, repeated, fastest })
                });
            }
        });
        if let Some(found) = &self.found {
            let is_fresh = found.key == key
                && found.settings == *settings
                && found.rate == self.rate
                && found.speed.to_bits() == self.speed.to_bits();
            let colour = if is_fresh { ui.visuals().text_color() } else { theme::faint(ui) };
            ui.label(RichText::new(found.message()).color(colour));
        }
    }
}
