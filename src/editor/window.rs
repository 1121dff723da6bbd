//! Everything in the window, without a window: what it shows, and one frame of it.

use std::sync::Arc;

use egui::{CentralPanel, Context, Panel, Ui};

use crate::editor::action_view::ActionView;
use crate::editor::bar::Bar;
use crate::editor::compare::Compare;
use crate::editor::controls::Controls;
use crate::editor::face::Face;
use crate::editor::gauge::Gauge;
use crate::editor::history::{History, Recorded};
use crate::editor::keyboard::Strip;
use crate::editor::levels::Levels;
use crate::editor::other_view::OtherView;
use crate::editor::panel;
use crate::editor::scope::Scope;
use crate::editor::stroke::{Memory, Stroke};
use crate::editor::theme;
use crate::editor::transport::Transport;
use crate::editor::velocity_curve::VelocityCurve;
use crate::editor::window_state::Appearance;
use crate::monitor::Meter;
use crate::monitor::tape::TimedMessage;
use touchback_action::ActionSettings;
use touchback_core::exchange::flags::Flag;
use touchback_haptics::connection::{Choice, KeyboardConnection};
use touchback_instrument::preset::user_presets::UserPresets;
use touchback_instrument::trace::Sample;
use touchback_instrument::{Event, Snapshot};

/// What was done to both pianos: outlives a closed window.
#[derive(Clone, Default, Debug)]
pub struct Session {
    /// What was edited.
    pub history: History,
    /// The other piano.
    pub compare: Compare,
    /// What was played and found no room on its way to the piano.
    pub unsent: Vec<Event>,
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
    pub appearance: Appearance,
    /// What is shown between bar and keys.
    pub face: Face,
    /// Whether the list of pianos is open.
    pub list_open: bool,
    /// Whether the phrase to hear pianos by is wanted.
    pub preview: Arc<Flag>,
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
    pub connection: Option<Arc<KeyboardConnection>>,
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
            appearance: Appearance::default(),
            face: Face::default(),
            list_open: false,
            preview: Arc::default(),
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
            connection: None,
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
    pub fn apply_theme(&self, context: &Context) {
        theme::apply(context);
        context.set_theme(self.appearance.theme);
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
        self.preview.set(false);
        self.strip.release(play);
        self.view.release(play);
        self.other.release(play);
    }

    /// Takes an exercise's fault out of the piano: the window closes.
    pub fn put_in_order(&mut self, controls: &mut dyn Controls) {
        Recorded { controls, history: &mut self.session.history }.end_exercise();
    }

    /// One frame; events for the instrument are appended to `play`.
    pub fn ui(&mut self, ui: &mut Ui, controls: &mut dyn Controls, play: &mut Vec<Event>) {
        let now = ui.input(|i| i.time);
        if std::mem::take(&mut self.fresh) {
            self.moved = now;
        }
        ui.ctx().set_theme(self.appearance.theme);
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
            list_open: &mut self.list_open,
            history: &mut self.session.history,
            compare: &mut self.session.compare,
            face: &mut self.face,
            appearance: &mut self.appearance,
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
        if self.list_open {
            Panel::left("pianos").resizable(false).exact_size(320.0).show(ui, |ui| {
                panel::scrolled(ui, |ui| self.presets.ui(ui, controls, &self.preview));
            });
        } else {
            self.preview.set(false);
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

    fn device_face(&mut self, ui: &mut Ui) {
        match &self.connection {
            Some(connection) => {
                if let Some(choice) = self.device.ui(ui, connection) {
                    self.chosen = Some(choice);
                }
            }
            None => drop(ui.label("No keyboard can be joined here.")),
        }
    }
}

mod action_face;
#[cfg(test)]
mod tests;
