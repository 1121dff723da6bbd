//! Gestures on sliders: a drag from press to release is one gesture; wheel and arrow keys are nudges.

use egui::{Event, Key, MouseWheelUnit, PointerButton, Response, Ui};

use crate::state::controls::Controls;
use touchback_action::interface::key_sheet::KeySheet;
use touchback_instrument::host::params::{Parameter, ValueKind};

/// Buttons that change no value.
const OTHER_BUTTONS: [PointerButton; 4] =
    [PointerButton::Secondary, PointerButton::Middle, PointerButton::Extra1, PointerButton::Extra2];
/// Keys that change the focused control.
const ARROWS: [Key; 4] = [Key::ArrowLeft, Key::ArrowRight, Key::ArrowUp, Key::ArrowDown];
/// Factor of a movement with Shift.
const FINE: f32 = 0.1;
/// Change by one click of a wheel, fraction of the slider.
const CLICK: f64 = 0.01;
/// Points of a touch pad's scroll that equal one click of a wheel.
const POINTS_A_CLICK: f32 = 50.0;

/// A drag in progress.
#[derive(Clone, Copy, Default)]
struct Held {
    /// Value before the drag.
    start: f64,
    /// Whether Escape has cancelled the drag.
    is_cancelled: bool,
}

/// Position of a fine drag, fraction of the slider.
#[derive(Clone, Copy, Default)]
struct Fine(f64);

/// The slider's position 0…1. With Shift, movements count a tenth from where Shift was pressed.
pub(super) fn finely(response: &Response, before: f64, position: f64) -> f64 {
    let id = response.id.with("fine");
    let (context, shift) = (&response.ctx, response.ctx.input(|i| i.modifiers.shift));
    if !response.dragged() {
        // egui has moved the slider to the pointer already.
        let fine = context.data_mut(|data| data.remove_temp::<Fine>(id));
        return fine.filter(|_| response.drag_stopped()).map_or(position, |Fine(stays)| stays);
    }
    let fine = context.data_mut(|data| data.get_temp::<Fine>(id));
    // A drag that was fine continues from its position, so that releasing Shift moves nothing.
    if fine.is_none() && !shift {
        return position;
    }
    let Fine(from) = fine.unwrap_or(Fine(before));
    let share = response.drag_delta().x / response.rect.width() * if shift { FINE } else { 1.0 };
    let now = (from + f64::from(share)).clamp(0.0, 1.0);
    context.data_mut(|data| data.insert_temp(id, Fine(now)));
    now
}

/// Passes a changed control's value to the parameter. A drag is one gesture from press to release; only the
/// primary button drags; Escape cancels a drag.
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

