//! A motorized keyboard: port, state, measurements, arming.
//!
//! Ports are listed and opened on a worker thread. Motors stay off until the player arms the keyboard, at
//! every connection.

mod figures;

use std::sync::Arc;
use std::time::Duration;

use egui::{ComboBox, Grid, RichText, Slider, Ui};

use super::{haptic_load, heading};
use crate::editor::control;
use crate::editor::file_worker::FileWorker;
use crate::editor::theme;
use touchback_haptics::action::Action;
use touchback_haptics::connection::{
    Choice, ConnectionView, EMULATED_KEYS, EMULATOR, KeyboardConnection,
};
use touchback_haptics::serial::PortInfo;
use touchback_haptics::session::ConnectionState;

/// Time between two readings of the keyboard's state, s.
const POLL_INTERVAL: f64 = 0.05;

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
}

impl DevicePanel {
    /// Draws the panel; returns a changed choice for the project to save.
    pub fn ui(&mut self, ui: &mut Ui, connection: &Arc<KeyboardConnection>) -> Option<Choice> {
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
        heading(ui, "Motorized keyboard");
        let settled = self.choices(ui, &mut choice);
        let chosen = self.apply(connection, before, choice, settled);
        ui.add_space(6.0);
        self.state(ui, connection);
        haptic_load::ui(ui, self.view.choice.action, self.view.report.as_ref());
        if let Some(report) = self.view.report {
            ui.add_space(6.0);
            figures::ui(ui, &report);
        }
        chosen
    }

    fn seek(&mut self) {
        self.file_worker
            .order(|| DeviceAnswer::Ports(KeyboardConnection::ports().map_err(|e| e.to_string())));
    }

    /// Draws the choice's controls; returns whether none of them is being dragged.
    fn choices(&mut self, ui: &mut Ui, choice: &mut Choice) -> bool {
        let mut settled = true;
        Grid::new("device").num_columns(2).show(ui, |ui| {
            let label = ui.label("Port");
            ui.horizontal(|ui| {
                self.port(ui, choice).labelled_by(label.id);
                if ui.button("Find ports").on_hover_text("Search for serial ports").clicked() {
                    self.seek();
                }
            });
            ui.end_row();

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

            let label = ui.label("Lead");
            let hint = "How far ahead of the keyboard's clock commands are sent: longer than a \
                        round trip, shorter feels better";
            let lead = control::typed(ui, &mut choice.lead_us, 125..=20_000, "µs", |drag| {
                drag.speed(10.0)
            });
            let response = lead.labelled_by(label.id).on_hover_text(hint);
            settled &= !response.dragged();
            ui.end_row();
        });
        ui.checkbox(&mut choice.plays, "Host notes move the keys")
            .on_hover_text("The host's notes move the motorized keys");
        ui.checkbox(&mut choice.vibrates, "Strings vibrate in the keys")
            .on_hover_text("The strings' motion vibrates the keys, by at most 80 µm");
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
                let text = format!("{}: {}", found.path, found.description);
                ui.selectable_value(&mut choice.port, found.path.clone(), text);
            }
        });
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
    fn state(&self, ui: &mut Ui, connection: &KeyboardConnection) {
        let warns = |ui: &mut Ui, text: &str| {
            ui.label(RichText::new(text).color(theme::accent(ui)));
        };
        for error in [&self.error, &self.view.trouble] {
            if !error.is_empty() {
                warns(ui, error);
            }
        }
        let Some(report) = &self.view.report else {
            let text = if self.view.choice.port.is_empty() {
                "Choose a port, or the emulator."
            } else if self.file_worker.is_busy() {
                "Opening the port …"
            } else {
                "Nothing is open: the host has not started the instrument."
            };
            ui.label(RichText::new(text).color(theme::faint(ui)));
            return;
        };
        let state = report.status.state;
        let is_wrong = matches!(state, ConnectionState::Refused | ConnectionState::Halted);
        if is_wrong {
            warns(ui, &self.view.state_text);
        } else {
            ui.label(RichText::new(&self.view.state_text).strong());
        }
        if let Some(advice) = self.view.advice {
            warns(ui, advice);
        }
        ui.horizontal(|ui| match state {
            ConnectionState::Present => {
                let hint =
                    "Enables the keyboard's force. Keep your hands off the keys while it starts.";
                if ui.button("Arm").on_hover_text(hint).clicked() {
                    connection.arm(true);
                }
            }
            ConnectionState::Halted => {
                let hint = "Clears the fault that stopped the keyboard and enables force again";
                if ui.button("Clear and arm again").on_hover_text(hint).clicked() {
                    connection.arm(true);
                }
                if ui.button("Stay without force").clicked() {
                    connection.arm(false);
                }
            }
            ConnectionState::Arming | ConnectionState::Live => {
                let hint = "Takes force away at once";
                if ui.button("Disarm").on_hover_text(hint).clicked() {
                    connection.arm(false);
                }
            }
            ConnectionState::Seeking | ConnectionState::Refused => {}
        });
    }
}
