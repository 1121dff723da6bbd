//! The keyboard strip: 88 keys with current depth, last strike and damper, beside the pedals. It is played by
//! mouse (louder toward the front), by several fingers, or by the arrow keys and Enter. For fingers it shows a
//! part of the keys, each as wide as a finger, below the pedals and a strip that slides along the 88.

mod slide;
mod touches;

use egui::{
    Align2, Color32, CornerRadius, FontId, Pos2, Rect, Response, Sense, Stroke, StrokeKind, Ui,
    pos2, vec2,
};

use crate::widgets::{pedals, theme};
use slide::Slide;
use touchback_core::math::compass::KeyNumber;
use touchback_instrument::{Event, Snapshot};
use touches::Touches;

/// Depth drawn as a full press, m.
const FULL: f32 = 0.010;

/// Number of white keys.
const WHITES: f32 = 52.0;

/// Ratio of a black key's height to a white key's.
const BLACK_HEIGHT: f32 = 0.62;

/// Velocity of a key played from the computer's keyboard.
const ENTER_VELOCITY: f64 = 0.6;

/// Velocity of a release by mouse.
const RELEASE: f64 = 0.5;

/// State of the strip.
#[derive(Clone, Debug)]
pub struct Strip {
    /// The chosen key, which is shown and which Enter plays.
    pub chosen: KeyNumber,
    /// Width of the pedals left of the keys, points.
    pub left: f32,
    /// The key held by mouse or Enter.
    held: Option<KeyNumber>,
    /// Whether the key was clicked within one frame: released with the next frame.
    is_brief: bool,
    touches: Touches,
    slide: Slide,
}

impl Default for Strip {
    fn default() -> Self {
        Self {
            chosen: KeyNumber::all().nth(39).unwrap_or_else(|| unreachable!("there are 88 keys")),
            left: 0.0,
            held: None,
            is_brief: false,
            touches: Touches::default(),
            slide: Slide::default(),
        }
    }
}

/// Name of a key: letter and octave; middle C is C4.
#[must_use]
pub fn name(key: KeyNumber) -> String {
    note_name(key.midi())
}

/// Name of a MIDI note: letter and octave; middle C, 60, is C4.
#[must_use]
pub(crate) fn note_name(note: u8) -> String {
    const NAMES: [&str; 12] = ["C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B"];
    format!("{}{}", NAMES[usize::from(note) % 12], i32::from(note) / 12 - 1)
}

const fn is_black(key: KeyNumber) -> bool {
    matches!(key.midi() % 12, 1 | 3 | 6 | 8 | 10)
}

/// The rectangle of `key` in `area`.
fn key_rect(area: Rect, key: KeyNumber) -> Rect {
    let width = area.width() / WHITES;
    // Number of white keys to the left.
    let whites = KeyNumber::all().take(key.index()).filter(|k| !is_black(*k)).count();
    let x = area.min.x + width * whites as f32;
    if is_black(key) {
        let size = vec2(0.62 * width, BLACK_HEIGHT * area.height());
        Rect::from_min_size(pos2(x - 0.5 * size.x, area.min.y), size)
    } else {
        Rect::from_min_size(pos2(x, area.min.y), vec2(width, area.height()))
    }
}

/// The key under `at`, and the velocity 0…1 for the height of `at` on the key.
fn hit(area: Rect, at: Pos2) -> Option<(KeyNumber, f64)> {
    let inside = |key: &KeyNumber| key_rect(area, *key).contains(at);
    let key = KeyNumber::all()
        .filter(|k| is_black(*k))
        .find(inside)
        .or_else(|| KeyNumber::all().filter(|k| !is_black(*k)).find(inside))?;
    let rect = key_rect(area, key);
    let share = ((at.y - rect.min.y) / rect.height()).clamp(0.0, 1.0);
    Some((key, 0.1 + 0.9 * f64::from(share)))
}

