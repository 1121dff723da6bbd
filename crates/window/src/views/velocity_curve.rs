//! The curve from velocity to hammer speed, with handles to drag and the last notes as dots.
//!
//! Three rings mark the calibrated velocities of soft, medium and loud notes and move horizontally. In the
//! linear and gamma maps the ends move vertically, and in gamma the middle sets the exponent.

use std::collections::VecDeque;

use egui::{
    Align2, Color32, FontId, PointerButton, Pos2, Rect, Sense, Shape, Stroke, StrokeKind, Ui, pos2,
    vec2,
};

use crate::state::controls::Controls;
use crate::views::plot;
use crate::widgets::control::{self, gesture};
use crate::widgets::theme;
use touchback_core::math::cast::single;
use touchback_core::math::compass::KeyNumber;
use touchback_instrument::Snapshot;
use touchback_instrument::host::params::{Parameter, find};
use touchback_instrument::settings::{TouchSettings, VelocityMap};
use touchback_instrument::watch::monitor::tape::TimedMessage;

/// Most notes shown as dots.
const DOTS: usize = 32;
/// Slowest and fastest shown hammer speed, m/s: 1.5 decades on a logarithmic axis.
const SLOWEST: f64 = 0.1;
const FASTEST: f64 = 12.0;
/// Space for the axes' numbers, points.
const LEFT: f32 = 30.0;
const FOOT: f32 = 16.0;

/// A played note: velocity 0…127, and the speed of its hammer at the strike, m/s.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Dot {
    key: KeyNumber,
    velocity: f64,
    speed: Option<f64>,
    /// Speed of the key's previous strike, m/s.
    before: f32,
}

/// A handle and the parameter that it changes.
#[derive(Clone, Copy)]
struct Handle {
    id: &'static str,
    name: &'static str,
    /// Whether the handle moves horizontally and sets a velocity; otherwise it moves vertically.
    is_sideways: bool,
    at: Pos2,
}

/// The curve and the last notes.
#[derive(Clone, Default, Debug)]
pub struct VelocityCurve {
    dots: VecDeque<Dot>,
}

impl VelocityCurve {
    /// Takes the messages since the last frame, and the strikes in `snapshot`.
    pub fn follow(&mut self, messages: &[TimedMessage], snapshot: &Snapshot) {
        for message in messages {
            let key = KeyNumber::from_midi(message.bytes[1]);
            if let (Some(velocity), Some(key)) = (message.velocity(), key)
                && velocity > 0
            {
                let before = snapshot.struck[key.index()];
                let velocity = f64::from(velocity);
                self.dots.push_back(Dot { key, velocity, speed: None, before });
            }
        }
        while self.dots.len() > DOTS {
            self.dots.pop_front();
        }
        for dot in &mut self.dots {
            let struck = snapshot.struck[dot.key.index()];
            if dot.speed.is_none() && struck > 0.0 && struck.to_bits() != dot.before.to_bits() {
                dot.speed = Some(f64::from(struck));
            }
        }
    }

    /// Draws curve, dots and handles, `height` points high.
    pub fn ui(&self, ui: &mut Ui, height: f32, controls: &mut dyn Controls) {
        let large = theme::size(ui);
        let (all, _) = ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::hover());
        let area = Rect::from_min_max(
            all.min + vec2(large * LEFT, 4.0),
            all.max - vec2(8.0, large * FOOT),
        );
        let touch = controls.settings().touch;
        axes(ui, area);
        let painter = ui.painter_at(all);
        let line = |index: u32| {
            let velocity = f64::from(index) / 127.0;
            position(area, f64::from(index), touch.hammer_speed(velocity))
        };
        let points: Vec<Pos2> = (1..=127).map(line).collect();
        painter.add(Shape::line(points, Stroke::new(2.0, theme::curve(ui, 0))));
        let silent = position(area, touch.silent_below, SLOWEST).x.clamp(area.min.x, area.max.x);
        if silent > area.min.x + 1.0 {
            let mute = Rect::from_min_max(area.min, pos2(silent, area.max.y));
            painter.rect_filled(mute, 0.0, theme::faint(ui).gamma_multiply(0.25));
        }
        let last = self.dots.len().saturating_sub(1);
        for (index, dot) in self.dots.iter().enumerate() {
            let speed = dot.speed.unwrap_or_else(|| touch.hammer_speed(dot.velocity / 127.0));
            let colour = theme::curve(ui, 1);
            let colour = if index == last { colour } else { colour.gamma_multiply(0.45) };
            painter.circle_filled(position(area, dot.velocity, speed), 3.0, colour);
        }
        for handle in handles(area, &touch) {
            drag(ui, area, &handle, &touch, controls);
        }
    }
}

