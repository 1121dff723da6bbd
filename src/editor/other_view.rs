//! The view of an action that is not the grand's: its model's parts, live.

use egui::{Align2, FontId, Sense, Ui, vec2};

use crate::action::grand::concert::Design;
use crate::action::levers::LeverKey;
use crate::action::{ActionKind, ActionSettings, Drive};
use crate::editor::drawing::other;
use crate::editor::drawing::paint::{self, View};
use crate::editor::keyboard::name;
use crate::editor::theme;
use crate::instrument::{Event, Snapshot};
use crate::math::compass::Key;
use crate::math::vec2::Vec2;

/// Velocity of a click.
const VELOCITY: f64 = 0.6;

/// One key of the action that is chosen.
#[derive(Default)]
pub struct OtherView {
    made: Option<Made>,
    held: Option<Key>,
}

struct Made {
    key: Key,
    settings: ActionSettings,
    lever: LeverKey,
    bounds: (Vec2, Vec2),
}

impl Made {
    fn new(key: Key, settings: &ActionSettings) -> Option<Self> {
        let built = || Design::new(key).build(settings);
        let lever = LeverKey::new(settings.action, key, built)?;
        let bounds = other::bounds(&lever.played().pose());
        Some(Self { key, settings: *settings, lever, bounds })
    }
}

impl OtherView {
    /// Draws `key` as `snapshot` has it, or at rest, over all the room there is; nothing where
    /// `settings` choose the grand. A click plays the key.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        key: Key,
        settings: &ActionSettings,
        snapshot: &Snapshot,
        names: bool,
        play: &mut Vec<Event>,
    ) {
        let fits = |made: &Made| made.key == key && made.settings == *settings;
        self.made = self.made.take().filter(fits).or_else(|| Made::new(key, settings));
        let Some(made) = &mut self.made else { return };
        let live =
            snapshot.other.filter(|(touched, kind, _)| *touched == key && *kind == settings.action);
        match &live {
            Some((_, _, saved)) => made.lever.adopt(saved),
            None => made.lever.lay_to_rest(),
        }
        let rect = ui.available_rect_before_wrap();
        let response = ui.allocate_rect(rect, Sense::click_and_drag());
        response.widget_info(|| {
            egui::WidgetInfo::labeled(egui::Role::Button, true, "Play the drawn key")
        });
        let painter = ui.painter_at(rect);
        painter.rect_filled(rect, 4.0, ui.visuals().extreme_bg_color);
        let view = View::fit(made.bounds, rect.shrink(6.0));
        let played = made.lever.played();
        let drawing = other::draw(&played.pose());
        paint::paint(&painter, &view, &drawing, ui.visuals().dark_mode);
        if names {
            paint::paint_labels(&painter, &view, &drawing, theme::faint(ui));
        }
        let shown = played.view(Drive::Free);
        let mut at = rect.min + vec2(12.0, 10.0);
        let mut line = |text: &str, size: f32, colour| {
            let font = FontId::proportional(size);
            at.y += painter.text(at, Align2::LEFT_TOP, text, font, colour).height() + 3.0;
        };
        line(&name(key), 20.0, ui.visuals().text_color());
        let when = if live.is_some() { "live" } else { "at rest" };
        line(&format!("{}, {when}", title(settings.action)), 11.0, theme::faint(ui));
        line(shown.phase, 13.0, ui.visuals().text_color());
        line(&format!("key {:.2} mm deep", 1e3 * shown.key), 11.0, theme::faint(ui));
        if shown.hammer.is_finite() {
            let side = if shown.hammer > 0.0 { "above" } else { "below" };
            let text = format!("{:.2} mm {side} the string", 1e3 * shown.hammer.abs());
            line(&text, 11.0, theme::faint(ui));
        }
        if response.is_pointer_button_down_on() {
            if self.held.is_none() {
                self.held = Some(key);
                play.push(Event::NoteOn { key, velocity: VELOCITY });
            }
        } else {
            self.release(play);
        }
        response.on_hover_text("Click to play");
    }

    /// The hand lets go: also when the window closes.
    pub fn release(&mut self, play: &mut Vec<Event>) {
        if let Some(key) = self.held.take() {
            play.push(Event::NoteOff { key, velocity: 0.5 });
        }
    }
}

/// What an action is called in a sentence.
const fn title(kind: ActionKind) -> &'static str {
    match kind {
        ActionKind::Grand => "grand action",
        ActionKind::Simplified => "simplified action of 1994",
        ActionKind::ModelA => "model A of 1993",
        ActionKind::ModelB => "model B of 1993",
        ActionKind::Viennese => "Viennese action",
        ActionKind::Harpsichord => "harpsichord jack",
        ActionKind::Ball => "ball on a paddle",
    }
}
