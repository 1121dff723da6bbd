//! One quantity's offsets of the 88 keys, as a curve over the compass that can be dragged.

use std::ops::RangeInclusive;

use egui::{
    Align2, CursorIcon, FontId, PointerButton, Pos2, Rect, Sense, Shape, Stroke, StrokeKind, Ui,
    pos2, vec2,
};

use crate::state::controls::Controls;
use crate::views::keyboard::name;
use crate::views::plot;
use crate::widgets::{control, theme};
use touchback_action::interface::key_sheet::{KeySheet, QUANTITIES};
use touchback_core::math::cast::{floor_index, single};
use touchback_core::math::compass::{KEYS, KeyNumber};

/// Space for the axes' numbers, points.
const LEFT: f32 = 44.0;
const FOOT: f32 = 16.0;
/// Least space between two names of keys, points; with less, one name is left out.
const GAP: f32 = 4.0;
/// Lowest keys of a grand's sections, by number, as the struts of the plate usually divide them.
const SECTIONS: [u8; 4] = [1, 21, 50, 70];

/// The keys that a change affects.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Reach {
    /// The key under the pointer.
    #[default]
    One,
    /// The key's section, between two struts of the plate.
    Section,
    /// All keys.
    All,
}

impl Reach {
    /// All choices with their names.
    pub const NAMES: [(Self, &'static str); 3] =
        [(Self::One, "One key"), (Self::Section, "Section"), (Self::All, "All keys")];

    /// Indices of the affected keys for a change of `key`.
    #[must_use]
    pub fn of(self, key: KeyNumber) -> RangeInclusive<usize> {
        let index = key.index();
        match self {
            Self::One => index..=index,
            Self::All => 0..=KEYS - 1,
            Self::Section => {
                let starts = SECTIONS.map(|number| usize::from(number) - 1);
                let from = starts.into_iter().rfind(|start| *start <= index).unwrap_or(0);
                let next = starts.into_iter().find(|start| *start > index).unwrap_or(KEYS);
                from..=next - 1
            }
        }
    }
}

/// The curve of one quantity.
#[derive(Clone, Debug, Default)]
pub struct KeyCurve {
    /// Index in [`QUANTITIES`].
    pub quantity: usize,
    /// The keys that a drag moves.
    pub reach: Reach,
    /// The sheet at the beginning of the drag, and the key it began on.
    held: Option<(KeySheet, KeyNumber)>,
}

impl KeyCurve {
    /// Moves the affected keys by the same amount, such that `key` has the offset `value`.
    #[must_use]
    pub fn moved(&self, sheet: &KeySheet, key: KeyNumber, value: f64) -> KeySheet {
        let mut moved = sheet.clone();
        let by = value - sheet.action.get(key, self.quantity);
        for other in self.reach.of(key).filter_map(KeyNumber::from_index) {
            moved.action.set(other, self.quantity, sheet.action.get(other, self.quantity) + by);
        }
        moved
    }

    /// Draws the curve, `height` points high. A drag changes the sheet, a click chooses the key.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        height: f32,
        chosen: &mut KeyNumber,
        controls: &mut dyn Controls,
    ) {
        let large = theme::size(ui);
        let (all, _) = ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::hover());
        let area = Rect::from_min_max(
            all.min + vec2(large * LEFT, 6.0),
            all.max - vec2(6.0, large * FOOT),
        );
        let sheet = controls.keys();
        let most = self.most();
        self.axes(ui, area, most);
        let response = ui.interact(area, ui.scope_id().with("offsets"), Sense::click_and_drag());
        let quantity = &QUANTITIES[self.quantity];
        let label = format!("{} of the 88 keys", quantity.name);
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Group, true, &label));
        control::describe(&response, || {
            let value = sheet.action.get(*chosen, self.quantity);
            format!("{} {value:+.3} {}", name(*chosen), quantity.unit)
        });
        if let Some(at) = response.interact_pointer_pos()
            && let Some((key, value)) = read(area, at, most)
        {
            if response.drag_started_by(PointerButton::Primary) {
                controls.begin_keys();
                self.held = Some((sheet.clone(), key));
            }
            *chosen = key;
            if let Some((start, first)) = &self.held
                && response.dragged_by(PointerButton::Primary)
            {
                // A drag over single keys sets one after the other; a section moves as one.
                let changed = match self.reach {
                    Reach::One => self.moved(&sheet, key, value),
                    _ => self.moved(start, *first, value),
                };
                if changed != sheet {
                    controls.set_keys(&changed);
                }
            }
        }
        if self.held.is_some() && ui.input(|i| i.key_pressed(egui::Key::Escape)) {
            if let Some((start, _)) = self.held.take() {
                controls.set_keys(&start);
            }
            controls.end_keys(quantity.name);
        }
        if response.drag_stopped() && self.held.take().is_some() {
            controls.end_keys(quantity.name);
        }
        self.paint(ui, area, most, &controls.keys(), *chosen);
        if let Some((key, _)) = response.hover_pos().and_then(|at| read(area, at, most)) {
            ui.ctx().set_cursor_icon(CursorIcon::ResizeVertical);
            let value = sheet.action.get(key, self.quantity);
            let text = format!("{} {value:+.3} {}", name(key), quantity.unit);
            response.on_hover_text_at_pointer(text);
        }
    }

    /// Largest offset shown, which is the largest in a sheet.
    fn most(&self) -> f64 {
        127.0 * QUANTITIES[self.quantity].step
    }

    fn axes(&self, ui: &Ui, area: Rect, most: f64) {
        let painter = ui.painter();
        let (faint, font) = (theme::faint(ui), FontId::proportional(10.0 * theme::size(ui)));
        let line = Stroke::new(1.0, faint.gamma_multiply(0.5));
        painter.rect(area, 2.0, ui.visuals().extreme_bg_color, line, StrokeKind::Inside);
        let grid = Stroke::new(0.5, faint.gamma_multiply(0.4));
        for share in [-1.0, -0.5, 0.0, 0.5, 1.0] {
            let y = position(area, 0, share * most, most).y;
            painter.hline(area.x_range(), y, grid);
            let (at, text) = (pos2(area.min.x - 4.0, y), format!("{:+.2}", share * most));
            painter.text(at, Align2::RIGHT_CENTER, text, font.clone(), faint);
        }
        let mut free = f32::NEG_INFINITY;
        for index in std::iter::once(0).chain((0..8).map(|octave| 3 + 12 * octave)) {
            let Some(key) = KeyNumber::from_index(index) else { continue };
            let x = position(area, index, 0.0, most).x;
            painter.vline(x, area.y_range(), grid);
            let text = painter.layout_no_wrap(name(key), font.clone(), faint);
            let left = x - 0.5 * text.size().x;
            if left > free {
                free = left + text.size().x + GAP;
                painter.galley(pos2(left, area.max.y + 2.0), text, faint);
            }
        }
        let quantity = &QUANTITIES[self.quantity];
        let text = format!("{}, {}, relative to the setting for all", quantity.name, quantity.unit);
        plot::title_in(painter, area, &text, font, faint);
    }

    fn paint(&self, ui: &Ui, area: Rect, most: f64, sheet: &KeySheet, chosen: KeyNumber) {
        let painter = ui.painter_at(area);
        let colour = theme::curve(ui, 0);
        let at = |key: KeyNumber| {
            position(area, key.index(), sheet.action.get(key, self.quantity), most)
        };
        let reach = self.reach.of(chosen);
        let [from, to] = [*reach.start(), *reach.end()].map(|i| position(area, i, 0.0, most).x);
        let width = 0.5 * area.width() / single(KEYS as f64);
        let band = Rect::from_min_max(pos2(from - width, area.min.y), pos2(to + width, area.max.y));
        painter.rect_filled(band, 0.0, theme::accent(ui).gamma_multiply(0.12));
        painter.add(Shape::line(KeyNumber::all().map(at).collect(), Stroke::new(1.2, colour)));
        for key in KeyNumber::all() {
            let size = if key == chosen { 4.0 } else { 2.0 };
            let colour = if key == chosen { theme::accent(ui) } else { colour };
            painter.circle_filled(at(key), size, colour);
        }
    }
}