/// Position of a velocity, 0…127, and a hammer speed, m/s.
fn position(area: Rect, velocity: f64, speed: f64) -> Pos2 {
    let x = single(velocity / 127.0);
    let y = single(libm::log(speed / SLOWEST) / libm::log(FASTEST / SLOWEST));
    pos2(area.min.x + x * area.width(), area.max.y - y.clamp(0.0, 1.0) * area.height())
}

/// The velocity and the speed at a position.
fn read(area: Rect, at: Pos2) -> (f64, f64) {
    let x = f64::from((at.x - area.min.x) / area.width());
    let y = f64::from((area.max.y - at.y) / area.height());
    (
        127.0 * x.clamp(0.0, 1.0),
        SLOWEST * libm::exp(libm::log(FASTEST / SLOWEST) * y.clamp(0.0, 1.0)),
    )
}

fn axes(ui: &Ui, area: Rect) {
    let painter = ui.painter();
    let (faint, font) =
        (theme::faint(ui), FontId::proportional(egui::TextStyle::Small.resolve(ui.style()).size));
    let line = Stroke::new(1.0, faint.gamma_multiply(0.5));
    painter.rect(area, 2.0, ui.visuals().extreme_bg_color, line, StrokeKind::Inside);
    let grid = Stroke::new(0.5, faint.gamma_multiply(0.35));
    let mut above = f32::INFINITY;
    for speed in [0.2, 0.5, 1.0, 2.0, 5.0, 10.0] {
        let y = position(area, 0.0, speed).y;
        painter.hline(area.x_range(), y, grid);
        let at = pos2(area.min.x - 4.0, y);
        above = plot::number_beside(painter, at, above, &speed.to_string(), &font, faint);
    }
    for velocity in [1, 32, 64, 96, 127] {
        let x = position(area, f64::from(velocity), 1.0).x;
        painter.vline(x, area.y_range(), grid);
        let at = pos2(x, area.max.y + 2.0);
        painter.text(at, Align2::CENTER_TOP, velocity.to_string(), font.clone(), faint);
    }
    plot::title_in(painter, area, "hammer, m/s, over velocity", font, faint);
}

fn handles(area: Rect, touch: &TouchSettings) -> Vec<Handle> {
    let at = |velocity: f64| position(area, velocity, touch.hammer_speed(velocity / 127.0));
    let mut handles = Vec::new();
    for (id, name, velocity) in [
        ("soft_velocity", "Drag the soft velocity", touch.soft_velocity),
        ("medium_velocity", "Drag the medium velocity", touch.medium_velocity),
        ("loud_velocity", "Drag the loud velocity", touch.loud_velocity),
    ] {
        handles.push(Handle { id, name, is_sideways: true, at: at(velocity) });
    }
    if matches!(touch.velocity_map, VelocityMap::Linear | VelocityMap::Gamma) {
        for (id, name, velocity) in [
            ("softest_m_s", "Drag the softest strike", 1.0),
            ("loudest_m_s", "Drag the loudest strike", 127.0),
        ] {
            handles.push(Handle { id, name, is_sideways: false, at: at(velocity) });
        }
    }
    if touch.velocity_map == VelocityMap::Gamma {
        let (id, name) = ("gamma", "Bend the velocity curve");
        handles.push(Handle { id, name, is_sideways: false, at: at(BEND) });
    }
    handles
}

/// Velocity of gamma's handle: between the medium and the loud calibration.
const BEND: f64 = 80.0;

/// The parameter's value that puts the handle at the pointer.
fn value_at(handle: &Handle, area: Rect, at: Pos2, touch: &TouchSettings) -> f64 {
    let (velocity, speed) = read(area, at);
    let plain = speed / touch.dynamics;
    match handle.id {
        "gamma" => {
            let straight = TouchSettings { gamma: 1.0, ..*touch };
            let span = touch.loudest_m_s - touch.softest_m_s;
            let share = |speed: f64| ((speed - touch.softest_m_s) / span).clamp(1e-3, 1.0 - 1e-3);
            let u = share(straight.hammer_speed(BEND / 127.0) / touch.dynamics);
            libm::log(share(plain)) / libm::log(u)
        }
        _ if handle.is_sideways => velocity,
        _ => plain,
    }
}

