//! Everything in the window, without a window: what it shows, and one frame of it.

use std::sync::Arc;

use egui::{CentralPanel, Context, Panel, Ui};

use crate::action::ActionSettings;
use crate::editor::action_view::{ActionView, Caption};
use crate::editor::bar::Bar;
use crate::editor::compare::Compare;
use crate::editor::controls::Controls;
use crate::editor::face::Face;
use crate::editor::gauge::Gauge;
use crate::editor::history::{History, Recorded};
use crate::editor::keyboard::Strip;
use crate::editor::levels::Levels;
use crate::editor::other_view::{OtherView, Shown};
use crate::editor::panel;
use crate::editor::scope::Scope;
use crate::editor::stroke::{Memory, Posed, Stroke};
use crate::editor::theme;
use crate::editor::transport::Transport;
use crate::editor::velocity_curve::VelocityCurve;
use crate::editor::window_state::Looks;
use crate::exchange::flags::Flag;
use crate::haptics::connection::{Choice, KeyboardConnection};
use crate::instrument::settings::KeyPressure;
use crate::instrument::trace::Sample;
use crate::instrument::{Event, Snapshot};
use crate::monitor::Meter;
use crate::monitor::tape::TimedMessage;
use crate::preset::user_presets::UserPresets;

/// How long after its last step a key counts as moving, s: two frames of a slow display.
const MOVING: f64 = 0.1;

/// Below this height, points, the scope makes room for the action.
const LOW: f32 = 560.0;

/// What time row, values and one curve need, points.
const SCOPE: f32 = 170.0;

/// What was done to both pianos: outlives a closed window.
#[derive(Clone, Default, Debug)]
pub struct Session {
    /// What was edited.
    pub history: History,
    /// The other piano.
    pub compare: Compare,
}

/// The window's contents.
pub struct Window {
    /// The keyboard as last shown.
    pub snapshot: Snapshot,
    /// The last stroke, and one kept for comparison.
    pub memory: Memory,
    /// Live, or a time of the last stroke.
    pub transport: Transport,
    /// The scope and its options.
    pub scope: Scope,
    /// Zoom and colours.
    pub looks: Looks,
    /// What is shown between bar and keys.
    pub face: Face,
    /// Whether the list of pianos is open.
    pub browses: bool,
    /// Whether the phrase to hear pianos by is wanted.
    pub auditions: Arc<Flag>,
    /// What was edited, and the other piano.
    pub session: Session,
    /// Hammer speed of a tried press, m/s.
    pub tried: f64,
    view: ActionView,
    other: OtherView,
    strip: Strip,
    curve: VelocityCurve,
    levels: Levels,
    /// Silent notes that were put away.
    silent_seen: u64,
    regulation: panel::regulation::RegulationPanel,
    keys: panel::keys::KeysFace,
    tools: panel::tools::ToolsPanel,
    presets: panel::presets::PresetsPanel,
    device: panel::device::DevicePanel,
    /// The motorized keyboard of this instance, where there can be one.
    pub desk: Option<Arc<KeyboardConnection>>,
    /// A changed choice of keyboard, for the project to keep.
    pub chosen: Option<Choice>,
    calibration: panel::calibration::CalibrationPanel,
    scale: panel::scale::ScalePanel,
    pedal: panel::pedal::PedalPanel,
    gauge: Gauge,
    /// What was played since the last frame.
    heard: Vec<TimedMessage>,
    /// The chosen key at rest under the present settings.
    resting: Option<Stroke>,
    /// When the last step came, by the context's clock, s.
    moved: f64,
    fresh: bool,
}

