//! The action's face: drawing, curves, regulation.

use egui::{CentralPanel, Panel, Response, Ui, UiBuilder};

use super::Window;
use crate::faces::panel;
use crate::state::controls::Controls;
use crate::state::stroke::{Origin, Posed, Stroke};
use crate::views::action_view::{Caption, Place};
use crate::views::other_view::Shown;
use crate::widgets::{control, theme};
use touchback_action::{ActionKind, ActionSettings};
use touchback_instrument::Event;
use touchback_instrument::settings::{KeyPressure, Timing};

/// Time after its last step for which a key counts as moving, s: two frames of a slow display.
const MOVING: f64 = 0.1;

/// Height below which the scope leaves its space to the action, points.
const LOW: f32 = 560.0;

/// Width below which the switches have short labels, points.
const NARROW: f32 = 440.0;

/// The label of the hammer speed of *Try a press*.
const SPEED: &str = "at hammer speed";

/// Height of time row, values and one curve, points.
const SCOPE: f32 = 186.0;

/// The caption of a key that is moving, by the origin of its motion.
const fn live(stroke: &Stroke, timing: Timing) -> &'static str {
    match (stroke.origin, timing) {
        (Origin::Haptic, _) => "live, as played on the motorized keyboard",
        (_, Timing::Immediate) => "live; an immediate note begins at the string",
        (_, Timing::Natural) => "live: the finger begins with its note",
        (_, Timing::LookAhead) => "live: the finger begins before its note, late by the latency",
    }
}

impl Window {
    /// Draws the action, its curves, and the regulation beside them.
    pub(super) fn action_face(
        &mut self,
        ui: &mut Ui,
        controls: &mut dyn Controls,
        play: &mut Vec<Event>,
        now: f64,
    ) {
        let height = ui.available_height();
        let large = theme::workshop_enlargement(ui.ctx());
        theme::enlarge(ui, large);
        let width = (0.34 * ui.available_width()).clamp(290.0, large * 372.0);
        Panel::right("settings").resizable(true).default_size(width).min_size(280.0).show(
            ui,
            |ui| {
                let notes = (0.1 * ui.available_height()).clamp(52.0, 100.0);
                Panel::bottom("notes").exact_size(notes).show(ui, |ui| {
                    ui.add_space(2.0);
                    panel::scrolled(ui, |ui| {
                        let (key, settings) = (self.strip.chosen, controls.settings().action);
                        let measured = match settings.played() {
                            ActionKind::Grand => self.workshop.keys.measured(ui, key, &settings),
                            _ => None,
                        };
                        self.workshop.regulation.notes(ui, key, measured, controls);
                    });
                });
                CentralPanel::default().frame(egui::Frame::NONE).show(ui, |ui| {
                    panel::scrolled(ui, |ui| {
                        let is_of_file = controls.settings().action.action == ActionKind::File;
                        let mechanism = &mut self.action.mechanism;
                        if is_of_file {
                            mechanism.ui(ui, controls);
                        }
                        panel::regulation::RegulationPanel::ui(ui, controls);
                        if !is_of_file {
                            mechanism.ui(ui, controls);
                        }
                    });
                });
            },
        );
        CentralPanel::default().show(ui, |ui| {
            let settings = controls.settings().action;
            self.switches(ui, &settings);
            let room = ui.available_height();
            let low = height < LOW;
            let high = if low { (room - large * SCOPE).max(0.3 * room) } else { 0.5 * room };
            let action = egui::vec2(ui.available_width(), high);
            ui.allocate_ui(action, |ui| {
                let (picture, graph) = self.states.split(ui.available_rect_before_wrap());
                ui.scope_builder(UiBuilder::new().max_rect(picture), |ui| {
                    self.action(ui, Place::Workshop, &settings, controls, play, now);
                });
                if let Some(rect) = graph {
                    self.states.ui(ui, rect);
                }
            });
            self.transport.ui(ui, self.memory.last.as_ref());
            self.scope.ui(ui, &self.memory, &mut self.transport);
        });
    }

    /// Computes a computed stroke again if the settings have changed; a played stroke stays as it is.
    pub(super) fn follow(&mut self, settings: &ActionSettings) {
        if let Some(last) = &self.memory.last
            && last.touch.is_none()
            && last.settings != *settings
        {
            self.memory.last = Some(Stroke::pressed(last.key, settings, self.action.press_speed.0));
        }
    }