fn position(area: Rect, index: usize, value: f64, most: f64) -> Pos2 {
    let x = single((index as f64 + 0.5) / KEYS as f64);
    let y = single(0.5 - 0.5 * (value / most).clamp(-1.0, 1.0));
    pos2(area.min.x + x * area.width(), area.min.y + y * area.height())
}

fn read(area: Rect, at: Pos2, most: f64) -> Option<(KeyNumber, f64)> {
    let x = f64::from((at.x - area.min.x) / area.width()).clamp(0.0, 1.0);
    let y = f64::from((at.y - area.min.y) / area.height()).clamp(0.0, 1.0);
    let key = KeyNumber::from_index(floor_index(x * KEYS as f64).min(KEYS - 1))?;
    Some((key, most * (1.0 - 2.0 * y)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: usize) -> KeyNumber {
        KeyNumber::from_index(number - 1).unwrap()
    }

    #[test]
    fn positions_and_keys_convert_both_ways() {
        let area = Rect::from_min_size(pos2(10.0, 20.0), vec2(880.0, 100.0));
        for index in 0..KEYS {
            let (found, value) = read(area, position(area, index, 1.5, 3.0), 3.0).unwrap();
            assert_eq!(found.index(), index);
            assert!((value - 1.5).abs() < 1e-4);
        }
    }

    #[test]
    fn a_section_moves_as_one_and_keeps_its_unevenness() {
        let mut sheet = KeySheet::EVEN;
        sheet.action.set(key(25), 0, 0.25);
        let curve = KeyCurve { reach: Reach::Section, ..KeyCurve::default() };
        let moved = curve.moved(&sheet, key(30), 0.5);
        let values = [20, 21, 25, 30, 49, 50].map(|n| moved.action.get(key(n), 0));
        assert_eq!(values, [0.0, 0.5, 0.75, 0.5, 0.5, 0.0]);
        let one = KeyCurve::default().moved(&sheet, key(30), 0.5);
        assert_eq!([25, 30, 31].map(|n| one.action.get(key(n), 0)), [0.25, 0.5, 0.0]);
        assert_eq!((Reach::All.of(key(7)), Reach::Section.of(key(88))), (0..=87, 69..=87));
    }
}
