//! The view of an action other than the grand's, drawn from its model's parts.

use egui::{Align2, FontId, Sense, Ui, vec2};

use crate::views::action_view::{Place, is_named};
use crate::views::drawing::other;
use crate::views::drawing::paint::{self, ScreenMapping};
use crate::views::keyboard::name;
use crate::widgets::hand::KeyHand;
use crate::widgets::theme;
use touchback_action::interface::pose::Pose;
use touchback_action::{ActionKind, Readout};
use touchback_core::math::compass::KeyNumber;
use touchback_instrument::Event;

/// Width of key and phase beside a picture too small for names, points.
const CAPTION: f32 = 92.0;

/// The view's state: the key under the mouse.
#[derive(Default)]
pub struct OtherView {
    hand: KeyHand,
}

/// A pose to draw, with its caption.
pub struct Shown<'a> {
    /// The key.
    pub key: KeyNumber,
    /// The action.
    pub kind: ActionKind,
    /// Name of the action within a sentence.
    pub title: &'a str,
    /// Parts of the action in this pose.
    pub pose: &'a Pose,
    /// Parts of the action at rest.
    pub rest: &'a Pose,
    /// Distance of the finger above the key, m, if it is near.
    pub finger: Option<f64>,
    /// Positions, speeds and forces of this pose.
    pub view: &'a Readout,
    /// What the pose shows: the live action, or a time within a stroke.
    pub moment: &'a str,
    /// Whether to show the parts' names.
    pub names: bool,
    /// Whether the instrument reads key positions.
    pub reads_position: bool,
    /// Where the picture is.
    pub place: Place,
}

impl OtherView {
    /// Draws `shown` in all the available space. The mouse plays the key.
    pub fn ui(&mut self, ui: &mut Ui, shown: &Shown<'_>, play: &mut Vec<Event>) {
        let rect = ui.available_rect_before_wrap();
        let response = ui.allocate_rect(rect, Sense::click_and_drag());
        let painter = ui.painter_at(rect);
        let in_workshop = shown.place == Place::Workshop;
        if in_workshop {
            painter.rect_filled(rect, 4.0, ui.visuals().extreme_bg_color);
        }
        let bounds = other::bounds(shown.kind, shown.rest);
        let mut room = rect.shrink(6.0);
        let is_named = is_named(rect);
        if !is_named || !in_workshop {
            // Beside the caption, which would otherwise cover the drawing.
            room.min.x += CAPTION;
        }
        let view = ScreenMapping::fit_low(bounds, room);
        let mut drawing = other::draw(shown.kind, shown.pose, shown.rest);
        if let Some(gap) = shown.finger {
            drawing.finger(gap);
        }
        paint::paint(&painter, &view, &drawing, ui.visuals().dark_mode);
        let names = shown.names && is_named && in_workshop;
        paint::paint_contacts(&painter, &view, &drawing, theme::accent(ui));
        paint::paint_detail(&painter, &view, &drawing, ui, names);
        if names {
            paint::paint_labels(&painter, &view, &drawing, theme::faint(ui));
        }
        if !in_workshop {
            return self.hand.follow(response, shown.key, shown.reads_position, play);
        }
        let mut at = rect.min + vec2(12.0, 10.0);
        let mut line = |text: &str, size: f32, colour| {
            let font = FontId::proportional(size);
            at.y += painter.text(at, Align2::LEFT_TOP, text, font, colour).height() + 3.0;
        };
        line(&name(shown.key), 20.0, ui.visuals().text_color());
        let readout = shown.view;
        if !is_named {
            line(readout.phase, 13.0, ui.visuals().text_color());
            let (font, colour) = (FontId::proportional(9.0), theme::faint(ui));
            let galley = painter.layout(shown.moment.to_owned(), font, colour, CAPTION - 12.0);
            painter.galley(at, galley, colour);
            return self.hand.follow(response, shown.key, shown.reads_position, play);
        }
        line(&format!("{}, {}", shown.title, shown.moment), 11.0, theme::faint(ui));
        line(readout.phase, 13.0, ui.visuals().text_color());
        line(&format!("key {:.2} mm deep", 1e3 * readout.key), 11.0, theme::faint(ui));
        if readout.hammer.is_finite() {
            let side = if readout.hammer > 0.0 { "above" } else { "below" };
            let text = format!("{:.2} mm {side} the string", 1e3 * readout.hammer.abs());
            line(&text, 11.0, theme::faint(ui));
        }
        self.hand.follow(response, shown.key, shown.reads_position, play);
    }

    /// Releases a held key. Call when the window closes.
    pub fn release(&mut self, play: &mut Vec<Event>) {
        self.hand.release(play);
    }
}
