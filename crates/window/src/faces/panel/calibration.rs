//! Touch calibration: sets the instrument's velocity curve by three played notes.

use egui::{RichText, Ui};

use crate::state::controls::Controls;
use crate::widgets::theme;
use touchback_instrument::Snapshot;
use touchback_instrument::host::params::find;

/// The requested notes, and the parameter that each sets.
const STEPS: [(&str, &str); 3] =
    [("softly", "soft_velocity"), ("moderately", "medium_velocity"), ("loudly", "loud_velocity")];

/// Progress of a calibration.
#[derive(Clone, Copy, Default)]
pub struct CalibrationPanel {
    /// Index of the step that waits for a note, and the number of notes counted before.
    waiting: Option<(usize, u64)>,
}

impl CalibrationPanel {
    /// Draws a button, and the next note to play. Each played note is one gesture on one parameter.
    pub fn ui(&mut self, ui: &mut Ui, snapshot: &Snapshot, controls: &mut dyn Controls) {
        if let Some((step, before)) = self.waiting
            && snapshot.counts.notes > before
        {
            let value = 127.0 * snapshot.velocity;
            if let Ok(parameter) = find(STEPS[step].1) {
                controls.put(parameter, parameter.quantize(value));
            }
            let next = step + 1;
            self.waiting = (next < STEPS.len()).then_some((next, snapshot.counts.notes));
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
            Some((step, _)) => {
                ui.horizontal_wrapped(|ui| {
                    let text = format!("Play a note {} …", STEPS[step].0);
                    ui.label(RichText::new(text).color(theme::accent(ui)).strong());
                    if ui
                        .button("Stop")
                        .on_hover_text("Keep the velocities learned so far")
                        .clicked()
                    {
                        self.waiting = None;
                    }
                });
            }
        }
    }
}