fn drag(ui: &Ui, area: Rect, handle: &Handle, touch: &TouchSettings, controls: &mut dyn Controls) {
    let Ok(parameter) = find(handle.id) else { return };
    let id = ui.scope_id().with(("curve", handle.id));
    let rect = Rect::from_center_size(handle.at, vec2(16.0, 16.0));
    let mut response = ui.interact(rect, id, Sense::click_and_drag());
    let value = controls.value(parameter);
    response.widget_info(|| egui::WidgetInfo::slider(true, value, handle.name));
    let active = response.hovered() || response.dragged() || response.has_focus();
    let colour = theme::accent(ui).gamma_multiply(if active { 1.0 } else { 0.7 });
    let painter = ui.painter();
    let fill = if active { colour.gamma_multiply(0.4) } else { Color32::TRANSPARENT };
    if handle.is_sideways {
        painter.circle(handle.at, 5.0, fill, Stroke::new(1.6, colour));
    } else {
        let square = Rect::from_center_size(handle.at, vec2(9.0, 9.0));
        painter.rect(square, 1.0, fill, Stroke::new(1.6, colour), StrokeKind::Middle);
    }
    let mut new_value = value;
    if response.dragged_by(PointerButton::Primary)
        && let Some(at) = response.interact_pointer_pos()
    {
        new_value = parameter.quantize(rounded(parameter, value_at(handle, area, at, touch)));
    } else if response.has_focus() {
        let press = |key| f64::from(u8::from(ui.input(|i| i.key_pressed(key))));
        let steps = press(egui::Key::ArrowUp) - press(egui::Key::ArrowDown);
        new_value = parameter.quantize(value + steps * 0.01 * (parameter.max() - parameter.min()));
    }
    if new_value.to_bits() != value.to_bits() {
        response.mark_changed();
    }
    gesture::follow(&response, parameter, controls, new_value);
    control::describe(&response, || parameter.doc.to_owned());
    if active {
        ui.ctx().set_cursor_icon(if handle.is_sideways {
            egui::CursorIcon::ResizeHorizontal
        } else {
            egui::CursorIcon::ResizeVertical
        });
    }
    response.on_hover_ui(|ui| {
        let value = parameter.text(controls.value(parameter));
        ui.strong(format!("{}: {value}", parameter.name));
        ui.label(parameter.doc);
    });
}

/// Rounds a value to the parameter's shown decimals.
fn rounded(parameter: &Parameter, value: f64) -> f64 {
    parameter.number_text(value).parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: Rect = Rect { min: pos2(0.0, 0.0), max: pos2(200.0, 100.0) };

    #[test]
    fn positions_convert_both_ways_and_a_handle_stays_under_the_pointer() {
        for (velocity, speed) in [(1.0, 0.15), (64.0, 1.0), (127.0, 11.0)] {
            let (v, s) = read(AREA, position(AREA, velocity, speed));
            assert!((v - velocity).abs() < 1e-3 && (s / speed - 1.0).abs() < 1e-4, "{v} {s}");
        }
        let mut touch =
            TouchSettings { velocity_map: VelocityMap::Gamma, ..TouchSettings::default() };
        let bend = *handles(AREA, &touch).last().unwrap();
        assert!((value_at(&bend, AREA, bend.at, &touch) - touch.gamma).abs() < 1e-3);
        let higher = pos2(bend.at.x, bend.at.y - 10.0);
        touch.gamma = value_at(&bend, AREA, higher, &touch);
        let moved = *handles(AREA, &touch).last().unwrap();
        assert!((moved.at.y - higher.y).abs() < 0.1, "{:?}", moved.at);
        assert_eq!(handles(AREA, &TouchSettings::default()).len(), 3);
    }

    #[test]
    fn notes_become_dots_at_their_velocity_and_speed() {
        let mut curve = VelocityCurve::default();
        let mut snapshot = Snapshot::default();
        let note = TimedMessage { time: 0.0, bytes: [0x90, 60, 80] };
        curve.follow(&[note], &snapshot);
        assert_eq!((curve.dots.len(), curve.dots[0].speed), (1, None));
        snapshot.struck[curve.dots[0].key.index()] = 1.7;
        curve.follow(&[], &snapshot);
        assert!((curve.dots[0].speed.unwrap() - 1.7).abs() < 1e-6);
        for _ in 0..100 {
            curve.follow(&[note], &snapshot);
        }
        assert_eq!(curve.dots.len(), DOTS);
    }
}
