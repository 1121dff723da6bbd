//! A motorized keyboard: its port, its state, its measurements, arming.
//!
//! Ports are listed and opened on a worker thread. There is no force until the player arms, every
//! time.

use std::sync::Arc;
use std::time::Duration;

use egui::{ComboBox, DragValue, Grid, ProgressBar, RichText, Slider, Ui};

use super::{felt_load, heading};
use crate::editor::file_worker::FileWorker;
use crate::editor::theme;
use crate::haptics::action::Action;
use crate::haptics::connection::{
    Choice, ConnectionView, EMULATED_KEYS, EMULATOR, KeyboardConnection,
};
use crate::haptics::fault_words::faults_in_words;
use crate::haptics::serial::PortInfo;
use crate::haptics::session::ConnectionState;
use crate::haptics::sidecar::{Histogram, SidecarReport};
use crate::haptics::status_text;
use crate::math::cast::single;

/// Time between two readings of the keyboard's state, s.
const LOOK: f64 = 0.05;
/// Force at which a bar is full, N: a loud blow's share on one key.
const FULL_FORCE: f64 = 10.0;
/// Depth at which a bar is full, m.
const FULL_DEPTH: f64 = 0.010;

/// Results of the file worker.
enum DeviceAnswer {
    Ports(Result<Vec<PortInfo>, String>),
    Chosen,
}

/// State of the panel.
#[derive(Default)]
pub struct DevicePanel {
    clerk: FileWorker<DeviceAnswer>,
    /// `None`: not yet listed.
    ports: Option<Vec<PortInfo>>,
    trouble: String,
    look: ConnectionView,
    looked: Option<f64>,
    /// A choice that is still being changed.
    wanted: Option<Choice>,
}

impl DevicePanel {
    /// Draws the panel; a changed choice, to be kept with the project.
    pub fn ui(&mut self, ui: &mut Ui, desk: &Arc<KeyboardConnection>) -> Option<Choice> {
        while let Some(answer) = self.clerk.answer() {
            match answer {
                DeviceAnswer::Ports(Ok(ports)) => {
                    self.ports = Some(ports);
                    self.trouble.clear();
                }
                DeviceAnswer::Ports(Err(words)) => {
                    self.ports = Some(Vec::new());
                    self.trouble = words;
                }
                DeviceAnswer::Chosen => {}
            }
        }
        let now = ui.input(|i| i.time);
        // While a port is being opened the connection is locked.
        if !self.clerk.is_busy() && self.looked.is_none_or(|t| now < t || now >= t + LOOK) {
            self.look = desk.look();
            self.looked = Some(now);
        }
        if self.ports.is_none() && !self.clerk.is_busy() {
            self.seek();
        }
        ui.ctx().request_repaint_after(Duration::from_secs_f64(LOOK));

        let before = self.wanted.clone().unwrap_or_else(|| self.look.choice.clone());
        let mut choice = before.clone();
        heading(ui, "Motorized keyboard");
        let settled = self.choices(ui, &mut choice);
        let chosen = self.settle(desk, before, choice, settled);
        ui.add_space(6.0);
        self.standing(ui, desk);
        felt_load::ui(ui, self.look.choice.action, self.look.report.as_ref());
        if let Some(report) = self.look.report {
            ui.add_space(6.0);
            figures(ui, &report);
            ui.add_space(6.0);
            keys(ui, &report);
        }
        chosen
    }

    fn seek(&mut self) {
        self.clerk
            .order(|| DeviceAnswer::Ports(KeyboardConnection::ports().map_err(|e| e.to_string())));
    }

