//! The window's contents and one frame of them, independent of a real window.

use std::sync::Arc;

use egui::{CentralPanel, Context, Panel, Ui};

use crate::faces::bar::{Bar, SeenCounts};
use crate::faces::face::Face;
use crate::faces::page_bar::PageBar;
use crate::faces::panel;
use crate::state::compare::Compare;
use crate::state::controls::Controls;
use crate::state::history::{History, Recorded};
use crate::state::stroke::{Memory, Stroke};
use crate::state::window_state::Appearance;
use crate::views::action_view::ActionView;
use crate::views::hammer_row::Ghosts;
use crate::views::keyboard::Strip;
use crate::views::other_view::OtherView;
use crate::views::scope::Scope;
use crate::views::state_graph::StateGraph;
use crate::views::velocity_curve::VelocityCurve;
use crate::widgets::gauge::Gauge;
use crate::widgets::levels::Levels;
use crate::widgets::theme;
use crate::widgets::transport::Transport;
use keyboard_face::KeyboardFace;
use touchback_action::ActionSettings;
use touchback_core::exchange::flags::Flag;
use touchback_instrument::host::preset::user_presets::UserPresets;
use touchback_instrument::watch::monitor::Meter;
use touchback_instrument::watch::monitor::tape::TimedMessage;
use touchback_instrument::watch::trace::Sample;
use touchback_instrument::{Event, Snapshot};

/// The edits of both pianos, which outlive a closed window.
#[derive(Clone, Default, Debug)]
pub struct Session {
    /// The edits of the active piano.
    pub history: History,
    /// The other piano.
    pub compare: Compare,
    /// Played events that found no room in the queue to the piano.
    pub unsent: Vec<Event>,
}

/// Time without an answer of the piano to a played key after which the window says so, s.
const PATIENCE: f64 = 3.0;

/// Hammer speed of *Try a press*, m/s.
struct PressSpeed(f64);

impl Default for PressSpeed {
    fn default() -> Self {
        Self(1.5)
    }
}

/// Steps of the last touched key.
struct Steps {
    /// One has come since the last frame.
    has_new: bool,
    /// Time of the last one, by the context's clock, s.
    last_at: f64,
}

impl Default for Steps {
    fn default() -> Self {
        Self { has_new: false, last_at: f64::NEG_INFINITY }
    }
}

/// The meters of bar and first face.
#[derive(Default)]
struct Meters {
    levels: Levels,
    gauge: Gauge,
    /// Warnings that were dismissed.
    seen: SeenCounts,
}

/// What *Action* keeps.
#[derive(Default)]
struct ActionState {
    mechanism: panel::mechanism::MechanismPanel,
    view: ActionView,
    other: OtherView,
    /// The chosen key at rest under the current settings.
    resting: Option<Stroke>,
    press_speed: PressSpeed,
}

/// What *Voice* keeps.
#[derive(Default)]
struct VoiceState {
    scale: panel::scale::ScalePanel,
    curves: panel::voice_curves::VoiceCurves,
}

/// What *Touch* keeps.
#[derive(Default)]
struct TouchState {
    curve: VelocityCurve,
    calibration: panel::calibration::CalibrationPanel,
    line: panel::timing::TimeLine,
}

/// What *Keys* keeps.
#[derive(Default)]
struct WorkshopState {
    keys: panel::keys::KeysFace,
    regulation: panel::regulation::RegulationPanel,
}

/// What *Settings* keeps.
#[derive(Default)]
struct HostState {
    pedal: panel::pedal::PedalPanel,
    tools: panel::tools::ToolsPanel,
    received: panel::messages::MessageList,
}

/// The window's contents.
#[derive(Default)]
pub struct Window {
    /// The last snapshot of the keyboard.
    pub snapshot: Snapshot,
    /// The last stroke, and a stroke kept for comparison.
    pub memory: Memory,
    /// The shown time.
    pub transport: Transport,
    /// The scope and its options.
    pub scope: Scope,
    /// The graph of the action's submodels.
    pub states: StateGraph,
    /// Zoom and colours.
    pub appearance: Appearance,
    /// The face between bar and keys.
    pub face: Face,
    /// Whether the list of pianos is open.
    pub list_open: bool,
    /// Whether the piano's face shows all its controls in a small window.
    has_more: bool,
    /// Whether to play the preview phrase.
    pub preview: Arc<Flag>,
    /// The edits, and the other piano.
    pub session: Session,
    /// The motorized keyboard of this instance.
    pub keyboard: KeyboardFace,
    /// The row of a page in a browser; none in a host.
    pub page: Option<PageBar>,
    /// Whether changes are shown at once instead of in motion, as users ask of their system.
    pub is_still: bool,
    presets: panel::presets::PresetsPanel,
    strip: Strip,
    meters: Meters,
    action: ActionState,
    voice: VoiceState,
    touch: TouchState,
    workshop: WorkshopState,
    host: HostState,
    /// Hammers of keys that were let go.
    ghosts: Ghosts,
    /// Messages since the last frame.
    messages: Vec<TimedMessage>,
    steps: Steps,
    /// Time at which a key was played here that the piano has not answered, s.
    asked: Option<f64>,
}