    /// Draws the picture's options, *Try a press* and the scope's options.
    pub(super) fn switches(&mut self, ui: &mut Ui, settings: &ActionSettings) {
        let narrow = ui.available_width() < theme::size(ui) * NARROW;
        ui.horizontal_wrapped(|ui| {
            self.face.pages(ui);
            self.action.view.switches(ui);
            self.states.switch(ui);
            ui.separator();
            let hint = "A finger presses the chosen key under the present settings; turn a screw \
                        and watch what changes. Silent.";
            if ui.button("Try a press").on_hover_text(hint).clicked() {
                self.try_press(settings);
            }
            let label = ui.label(if narrow { "at" } else { SPEED });
            label.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, SPEED));
            let speed =
                control::typed(ui, &mut self.action.press_speed.0, 0.2..=4.0, "m/s", |drag| {
                    drag.speed(0.02).fixed_decimals(2)
                });
            if speed.labelled_by(label.id).changed() {
                self.try_press(settings);
            }
            ui.separator();
            self.scope.switches(ui);
            self.host.tools.stroke(ui, &mut self.memory, &self.scope);
        });
    }

    /// Computes a press of the chosen key under `settings` and replays it in slow motion.
    pub(crate) fn try_press(&mut self, settings: &ActionSettings) {
        let stroke = Stroke::pressed(self.strip.chosen, settings, self.action.press_speed.0);
        self.transport.replay(&stroke);
        self.memory.last = Some(stroke);
    }

    /// Draws the action at the transport's time. Returns the grand's picture, which on the piano's face can be
    /// clicked.
    pub(super) fn action(
        &mut self,
        ui: &mut Ui,
        place: Place,
        settings: &ActionSettings,
        controls: &mut dyn Controls,
        play: &mut Vec<Event>,
        now: f64,
    ) -> Option<Response> {
        let held = self.snapshot.touched.is_some_and(|key| {
            // A key that is held down stays in view.
            self.snapshot.depth[key.index()] > 5e-4
        });
        let moves = now - self.steps.last_at < MOVING || held;
        let names = self.action.view.names;
        let reads_position = controls.settings().touch.key_pressure == KeyPressure::Position;
        let row = self.memory.last.as_ref().and_then(|stroke| {
            let live = self.transport.is_live;
            if live && !(moves && stroke.touch.is_some()) {
                return None;
            }
            let row = if live { stroke.rows.last() } else { stroke.at(self.transport.time) };
            row.map(|row| (stroke, row))
        });
        let key = self.strip.chosen;
        let (stroke, row, moment) = match row {
            Some((stroke, row)) if self.transport.is_live => {
                (stroke, row, live(stroke, controls.settings().touch.timing).to_owned())
            }
            Some((stroke, row)) => {
                let moment = format!("{:.2} ms · {}", 1e3 * row.time, stroke.origin.message());
                (stroke, row, moment)
            }
            None => {
                let fits = |r: &Stroke| r.key == key && r.settings == *settings;
                self.action.resting = self.action.resting.take().filter(fits);
                let resting =
                    self.action.resting.get_or_insert_with(|| Stroke::at_rest(key, settings));
                let row = resting.rows.first()?;
                (&*resting, row, "at rest".to_owned())
            }
        };
        self.states.follow(stroke, row);
        let (key, settings) = (stroke.key, &stroke.settings);
        let (moment, finger) = (&*moment, row.finger());
        match stroke.pose(row) {
            Posed::Grand(pose) => {
                let caption = Caption { key, settings, moment, finger, place };
                Some(self.action.view.ui(ui, &pose, &caption, controls, play))
            }
            Posed::Other { pose, rest } => {
                let (kind, pose, rest, view) = (stroke.kind(), &pose, &rest, &row.view);
                let shown = Shown {
                    key,
                    kind,
                    title: stroke.title(),
                    pose,
                    rest,
                    finger,
                    view,
                    moment,
                    names,
                    reads_position,
                    place,
                };
                self.action.other.ui(ui, &shown, play);
                None
            }
        }
    }
}
