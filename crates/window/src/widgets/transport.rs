//! The shown time: live, or a time of the last stroke, with replay in slow motion.

use egui::{Slider, Ui};

use crate::state::stroke::Stroke;
use crate::widgets::theme;

/// Slow motions: factors by which a replay is slower than real time.
pub(crate) const SLOWNESS: [u32; 5] = [1, 10, 50, 200, 1000];

/// The shown time and its progress.
#[derive(Clone, Debug)]
pub struct Transport {
    /// Whether the live state is shown instead of the last stroke.
    pub is_live: bool,
    /// Whether the stroke is being replayed.
    pub runs: bool,
    /// Shown time, s from the strike.
    pub time: f64,
    /// Factor by which the replay is slower than real time.
    pub slowness: u32,
}

impl Default for Transport {
    fn default() -> Self {
        Self { is_live: true, runs: false, time: 0.0, slowness: 50 }
    }
}

impl Transport {
    /// Stops the replay at `time` s of the stroke.
    pub(crate) const fn scrub(&mut self, time: f64) {
        self.is_live = false;
        self.runs = false;
        self.time = time;
    }

    /// Replays the stroke from its beginning.
    pub fn replay(&mut self, stroke: &Stroke) {
        self.is_live = false;
        self.runs = true;
        self.time = stroke.span().0;
    }

    /// Advances by `dt` s of real time.
    pub fn advance(&mut self, dt: f64, stroke: &Stroke) {
        let (from, to) = stroke.span();
        if self.runs && !self.is_live {
            self.time += dt / f64::from(self.slowness);
            if self.time > to {
                self.time = from;
            }
        }
        self.time = self.time.clamp(from, to);
    }

    /// Draws the controls in one row.
    pub fn ui(&mut self, ui: &mut Ui, stroke: Option<&Stroke>) {
        ui.horizontal_wrapped(|ui| {
            let live = ui.selectable_label(self.is_live, "Live");
            if live.on_hover_text("Show the action as it moves").clicked() {
                self.is_live = true;
            }
            ui.add_enabled_ui(stroke.is_some(), |ui| {
                let Some(stroke) = stroke else {
                    ui.label("no stroke yet");
                    return;
                };
                let running = self.runs && !self.is_live;
                let (text, hint) = if running {
                    ("Pause", "Stand still here")
                } else {
                    ("Slow motion", "Replay the last stroke slowly in a loop")
                };
                if ui.button(text).on_hover_text(hint).clicked() {
                    if running {
                        self.runs = false;
                    } else if self.is_live {
                        self.replay(stroke);
                    } else {
                        self.runs = true;
                    }
                }
                let name =
                    |n: u32| if n == 1 { "as in life".into() } else { format!("{n} × slower") };
                let combo = egui::ComboBox::from_id_salt("slowness").width(92.0 * theme::size(ui));
                let response = combo.selected_text(name(self.slowness)).show_ui(ui, |ui| {
                    for n in SLOWNESS {
                        ui.selectable_value(&mut self.slowness, n, name(n));
                    }
                });
                response.response.on_hover_text("How slowly the stroke runs");
                let (from, to) = stroke.span();
                let shown = 1e3 * self.time.clamp(from, to);
                let mut ms = shown;
                let label = ui.label("Time");
                let number = 96.0 * theme::size(ui);
                // In a narrow window the slider has a row of its own.
                if ui.available_size_before_wrap().x < 40.0 + number {
                    ui.end_row();
                }
                let room = ui.available_size_before_wrap().x - number;
                ui.spacing_mut().slider_width = room.clamp(40.0, 400.0 * theme::size(ui));
                let slider = Slider::new(&mut ms, 1e3 * from..=1e3 * to)
                    .custom_formatter(|ms, _| format!("{ms:.2} ms"));
                let response = ui.add(slider).labelled_by(label.id);
                response.on_hover_text("Moment of the stroke; 0 is the strike");
                // The slider rounds its value; only a larger change is a drag.
                if (ms - shown).abs() > 0.02 {
                    self.scrub(1e-3 * ms);
                }
            });
        });
    }
}