    /// Controls of the choice; whether none is still being dragged.
    fn choices(&mut self, ui: &mut Ui, choice: &mut Choice) -> bool {
        let mut settled = true;
        Grid::new("device").num_columns(2).show(ui, |ui| {
            let label = ui.label("Port");
            ui.horizontal(|ui| {
                self.port(ui, choice).labelled_by(label.id);
                if ui.small_button("Find ports").on_hover_text("Looks for serial ports").clicked() {
                    self.seek();
                }
            });
            ui.end_row();

            let label = ui.label("Felt action");
            let combo = ComboBox::from_id_salt("felt").selected_text(choice.action.name());
            let inner = combo.show_ui(ui, |ui| {
                for action in Action::ALL {
                    ui.selectable_value(&mut choice.action, action, action.name());
                }
            });
            inner.response.labelled_by(label.id);
            ui.end_row();

            let label = ui.label("Share of force");
            let mut percent = 100.0 * choice.gain;
            let slider = Slider::new(&mut percent, 0.0..=100.0).suffix(" %").fixed_decimals(0);
            let response = ui.add(slider).labelled_by(label.id);
            settled &= !response.dragged();
            if response.changed() {
                choice.gain = percent / 100.0;
            }
            ui.end_row();

            let label = ui.label("Lead");
            let hint = "How far ahead of the keyboard's clock commands are sent: longer than a \
                        round trip, shorter feels better";
            let drag = DragValue::new(&mut choice.lead_us).range(125..=20_000).speed(10.0);
            let response = ui.add(drag.suffix(" µs")).labelled_by(label.id).on_hover_text(hint);
            settled &= !response.dragged();
            ui.end_row();
        });
        ui.checkbox(&mut choice.plays, "Host notes move the keys")
            .on_hover_text("What the host plays moves the keys under the hand");
        ui.checkbox(&mut choice.vibrates, "Strings vibrate in the keys")
            .on_hover_text("What the strings do is felt in the keys, by at most 80 µm");
        settled
    }

    fn port(&self, ui: &mut Ui, choice: &mut Choice) -> egui::Response {
        let shown = match choice.port.as_str() {
            "" => "none",
            EMULATOR => "emulator",
            port => port,
        };
        let combo = ComboBox::from_id_salt("port").selected_text(shown).width(140.0);
        let inner = combo.show_ui(ui, |ui| {
            ui.selectable_value(&mut choice.port, String::new(), "none");
            let text = format!("emulator: {EMULATED_KEYS} keys, no hardware");
            ui.selectable_value(&mut choice.port, EMULATOR.to_owned(), text);
            for found in self.ports.iter().flatten() {
                let text = format!("{}: {}", found.path, found.what);
                ui.selectable_value(&mut choice.port, found.path.clone(), text);
            }
        });
        inner.response
    }

    /// Applies a changed choice once no control is being dragged.
    fn settle(
        &mut self,
        desk: &Arc<KeyboardConnection>,
        before: Choice,
        choice: Choice,
        settled: bool,
    ) -> Option<Choice> {
        let changed = choice != before;
        if !settled {
            self.wanted = Some(choice);
            return None;
        }
        if !changed && self.wanted.is_none() {
            return None;
        }
        self.wanted = None;
        // Shown at once, though the port may take its time.
        self.look.choice = choice.clone();
        self.looked = None;
        let (desk, taken) = (desk.clone(), choice.clone());
        self.clerk.order(move || {
            desk.choose(taken);
            DeviceAnswer::Chosen
        });
        Some(choice)
    }

