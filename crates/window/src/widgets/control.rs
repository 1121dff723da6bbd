//! One parameter in a row: name, slider, and number with its unit.
//!
//! | action | effect |
//! | --- | --- |
//! | drag, arrow keys, wheel | moves the slider; with Shift a tenth of it |
//! | Escape while dragging | back to where the drag began |
//! | click on the number, double click on name or slider | types a value, with or without unit |
//! | click with the command key (Ctrl, on a Mac ⌘), *reset* | the default |
//! | other button on name or slider | a menu of these |

mod cell;
pub mod gesture;
pub mod macros;
mod menu;
mod typed;

pub(crate) use cell::{choice_cell, limiter_cell, title, tuning_cell};
pub use menu::refused;
pub use typed::typed;

use egui::text::{CCursor, CCursorRange};
use egui::{
    Align, Color32, ComboBox, DragValue, Grid, Layout, PointerButton, Rect, Response, RichText,
    Sense, Slider, TextEdit, TextStyle, Ui, UiBuilder, vec2,
};

use crate::state::controls::Controls;
use crate::state::regulation::usual;
use crate::widgets::theme;
use touchback_core::math::cast::floor_index;
use touchback_instrument::Settings;
use touchback_instrument::host::params::{Parameter, ValueKind, relevance};

/// The unit of what multiplies the standard piano's, and the word after it.
const RELATIVE: &str = "×";
const STANDARD: &str = " standard";
/// More characters than any number's text has.
const LONGEST_TEXT: usize = 64;
/// Least width of names in a narrow list and in other lists, least width of numbers, width of *reset*,
/// points.
const SHORT_NAME: f32 = 108.0;
const NAME: f32 = 118.0;
const NUMBER: f32 = 76.0;
const RESET: f32 = 34.0;
/// Space between name, slider and number, points.
const BETWEEN: f32 = 6.0;
/// Space between a number and *reset*, points.
const GAP: f32 = 4.0;
/// Width below which a list is narrow, points.
const NARROW: f32 = 348.0;
/// Width below which names stand above sliders and numbers, points.
const STACKED: f32 = 270.0;
/// Width from which numbers say what they are relative to, points.
const TOLD_RELATIVE: f32 = 340.0;
/// Opacity of a control without effect.
const FAINT: f32 = 0.45;

/// Space between the rows of a dense list, points.
pub(crate) const DENSE: f32 = 2.0;

/// Draws the rows of `parameters` in a grid of the available width, `apart` points between them.
pub fn rows(
    ui: &mut Ui,
    id: &str,
    parameters: impl Iterator<Item = &'static Parameter> + Clone,
    apart: f32,
    controls: &mut dyn Controls,
) {
    let mut settings = controls.settings();
    // The scale is not a parameter.
    settings.sound.scale = controls.texts().and_then(|texts| texts.scale().ok()).into();
    let form = if ui.available_width() < theme::size(ui) * TOLD_RELATIVE {
        Form::Short
    } else {
        Form::Long
    };
    let number = number_width(ui, id, parameters.clone(), form);
    // Space between the columns, before *reset*, and for the slider's handle at both ends.
    let (large, whole) = (theme::size(ui), ui.available_width());
    let is_stacked = whole < large * STACKED;
    let name = large * if whole < large * NARROW { SHORT_NAME } else { NAME };
    let least = if is_stacked { 0.0 } else { name + number };
    let room = whole - least - large * RESET - 5.0 * BETWEEN;
    ui.spacing_mut().slider_width = room.clamp(48.0, large * 320.0);
    let places = if is_stacked {
        RowPlaces::Stacked { number }
    } else {
        RowPlaces::Line { name, number, form }
    };
    Grid::new(id).num_columns(3).spacing(vec2(BETWEEN, apart)).show(ui, |ui| {
        // Set once for all rows, because it copies the style.
        ui.spacing_mut().item_spacing.x = GAP;
        for parameter in parameters {
            row(ui, parameter, places, &settings, controls);
            ui.end_row();
        }
    });
}

/// Width for the numbers of `parameters`, points: that of the widest number at the ends of a range.
fn number_width(
    ui: &Ui,
    id: &str,
    parameters: impl Iterator<Item = &'static Parameter>,
    form: Form,
) -> f32 {
    let font = TextStyle::Button.resolve(ui.style());
    let id = ui.scope_id().with((id, "number", form, font.size.to_bits()));
    if let Some(width) = ui.data(|data| data.get_temp::<f32>(id)) {
        return width;
    }
    let numbers = parameters.filter(|p| matches!(p.kind, ValueKind::Number { .. }));
    let ends = numbers.flat_map(|p| [shown(p, p.min(), form), shown(p, p.max(), form)]);
    let width = |text: String| {
        ui.painter().layout_no_wrap(text, font.clone(), Color32::PLACEHOLDER).size().x
    };
    let padding = 2.0 * ui.spacing().button_padding.x;
    let width = ends.map(width).fold(0.0, f32::max) + padding;
    let width = width.max(theme::size(ui) * NUMBER);
    ui.data_mut(|data| data.insert_temp(id, width));
    width
}

