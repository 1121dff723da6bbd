//! The faces *Piano* and *Action* in a small window: the drawing stays, above or left of a list that scrolls.

use egui::{CentralPanel, Frame, Rect, Ui, UiBuilder, vec2};

use super::Window;
use crate::faces::face::Face;
use crate::faces::panel::{self, scrolled};
use crate::state::controls::Controls;
use crate::views::action_view::Place;
use crate::widgets::theme;
use touchback_action::ActionKind;
use touchback_instrument::Event;

/// Ratio of width to height of the drawn action.
const ACTION: f32 = 2.4;
/// Height of the row of hammers and of the caption above the drawn action on the piano's face, points.
const ABOVE: f32 = 84.0;
/// Largest share of a face's height for the drawing, and of its width where the list is beside it.
const DRAWN: (f32, f32) = (0.62, 0.6);
/// Height of a window below which only the faces with a drawing show the keys, points.
const LOW: f32 = 420.0;
/// Heights of the scope and of the picture of the action's states, points.
const SCOPE: f32 = 260.0;
const STATES: f32 = 180.0;
/// Margin of the list, points.
const MARGIN: f32 = 8.0;

/// Height of the keys where the face above them needs no more than this, and their largest height, points.
const FACE: f32 = 540.0;
const KEYS: f32 = 260.0;

/// Height of the keys in a small window of this height, points.
pub(super) fn keys(height: f32) -> f32 {
    (0.2 * height).max(height - FACE).clamp(60.0, KEYS)
}

/// Whether a small window of this height shows the keys below `face`.
pub(super) fn has_keys(face: Face, is_list_open: bool, height: f32) -> bool {
    height >= LOW || !is_list_open && matches!(face, Face::Piano | Face::Action)
}

/// The places of drawing and list: below one another in a high face, beside one another in a wide one. The drawing
/// leaves `above` points above the action, and has what a list of known height, `listed` points, leaves free.
fn split(room: Rect, above: f32, listed: Option<f32>) -> [Rect; 2] {
    let is_wide = room.width() > 1.5 * room.height() && room.width() > 440.0;
    if is_wide {
        let (left, right) = room.split_left_right_at_fraction(DRAWN.1);
        return [left, right];
    }
    let wanted = (room.width() / ACTION + above).min(DRAWN.0 * room.height());
    let free = listed.map_or(0.0, |listed| room.height() - listed - MARGIN);
    let (upper, lower) = room.split_top_bottom_at_y(room.min.y + wanted.max(free));
    [upper, lower]
}

/// Draws `add` in `area` with margins and a scroll bar. Returns the height of what was drawn.
fn list(ui: &mut Ui, area: Rect, add: impl FnOnce(&mut Ui)) -> f32 {
    let area = area.shrink2(vec2(MARGIN, 0.5 * MARGIN));
    let mut height = 0.0;
    ui.scope_builder(UiBuilder::new().max_rect(area).id_salt("list"), |ui| {
        ui.set_clip_rect(area.intersect(ui.clip_rect()));
        scrolled(ui, |ui| {
            add(ui);
            height = ui.min_rect().height();
        });
    });
    height
}

impl Window {
    /// Draws the piano's face: the moving action, three controls, and *More*.
    pub(super) fn small_piano(
        &mut self,
        ui: &mut Ui,
        controls: &mut dyn Controls,
        play: &mut Vec<Event>,
        now: f64,
    ) {
        let fill = ui.visuals().panel_fill;
        CentralPanel::default().frame(Frame::NONE.fill(fill)).show(ui, |ui| {
            // Known from the last frame.
            let id = ui.scope_id().with("listed");
            let listed = ui.data(|data| data.get_temp::<f32>(id));
            let [stage, area] = split(ui.available_rect_before_wrap(), ABOVE, listed);
            self.stage(ui, stage, controls, play, now);
            let height = list(ui, area, |ui| {
                ui.horizontal_wrapped(|ui| {
                    self.stage_buttons(ui);
                    let more = ui.selectable_label(self.has_more, "More");
                    self.has_more ^= more.on_hover_text("All controls of the piano").clicked();
                });
                let has_more = self.has_more;
                self.piano_controls().small(ui, has_more, controls);
            });
            if listed != Some(height) {
                ui.data_mut(|data| data.insert_temp(id, height));
                ui.ctx().request_repaint();
            }
        });
    }

    /// Draws the workshop's page *Action*: the drawing, then switches, curves, notes and regulation.
    pub(super) fn small_action(
        &mut self,
        ui: &mut Ui,
        controls: &mut dyn Controls,
        play: &mut Vec<Event>,
        now: f64,
    ) {
        let settings = controls.settings().action;
        CentralPanel::default().frame(Frame::NONE.fill(ui.visuals().panel_fill)).show(ui, |ui| {
            let [drawing, area] = split(ui.available_rect_before_wrap(), 0.0, None);
            ui.scope_builder(UiBuilder::new().max_rect(drawing).id_salt("drawing"), |ui| {
                self.action(ui, Place::Workshop, &settings, controls, play, now);
            });
            list(ui, area, |ui| {
                self.switches(ui, &settings);
                if self.states.is_shown {
                    let size = vec2(ui.available_width(), STATES);
                    self.states.ui(ui, Rect::from_min_size(ui.cursor().min, size));
                }
                self.transport.ui(ui, self.memory.last.as_ref());
                ui.allocate_ui(vec2(ui.available_width(), SCOPE), |ui| {
                    self.scope.ui(ui, &self.memory, &mut self.transport);
                });
                let key = self.strip.chosen;
                let measured = match settings.played() {
                    ActionKind::Grand => self.workshop.keys.measured(ui, key, &settings),
                    _ => None,
                };
                self.workshop.regulation.notes(ui, key, measured, controls);
                panel::regulation::RegulationPanel::ui(ui, controls);
                self.action.mechanism.ui(ui, controls);
            });
        });
    }

    /// Draws the face that is shown, if it has a form of its own in a small window; otherwise returns false.
    pub(super) fn small_face(
        &mut self,
        ui: &mut Ui,
        controls: &mut dyn Controls,
        play: &mut Vec<Event>,
        now: f64,
    ) -> bool {
        match self.face {
            Face::Piano => self.small_piano(ui, controls, play, now),
            Face::Action => self.small_action(ui, controls, play, now),
            _ => return false,
        }
        true
    }
}

/// Size of the caption on the stage of a small window.
pub(super) fn caption(ui: &Ui, stage: Rect) -> Option<f32> {
    theme::is_small(ui.ctx()).then(|| (stage.height() / 240.0).clamp(0.5, 0.8))
}