impl Default for Window {
    fn default() -> Self {
        Self {
            snapshot: Snapshot::default(),
            memory: Memory::default(),
            transport: Transport::default(),
            scope: Scope::default(),
            looks: Looks::default(),
            face: Face::default(),
            browses: false,
            auditions: Arc::default(),
            session: Session::default(),
            tried: 1.5,
            view: ActionView::default(),
            other: OtherView::default(),
            strip: Strip::default(),
            curve: VelocityCurve::default(),
            levels: Levels::default(),
            silent_seen: 0,
            regulation: panel::regulation::RegulationPanel::default(),
            keys: panel::keys::KeysFace::default(),
            tools: panel::tools::ToolsPanel::default(),
            presets: panel::presets::PresetsPanel::default(),
            device: panel::device::DevicePanel::default(),
            desk: None,
            chosen: None,
            calibration: panel::calibration::CalibrationPanel::default(),
            scale: panel::scale::ScalePanel::default(),
            pedal: panel::pedal::PedalPanel::default(),
            gauge: Gauge::default(),
            heard: Vec::new(),
            resting: None,
            moved: f64::NEG_INFINITY,
            fresh: false,
        }
    }
}

impl Window {
    /// Prepares a context for [`Self::ui`].
    pub fn dress(&self, context: &Context) {
        theme::apply(context);
        context.set_theme(self.looks.theme);
    }

    /// Takes the keyboard's present state.
    pub fn show(&mut self, snapshot: &Snapshot) {
        if let Some(key) = snapshot.touched
            && self.snapshot.touched != Some(key)
        {
            self.strip.chosen = key;
        }
        self.snapshot = *snapshot;
    }

    /// Takes a step of the last touched key, made under `settings`.
    pub fn absorb(&mut self, sample: &Sample, settings: &ActionSettings) {
        self.memory.absorb(sample, settings);
        self.strip.chosen = sample.key;
        self.fresh = true;
    }

    /// Lists the player's own pianos of the folder `shelf`.
    pub fn show_pianos_of(&mut self, shelf: UserPresets) {
        self.presets = panel::presets::PresetsPanel::on(Some(shelf));
    }

    /// Whether files of presets are being read or written, or a key is being weighed.
    #[must_use]
    pub const fn is_reading(&self) -> bool {
        self.presets.is_busy() || self.keys.is_busy()
    }

    /// What was played since the last frame, by host, window or motorized keyboard; the window
    /// empties it.
    pub const fn heard(&mut self) -> &mut Vec<TimedMessage> {
        &mut self.heard
    }

    /// The largest magnitudes of the output since the last call, left and right.
    pub fn hear_levels(&mut self, peaks: [f64; 2]) {
        self.levels.raise(peaks);
    }

    /// What computing costs, with the worst block since the last call, at `now` s.
    pub fn measure(&mut self, meter: &Meter, worst: f64, now: f64) {
        self.gauge.show(meter, worst, now);
    }

    /// Whether what was played is to be handed to [`Self::save_performance`].
    pub const fn wants_performance(&mut self) -> bool {
        self.tools.wants_performance()
    }

    /// Saves what was played.
    pub fn save_performance(&mut self, heard: Vec<TimedMessage>) {
        self.tools.save(heard);
    }

    /// Releases what the mouse holds: the window closes.
    pub fn let_go(&mut self, play: &mut Vec<Event>) {
        self.auditions.set(false);
        self.strip.release(play);
        self.view.release(play);
        self.other.release(play);
    }

    /// One frame; events for the instrument are appended to `play`.
    pub fn ui(&mut self, ui: &mut Ui, controls: &mut dyn Controls, play: &mut Vec<Event>) {
        let now = ui.input(|i| i.time);
        if std::mem::take(&mut self.fresh) {
            self.moved = now;
        }
        ui.ctx().set_theme(self.looks.theme);
        self.session.history.now = now;
        self.presets.follow(ui);
        self.tools.follow(ui);
        self.curve.follow(&self.heard, &self.snapshot);
        Panel::top("bar").show(ui, |ui| {
            ui.add_space(2.0);
            self.bar(ui, controls);
            ui.add_space(1.0);
        });
        // Away from the window while its controls are at work.
        let mut session = std::mem::take(&mut self.session);
        let mut recorded = Recorded { controls, history: &mut session.history };
        self.below(ui, &mut recorded, play, now);
        self.session = session;
        self.heard.clear();
    }

