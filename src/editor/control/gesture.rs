//! A drag as one gesture from press to release, wheel and keys as nudges.

use egui::{Event, Key, MouseWheelUnit, PointerButton, Response, Ui};

use crate::editor::controls::Controls;
use touchback_action::interface::key_sheet::KeySheet;
use touchback_instrument::params::{Parameter, ValueKind};

/// Buttons that turn nothing.
const OTHER_BUTTONS: [PointerButton; 4] =
    [PointerButton::Secondary, PointerButton::Middle, PointerButton::Extra1, PointerButton::Extra2];
/// Keys that turn what has the focus.
const ARROWS: [Key; 4] = [Key::ArrowLeft, Key::ArrowRight, Key::ArrowUp, Key::ArrowDown];
/// What Shift makes of a movement.
const FINE: f32 = 0.1;
/// One click of a wheel, share of the slider.
const CLICK: f64 = 0.01;
/// Points that a touch pad scrolls for one click of a wheel.
const POINTS_A_CLICK: f32 = 50.0;

/// A drag that lasts.
#[derive(Clone, Copy, Default)]
struct Held {
    /// Value before it.
    start: f64,
    /// Escape took it back.
    is_cancelled: bool,
}

/// Where a drag finely moved has come to, share of the slider.
#[derive(Clone, Copy, Default)]
struct Fine(f64);

/// The slider's position 0…1: with Shift a tenth of the way from where Shift was pressed.
pub(super) fn finely(response: &Response, before: f64, position: f64) -> f64 {
    let id = response.id.with("fine");
    let (context, shift) = (&response.ctx, response.ctx.input(|i| i.modifiers.shift));
    if !response.dragged() {
        // The slider itself has come to the pointer.
        let fine = context.data_mut(|data| data.remove_temp::<Fine>(id));
        return fine.filter(|_| response.drag_stopped()).map_or(position, |Fine(stays)| stays);
    }
    let fine = context.data_mut(|data| data.get_temp::<Fine>(id));
    // Once fine, a drag goes on from where it is, so that letting go of Shift moves nothing.
    if fine.is_none() && !shift {
        return position;
    }
    let Fine(from) = fine.unwrap_or(Fine(before));
    let share = response.drag_delta().x / response.rect.width() * if shift { FINE } else { 1.0 };
    let now = (from + f64::from(share)).clamp(0.0, 1.0);
    context.data_mut(|data| data.insert_temp(id, Fine(now)));
    now
}

/// The value of a changed control goes to the parameter; a drag is one gesture from press to release.
/// Only the primary button turns it; Escape takes a drag back.
pub fn follow(
    response: &Response,
    parameter: &'static Parameter,
    controls: &mut dyn Controls,
    value: f64,
) {
    let id = response.id.with("gesture");
    let context = &response.ctx;
    let by_other = context.input(|i| {
        OTHER_BUTTONS
            .iter()
            .any(|button| i.pointer.button_down(*button) || i.pointer.button_released(*button))
    });
    let present = controls.value(parameter);
    if response.drag_started() && !by_other {
        controls.begin(parameter);
        let held = Held { start: present, is_cancelled: false };
        context.data_mut(|data| data.insert_temp(id, held));
    }
    let held = context.data_mut(|data| data.get_temp::<Held>(id));
    if let Some(held) = held
        && !held.is_cancelled
        && context.input(|i| i.key_pressed(Key::Escape))
    {
        controls.set(parameter, held.start);
        let cancelled = Held { is_cancelled: true, ..held };
        context.data_mut(|data| data.insert_temp(id, cancelled));
    } else if !by_other
        && !held.is_some_and(|held| held.is_cancelled)
        && response.changed()
        && value.to_bits() != present.to_bits()
    {
        if response.dragged() {
            controls.set(parameter, value);
        } else if context.input(|i| ARROWS.iter().any(|key| i.key_down(*key))) {
            controls.nudge(parameter, value);
        } else {
            controls.put(parameter, value);
        }
    }
    let begun = |data: &mut egui::util::IdTypeMap| data.remove_temp::<Held>(id).is_some();
    if (response.drag_stopped() || held.is_some() && !response.dragged()) && context.data_mut(begun)
    {
        controls.end(parameter);
    }
}

/// The sheet that a changed number `wants`: typed it is one edit, called `name`, and so is a drag
/// from press to release; Escape takes a drag back.
pub fn follow_sheet(
    response: &Response,
    controls: &mut dyn Controls,
    wants: &KeySheet,
    name: &str,
) {
    let id = response.id.with("sheet");
    let context = &response.ctx;
    if response.drag_started_by(PointerButton::Primary) {
        let start = controls.keys();
        context.data_mut(|data| data.insert_temp(id, Some(start)));
        controls.begin_keys();
    }
    // Another button may have dragged the number.
    let changed =
        response.changed() && (!response.dragged() || response.dragged_by(PointerButton::Primary));
    // `Some(None)`: taken back, and held still.
    let held = context.data_mut(|data| data.get_temp::<Option<KeySheet>>(id));
    if let Some(Some(start)) = held
        && context.input(|i| i.key_pressed(Key::Escape))
    {
        controls.set_keys(&start);
        context.data_mut(|data| data.insert_temp(id, None::<KeySheet>));
    } else if changed && held.is_none() {
        controls.begin_keys();
        controls.set_keys(wants);
        controls.end_keys(name);
    } else if changed && held != Some(None) {
        controls.set_keys(wants);
    }
    if held.is_some() && !response.dragged() {
        context.data_mut(|data| data.remove_temp::<Option<KeySheet>>(id));
        controls.end_keys(name);
    }
}

/// A wheel's clicks over the slider move it by hundredths, with Shift by thousandths; the page stays.
pub(super) fn wheel(
    ui: &Ui,
    response: &Response,
    parameter: &'static Parameter,
    controls: &mut dyn Controls,
) {
    if !response.hovered() || response.dragged() {
        return;
    }
    let (clicks, shift) = ui.input(|i| {
        let clicks = i.events.iter().map(|event| match event {
            // Some systems turn the wheel sideways while Shift is held.
            Event::MouseWheel { unit: MouseWheelUnit::Point, delta, .. } => {
                (delta.x + delta.y) / POINTS_A_CLICK
            }
            Event::MouseWheel { delta, .. } => delta.x + delta.y,
            _ => 0.0,
        });
        (f64::from(clicks.sum::<f32>()), i.modifiers.shift)
    });
    ui.input_mut(|i| i.smooth_scroll_delta = egui::Vec2::ZERO);
    if clicks == 0.0 {
        return;
    }
    let value = controls.value(parameter);
    let step = clicks * CLICK * if shift { f64::from(FINE) } else { 1.0 };
    let wanted = parameter.plain(parameter.normalized(value) + step);
    // Never less than what the number shows.
    let least = match parameter.kind {
        ValueKind::Number { decimals, .. } => {
            libm::exp10(-f64::from(u8::try_from(decimals).unwrap_or(0)))
        }
        ValueKind::Choice(_) => 1.0,
    };
    let wanted =
        if (wanted - value).abs() < least { value + least * clicks.signum() } else { wanted };
    let wanted = parameter.quantize(wanted);
    if wanted.to_bits() != value.to_bits() {
        controls.nudge(parameter, wanted);
    }
}