impl Window {
    /// Prepares a context for [`Self::ui`].
    pub fn apply_theme(&self, context: &Context) {
        theme::apply(context);
        context.set_theme(self.appearance.theme);
    }

    /// Takes a snapshot of the keyboard.
    pub fn show(&mut self, snapshot: &Snapshot) {
        if let Some(key) = snapshot.touched
            && self.snapshot.touched != Some(key)
        {
            self.strip.chosen = key;
        }
        if snapshot.time.to_bits() != self.snapshot.time.to_bits() {
            self.asked = None;
        }
        self.snapshot = *snapshot;
    }

    /// Takes a step of the last touched key, computed under `settings`.
    pub fn absorb(&mut self, sample: &Sample, settings: &ActionSettings) {
        self.memory.absorb(sample, settings);
        self.strip.chosen = sample.key;
        self.steps.has_new = true;
    }

    /// Lists the user's own pianos in the folder `shelf`.
    pub(crate) fn show_pianos_of(&mut self, shelf: UserPresets) {
        self.presets = panel::presets::PresetsPanel::on(Some(shelf));
    }

    /// Whether preset files are being read or written, a mechanism is being built, or a key is being measured.
    #[must_use]
    pub const fn is_reading(&self) -> bool {
        self.presets.is_busy() || self.action.mechanism.is_busy() || self.workshop.keys.is_busy()
    }

    /// The messages of host, window and motorized keyboard since the last frame; each frame clears them.
    pub const fn messages(&mut self) -> &mut Vec<TimedMessage> {
        &mut self.messages
    }

    /// Takes the output's largest magnitudes since the last call, left and right.
    pub fn raise_levels(&mut self, peaks: [f64; 2]) {
        self.meters.levels.raise(peaks);
    }

    /// Takes the output guard's largest attenuation since the last call, as 1 − gain.
    pub fn limit_levels(&mut self, attenuation: f64) {
        self.meters.levels.limit(attenuation);
    }

    /// Takes the computing load at `now` s, with the worst block's since the last call.
    pub fn measure(&mut self, meter: &Meter, worst: f64, now: f64) {
        self.meters.gauge.show(meter, worst, now);
    }

    /// Whether the user has requested the performance for [`Self::save_performance`].
    pub const fn wants_performance(&mut self) -> bool {
        self.host.tools.wants_performance()
    }

    /// The folder of recorded MIDI, as the project saves it.
    #[must_use]
    pub fn midi_folder(&self) -> &str {
        self.host.tools.midi_folder()
    }

    /// Sets the folder of recorded MIDI.
    pub fn set_midi_folder(&mut self, text: &str) {
        self.host.tools.set_midi_folder(text);
    }

    /// Saves the performance.
    pub fn save_performance(&mut self, messages: Vec<TimedMessage>) {
        self.host.tools.save(messages);
    }

    /// Releases the keys held by the mouse. Call when the window closes.
    pub fn release(&mut self, play: &mut Vec<Event>) {
        self.preview.set(false);
        self.strip.end(play);
        self.action.view.release(play);
        self.action.other.release(play);
    }

    /// Ends an exercise, which removes its fault from the piano. Call when the window closes.
    pub fn end_exercise(&mut self, controls: &mut dyn Controls) {
        Recorded { controls, history: &mut self.session.history }.end_exercise();
    }

    /// Hides a fault in the chosen key of the grand and shows the exercise.
    pub fn find_a_fault(&mut self, controls: &mut dyn Controls) {
        (self.face, self.list_open) = (Face::Keys, false);
        let mut recorded = Recorded { controls, history: &mut self.session.history };
        self.workshop.keys.hide_fault(self.strip.chosen, &mut recorded);
    }

    /// Draws one frame; appends events for the instrument to `play`.
    pub fn ui(&mut self, ui: &mut Ui, controls: &mut dyn Controls, play: &mut Vec<Event>) {
        let now = ui.input(|i| i.time);
        if std::mem::take(&mut self.steps.has_new) {
            self.steps.last_at = now;
        }
        ui.ctx().set_theme(self.appearance.theme);
        if theme::is_still(ui.style()) != self.is_still {
            theme::keep_still(ui.ctx(), self.is_still);
        }
        self.session.history.now = now;
        self.presets.follow(ui);
        self.workshop.keys.follow();
        self.host.tools.follow(ui);
        self.touch.curve.follow(&self.messages, &self.snapshot);
        self.host.received.follow(&self.messages);
        let (chosen, view) = (self.strip.chosen, &mut self.action.view);
        let moves = !theme::is_still(ui.style());
        self.ghosts.follow(&self.snapshot, now, |key| {
            if key == chosen && moves {
                view.let_go(now);
            }
            moves
        });
        Panel::top("bar").show(ui, |ui| {
            ui.add_space(2.0);
            self.bar(ui, controls);
            ui.add_space(1.0);
        });
        // Taken out of the window while the recording controls borrow it.
        let mut session = std::mem::take(&mut self.session);
        let mut recorded = Recorded { controls, history: &mut session.history };
        self.below(ui, &mut recorded, play, now);
        self.session = session;
        self.messages.clear();
        if self.asked.is_none() && play.iter().any(|event| matches!(event, Event::NoteOn { .. })) {
            self.asked = Some(now);
            ui.ctx().request_repaint_after(std::time::Duration::from_secs_f64(PATIENCE));
        }
    }

