//! The strip that slides along the 88 keys where fewer are shown, each as wide as a finger.

use egui::{Color32, Rect, Sense, Stroke, StrokeKind, Ui, pos2, vec2};

use super::{FULL, WHITES, is_black, key_rect};
use crate::widgets::theme;
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::KeyNumber;
use touchback_instrument::Snapshot;

/// Least width of a white key for a finger, points.
const FINGER: f32 = 44.0;
/// The first shown white key of a new window: C4 is the 24th.
const FIRST: f32 = 23.0;

/// The shown part of the keys.
#[derive(Clone, Debug)]
pub(super) struct Slide {
    /// White keys left of the shown part.
    first: f32,
}

impl Default for Slide {
    fn default() -> Self {
        Self { first: FIRST }
    }
}

/// Number of white keys of a finger's width that have room in `width` points.
fn shown(width: f32) -> f32 {
    (width / FINGER).floor().clamp(1.0, WHITES)
}

impl Slide {
    /// The place of all 88 keys, of which `area` shows a part.
    pub(super) fn whole(&self, area: Rect) -> Rect {
        let count = shown(area.width());
        let each = area.width() / count;
        let left = area.min.x - each * self.first.min(WHITES - count);
        Rect::from_min_size(pos2(left, area.min.y), vec2(each * WHITES, area.height()))
    }

    /// Shows `key`, if `area` does not.
    pub(super) fn follow(&mut self, area: Rect, key: KeyNumber) {
        let place = key_rect(self.whole(area), key);
        if place.min.x < area.min.x - 1.0 || place.max.x > area.max.x + 1.0 {
            let whites = KeyNumber::all().take(key.index()).filter(|k| !is_black(*k)).count();
            self.to(whites as f32, shown(area.width()));
        }
    }

    /// Shows `count` white keys around `middle`.
    fn to(&mut self, middle: f32, count: f32) {
        self.first = (middle - 0.5 * count).round().clamp(0.0, WHITES - count);
    }

    /// Draws the strip in `rect`, with a frame around the part that keys in `width` points show.
    pub(super) fn ui(&mut self, ui: &Ui, rect: Rect, width: f32, snapshot: &Snapshot) {
        let response = ui.interact(rect, ui.scope_id().with("slide"), Sense::click_and_drag());
        let (count, each) = (shown(width), rect.width() / WHITES);
        if let Some(at) = response.interact_pointer_pos()
            && (response.is_pointer_button_down_on() || response.clicked())
        {
            self.to((at.x - rect.min.x) / each, count);
        } else if response.has_focus() {
            let press = |key| ui.input(|i| i.key_pressed(key));
            let filter = egui::EventFilter { horizontal_arrows: true, ..Default::default() };
            ui.memory_mut(|m| m.set_focus_lock_filter(response.id, filter));
            // An octave has seven white keys.
            let octaves = f32::from(u8::from(press(egui::Key::ArrowRight)))
                - f32::from(u8::from(press(egui::Key::ArrowLeft)));
            self.first = (self.first + 7.0 * octaves).clamp(0.0, WHITES - count);
        }
        let first = self.first.min(WHITES - count);
        response.widget_info(|| {
            egui::WidgetInfo::slider(true, f64::from(first), "Slide along the 88 keys")
        });
        let painter = ui.painter_at(rect);
        let ink = theme::outline(ui.visuals().dark_mode);
        painter.rect_filled(rect, 3.0, Color32::from_rgb(250, 248, 242));
        for key in KeyNumber::all() {
            let place = key_rect(rect, key);
            if is_black(key) {
                painter.rect_filled(place, 0.0, Color32::from_gray(90));
            }
            if snapshot.depth[key.index()] > 0.1 * FULL {
                painter.rect_filled(place.shrink(0.5), 0.0, theme::curve(ui, 0));
            }
        }
        let frame = Rect::from_min_size(
            rect.min + vec2(each * first, 0.0),
            vec2(each * count, rect.height()),
        );
        // What is not shown is darker.
        let dim = ink.gamma_multiply(0.35);
        painter.rect_filled(rect.with_max_x(frame.min.x), 3.0, dim);
        painter.rect_filled(rect.with_min_x(frame.max.x), 3.0, dim);
        let edge = if response.has_focus() || response.hovered() { 3.0 } else { 2.0 };
        painter.rect_stroke(frame, 3.0, Stroke::new(edge, theme::accent(ui)), StrokeKind::Inside);
        let lowest = KeyNumber::all().filter(|k| !is_black(*k)).nth(floor_index(f64::from(first)));
        let lowest = lowest.map_or_else(String::new, super::name);
        response
            .on_hover_text(format!("The keys from {lowest} are shown; drag to slide along the 88"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_keys_are_as_wide_as_a_finger_and_every_key_can_be_shown() {
        for width in [320.0, 390.0, 768.0, 844.0, 2000.0] {
            let area = Rect::from_min_size(pos2(7.0, 3.0), vec2(width, 90.0));
            let mut slide = Slide::default();
            for key in KeyNumber::all() {
                slide.follow(area, key);
                let place = key_rect(slide.whole(area), key);
                assert!(is_black(key) || place.width() >= FINGER, "{width} {key:?}");
                let seen = place.intersect(area.expand(0.5));
                assert!(seen.width() > 0.45 * place.width(), "{width} {key:?} {place:?}");
            }
        }
        // A telephone shows an octave, a tablet two.
        assert_eq!([shown(374.0), shown(752.0)], [8.0, 17.0]);
    }
}
