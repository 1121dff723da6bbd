//! Touch calibration: three played notes teach the instrument what this keyboard sends.

use egui::{RichText, Ui};

use crate::editor::controls::Controls;
use crate::editor::theme;
use touchback_instrument::Snapshot;
use touchback_instrument::params::find;

/// What is asked to be played, and the parameter set from it.
const LESSONS: [(&str, &str); 3] =
    [("softly", "soft_velocity"), ("moderately", "medium_velocity"), ("loudly", "loud_velocity")];

/// Progress of a calibration.
#[derive(Clone, Copy, Default)]
pub struct CalibrationPanel {
    /// Index of the lesson that waits for a note, and the notes counted before it.
    waiting: Option<(usize, u64)>,
}

impl CalibrationPanel {
    /// A button, and what to play next; each note played is one gesture on one parameter.
    pub fn ui(&mut self, ui: &mut Ui, snapshot: &Snapshot, controls: &mut dyn Controls) {
        if let Some((lesson, before)) = self.waiting
            && snapshot.counts.notes > before
        {
            let value = 127.0 * snapshot.velocity;
            if let Ok(parameter) = find(LESSONS[lesson].1) {
                controls.put(parameter, parameter.quantize(value));
            }
            let next = lesson + 1;
            self.waiting = (next < LESSONS.len()).then_some((next, snapshot.counts.notes));
        }
        match self.waiting {
            None => {
                let button = ui.button("Calibrate this keyboard");
                let hint = "Play three notes: soft, middle, loud. The instrument learns what the \
                            keyboard sends for them.";
                if button.on_hover_text(hint).clicked() {
                    self.waiting = Some((0, snapshot.counts.notes));
                }
            }
            Some((lesson, _)) => {
                ui.horizontal(|ui| {
                    let text = format!("Play a note {} …", LESSONS[lesson].0);
                    ui.label(RichText::new(text).color(theme::accent(ui)).strong());
                    if ui.button("Stop").on_hover_text("Keep what was learnt so far").clicked() {
                        self.waiting = None;
                    }
                });
            }
        }
    }
}