/// Values of parameters.
type Values<'a> = &'a dyn Fn(&'static Parameter) -> f64;
/// Parameters with the values that they get.
type Wanted = Vec<(&'static Parameter, f64)>;

/// A drag of several parameters in progress.
#[derive(Clone, Default)]
struct HeldTogether {
    /// Values before the drag.
    start: Wanted,
    is_cancelled: bool,
}

/// Passes a slider's change from position `before` to `position` to several parameters: `to` gives their
/// values at the position, from their values before the drag. A drag is one edit, called `name`; Escape
/// cancels it.
pub(super) fn follow_together(
    response: &Response,
    name: &str,
    to: &dyn Fn(Values<'_>) -> Wanted,
    before: f64,
    position: f64,
    controls: &mut dyn Controls,
) {
    let id = response.id.with("together");
    let context = &response.ctx;
    let has_changed = response.changed() && before.to_bits() != position.to_bits();
    if response.drag_started_by(PointerButton::Primary) {
        let now = to(&|p| controls.value(p));
        let start: Vec<_> = now.iter().map(|(p, _)| (*p, controls.value(p))).collect();
        start.iter().for_each(|(parameter, _)| controls.begin(parameter));
        let held = HeldTogether { start, is_cancelled: false };
        context.data_mut(|data| data.insert_temp(id, held));
    }
    let Some(mut held) = context.data_mut(|data| data.get_temp::<HeldTogether>(id)) else {
        if has_changed && !response.dragged() {
            let values = to(&|p| controls.value(p));
            controls.put_together(name, &values);
        }
        return;
    };
    if !held.is_cancelled && context.input(|i| i.key_pressed(Key::Escape)) {
        held.start.iter().for_each(|(parameter, value)| controls.set(parameter, *value));
        held.is_cancelled = true;
        context.data_mut(|data| data.insert_temp(id, held.clone()));
    } else if has_changed && !held.is_cancelled {
        let from = |p: &'static Parameter| {
            let found = held.start.iter().find(|(parameter, _)| std::ptr::eq(*parameter, p));
            found.map_or_else(|| controls.value(p), |(_, value)| *value)
        };
        for (parameter, value) in to(&from) {
            controls.set(parameter, value);
        }
    }
    if !response.dragged() {
        context.data_mut(|data| data.remove_temp::<HeldTogether>(id));
        let parameters: Vec<_> = held.start.iter().map(|(p, _)| *p).collect();
        controls.end_together(name, &parameters);
    }
}

/// Passes on the `sheet` that a changed number gives. A typed number is one edit, called `name`, and so is a
/// drag from press to release; Escape cancels a drag.
pub(crate) fn follow_sheet(
    response: &Response,
    controls: &mut dyn Controls,
    sheet: &KeySheet,
    name: &str,
) {
    let id = response.id.with("sheet");
    let context = &response.ctx;
    if response.drag_started_by(PointerButton::Primary) {
        let start = controls.keys();
        context.data_mut(|data| data.insert_temp(id, Some(start)));
        controls.begin_keys();
    }
    // A drag by another button does not count.
    let changed =
        response.changed() && (!response.dragged() || response.dragged_by(PointerButton::Primary));
    // `Some(None)`: cancelled, while the button is still down.
    let held = context.data_mut(|data| data.get_temp::<Option<KeySheet>>(id));
    if let Some(Some(start)) = &held
        && context.input(|i| i.key_pressed(Key::Escape))
    {
        controls.set_keys(start);
        context.data_mut(|data| data.insert_temp(id, None::<KeySheet>));
    } else if changed && held.is_none() {
        controls.begin_keys();
        controls.set_keys(sheet);
        controls.end_keys(name);
    } else if changed && held != Some(None) {
        controls.set_keys(sheet);
    }
    if held.is_some() && !response.dragged() {
        context.data_mut(|data| data.remove_temp::<Option<KeySheet>>(id));
        controls.end_keys(name);
    }
}

/// Moves the slider under the pointer by a hundredth per click of the wheel, with Shift by a thousandth; the
/// page does not scroll.
pub(super) fn wheel(
    ui: &Ui,
    response: &Response,
    parameter: &'static Parameter,
    controls: &mut dyn Controls,
) {
    let Some((clicks, share)) = clicks(ui, response) else { return };
    let value = controls.value(parameter);
    let wanted = parameter.plain(parameter.normalized(value) + clicks * share);
    // At least the step that the number shows.
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

/// Clicks of the wheel over a slider, and the share of the slider that a click moves; none without a click.
/// The page does not scroll.
pub(super) fn clicks(ui: &Ui, response: &Response) -> Option<(f64, f64)> {
    if !response.hovered() || response.dragged() {
        return None;
    }
    let (clicks, shift) = ui.input(|i| {
        let clicks = i.events.iter().map(|event| match event {
            // Some systems report a horizontal wheel while Shift is down.
            Event::MouseWheel { unit: MouseWheelUnit::Point, delta, .. } => {
                (delta.x + delta.y) / POINTS_A_CLICK
            }
            Event::MouseWheel { delta, .. } => delta.x + delta.y,
            _ => 0.0,
        });
        (f64::from(clicks.sum::<f32>()), i.modifiers.shift)
    });
    ui.input_mut(|i| i.smooth_scroll_delta = egui::Vec2::ZERO);
    let share = CLICK * if shift { f64::from(FINE) } else { 1.0 };
    (clicks != 0.0).then_some((clicks, share))
}
