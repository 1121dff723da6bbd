//! The moving action, drawn from its geometry, with contacts, phase and screws that can be dragged.

use egui::{
    Align2, Color32, CursorIcon, FontId, PointerButton, Pos2, Rect, Response, RichText, Sense,
    Stroke, Ui, vec2,
};

use crate::state::controls::Controls;
use crate::views::drawing::Drawing;
use crate::views::drawing::grand::{self, GrandPose};
use crate::views::drawing::paint::{self, ScreenMapping};
use crate::views::drawing::transition::Transition;
use crate::views::keyboard::name;
use crate::widgets::control::{self, gesture};
use crate::widgets::hand::KeyHand;
use crate::widgets::theme;
use touchback_action::ActionSettings;
use touchback_core::math::cast::single;
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::vec2::Vec2;
use touchback_instrument::Event;
use touchback_instrument::host::params;
use touchback_instrument::settings::KeyPressure;

/// Smallest picture in which the parts' names do not overlap, points.
const NAMED: egui::Vec2 = vec2(460.0, 190.0);

/// Distance of the pointer from a screw within which its handle appears on the piano's face, points.
const NEAR: f32 = 70.0;

/// Whether a picture of this size has room for the parts' names.
pub(crate) fn is_named(rect: Rect) -> bool {
    rect.width() > NAMED.x && rect.height() > NAMED.y
}

/// Where the picture is: with all its notes in the workshop, or as the picture of the piano's face.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// The workshop: names, submodel and contacts, and handles on the screws.
    Workshop,
    /// The piano's face: handles appear under the pointer.
    Stage,
}

/// Display options of the action's picture.
#[derive(Clone, Debug)]
pub struct ActionView {
    /// Shows the parts' names.
    pub names: bool,
    /// Shows only the mechanism behind the balance rail, larger.
    pub near: bool,
    hand: KeyHand,
    transition: Transition,
}

impl Default for ActionView {
    fn default() -> Self {
        let (hand, transition) = (KeyHand::default(), Transition::default());
        Self { names: true, near: false, hand, transition }
    }
}

/// Caption of the picture.
pub struct Caption<'a> {
    /// The key.
    pub key: KeyNumber,
    /// The settings of the drawn action.
    pub settings: &'a ActionSettings,
    /// What the pose shows: the live action, or a time within a stroke.
    pub moment: &'a str,
    /// Distance of the finger above the key, m, if it is near.
    pub finger: Option<f64>,
    /// Where the picture is.
    pub place: Place,
}

impl ActionView {
    /// Switches above the picture.
    pub fn switches(&mut self, ui: &mut Ui) {
        ui.checkbox(&mut self.names, "Names").on_hover_text("Write the parts' names");
        ui.checkbox(&mut self.near, "Near").on_hover_text("The mechanism alone, larger");
    }

    /// Draws `pose` in all the available space; dragging screws changes parameters. Returns the picture, which
    /// on the piano's face can be clicked.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        pose: &GrandPose,
        caption: &Caption,
        controls: &mut dyn Controls,
        play: &mut Vec<Event>,
    ) -> Response {
        let rect = ui.available_rect_before_wrap();
        let in_workshop = caption.place == Place::Workshop;
        let sense = if in_workshop { Sense::hover() } else { Sense::click() };
        let picture = ui.allocate_rect(rect, sense);
        let painter = ui.painter_at(rect);
        let dark = ui.visuals().dark_mode;
        let near = self.near && in_workshop;
        let bounds = if near { grand::MECHANISM } else { grand::BOUNDS };
        let view = if in_workshop {
            painter.rect_filled(rect, 4.0, ui.visuals().extreme_bg_color);
            ScreenMapping::fit(bounds, rect.shrink(6.0))
        } else {
            ScreenMapping::fit_low(bounds, rect.shrink2(vec2(6.0, 0.0)))
        };
        let (now, drags) = ui.input(|i| (i.time, i.pointer.is_decidedly_dragging()));
        let follows = drags || theme::is_still(ui.style());
        let (key, settings) = (caption.key, caption.settings);
        let mut drawing = self.transition.apply(grand::draw(pose), key, settings, now, follows);
        if let Some((hammer, left)) = self.transition.ghost(now) {
            paint::paint_ghost(&painter, &view, hammer, dark, single(left));
        }
        if self.transition.is_running() {
            ui.ctx().request_repaint();
        }
        if let Some(gap) = caption.finger {
            drawing.finger(gap);
        }
        paint::paint(&painter, &view, &drawing, dark);
        paint::paint_contacts(&painter, &view, &drawing, theme::phase(pose.state.phase));
        if in_workshop {
            if self.names && is_named(rect) {
                paint::paint_labels(&painter, &view, &drawing, theme::faint(ui));
            }
            caption_text(ui, rect, pose, caption, &drawing);
        }
        if !near {
            let front = -pose.spec.key.front;
            let corner = |x: f64, y: f64| view.at(Vec2::new(x, y));
            let on = Rect::from_two_pos(corner(front - 0.016, 0.01), corner(front + 0.125, -0.03));
            let on = ui.interact(on, ui.scope_id().with("hand"), Sense::click_and_drag());
            let reads = controls.settings().touch.key_pressure == KeyPressure::Position;
            self.hand.follow(on, caption.key, reads, play);
        }
        screws(ui, &view, &drawing, caption.place, controls);
        picture
    }

    /// The drawn key was let go at `now` s: its hammer fades where it was.
    pub fn let_go(&mut self, now: f64) {
        self.transition.let_go(now);
    }

    /// Releases a held key. Call when the window closes.
    pub fn release(&mut self, play: &mut Vec<Event>) {
        self.hand.release(play);
    }
}