    /// The bar on top.
    fn bar(&mut self, ui: &mut Ui, controls: &mut dyn Controls) {
        let bar = Bar {
            presets: &mut self.presets,
            browses: &mut self.browses,
            history: &mut self.session.history,
            compare: &mut self.session.compare,
            face: &mut self.face,
            looks: &mut self.looks,
            levels: &mut self.levels,
            gauge: &self.gauge,
            counts: &self.snapshot.counts,
            silent_seen: &mut self.silent_seen,
        };
        bar.ui(ui, controls);
    }

    /// Everything below the bar.
    fn below(&mut self, ui: &mut Ui, controls: &mut dyn Controls, play: &mut Vec<Event>, now: f64) {
        let settings = controls.settings().action;
        self.follow(&settings);
        let elapsed = f64::from(ui.input(|i| i.stable_dt)).min(0.1);
        if let Some(stroke) = &self.memory.last {
            self.transport.advance(elapsed, stroke);
            if self.transport.runs && !self.transport.is_live && self.face == Face::Action {
                ui.ctx().request_repaint();
            }
        }
        let height = ui.available_height();
        Panel::bottom("keyboard").show(ui, |ui| {
            ui.add_space(2.0);
            let keys = (0.12 * height).clamp(44.0, 96.0);
            self.strip.ui(ui, keys, &self.snapshot, play);
        });
        if self.browses {
            Panel::left("pianos").resizable(false).exact_size(320.0).show(ui, |ui| {
                panel::scrolled(ui, |ui| self.presets.ui(ui, controls, &self.auditions));
            });
        } else {
            self.auditions.set(false);
        }
        match self.face {
            Face::Play => drop(CentralPanel::default().show(ui, |ui| {
                let face = panel::play::PlayFace {
                    curve: &self.curve,
                    calibration: &mut self.calibration,
                    pedal: &mut self.pedal,
                    scale: &mut self.scale,
                    tools: &mut self.tools,
                    snapshot: &self.snapshot,
                    heard: &self.heard,
                    play,
                };
                face.ui(ui, controls);
            })),
            Face::Action => self.action_face(ui, controls, play, now),
            Face::Keys => drop(CentralPanel::default().show(ui, |ui| {
                self.keys.ui(ui, &mut self.regulation, &mut self.strip.chosen, controls);
            })),
            Face::Device => drop(CentralPanel::default().show(ui, |ui| {
                panel::scrolled(ui, |ui| self.device_face(ui));
            })),
        }
    }

    /// The action, its curves, and beside them its regulation.
    fn action_face(
        &mut self,
        ui: &mut Ui,
        controls: &mut dyn Controls,
        play: &mut Vec<Event>,
        now: f64,
    ) {
        let height = ui.available_height();
        let width = (0.34 * ui.available_width()).clamp(290.0, 372.0);
        Panel::right("settings").resizable(true).default_size(width).min_size(280.0).show(
            ui,
            |ui| {
                let notes = (0.1 * ui.available_height()).clamp(40.0, 100.0);
                Panel::bottom("notes").exact_size(notes).show(ui, |ui| {
                    ui.add_space(2.0);
                    panel::scrolled(ui, |ui| {
                        self.regulation.notes(ui, self.strip.chosen, controls);
                    });
                });
                CentralPanel::default().frame(egui::Frame::NONE).show(ui, |ui| {
                    panel::scrolled(ui, |ui| panel::regulation::RegulationPanel::ui(ui, controls));
                });
            },
        );
        CentralPanel::default().show(ui, |ui| {
            let settings = controls.settings().action;
            self.switches(ui, &settings);
            let room = ui.available_height();
            let low = height < LOW;
            let high = if low { (room - SCOPE).max(0.3 * room) } else { 0.5 * room };
            let action = egui::vec2(ui.available_width(), high);
            ui.allocate_ui(action, |ui| self.action(ui, &settings, controls, play, now));
            self.transport.ui(ui, self.memory.last.as_ref());
            self.scope.ui(ui, &self.memory, &mut self.transport);
        });
    }

