//! Regulation: resulting let-off and aftertouch, curves over the compass, the settings, and a warning for each
//! unusual setting that has a consequence.

use egui::{Frame, RichText, Ui};
use egui_plot::{GridMark, HLine, Line, Plot, Points, VLine};

use super::{group, heading};
use crate::state::controls::Controls;
use crate::state::regulation::{Compass, warning};
use crate::views::keyboard::name;
use crate::widgets::{control, theme};
use touchback_action::grand::key::weigh::Weighed;
use touchback_action::{ActionKind, ActionSettings};
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::KeyNumber;
use touchback_instrument::host::params::{Parameter, ParameterGroup, all, relevance};

/// State of the panel.
#[derive(Clone, Default)]
pub struct RegulationPanel {
    compass: Option<Compass>,
}

impl RegulationPanel {
    /// Draws feasibility and warnings, apart from the controls, so that no control moves while it is dragged.
    pub fn notes(
        &mut self,
        ui: &mut Ui,
        key: KeyNumber,
        measured: Option<&Weighed>,
        controls: &dyn Controls,
    ) {
        let settings = controls.settings();
        if settings.action.played() == ActionKind::Grand {
            let (sentence, fine) = self.compass(&settings.action).sentence(key, measured);
            note(ui, &sentence, !fine);
        } else {
            note(ui, "Faint controls belong to the grand: this action does not have them.", false);
        }
        for parameter in all().filter(|p| relevance(&settings, p.id).is_none()) {
            let value = controls.value(parameter);
            if let Some(sentence) = warning(parameter, value) {
                let text = format!("{} {}: {sentence}", parameter.name, parameter.text(value));
                note(ui, &text, true);
            }
        }
    }

    /// Draws the technician's settings and those of the action's parts.
    pub fn ui(ui: &mut Ui, controls: &mut dyn Controls) {
        group(ui, ParameterGroup::Regulation, control::DENSE, controls);
        heading(ui, ParameterGroup::Action.name());
        // The differences of single keys have a face of their own.
        let parts = all().filter(|p| p.group == ParameterGroup::Action && !is_of_keys(p));
        control::rows(ui, ParameterGroup::Action.name(), parts, control::DENSE, controls);
    }

    /// Draws the let-off of all 88 keys under the current settings.
    pub fn curves(
        &mut self,
        ui: &mut Ui,
        height: f32,
        key: KeyNumber,
        measured: Option<&Weighed>,
        controls: &dyn Controls,
    ) {
        let settings = controls.settings().action;
        curves(ui, height, self.compass(&settings), key, measured, settings.key_dip_mm);
    }

    fn compass(&mut self, settings: &ActionSettings) -> &Compass {
        self.compass = self.compass.take().filter(|compass| compass.is_of(settings));
        self.compass.get_or_insert_with(|| Compass::new(settings))
    }
}

/// Whether the parameter concerns differences of single keys.
pub(super) fn is_of_keys(parameter: &Parameter) -> bool {
    ["unevenness", "unevenness_seed"].contains(&parameter.id)
}

/// Draws a sentence in a box; a warning has a bar in the accent's colour.
fn note(ui: &mut Ui, text: &str, warns: bool) {
    let colour = if warns { theme::accent(ui) } else { theme::curve(ui, 2) };
    let fill = ui.visuals().faint_bg_color;
    let inner = Frame::new().fill(fill).inner_margin(8).corner_radius(4).show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.label(RichText::new(text).size(12.0));
    });
    let rect = inner.response.rect;
    let bar = egui::Rect::from_min_size(rect.min, egui::vec2(3.0, rect.height()));
    ui.painter().rect_filled(bar, 2.0, colour);
}

/// Draws key depths at let-off and at the bottom, over the keys' names.
fn curves(
    ui: &mut Ui,
    height: f32,
    compass: &Compass,
    key: KeyNumber,
    measured: Option<&Weighed>,
    dip_mm: f64,
) {
    let plot = Plot::new("compass")
        .height(height)
        .allow_zoom(false)
        .allow_drag(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_axis_zoom_drag(false)
        .show_x(false)
        .show_y(false)
        .include_x(1.0)
        .include_x(88.0)
        .include_y(dip_mm + 0.5)
        .include_y(dip_mm - 3.0)
        .grid_spacing(egui::Rangef::new(18.0, 200.0))
        .grid_color(egui::Color32::from_gray(140))
        .x_grid_spacer(|_| octaves())
        .x_axis_formatter(|mark, _| octave(mark.value))
        .y_axis_label("key depth, mm")
        .y_axis_min_width(44.0)
        .label_formatter(|_| None);
    let (let_off, bottom) =
        (theme::phase(touchback_action::grand::Phase::LetOff), theme::faint(ui));
    let accent = theme::accent(ui);
    let slip = measured.map(|m| m.dip_mm - m.after_touch_mm).filter(|depth| depth.is_finite());
    let shown = plot.show(ui, |plot_ui| {
        if let Some(depth) = slip {
            let at = vec![[f64::from(key.number()), depth]];
            plot_ui.points(Points::new("measured", at).color(accent).radius(4.0));
        }
        plot_ui.hline(HLine::new("key bed", dip_mm).color(bottom).width(1.5));
        plot_ui.line(Line::new("let-off", compass.let_off()).color(let_off).width(1.8));
        plot_ui.vline(VLine::new("key", f64::from(key.number())).color(accent).width(1.0));
    });
    let info = || egui::WidgetInfo::labeled(egui::Role::Image, true, "Where the 88 keys let off");
    shown.response.widget_info(info);
    control::describe(&shown.response, || {
        format!("{}: {}", name(key), compass.sentence(key, measured).0)
    });
    let legend = "Key depth at let-off by the screws' geometry (orange), measured by a slow press on the \
                  chosen key (dot: deeper, as the geometry takes heel and levers as rigid), and the key bed (grey)";
    ui.label(RichText::new(legend).small().color(theme::faint(ui)));
}

/// Marks at the ends of the compass and at every C.
fn octaves() -> Vec<GridMark> {
    // The step decides the width from which a mark has its name: octaves in the smallest window, the lowest
    // key where there is space before the next C.
    let at = |value: f64, step_size| GridMark { value, step_size };
    let octaves = (0..8u8).map(|c| at(4.0 + 12.0 * f64::from(c), 24.0));
    std::iter::once(at(1.0, 10.0)).chain(octaves).collect()
}

/// Name of the key at a mark.
fn octave(value: f64) -> String {
    KeyNumber::from_index(floor_index(value - 1.0)).map_or_else(String::new, name)
}
