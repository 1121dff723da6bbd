//! A motorized keyboard: port, state, measurements, arming.
//!
//! Ports are listed and opened on a worker thread. Motors stay off until the player arms the keyboard, at
//! every connection.

mod ball;
mod felt;
mod figures;
mod health;
mod start;

use std::sync::Arc;
use std::time::Duration;

use egui::{ComboBox, Grid, RichText, Slider, Ui};

use super::{fitting, haptic_load, heading};
use crate::state::stroke::Stroke;
use crate::widgets::{control, theme};
use ball::Ball;
use felt::Felt;
use touchback_action::ActionSettings;
use touchback_core::exchange::file_worker::FileWorker;
use touchback_core::math::compass::KeyNumber;
use touchback_haptics::action::Action;
use touchback_haptics::connection::{
    Choice, ConnectionView, EMULATED_KEYS, EMULATOR, KeyboardConnection,
};
use touchback_haptics::line::serial::PortInfo;
use touchback_haptics::session::ConnectionState;

/// Time between two readings of the keyboard's state, s.
const POLL_INTERVAL: f64 = 0.05;

/// Width of the list of ports, points.
const PORT: f32 = 140.0;
/// Width below which each choice is below its name, points.
const NARROW: f32 = 310.0;

/// Results of the file worker.
enum DeviceAnswer {
    Ports(Result<Vec<PortInfo>, String>),
    Chosen,
}

/// State of the panel.
#[derive(Default)]
pub struct DevicePanel {
    file_worker: FileWorker<DeviceAnswer>,
    /// None before the ports are listed.
    ports: Option<Vec<PortInfo>>,
    error: String,
    view: ConnectionView,
    polled_at: Option<f64>,
    /// A choice that the user is still changing.
    wanted: Option<Choice>,
    /// Whether the emulator is to be armed once it is open: it moves nothing.
    arms_emulator: bool,
    felt: Felt,
    ball: Ball,
}

/// What the face shows of the instrument: the chosen key, the action's settings, the last stroke.
#[derive(Clone, Copy)]
pub struct Played<'a> {
    /// The chosen key.
    pub key: KeyNumber,
    /// The settings of its action.
    pub settings: &'a ActionSettings,
    /// The last stroke.
    pub last: Option<&'a Stroke>,
}