/// Where the parts of a parameter's row are: in one line, or below one another in a narrow list.
#[derive(Clone, Copy)]
enum RowPlaces {
    /// Widths of name and number, points, and the number's form.
    Line { name: f32, number: f32, form: Form },
    /// Width of the number, points; its form is the short one.
    Stacked { number: f32 },
}

/// How numbers are shown: those that multiply the standard piano's say so where they have room.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Form {
    Short,
    Long,
}

/// Draws one row of the grid.
fn row(
    ui: &mut Ui,
    parameter: &'static Parameter,
    places: RowPlaces,
    settings: &Settings,
    controls: &mut dyn Controls,
) {
    let value = controls.value(parameter);
    let changed = value.to_bits() != parameter.default_value().to_bits();
    let idle = relevance(settings, parameter.id);
    let whole = ui.opacity();
    if idle.is_some() {
        ui.multiply_opacity(FAINT);
    }
    let name = RichText::new(parameter.name);
    let label = ui
        .scope(|ui| {
            if let RowPlaces::Line { name, .. } = places {
                ui.set_min_width(name);
            }
            ui.label(if changed { name.strong() } else { name })
        })
        .inner;
    let label = label.on_hover_ui(|ui| tooltip(ui, parameter, idle));
    let (width, form) = match places {
        RowPlaces::Line { number, form, .. } => (number, form),
        RowPlaces::Stacked { number } => (number, Form::Short),
    };
    let next = |ui: &mut Ui| {
        if let RowPlaces::Stacked { .. } = places {
            ui.end_row();
        }
    };
    next(ui);
    match parameter.kind {
        ValueKind::Number { .. } => {
            let slider = slider(ui, parameter, controls).labelled_by(label.id);
            let over = label.contains_pointer() || slider.contains_pointer();
            let double = ui.input(|i| i.pointer.button_double_clicked(PointerButton::Primary));
            let is_typing_requested = menu::ui(ui, &slider, over, parameter, controls);
            describe(&slider, || description(parameter, idle));
            slider.on_hover_ui(|ui| tooltip(ui, parameter, idle));
            next(ui);
            ui.horizontal(|ui| {
                let number = number(ui, parameter, width, form, controls).labelled_by(label.id);
                describe(&number, || description(parameter, idle));
                if over && double || is_typing_requested {
                    edit(ui, &number);
                }
                reset(ui, parameter, controls, changed);
            });
        }
        ValueKind::Choice(_) => {
            // As wide as a slider with its number, over the place of both where they are in one line.
            let room = vec2(ui.spacing().slider_width, ui.spacing().interact_size.y);
            let (first, _) = ui.allocate_exact_size(room, Sense::hover());
            let (beside, before) = match places {
                RowPlaces::Line { .. } => (BETWEEN + width, width + GAP),
                RowPlaces::Stacked { .. } => (0.0, 0.0),
            };
            let whole = Rect::from_min_size(first.min, room + vec2(beside, 0.0));
            let layout = Layout::left_to_right(Align::Center);
            let mut over = ui.new_child(UiBuilder::new().max_rect(whole).layout(layout));
            let combo = choice(&mut over, parameter, whole.width(), controls);
            let combo = combo.labelled_by(label.id);
            describe(&combo, || description(parameter, idle));
            combo.on_hover_ui(|ui| tooltip(ui, parameter, idle));
            ui.horizontal(|ui| {
                ui.add_space(before);
                reset(ui, parameter, controls, changed);
            });
        }
    }
    ui.set_opacity(whole);
}

/// Names of a parameter's choices that say more than the parameter's own, which files and hosts have.
const TOLD: [(&str, &[&str]); 1] = [(
    "velocity_map",
    &[
        "As Bösendorfer's player grand (SE290)",
        "As Yamaha's player grand (Disklavier)",
        "A straight line (Linear)",
        "A bent line (Gamma)",
    ],
)];