/// Draws key, phase and active contacts in the upper left corner, where no part moves.
fn caption_text(ui: &Ui, rect: Rect, pose: &GrandPose, caption: &Caption, drawing: &Drawing) {
    let painter = ui.painter_at(rect);
    let large = theme::size(ui);
    let mut at = rect.min + vec2(12.0, 10.0);
    let text = ui.visuals().text_color();
    let mut line = |text: &str, size: f32, colour: Color32, indent: f32| {
        let font = FontId::proportional(large * size);
        let position = at + vec2(indent, 0.0);
        let drawn = painter.text(position, Align2::LEFT_TOP, text, font, colour);
        at.y += drawn.height() + 3.0;
        drawn
    };
    line(&name(caption.key), 20.0, text, 0.0);
    line(caption.moment, 11.0, theme::faint(ui), 0.0);
    let phase = theme::phase(pose.state.phase);
    let drawn = line(theme::phase_name(pose.state.phase), 13.0, text, large * 16.0);
    let chip =
        Rect::from_center_size(Pos2::new(rect.min.x + 18.0, drawn.center().y), vec2(10.0, 10.0));
    painter.rect_filled(chip, 3.0, phase);
    let contacts = if is_named(rect) { 6 } else { 0 };
    for touch in drawing.touching.iter().take(contacts) {
        let drawn = line(touch.name, 11.0, theme::faint(ui), large * 16.0);
        painter.circle_filled(Pos2::new(rect.min.x + 18.0, drawn.center().y), 2.5, phase);
    }
}

/// Draws handles on the screws: dragging up or down turns a screw, with Shift a tenth as far; Ctrl-click
/// resets it.
fn screws(
    ui: &mut Ui,
    view: &ScreenMapping,
    drawing: &Drawing,
    place: Place,
    controls: &mut dyn Controls,
) {
    let pointer = ui.input(|i| i.pointer.hover_pos());
    for screw in &drawing.screws {
        let Ok(parameter) = params::find(screw.parameter) else { continue };
        let at = view.at(screw.at);
        if !ui.clip_rect().contains(at) {
            continue;
        }
        let rect = Rect::from_center_size(at, vec2(20.0, 20.0));
        let id = ui.scope_id().with(("screw", screw.parameter));
        let mut response = ui.interact(rect, id, Sense::click_and_drag());
        let name = format!("Turn {}", parameter.name);
        let value = controls.value(parameter);
        response.widget_info(|| egui::WidgetInfo::slider(true, value, name.as_str()));
        let active = response.hovered() || response.dragged() || response.has_focus();
        let is_near = pointer.is_some_and(|pointer| pointer.distance(at) < NEAR);
        let shown = match place {
            _ if active => 1.0,
            Place::Stage if !is_near => 0.0,
            _ => 0.55,
        };
        let colour = theme::accent(ui).gamma_multiply(shown);
        let painter = ui.painter();
        painter.circle_stroke(at, if active { 8.0 } else { 5.5 }, Stroke::new(1.6, colour));
        for side in [-1.0, 1.0] {
            let tip = at + vec2(0.0, side * if active { 14.0 } else { 10.0 });
            let base = tip - vec2(0.0, side * 3.5);
            painter.line_segment([base - vec2(3.0, 0.0), tip], Stroke::new(1.4, colour));
            painter.line_segment([base + vec2(3.0, 0.0), tip], Stroke::new(1.4, colour));
        }
        let mut turned = value;
        if response.dragged_by(PointerButton::Primary) {
            let fine = if ui.input(|i| i.modifiers.shift) { 0.1 } else { 1.0 };
            let up = fine * view.metres(-response.drag_delta().y);
            let id = id.with("turned");
            // The unrounded value is kept, so that slow and fine drags do not stall.
            let from = ui.data(|data| data.get_temp::<(f64, f64)>(id));
            let from = from.filter(|(at, _)| at.to_bits() == value.to_bits());
            let wanted = from.map_or(value, |(_, wanted)| wanted) + up * screw.per_metre;
            turned = parameter.quantize(wanted);
            ui.data_mut(|data| data.insert_temp(id, (turned, wanted)));
        } else if response.clicked() && ui.input(|i| i.modifiers.command) {
            turned = parameter.default_value();
        } else if response.has_focus() {
            // An arrow key moves by a hundredth of the range.
            let press = |key| ui.input(|i| i.key_pressed(key));
            let steps = f64::from(u8::from(press(egui::Key::ArrowUp)))
                - f64::from(u8::from(press(egui::Key::ArrowDown)));
            let step = 0.01 * (parameter.max() - parameter.min()) * screw.per_metre.signum();
            turned = parameter.quantize(value + steps * step);
        }
        if turned.to_bits() != value.to_bits() {
            response.mark_changed();
        }
        gesture::follow(&response, parameter, controls, turned);
        control::describe(&response, || parameter.doc.to_owned());
        if active {
            ui.ctx().set_cursor_icon(CursorIcon::ResizeVertical);
        }
        response.on_hover_ui(|ui| {
            let value = controls.value(parameter);
            ui.label(
                RichText::new(format!("{}: {}", parameter.name, parameter.text(value))).strong(),
            );
            ui.label(parameter.doc);
            ui.label(
                RichText::new(
                    "Drag up or down to turn, Shift: fine, Escape: back; Ctrl-click resets.",
                )
                .small(),
            );
        });
    }
}