    /// The connection's state in words, and the arming buttons.
    fn standing(&self, ui: &mut Ui, desk: &KeyboardConnection) {
        let warns = |ui: &mut Ui, text: &str| {
            ui.label(RichText::new(text).color(theme::accent(ui)));
        };
        for trouble in [&self.trouble, &self.look.trouble] {
            if !trouble.is_empty() {
                warns(ui, trouble);
            }
        }
        let Some(report) = &self.look.report else {
            let text = if self.look.choice.port.is_empty() {
                "Choose a port, or the emulator."
            } else if self.clerk.is_busy() {
                "Opening the port …"
            } else {
                "Nothing is open: the host has not started the instrument."
            };
            ui.label(RichText::new(text).color(theme::faint(ui)));
            return;
        };
        let standing = report.status.standing;
        let is_wrong = matches!(standing, ConnectionState::Refused | ConnectionState::Halted);
        if is_wrong {
            warns(ui, &self.look.standing);
        } else {
            ui.label(RichText::new(&self.look.standing).strong());
        }
        if let Some(advice) = self.look.advice {
            warns(ui, advice);
        }
        ui.horizontal(|ui| match standing {
            ConnectionState::Present => {
                let hint = "Gives the keyboard force. Hands off the keys while it starts.";
                if ui.button("Arm").on_hover_text(hint).clicked() {
                    desk.arm(true);
                }
            }
            ConnectionState::Halted => {
                let hint = "Clears what stopped it and gives force again";
                if ui.button("Clear and arm again").on_hover_text(hint).clicked() {
                    desk.arm(true);
                }
                if ui.button("Stay without force").clicked() {
                    desk.arm(false);
                }
            }
            ConnectionState::Arming | ConnectionState::Live => {
                let hint = "Takes force away at once";
                if ui.button("Disarm").on_hover_text(hint).clicked() {
                    desk.arm(false);
                }
            }
            ConnectionState::Seeking | ConnectionState::Refused => {}
        });
    }
}

/// Mean and longest of times, as text.
fn times(histogram: &Histogram) -> String {
    if histogram.count() == 0 {
        return "–".to_owned();
    }
    let mean = histogram.sum / histogram.count() as f64;
    format!("{:.2} ms, at most {:.2} ms", 1e3 * mean, 1e3 * histogram.longest)
}

fn figures(ui: &mut Ui, report: &SidecarReport) {
    let status = &report.status;
    Grid::new("figures").num_columns(2).striped(true).show(ui, |ui| {
        let mut line = |name: &str, value: String, hint: &str| {
            ui.label(name).on_hover_text(hint);
            ui.label(RichText::new(value).monospace().size(11.0));
            ui.end_row();
        };
        line("Round trip", times(&report.round_trips), "From a question to its answer");
        line("Between states", times(&report.periods), "Jitter: the time from one to the next");
        line("Work on a state", times(&report.work), "What the action takes of that time");
        let lost = format!("{} of {}, {} damaged", status.lost, status.states, status.damaged);
        line("States lost", lost, "On the way from the keyboard");
        line("Gaps", status.gaps.to_string(), "After which keys were placed anew");
        line("Forces limited", status.limited.to_string(), "Commands beyond what is allowed");
        let clock = format!("{:+.0} ppm, fit {:.0} µs", 1e6 * status.drift, 1e6 * status.residual);
        line("Its clock", clock, "How fast it runs against this machine's");
        line("Keys moving", status.awake.to_string(), "Simulated keys that move");
        if status.faults != 0 {
            let faults = format!("{}: {}", status.mode.word(), faults_in_words(status.faults));
            line("Faults", faults, "What the keyboard says of itself");
        }
        line("Thread", status_text::priority(report).to_owned(), "How urgently the servo runs");
    });
}

/// Depth and force of the first keys.
fn keys(ui: &mut Ui, report: &SidecarReport) {
    ui.label(RichText::new("Depth and force of the first keys").small().color(theme::faint(ui)));
    let count = report.status.hello.map_or(0, |h| usize::from(h.keys)).min(report.keys.len());
    Grid::new("felt keys").num_columns(3).show(ui, |ui| {
        for (i, [depth, force]) in report.keys.iter().take(count).enumerate() {
            ui.label(RichText::new(format!("{}", i + 1)).small());
            let bar = |share: f64, text: String| {
                ProgressBar::new(single(share.clamp(0.0, 1.0)))
                    .desired_width(100.0)
                    .desired_height(12.0)
                    .text(RichText::new(text).size(9.0))
            };
            ui.add(bar(depth / FULL_DEPTH, format!("{:.2} mm", 1e3 * depth)));
            ui.add(bar(force.abs() / FULL_FORCE, format!("{force:+.2} N")));
            ui.end_row();
        }
    });
}
