//! The piano's face: the moving action of the last key, the row of all hammers behind it, and the player's
//! controls below.

use egui::{Align2, CentralPanel, FontId, Frame, Rect, Ui, UiBuilder, pos2, vec2};

use super::Window;
use crate::faces::panel::piano::{self, PianoControls};
use crate::state::controls::Controls;
use crate::state::stroke::Origin;
use crate::views::action_view::Place;
use crate::views::hammer_row;
use crate::views::keyboard::name;
use crate::widgets::theme;
use touchback_action::ActionKind;
use touchback_core::math::cast::single;
use touchback_instrument::{Event, Settings};

/// Largest share of the stage's height for the row of hammers.
const ROW: f32 = 0.3;
/// Blow of the row for actions without a regulated blow, m: that of a usual grand.
const BLOW: f64 = 0.047;
/// Margin of the strip of keys, points.
const MARGIN: f32 = 8.0;
/// Height of a stage with a caption of usual size, and the caption's least factor, points.
const USUAL: f32 = 440.0;
const LEAST: f32 = 0.7;
/// Share of a small stage's width for the caption.
const CAPTION: f32 = 0.42;
/// Time for which the caption stands after the last motion, and time in which it fades, s.
const STANDS: f64 = 2.0;
const FADES: f64 = 0.5;

/// What is shown where nothing answers a played key.
const MUTE: &str = if cfg!(target_family = "wasm") {
    "The sound has not started: touch or click once more."
} else {
    "Nothing answers: the host does not run its audio. Start it; some hosts run an instrument only during playback."
};

/// Dynamics by MIDI velocity, from each velocity on: the steps that notation programs use.
const DYNAMICS: [(f64, &str); 8] = [
    (0.0, "ppp"),
    (24.5, "pp"),
    (40.5, "p"),
    (56.5, "mp"),
    (72.5, "mf"),
    (88.5, "f"),
    (104.5, "ff"),
    (120.5, "fff"),
];

impl Window {
    /// Draws the stage and the controls.
    pub(super) fn piano_face(
        &mut self,
        ui: &mut Ui,
        controls: &mut dyn Controls,
        play: &mut Vec<Event>,
        now: f64,
    ) {
        let fill = ui.visuals().panel_fill;
        CentralPanel::default().frame(Frame::NONE.fill(fill)).show(ui, |ui| {
            let room = ui.available_rect_before_wrap();
            let large = theme::enlargement(ui.ctx());
            let below = piano::height(room.width(), large);
            let edge = room.max.y - below;
            let stage = Rect::from_min_max(room.min, pos2(room.max.x, edge));
            self.stage(ui, stage, controls, play, now);
            let area = Rect::from_min_max(pos2(room.min.x, edge), room.max);
            self.piano_controls().ui(ui, area, large, controls);
        });
    }