    fn device_face(&mut self, ui: &mut Ui) {
        match &self.desk {
            Some(desk) => {
                if let Some(choice) = self.device.ui(ui, desk) {
                    self.chosen = Some(choice);
                }
            }
            None => drop(ui.label("No keyboard can be joined here.")),
        }
    }

    /// A computed stroke follows the screws; a played one stays as it was played.
    fn follow(&mut self, settings: &ActionSettings) {
        if let Some(last) = &self.memory.last
            && last.touch.is_none()
            && last.settings != *settings
        {
            self.memory.last = Some(Stroke::pressed(last.key, settings, self.tried));
        }
    }

    /// What is drawn, *Try a press*, what the scope shows.
    fn switches(&mut self, ui: &mut Ui, settings: &ActionSettings) {
        ui.horizontal_wrapped(|ui| {
            self.view.switches(ui);
            ui.separator();
            let hint = "A finger presses the chosen key under the present settings; turn a screw \
                        and watch what changes. Silent.";
            if ui.button("Try a press").on_hover_text(hint).clicked() {
                self.try_press(settings);
            }
            let drag = egui::DragValue::new(&mut self.tried)
                .range(0.2..=4.0)
                .speed(0.02)
                .fixed_decimals(2)
                .suffix(" m/s");
            let label = ui.label("at hammer speed");
            if ui.add(drag).labelled_by(label.id).changed() {
                self.try_press(settings);
            }
            ui.separator();
            self.scope.switches(ui);
            self.tools.stroke(ui, &mut self.memory, &self.scope);
        });
    }

    /// Presses the chosen key under `settings` and shows it slowly.
    pub fn try_press(&mut self, settings: &ActionSettings) {
        let stroke = Stroke::pressed(self.strip.chosen, settings, self.tried);
        self.transport.replay(&stroke);
        self.memory.last = Some(stroke);
    }

    /// Draws the action at the transport's time.
    fn action(
        &mut self,
        ui: &mut Ui,
        settings: &ActionSettings,
        controls: &mut dyn Controls,
        play: &mut Vec<Event>,
        now: f64,
    ) {
        let held = self.snapshot.touched.is_some_and(|key| {
            // A key held down stays in view.
            self.snapshot.depth[key.index()] > 5e-4
        });
        let moves = now - self.moved < MOVING || held;
        let names = self.view.names;
        let reads = controls.settings().touch.key_pressure == KeyPressure::Position;
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
            Some((stroke, row)) if self.transport.is_live => (stroke, row, "live".to_owned()),
            Some((stroke, row)) => {
                let moment = format!("{:.2} ms · {}", 1e3 * row.time, stroke.origin.words());
                (stroke, row, moment)
            }
            None => {
                let fits = |r: &Stroke| r.key == key && r.settings == *settings;
                self.resting = self.resting.take().filter(fits);
                let resting = self.resting.get_or_insert_with(|| Stroke::at_rest(key, settings));
                let Some(row) = resting.rows.first() else { return };
                (&*resting, row, "at rest".to_owned())
            }
        };
        let (key, moment) = (stroke.key, &*moment);
        match stroke.pose(row) {
            Posed::Grand(pose) => {
                self.view.ui(ui, &pose, &Caption { key, moment }, controls, play);
            }
            Posed::Other(pose, bounds) => {
                let (kind, pose, view) = (stroke.kind(), &pose, &row.view);
                let shown = Shown { key, kind, pose, bounds, view, moment, names, reads };
                self.other.ui(ui, &shown, play);
            }
        }
    }
}

#[cfg(test)]
mod tests;