impl Strip {
    /// Draws pedals and keys, the keys `height` points high, over the available width, and appends played events
    /// to `play`. In a small window, and once a screen was touched, the keys are as wide as a finger.
    pub fn ui(&mut self, ui: &mut Ui, height: f32, snapshot: &Snapshot, play: &mut Vec<Event>) {
        let for_fingers = theme::is_small(ui.ctx()) || ui.input(|i| i.has_touch_screen());
        let above = if for_fingers { theme::touched(ui.ctx()) } else { 0.0 };
        let gap = if for_fingers { 4.0 } else { 0.0 };
        let size = vec2(ui.available_width(), height + above + gap);
        let (all, _) = ui.allocate_exact_size(size, Sense::hover());
        let (foot, area, whole) = if for_fingers {
            self.left = 0.0;
            let row = Rect::from_min_size(all.min, vec2(all.width(), above));
            let foot = row.with_max_x(row.min.x + (0.4 * row.width()).min(pedals::TOUCHED));
            let area = all.with_min_y(row.max.y + gap);
            self.slide.ui(ui, row.with_min_x(foot.max.x + 8.0), area.width(), snapshot);
            (foot, area, self.slide.whole(area))
        } else {
            self.left = pedals::width(height);
            let area = all.with_min_x(all.min.x + self.left);
            (all.with_max_x(area.min.x - 4.0), area, area)
        };
        let response = ui.interact(area, ui.scope_id().with("keys"), Sense::click_and_drag());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Group, true, "Piano keys"));
        let places = [whole, area, foot];
        let touched = self.touches.follow(ui, places, snapshot, &mut self.held, play);
        self.chosen = touched.unwrap_or(self.chosen);
        let by_touch = self.touches.is_any(ui);
        let before = self.chosen;
        self.play(ui, whole, &response, by_touch, play);
        if for_fingers && self.chosen != before && self.held.is_none() {
            self.slide.follow(area, self.chosen);
        }
        pedals::ui(ui, foot, snapshot, by_touch, play);
        self.paint(ui, [whole, area], response.has_focus(), snapshot);
        if let Some((key, velocity)) = response.hover_pos().and_then(|at| hit(whole, at)) {
            let struck = snapshot.struck[key.index()];
            let depth = 1e3 * snapshot.depth[key.index()];
            let last =
                if struck > 0.0 { format!(", last strike {struck:.2} m/s") } else { String::new() };
            let velocity = 127.0 * velocity;
            response.on_hover_text_at_pointer(format!(
                "{} · {depth:.2} mm deep{last}\nClick plays velocity {velocity:.0}; Enter plays \
                 the chosen key, arrows choose",
                name(key)
            ));
        }
    }

    /// Plays by mouse, unless the pointer follows a finger, and by the computer's keys.
    fn play(
        &mut self,
        ui: &Ui,
        whole: Rect,
        response: &Response,
        by_touch: bool,
        play: &mut Vec<Event>,
    ) {
        if std::mem::take(&mut self.is_brief) {
            self.release(play);
        }
        let at = response.interact_pointer_pos().filter(|_| !by_touch);
        let is_down = response.is_pointer_button_down_on();
        if let Some((key, velocity)) = at.and_then(|at| hit(whole, at))
            && response.clicked()
            && !is_down
            && self.held.is_none()
        {
            self.press(key, velocity, play);
            self.is_brief = true;
            response.request_focus();
            ui.request_repaint();
            return;
        }
        let wanted = at.filter(|_| is_down).and_then(|at| hit(whole, at));
        if let Some((key, velocity)) = wanted {
            if self.held != Some(key) {
                self.release(play);
                self.press(key, velocity, play);
            }
            response.request_focus();
        } else if response.drag_stopped() || response.clicked() {
            self.release(play);
        }
        if !response.has_focus() {
            // The strip lost the focus while a key was held.
            if wanted.is_none() && self.held.is_some() {
                self.release(play);
            }
            return;
        }
        let filter = egui::EventFilter { horizontal_arrows: true, ..egui::EventFilter::default() };
        ui.memory_mut(|m| m.set_focus_lock_filter(response.id, filter));
        let (left, right, down, up) = ui.input(|i| {
            (
                i.key_pressed(egui::Key::ArrowLeft),
                i.key_pressed(egui::Key::ArrowRight),
                i.key_pressed(egui::Key::Enter),
                i.key_released(egui::Key::Enter),
            )
        });
        let index =
            self.chosen.index() + usize::from(right) - usize::from(left && self.chosen.index() > 0);
        self.chosen = KeyNumber::from_index(index).unwrap_or(self.chosen);
        if down && self.held.is_none() {
            self.press(self.chosen, ENTER_VELOCITY, play);
        }
        if up {
            self.release(play);
        }
    }

    fn press(&mut self, key: KeyNumber, velocity: f64, play: &mut Vec<Event>) {
        self.held = Some(key);
        self.chosen = key;
        play.push(Event::NoteOn { key, velocity });
    }

    /// Releases all held keys and pedals. Call when the window closes.
    pub fn end(&mut self, play: &mut Vec<Event>) {
        self.release(play);
        self.touches.release(play);
    }

    /// Releases the key held by mouse or Enter.
    fn release(&mut self, play: &mut Vec<Event>) {
        if let Some(key) = self.held.take() {
            play.push(Event::NoteOff { key, velocity: RELEASE });
        }
    }

    fn paint(&self, ui: &Ui, [whole, area]: [Rect; 2], focused: bool, snapshot: &Snapshot) {
        let painter = ui.painter_at(area.expand(2.0));
        let (accent, ink) = (theme::curve(ui, 0), theme::outline(ui.visuals().dark_mode));
        for black in [false, true] {
            for key in KeyNumber::all().filter(|k| is_black(*k) == black) {
                let i = key.index();
                let rect = key_rect(whole, key).shrink(0.5);
                if !rect.intersects(area) {
                    continue;
                }
                let press = (snapshot.depth[i] / FULL).clamp(0.0, 1.0);
                let base =
                    if black { Color32::from_gray(38) } else { Color32::from_rgb(250, 248, 242) };
                painter.rect(
                    rect,
                    CornerRadius { sw: 2, se: 2, ..CornerRadius::ZERO },
                    base,
                    Stroke::new(0.8, ink),
                    StrokeKind::Inside,
                );
                // The coloured height shows the depth, from the front.
                if press > 0.02 {
                    let mut down = rect.shrink(1.0);
                    down.min.y = down.max.y - down.height() * press;
                    painter.rect_filled(down, 2.0, accent.gamma_multiply(0.85));
                }
                let struck = snapshot.struck[i];
                if press > 0.05 && struck > 0.0 {
                    // 7 m/s is the loudest measured.
                    let size =
                        (0.12 + 0.3 * (struck / 7.0).sqrt().min(1.0)) * rect.width().min(14.0);
                    painter.circle(
                        pos2(rect.center().x, rect.max.y - 7.0),
                        size,
                        Color32::WHITE,
                        Stroke::new(0.8, ink),
                    );
                }
                if snapshot.damper[i] > 0.02 && snapshot.damper[i] < 1.5 && !black {
                    let lift = Rect::from_min_size(
                        rect.min + vec2(1.5, 1.0),
                        vec2(rect.width() - 3.0, 2.5 * snapshot.damper[i].min(1.0)),
                    );
                    painter.rect_filled(lift, 0.0, theme::curve(ui, 2).gamma_multiply(0.8));
                }
                if key == self.chosen {
                    let width = if focused { 2.5 } else { 1.5 };
                    painter.rect_stroke(
                        rect,
                        2.0,
                        Stroke::new(width, theme::accent(ui)),
                        StrokeKind::Inside,
                    );
                }
                if !black && key.midi() % 12 == 0 && rect.width() > 12.0 {
                    let font = FontId::proportional((0.11 * rect.height()).clamp(9.0, 18.0));
                    let at = pos2(rect.center().x, rect.max.y - 13.0);
                    // The text is readable on the colour of the depth, too.
                    let covered = press * rect.height() > 18.0;
                    let colour = if covered { Color32::BLACK } else { Color32::from_gray(110) };
                    painter.text(at, Align2::CENTER_BOTTOM, name(key), font, colour);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: Rect = Rect { min: pos2(0.0, 0.0), max: pos2(520.0, 80.0) };

    #[test]
    fn every_key_can_be_hit_and_height_sets_the_velocity() {
        for key in KeyNumber::all() {
            let rect = key_rect(AREA, key);
            // On the front of a white key, below the black keys.
            let at = |share: f32| pos2(rect.center().x, rect.min.y + share * rect.height());
            let (found, loud) = hit(AREA, at(0.97)).unwrap();
            assert_eq!(found, key);
            if is_black(key) {
                let soft = hit(AREA, at(0.1)).unwrap().1;
                assert!(loud > soft + 0.5);
            }
        }
        assert_eq!(hit(AREA, pos2(-1.0, 3.0)), None);
    }

    #[test]
    fn keys_have_their_names() {
        let name = |midi| name(KeyNumber::from_midi(midi).unwrap());
        assert_eq!([name(21), name(60), name(61), name(108)], ["A0", "C4", "C#4", "C8"]);
    }
}
