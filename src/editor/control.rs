//! One parameter on a line: name, slider, number with its unit.
//!
//! Drag or arrow keys move the slider; a click on the number, or a double click on name or slider, lets
//! one type it, with or without the unit; a click with the command key (Ctrl, on a Mac ⌘) on the slider, or *reset* beside a changed
//! value, brings the default back.

use egui::text::{CCursor, CCursorRange};
use egui::{
    ComboBox, DragValue, Grid, PointerButton, Response, RichText, Slider, TextEdit, Ui, vec2,
};

use crate::editor::controls::Controls;
use crate::editor::theme;
use crate::params::{Parameter, ValueKind};

/// Characters that no number's text has.
const LONGEST_TEXT: usize = 64;

/// Rows of `parameters` in a grid; `hint` adds to what a tooltip says.
pub fn rows(
    ui: &mut Ui,
    id: &str,
    parameters: impl Iterator<Item = &'static Parameter>,
    controls: &mut dyn Controls,
    hint: fn(&Parameter) -> Option<String>,
) {
    Grid::new(id).num_columns(3).spacing(vec2(8.0, 5.0)).show(ui, |ui| {
        for parameter in parameters {
            row(ui, parameter, controls, hint(parameter).as_deref());
            ui.end_row();
        }
    });
}

/// One row of the grid.
pub fn row(
    ui: &mut Ui,
    parameter: &'static Parameter,
    controls: &mut dyn Controls,
    hint: Option<&str>,
) {
    let value = controls.value(parameter);
    let changed = value.to_bits() != parameter.default_value().to_bits();
    let name = RichText::new(parameter.name);
    let label = ui.label(if changed { name.strong() } else { name });
    let label = label.on_hover_ui(|ui| tooltip(ui, parameter, hint));
    match parameter.kind {
        ValueKind::Number { .. } => {
            let slider = slider(ui, parameter, controls).labelled_by(label.id);
            let double = ui.input(|i| i.pointer.button_double_clicked(PointerButton::Primary));
            let types = double && (label.contains_pointer() || slider.contains_pointer());
            slider.on_hover_ui(|ui| tooltip(ui, parameter, hint));
            ui.horizontal(|ui| {
                let number = number(ui, parameter, controls).labelled_by(label.id);
                if types {
                    edit(ui, &number);
                }
                reset(ui, parameter, controls, changed);
            });
        }
        ValueKind::Choice(names) => {
            let shown = parameter.number_text(value);
            let combo = ComboBox::from_id_salt(parameter.id).selected_text(shown).width(120.0);
            let inner = combo.show_ui(ui, |ui| {
                for (index, name) in names.iter().enumerate() {
                    let this = parameter.quantize(index as f64);
                    let is_this = this.to_bits() == value.to_bits();
                    if ui.selectable_label(is_this, *name).clicked() && !is_this {
                        controls.put(parameter, this);
                    }
                }
            });
            inner.response.labelled_by(label.id).on_hover_ui(|ui| tooltip(ui, parameter, hint));
            ui.horizontal(|ui| reset(ui, parameter, controls, changed));
        }
    }
}

/// Buttons that turn nothing.
const OTHER_BUTTONS: [PointerButton; 4] =
    [PointerButton::Secondary, PointerButton::Middle, PointerButton::Extra1, PointerButton::Extra2];

/// Begins to edit a number, its text selected as a click on it would: focus alone selects nothing.
fn edit(ui: &Ui, number: &Response) {
    let mut state = TextEdit::load_state(ui.ctx(), number.id).unwrap_or_default();
    let whole = CCursorRange::two(CCursor::new(0), CCursor::new(LONGEST_TEXT));
    state.cursor.set_char_range(Some(whole));
    state.store(ui.ctx(), number.id);
    number.request_focus();
}

fn slider(ui: &mut Ui, parameter: &'static Parameter, controls: &mut dyn Controls) -> Response {
    let mut position = parameter.normalized(controls.value(parameter));
    let slider = Slider::new(&mut position, 0.0..=1.0).show_value(false).trailing_fill(true);
    let response = ui.add(slider);
    let resets = ui.input(|i| i.modifiers.command) && response.drag_started();
    if resets {
        controls.put(parameter, parameter.default_value());
    } else if !ui.input(|i| i.modifiers.command) {
        follow(&response, parameter, controls, parameter.plain(position));
    }
    response
}

fn number(ui: &mut Ui, parameter: &'static Parameter, controls: &mut dyn Controls) -> Response {
    let mut value = controls.value(parameter);
    let range = parameter.max() - parameter.min();
    let drag = DragValue::new(&mut value)
        .range(parameter.min()..=parameter.max())
        .speed(range / 400.0)
        .custom_formatter(|v, _| parameter.text(v))
        .custom_parser(|text| parameter.parse(text).ok());
    let response = ui.add_sized(vec2(76.0, 18.0), drag);
    follow(&response, parameter, controls, parameter.quantize(value));
    response
}

/// A changed control takes the value; a drag is one gesture from press to release. Only the primary
/// button turns it.
fn follow(
    response: &Response,
    parameter: &'static Parameter,
    controls: &mut dyn Controls,
    value: f64,
) {
    let id = response.id.with("gesture");
    let by_other = response.ctx.input(|i| {
        OTHER_BUTTONS
            .iter()
            .any(|button| i.pointer.button_down(*button) || i.pointer.button_released(*button))
    });
    if response.drag_started() && !by_other {
        controls.begin(parameter);
        response.ctx.data_mut(|data| data.insert_temp(id, true));
    }
    if !by_other && response.changed() && value.to_bits() != controls.value(parameter).to_bits() {
        if response.dragged() {
            controls.set(parameter, value);
        } else {
            controls.put(parameter, value);
        }
    }
    let begun = |data: &mut egui::util::IdTypeMap| data.remove_temp::<bool>(id).is_some();
    if response.drag_stopped() && response.ctx.data_mut(begun) {
        controls.end(parameter);
    }
}

fn reset(ui: &mut Ui, parameter: &'static Parameter, controls: &mut dyn Controls, changed: bool) {
    if changed {
        let name = format!("Reset {}", parameter.name);
        let button = egui::Button::new("reset").small().frame(false);
        let response = ui.add(button).on_hover_text(&name);
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, name.as_str()));
        if response.clicked() {
            controls.put(parameter, parameter.default_value());
        }
    } else {
        // Room for it, so that nothing moves when a value changes.
        ui.add_space(36.0);
    }
}

fn tooltip(ui: &mut Ui, parameter: &'static Parameter, hint: Option<&str>) {
    ui.set_max_width(300.0);
    ui.label(parameter.doc);
    if let ValueKind::Number { .. } = parameter.kind {
        let (low, high) = (parameter.number_text(parameter.min()), parameter.text(parameter.max()));
        let default = parameter.text(parameter.default_value());
        ui.label(
            RichText::new(format!("{low} … {high}; default {default}")).color(theme::faint(ui)),
        );
    }
    if let Some(hint) = hint {
        ui.label(hint);
    }
    let id = format!("Parameter {}; Ctrl-click resets.", parameter.id);
    ui.label(RichText::new(id).small().color(theme::faint(ui)));
}