/// Names of a parameter's choices in the window.
fn told(parameter: &'static Parameter) -> &'static [&'static str] {
    let found = TOLD.iter().find(|(id, _)| *id == parameter.id);
    found.map_or_else(|| parameter.choices(), |(_, names)| names)
}

/// `value` as the window shows it.
fn shown(parameter: &Parameter, value: f64, form: Form) -> String {
    let text = parameter.text(value);
    let is_told = form == Form::Long && parameter.unit() == RELATIVE;
    if is_told { format!("{text}{STANDARD}") } else { text }
}

/// Draws the list of a parameter's choices.
fn choice(
    ui: &mut Ui,
    parameter: &'static Parameter,
    width: f32,
    controls: &mut dyn Controls,
) -> Response {
    let value = controls.value(parameter);
    let names = told(parameter);
    let shown = names.get(floor_index(value)).copied().unwrap_or_default();
    let combo = ComboBox::from_id_salt(parameter.id).selected_text(shown).width(width).truncate();
    let inner = combo.show_ui(ui, |ui| {
        for (index, name) in names.iter().enumerate() {
            let candidate = parameter.quantize(index as f64);
            let is_selected = candidate.to_bits() == value.to_bits();
            if ui.selectable_label(is_selected, *name).clicked() && !is_selected {
                controls.put(parameter, candidate);
            }
        }
    });
    inner.response
}

/// Begins to edit a number with its text selected, as a click does: focus alone selects nothing.
fn edit(ui: &Ui, number: &Response) {
    let mut state = TextEdit::load_state(ui.ctx(), number.id).unwrap_or_default();
    let whole = CCursorRange::two(CCursor::new(0), CCursor::new(LONGEST_TEXT));
    state.cursor.set_char_range(Some(whole));
    state.store(ui.ctx(), number.id);
    number.request_focus();
}

fn slider(ui: &mut Ui, parameter: &'static Parameter, controls: &mut dyn Controls) -> Response {
    let before = parameter.normalized(controls.value(parameter));
    let mut position = before;
    let slider = Slider::new(&mut position, 0.0..=1.0).show_value(false).trailing_fill(true);
    let response = ui.add(slider);
    let command = ui.input(|i| i.modifiers.command);
    if command && response.drag_started() {
        controls.put(parameter, parameter.default_value());
    } else if !command {
        let position = gesture::finely(&response, before, position);
        gesture::follow(&response, parameter, controls, parameter.plain(position));
        gesture::wheel(ui, &response, parameter, controls);
    }
    response
}

/// Draws a number to drag or type. A text that is no value shows the reason for some seconds.
fn number(
    ui: &mut Ui,
    parameter: &'static Parameter,
    width: f32,
    form: Form,
    controls: &mut dyn Controls,
) -> Response {
    let mut value = controls.value(parameter);
    let range = parameter.max() - parameter.min();
    let refused = std::cell::RefCell::new(None);
    let drag = DragValue::new(&mut value)
        .range(parameter.min()..=parameter.max())
        .speed(range / 400.0)
        .update_while_editing(false)
        .clip_text(true)
        .custom_formatter(|v, _| shown(parameter, v, form))
        .custom_parser(|text| match parameter.parse(text.trim_end().trim_end_matches(STANDARD)) {
            Ok(value) => Some(value),
            Err(error) => {
                *refused.borrow_mut() = Some(error.to_string());
                None
            }
        });
    let height = ui.spacing().interact_size.y.max(ui.text_style_height(&TextStyle::Small));
    let response =
        ui.add_sized(vec2(width, if height < 18.0 { height } else { height.max(20.0) }), drag);
    let value = parameter.quantize(value);
    gesture::follow(&response, parameter, controls, value);
    menu::refused(&response, refused.into_inner());
    response
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
        // Space for the button, so that nothing moves when a value changes.
        ui.add_space(theme::size(ui) * RESET);
    }
}

/// Sets a control's description for screen readers.
pub fn describe(control: &Response, description: impl FnOnce() -> String) {
    control.ctx.accesskit_node_builder(control.id, |node| node.set_description(description()));
}

/// Why the parameter has no effect at present, its description and its usual range.
fn description(parameter: &'static Parameter, idle: Option<&str>) -> String {
    let parts = [idle.map(str::to_owned), Some(parameter.doc.to_owned()), usual(parameter)];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn tooltip(ui: &mut Ui, parameter: &'static Parameter, idle: Option<&str>) {
    ui.set_max_width(300.0);
    if let Some(idle) = idle {
        ui.label(RichText::new(idle).color(theme::accent(ui)));
    }
    ui.label(parameter.doc);
    if let ValueKind::Number { .. } = parameter.kind {
        let (low, high) = (parameter.number_text(parameter.min()), parameter.text(parameter.max()));
        let default = parameter.text(parameter.default_value());
        ui.label(
            RichText::new(format!("{low} … {high}; default {default}")).color(theme::faint(ui)),
        );
    }
    if let Some(usual) = usual(parameter) {
        ui.label(usual);
    }
    let id = format!("Parameter {}; Ctrl-click resets, Shift is fine.", parameter.id);
    ui.label(RichText::new(id).small().color(theme::faint(ui)));
}
