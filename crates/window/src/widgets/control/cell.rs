//! Cells of the piano's face: a title with a value above one or two controls.

use egui::{Align, Layout, Response, RichText, Sense, Stroke, TextStyle, Ui, vec2};

use super::macros::Macro;
use super::{FAINT, Form, choice, describe, description, number, tooltip};
use crate::state::controls::Controls;
use crate::widgets::theme;
use touchback_instrument::host::params::{Parameter, find, relevance};

/// Draws name and value of a control above it, in one line of `width` points; returns the name.
pub fn title(ui: &mut Ui, name: &str, value: &str, width: f32, is_idle: bool) -> Response {
    let height = ui.text_style_height(&TextStyle::Body);
    let layout = Layout::left_to_right(Align::Center);
    let line = ui.allocate_ui_with_layout(vec2(width, height), layout, |ui| {
        if is_idle {
            ui.multiply_opacity(FAINT);
        }
        let label = ui.label(RichText::new(name).strong());
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let value = RichText::new(value).small().color(theme::faint(ui));
            ui.add(egui::Label::new(value).truncate());
        });
        label
    });
    line.inner
}

/// A parameter's list, labelled and described as in its row.
fn list(ui: &mut Ui, parameter: &'static Parameter, width: f32, controls: &mut dyn Controls) {
    let idle = relevance(&controls.settings(), parameter.id);
    let combo = choice(ui, parameter, width, controls);
    let shown = parameter.number_text(controls.value(parameter));
    combo.widget_info(|| {
        let mut info = egui::WidgetInfo::labeled(egui::Role::ComboBox, true, parameter.name);
        info.current_text_value = Some(shown.clone());
        info
    });
    describe(&combo, || description(parameter, idle));
    combo.on_hover_ui(|ui| tooltip(ui, parameter, idle));
}

/// Draws a list of choices beside a slider.
pub(crate) fn choice_cell(
    ui: &mut Ui,
    name: &str,
    parameter: &'static Parameter,
    beside: &'static Macro,
    width: f32,
    controls: &mut dyn Controls,
) {
    title(ui, name, &beside.text(controls), width, false);
    ui.horizontal(|ui| {
        let half = 0.5 * (width - ui.spacing().item_spacing.x);
        list(ui, parameter, half, controls);
        // The list is at least as wide as its arrow.
        let rest = (ui.available_width() - 2.0).clamp(8.0, half);
        beside.slider(ui, rest, controls);
    });
}

/// Draws the temperament beside the pitch of A4.
pub(crate) fn tuning_cell(ui: &mut Ui, width: f32, controls: &mut dyn Controls) {
    let (Ok(temperament), Ok(pitch)) = (find("temperament"), find("a4_hz")) else { return };
    let height = ui.text_style_height(&TextStyle::Body);
    let layout = Layout::left_to_right(Align::Center);
    ui.allocate_ui_with_layout(vec2(width, height), layout, |ui| {
        ui.label(RichText::new("Tuning").strong());
        ui.spacing_mut().button_padding = vec2(2.0, 0.0);
        ui.spacing_mut().interact_size.y = height;
        ui.style_mut().override_text_style = Some(TextStyle::Small);
        let half = ui.available_width();
        let idle = relevance(&controls.settings(), pitch.id);
        let number = number(ui, pitch, half, Form::Short, controls);
        let value = controls.value(pitch);
        number.widget_info(|| {
            let mut info = egui::WidgetInfo::drag_value(true, value);
            info.label = Some(pitch.name.to_owned());
            info
        });
        describe(&number, || description(pitch, idle));
        number.on_hover_ui(|ui| tooltip(ui, pitch, idle));
    });
    list(ui, temperament, width, controls);
}

/// Draws the limiter's switch and its lamp, which is lit while the level is in its range.
pub(crate) fn limiter_cell(ui: &mut Ui, width: f32, is_at_work: bool, controls: &mut dyn Controls) {
    let Ok(guard) = find("output_guard") else { return };
    let mut is_on = controls.value(guard) > 0.5;
    let state = match (is_on, is_at_work) {
        (true, true) => "at work",
        (true, false) => "ready",
        (false, _) => "off",
    };
    title(ui, "Limiter", state, width, false);
    ui.horizontal(|ui| {
        let name = if is_on { "on" } else { "off" };
        let toggle = ui.toggle_value(&mut is_on, name);
        toggle.widget_info(|| {
            egui::WidgetInfo::selected(egui::Role::CheckBox, true, is_on, "Limiter")
        });
        if toggle.changed() {
            controls.put(guard, f64::from(u8::from(is_on)));
        }
        describe(&toggle, || format!("{} The limiter is {state}.", guard.doc));
        toggle.on_hover_ui(|ui| tooltip(ui, guard, None));
        let high = ui.spacing().interact_size.y;
        let (lamp, _) = ui.allocate_exact_size(vec2(high, high), Sense::hover());
        let lit = is_on && is_at_work;
        let fill = if lit { theme::accent(ui) } else { ui.visuals().extreme_bg_color };
        let edge = Stroke::new(1.0, theme::faint(ui));
        ui.painter().circle(lamp.center(), 0.3 * high, fill, edge);
    });
}
