//! The three pedals as lamps that a click presses or lifts.

use egui::{Align2, FontId, Pos2, Rect, Sense, Stroke, StrokeKind, Ui, pos2, vec2};

use crate::widgets::theme;
use touchback_core::math::cast::single;
use touchback_instrument::{Event, Snapshot};

/// Width of the three pedals beside keys of usual height, that height, and that of a pedal's name, points.
const WIDTH: f32 = 108.0;
const USUAL: f32 = 84.0;
const NAME: f32 = 14.0;

/// Width of the three pedals for fingers, points.
pub(crate) const TOUCHED: f32 = 144.0;

/// Factor of the pedals beside keys `height` points high.
fn factor(height: f32) -> f32 {
    (height / USUAL).clamp(1.0, 2.5)
}

/// Width of the three pedals beside keys `height` points high, points.
#[must_use]
pub fn width(height: f32) -> f32 {
    WIDTH * factor(height)
}

/// A pedal: name, short name, position 0…1, and the event that moves it.
type Pedal = (&'static str, &'static str, fn(&Snapshot) -> f64, fn(f64) -> Event);

/// From the left, as under a grand.
const PEDALS: [Pedal; 3] = [
    ("Una corda pedal", "una c.", |s| s.una_corda, Event::UnaCorda),
    ("Sostenuto pedal", "sost.", |s| s.sostenuto, Event::Sostenuto),
    ("Sustain pedal", "sust.", |s| s.sustain, Event::Sustain),
];

/// The place of pedal `index` in `area`.
fn place(area: Rect, index: usize) -> Rect {
    let width = area.width() / PEDALS.len() as f32;
    let left = area.min.x + index as f32 * width;
    Rect::from_min_size(pos2(left, area.min.y), vec2(width, area.height()))
}

/// Index of the pedal at `at`.
pub(crate) fn at(area: Rect, at: Pos2) -> Option<usize> {
    (0..PEDALS.len()).find(|index| place(area, *index).contains(at))
}

/// Whether pedal `index` is down.
pub(crate) fn is_down(index: usize, snapshot: &Snapshot) -> bool {
    PEDALS[index].2(snapshot) > 0.5
}

/// The event that presses or lifts pedal `index`.
pub(crate) fn event(index: usize, presses: bool) -> Event {
    PEDALS[index].3(f64::from(u8::from(presses)))
}

/// Draws the pedals in `area`; a click presses or lifts one, unless the pointer follows a finger, which plays
/// itself.
pub fn ui(ui: &mut Ui, area: Rect, snapshot: &Snapshot, by_touch: bool, play: &mut Vec<Event>) {
    let large = factor(area.height());
    for (index, (label, short, travel, event)) in PEDALS.into_iter().enumerate() {
        let rect = place(area, index);
        let response =
            ui.interact(rect.shrink2(vec2(1.0, 0.0)), ui.scope_id().with(label), Sense::click());
        let travel = travel(snapshot);
        let is_down = travel > 0.5;
        response
            .widget_info(|| egui::WidgetInfo::selected(egui::Role::CheckBox, true, is_down, label));
        if response.clicked() && !by_touch {
            play.push(event(if is_down { 0.0 } else { 1.0 }));
        }
        let painter = ui.painter();
        let active = response.hovered() || response.has_focus();
        let edge = if active { theme::accent(ui) } else { theme::faint(ui) };
        // The shape of a pedal seen from above: a bar with a round front.
        let bar = Rect::from_min_max(
            pos2(rect.center().x - 7.0 * large, rect.min.y + 3.0),
            pos2(rect.center().x + 7.0 * large, rect.max.y - NAME * large),
        );
        let line = Stroke::new(1.0, edge);
        painter.rect(bar, 6.0 * large, ui.visuals().extreme_bg_color, line, StrokeKind::Inside);
        if travel > 0.01 {
            let mut lit = bar.shrink(2.0);
            lit.max.y = lit.min.y + lit.height() * single(travel);
            painter.rect_filled(lit, 4.0 * large, theme::brass(ui));
        }
        let font = FontId::proportional(10.0 * large);
        let under = pos2(rect.center().x, rect.max.y);
        let name = painter.layout_no_wrap(short.to_owned(), font, edge);
        if name.size().x < rect.width() {
            let at = Align2::CENTER_BOTTOM.anchor_size(under, name.size()).min;
            painter.galley(at, name, edge);
        }
        response.on_hover_text(format!(
            "{label}, {:.0} % down; click to press or lift",
            100.0 * travel
        ));
    }
}