    /// Draws the bar at the top.
    fn bar(&mut self, ui: &mut Ui, controls: &mut dyn Controls) {
        let bar = Bar {
            presets: &mut self.presets,
            list_open: &mut self.list_open,
            history: &mut self.session.history,
            compare: &mut self.session.compare,
            face: &mut self.face,
            appearance: &mut self.appearance,
            levels: &mut self.meters.levels,
            gauge: &self.meters.gauge,
            counts: &self.snapshot.counts,
            seen: &mut self.meters.seen,
            page: self.page.as_mut(),
        };
        bar.ui(ui, controls);
    }

    /// Draws everything below the bar.
    fn below(&mut self, ui: &mut Ui, controls: &mut dyn Controls, play: &mut Vec<Event>, now: f64) {
        self.action.mechanism.follow(ui.ctx(), controls);
        self.presets.settle(ui.ctx(), controls);
        let settings = controls.settings().action;
        self.follow(&settings);
        let elapsed = f64::from(ui.input(|i| i.stable_dt)).min(0.1);
        if let Some(stroke) = &self.memory.last {
            self.transport.advance(elapsed, stroke);
            let is_shown = matches!(self.face, Face::Piano | Face::Action);
            if self.transport.runs && !self.transport.is_live && is_shown {
                ui.ctx().request_repaint();
            }
        }
        let (height, is_small) = (ui.available_height(), theme::is_small(ui.ctx()));
        let whole = ui.ctx().content_rect().height();
        if !is_small || small::has_keys(self.face, self.list_open, whole) {
            Panel::bottom("keyboard").show(ui, |ui| {
                ui.add_space(2.0);
                let keys =
                    if is_small { small::keys(height) } else { (0.12 * height).clamp(44.0, 220.0) };
                self.strip.ui(ui, keys, &self.snapshot, play);
            });
        }
        if self.list_open {
            CentralPanel::default().show(ui, |ui| {
                panel::scrolled(ui, |ui| self.presets.ui(ui, controls, &self.preview));
            });
            return;
        }
        if self.face != Face::Piano {
            self.preview.set(false);
        }
        if is_small && self.small_face(ui, controls, play, now) {
            return;
        }
        match self.face {
            Face::Piano => self.piano_face(ui, controls, play, now),
            Face::Voice => drop(CentralPanel::default().show(ui, |ui| {
                let (scale, curves) = (&mut self.voice.scale, &mut self.voice.curves);
                panel::voice::ui(ui, scale, curves, self.strip.chosen, controls);
            })),
            Face::Touch => drop(CentralPanel::default().show(ui, |ui| {
                let TouchState { curve, calibration, line } = &mut self.touch;
                let (key, last) = (self.strip.chosen, self.memory.last.as_ref());
                let played = panel::touch::Played { snapshot: &self.snapshot, key, last };
                panel::touch::ui(ui, curve, calibration, line, played, controls);
            })),
            Face::Settings => drop(CentralPanel::default().show(ui, |ui| {
                let (pedal, tools) = (&mut self.host.pedal, &mut self.host.tools);
                let shown = panel::settings::Shown {
                    snapshot: &self.snapshot,
                    new_messages: &self.messages,
                    messages: &self.host.received,
                };
                panel::settings::ui(ui, pedal, tools, shown, play, controls);
            })),
            Face::Action => self.action_face(ui, controls, play, now),
            Face::Keys => drop(CentralPanel::default().show(ui, |ui| {
                theme::enlarge(ui, theme::workshop_enlargement(ui.ctx()));
                let (regulation, chosen) = (&mut self.workshop.regulation, &mut self.strip.chosen);
                self.workshop.keys.ui(ui, regulation, chosen, &mut self.face, controls);
            })),
            Face::Keyboard => drop(CentralPanel::default().show(ui, |ui| {
                panel::scrolled(ui, |ui| {
                    theme::enlarge(ui, theme::enlargement(ui.ctx()));
                    let last = self.memory.last.as_ref();
                    self.keyboard.ui(ui, self.strip.chosen, &settings, last);
                });
            })),
        }
    }
}

mod action_face;
mod keyboard_face;
mod piano_face;
mod small;
#[cfg(test)]
mod tests;