    /// The player's controls with what they show.
    pub(super) fn piano_controls(&mut self) -> PianoControls<'_> {
        PianoControls {
            curve: &self.touch.curve,
            calibration: &mut self.touch.calibration,
            snapshot: &self.snapshot,
            levels: &self.meters.levels,
        }
    }

    /// Draws the moving action before the row of hammers.
    pub(super) fn stage(
        &mut self,
        ui: &mut Ui,
        stage: Rect,
        controls: &mut dyn Controls,
        play: &mut Vec<Event>,
        now: f64,
    ) {
        let settings = controls.settings();
        let dark = ui.visuals().dark_mode;
        let painter = ui.painter_at(stage);
        painter.rect_filled(stage, 0.0, theme::ground(dark));
        let high = hammer_row::height(stage.width(), ROW * stage.height());
        // Each hammer is about above its key in the strip.
        let left = stage.min + vec2(self.strip.left + MARGIN, 6.0);
        let right = pos2(stage.max.x - MARGIN, left.y + high);
        let row = Rect::from_min_max(left, right);
        let blow = match settings.action.played() {
            ActionKind::Grand => 1e-3 * settings.action.blow_mm,
            _ => BLOW,
        };
        let ghosts = (&self.ghosts, now);
        hammer_row::paint(&painter, row, &self.snapshot, ghosts, single(blow), dark);
        if self.ghosts.is_any(now) {
            ui.ctx().request_repaint();
        }
        let place = UiBuilder::new().max_rect(stage).id_salt("stage");
        let picture = ui.scope_builder(place, |ui| {
            self.action(ui, Place::Stage, &settings.action, controls, play, now)
        });
        if let Some(picture) = picture.inner {
            let key = name(self.strip.chosen);
            let label = format!("Moving action of {key}: see the last stroke slowly");
            picture.widget_info(|| {
                egui::WidgetInfo::labeled(egui::Role::Button, true, label.as_str())
            });
            if picture.clicked() {
                self.toggle_slow();
            }
        }
        let small = super::small::caption(ui, stage);
        let large = small.unwrap_or_else(|| (stage.height() / USUAL).max(LEAST));
        // In a small window the caption keeps left of the action.
        let share = if small.is_some() { CAPTION } else { 1.0 };
        let end = pos2(stage.min.x + share * stage.width(), stage.max.y);
        let left = Rect::from_min_max(pos2(stage.min.x + 16.0, row.max.y + 8.0), end);
        let used = self.caption(ui, left, large, &settings, now);
        if small.is_some() {
            // The buttons are in the list.
            return;
        }
        let size = vec2(230.0, 24.0) * large;
        let buttons = Rect::from_min_size(left.min + vec2(0.0, used + 4.0), size);
        let place = UiBuilder::new().max_rect(buttons).id_salt("stage buttons");
        ui.scope_builder(place, |ui| {
            theme::enlarge(ui, large.clamp(0.85, 2.5));
            ui.horizontal(|ui| self.stage_buttons(ui));
        });
    }

    /// Shows the last stroke slowly, or the live action again.
    fn toggle_slow(&mut self) {
        match &self.memory.last {
            Some(stroke) if self.transport.is_live => self.transport.replay(stroke),
            _ => self.transport.is_live = true,
        }
    }

    /// Draws the buttons of slow motion and phrase.
    pub(super) fn stage_buttons(&mut self, ui: &mut Ui) {
        let is_slow = !self.transport.is_live;
        let slow = ui.add_enabled_ui(self.memory.last.is_some() || is_slow, |ui| {
            ui.selectable_label(is_slow, "Slow motion")
        });
        let hint =
            "Repeats the last stroke 50 times slower; a click into the picture does the same";
        if slow.inner.on_hover_text(hint).clicked() {
            self.toggle_slow();
        }
        let plays = self.preview.is_up();
        let phrase = ui.selectable_label(plays, "Hear a phrase");
        let hint = "Plays a short phrase, low to high and soft to loud, until it is clicked again";
        if phrase.on_hover_text(hint).clicked() {
            self.preview.set(!plays);
        }
    }

    /// Draws key, dynamics and hammer speed of the last stroke, which fade when the key has come to rest.
    /// Returns the height.
    fn caption(&self, ui: &Ui, area: Rect, large: f32, settings: &Settings, now: f64) -> f32 {
        let since = now - self.steps.last_at;
        let shown = if self.transport.is_live {
            let fades = if theme::is_still(ui.style()) { 1e-9 } else { FADES };
            1.0 - ((since - STANDS) / fades).clamp(0.0, 1.0)
        } else {
            1.0
        };
        let wait = (STANDS - since).max(0.0);
        if shown > 0.0 && self.transport.is_live {
            let wait = if wait > 0.0 { wait + 1e-3 } else { 1.0 / 60.0 };
            ui.ctx().request_repaint_after(std::time::Duration::from_secs_f64(wait));
        }
        let (ink, faint, shown) = (ui.visuals().text_color(), theme::faint(ui), single(shown));
        let painter = ui.painter_at(area);
        let key = name(self.memory.last.as_ref().map_or(self.strip.chosen, |stroke| stroke.key));
        let title =
            painter.text(area.min, Align2::LEFT_TOP, &key, FontId::proportional(28.0 * large), ink);
        let mut height = title.height();
        let mut line = |text: &str, size: f32, colour: egui::Color32| {
            let at = area.min + vec2(0.0, height + 2.0);
            let font = FontId::proportional((size * large).max(10.0));
            let text = painter.layout(text.to_owned(), font, colour, area.width());
            height += 2.0 + text.size().y;
            painter.galley(at, text, colour);
        };
        if self.asked.is_some_and(|asked| now - asked >= super::PATIENCE) {
            line(MUTE, 13.0, theme::accent(ui));
            return height;
        }
        let Some(stroke) = self.memory.last.as_ref() else {
            let text = match ui.input(|i| i.has_touch_screen()) {
                true => "Touch a key below: louder nearer its front.",
                false => "Play a key, or click one below.",
            };
            line(text, 13.0, faint);
            return height;
        };
        let speed = stroke.strike().map(|row| row.view.hammer_speed);
        let words = speed.map_or_else(
            || "no strike".to_owned(),
            |speed| {
                let velocity = 127.0 * settings.touch.velocity(speed);
                let found = DYNAMICS.iter().rev().find(|(from, _)| velocity >= *from);
                format!("{}  {speed:.2} m/s", found.map_or("", |(_, word)| *word))
            },
        );
        line(&words, 18.0, ink.gamma_multiply(shown));
        let moment = match (self.transport.is_live, stroke.origin) {
            (false, _) => {
                let times = self.transport.slowness;
                let ms = 1e3 * self.transport.time;
                format!("{times} × slower, {ms:.1} ms · {}", stroke.origin.message())
            }
            (true, Origin::Haptic) => "from the motorized keyboard".to_owned(),
            (true, _) => String::new(),
        };
        line(&moment, 11.0, faint.gamma_multiply(shown));
        height
    }
}