impl DevicePanel {
    /// Draws the panel; returns a changed choice for the project to save.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        played: Played<'_>,
        connection: &Arc<KeyboardConnection>,
    ) -> Option<Choice> {
        while let Some(answer) = self.file_worker.answer() {
            match answer {
                DeviceAnswer::Ports(Ok(ports)) => {
                    self.ports = Some(ports);
                    self.error.clear();
                }
                DeviceAnswer::Ports(Err(message)) => {
                    self.ports = Some(Vec::new());
                    self.error = message;
                }
                DeviceAnswer::Chosen => {}
            }
        }
        let now = ui.input(|i| i.time);
        // The connection is locked while a port is being opened.
        if !self.file_worker.is_busy()
            && self.polled_at.is_none_or(|t| now < t || now >= t + POLL_INTERVAL)
        {
            self.view = connection.view();
            self.polled_at = Some(now);
        }
        if self.ports.is_none() && !self.file_worker.is_busy() {
            self.seek();
        }
        ui.ctx().request_repaint_after(Duration::from_secs_f64(POLL_INTERVAL));

        let before = self.wanted.clone().unwrap_or_else(|| self.view.choice.clone());
        let mut choice = before.clone();
        let first = self.view.ports.first().map(|port| port.report);
        self.felt.follow(first.map(|report| report.keys[0]));
        let count = fitting(ui, 2);
        let mut settled = true;
        ui.columns(count, |columns| {
            // Columns stretch their texts over the width.
            columns[0].with_layout(egui::Layout::top_down(egui::Align::Min), |ui| {
                heading(ui, "Motorized keyboard");
                settled = self.choices(ui, &mut choice);
                ui.add_space(6.0);
                self.state(ui, &mut choice, connection);
            });
            let right = &mut columns[count - 1];
            if let Action::Walled(kind, _) = choice.action {
                self.ball.ui(right, kind);
            }
            heading(right, "What a finger feels");
            self.felt.ui(right, played.key, played.settings, played.last);
            haptic_load::ui(right, choice.action, first.as_ref());
            if let Some(report) = &first {
                right.add_space(6.0);
                health::ui(right, report);
            }
        });
        for (index, port) in self.view.ports.iter().enumerate() {
            ui.add_space(6.0);
            ui.push_id(index, |ui| figures::ui(ui, &port.report));
        }
        self.apply(connection, before, choice, settled)
    }

    fn seek(&mut self) {
        self.file_worker
            .order(|| DeviceAnswer::Ports(KeyboardConnection::ports().map_err(|e| e.to_string())));
    }

    /// Draws the choice's controls; returns whether none of them is being dragged.
    fn choices(&mut self, ui: &mut Ui, choice: &mut Choice) -> bool {
        let mut settled = true;
        let is_narrow = ui.available_width() < theme::size(ui) * NARROW;
        let mut rows = |ui: &mut Ui| {
            if is_narrow {
                ui.spacing_mut().slider_width = 64.0;
            }
            // A row more than chosen ports, for a further one.
            for index in 0..=choice.ports.len() {
                let label = ui.label(if index == 0 { "Port" } else { "Further port" });
                self.port(ui, choice, index).labelled_by(label.id);
                ui.end_row();
            }

            let label = ui.label("Haptic action");
            let combo = ComboBox::from_id_salt("haptic action").selected_text(choice.action.name());
            let inner = combo.show_ui(ui, |ui| {
                for action in Action::ALL {
                    ui.selectable_value(&mut choice.action, action, action.name());
                }
            });
            inner.response.labelled_by(label.id);
            ui.end_row();

            let label = ui.label("Share of force");
            let mut percent = 100.0 * choice.gain;
            let slider = Slider::new(&mut percent, 0.0..=100.0).suffix(" %");
            let slider = slider.fixed_decimals(0).trailing_fill(true);
            let response = ui.add(slider).labelled_by(label.id);
            settled &= !response.dragged();
            if response.changed() {
                choice.gain = percent / 100.0;
            }
            ui.end_row();

            let label = ui.label("Latency margin");
            let hint = "How far ahead of the keyboard's clock commands are sent: longer than a \
                        round trip, shorter feels better";
            let lead = control::typed(ui, &mut choice.lead_us, 125..=20_000, "µs", |drag| {
                drag.speed(10.0)
            });
            let response = lead.labelled_by(label.id).on_hover_text(hint);
            settled &= !response.dragged();
            ui.end_row();
        };
        if is_narrow {
            rows(ui);
        } else {
            Grid::new("device").num_columns(2).show(ui, rows);
        }
        if ui.button("Find ports").on_hover_text("Search for serial ports").clicked() {
            self.seek();
        }
        ui.checkbox(&mut choice.plays, "Host notes move the keys")
            .on_hover_text("The host's notes move the motorized keys");
        ui.checkbox(&mut choice.vibrates, "Strings vibrate in the keys")
            .on_hover_text("The strings' motion vibrates the keys, by at most 80 µm");
        settled
    }

    /// Draws the choice of port `index` of the keyboard; the ports of the other boards are left out.
    fn port(&self, ui: &mut Ui, choice: &mut Choice, index: usize) -> egui::Response {
        let mut port = choice.ports.get(index).cloned().unwrap_or_default();
        let shown = match (port.as_str(), index) {
            ("", 0) => "none",
            ("", _) => "add a board",
            (port, _) => port,
        };
        let combo = ComboBox::from_id_salt(("port", index))
            .selected_text(shown)
            .width(PORT.min(ui.available_width() - 16.0))
            .truncate();
        let is_free =
            |path: &str| choice.ports.iter().position(|p| p == path).unwrap_or(index) == index;
        let inner = combo.show_ui(ui, |ui| {
            ui.selectable_value(&mut port, String::new(), "none");
            if is_free(EMULATOR) {
                let text = format!("emulator: {EMULATED_KEYS} keys, no hardware");
                ui.selectable_value(&mut port, EMULATOR.to_owned(), text);
            }
            for found in self.ports.iter().flatten().filter(|found| is_free(&found.path)) {
                let text = format!("{}: {}", found.path, found.description);
                ui.selectable_value(&mut port, found.path.clone(), text);
            }
        });
        choice.ports.resize(choice.ports.len().max(index + 1), String::new());
        choice.ports[index] = port;
        choice.ports.retain(|port| !port.is_empty());
        inner.response
    }

    /// Applies a changed choice once no control is being dragged.
    fn apply(
        &mut self,
        connection: &Arc<KeyboardConnection>,
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
        // Shown at once, although opening the port may take time.
        self.view.choice = choice.clone();
        self.polled_at = None;
        let (connection, taken) = (connection.clone(), choice.clone());
        self.file_worker.order(move || {
            connection.choose(taken);
            DeviceAnswer::Chosen
        });
        Some(choice)
    }

    /// Draws the connection's state and the arming buttons.
    fn state(&mut self, ui: &mut Ui, choice: &mut Choice, connection: &KeyboardConnection) {
        for error in [&self.error, &self.view.trouble] {
            if !error.is_empty() {
                warns(ui, error);
            }
        }
        if self.view.ports.is_empty() {
            let text = if self.view.choice.ports.is_empty() {
                "Choose a port, or the emulator."
            } else if self.file_worker.is_busy() {
                "Opening the port …"
            } else {
                "Nothing is open: the host has not started the instrument. Start its audio."
            };
            ui.label(RichText::new(text).color(theme::faint(ui)));
            if self.view.choice.ports.is_empty() && start::ui(ui) {
                choice.ports = vec![EMULATOR.to_owned()];
                self.arms_emulator = true;
            }
            return;
        }
        for port in &self.view.ports {
            let state = port.report.status.state;
            if matches!(state, ConnectionState::Refused | ConnectionState::Halted) {
                warns(ui, &port.state_text);
            } else {
                ui.label(RichText::new(&port.state_text).strong());
            }
            if let Some(advice) = port.advice {
                warns(ui, advice);
            }
        }
        // The buttons order all ports.
        let is_any = |states: &[ConnectionState]| {
            self.view.ports.iter().any(|port| states.contains(&port.report.status.state))
        };
        let is_present = is_any(&[ConnectionState::Present]);
        let is_emulated = self.view.choice.ports.iter().all(|port| port == EMULATOR);
        if is_present && std::mem::take(&mut self.arms_emulator) && is_emulated {
            connection.arm(true);
        }
        if is_any(&[ConnectionState::Halted]) {
            banner(ui, "Halted: the motors are off.", |ui| {
                let hint = "Clears the fault that stopped the keyboard and enables force again";
                if large_button(ui, "Clear and arm again").on_hover_text(hint).clicked() {
                    connection.arm(true);
                }
                if ui.button("Stay without force").clicked() {
                    connection.arm(false);
                }
            });
        } else if is_present {
            banner(ui, "The motors are off. Hands off the keys, then arm.", |ui| {
                let hint =
                    "Enables the keyboard's force. Keep your hands off the keys while it starts.";
                if large_button(ui, "Arm").on_hover_text(hint).clicked() {
                    connection.arm(true);
                }
            });
        }
        if is_any(&[ConnectionState::Arming, ConnectionState::Live]) {
            banner(ui, "The motors are on.", |ui| {
                let hint = "Takes force away at once";
                if large_button(ui, "Disarm").on_hover_text(hint).clicked() {
                    connection.arm(false);
                }
            });
        }
    }
}

/// Draws a warning.
fn warns(ui: &mut Ui, text: &str) {
    ui.label(RichText::new(text).color(theme::accent(ui)));
}

/// Draws the state of the motors with the buttons that change it, in a frame that cannot be missed.
fn banner(ui: &mut Ui, text: &str, buttons: impl FnOnce(&mut Ui)) {
    let edge = egui::Stroke::new(2.0, theme::accent(ui));
    let frame = egui::Frame::group(ui.style()).stroke(edge).fill(ui.visuals().faint_bg_color);
    frame.show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.label(RichText::new(text).heading());
        ui.horizontal_wrapped(buttons);
    });
}

/// A button that is found at once.
fn large_button(ui: &mut Ui, text: &str) -> egui::Response {
    let button = egui::Button::new(RichText::new(text).heading());
    ui.add(button.min_size(theme::size(ui) * egui::vec2(110.0, 40.0)))
}
