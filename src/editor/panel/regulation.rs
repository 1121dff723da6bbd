//! Regulation: resulting let-off and aftertouch, curves over the compass, the settings, and a
//! warning for each unusual one.

use egui::{Frame, RichText, Ui, Vec2b};
use egui_plot::{HLine, Line, Plot};

use super::{Subject, parameters};
use crate::action::ActionSettings;
use crate::editor::controls::Controls;
use crate::editor::regulation::{Compass, warning};
use crate::editor::theme;
use crate::math::compass::KeyNumber;
use crate::params::all;

/// State of the panel.
#[derive(Clone, Default)]
pub struct RegulationPanel {
    compass: Option<Compass>,
}

impl RegulationPanel {
    /// Feasibility and warnings, in a place of their own, so that no control moves while it is
    /// dragged.
    pub fn notes(&mut self, ui: &mut Ui, key: KeyNumber, controls: &dyn Controls) {
        let settings = controls.settings().action;
        let (sentence, fine) = self.compass(&settings).sentence(key);
        note(ui, &sentence, !fine);
        for parameter in all() {
            let value = controls.value(parameter);
            if let Some(sentence) = warning(parameter, value) {
                let text = format!("{} {}: {sentence}", parameter.name, parameter.text(value));
                note(ui, &text, true);
            }
        }
    }

    /// The curve over the compass, then the settings.
    pub fn ui(&mut self, ui: &mut Ui, controls: &mut dyn Controls) {
        let settings = controls.settings().action;
        curves(ui, self.compass(&settings), settings.key_dip_mm);
        ui.add_space(6.0);
        parameters(ui, Subject::Regulation, controls);
    }

    fn compass(&mut self, settings: &ActionSettings) -> &Compass {
        self.compass = self.compass.take().filter(|compass| compass.is_of(settings));
        self.compass.get_or_insert_with(|| Compass::new(settings))
    }
}

/// A sentence in a box; a warning has a bar of the accent's colour.
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

/// Where keys let off and bottom, from the lowest to the highest.
fn curves(ui: &mut Ui, compass: &Compass, dip_mm: f64) {
    let plot = Plot::new("compass")
        .height(96.0)
        .allow_zoom(false)
        .allow_drag(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .show_x(false)
        .show_y(false)
        .show_grid(Vec2b::new(false, true))
        .include_x(1.0)
        .include_x(88.0)
        .include_y(dip_mm + 0.5)
        .include_y(dip_mm - 3.0)
        .y_axis_label("key, mm")
        .x_axis_label("key number, A0 to C8")
        .label_formatter(|_| None);
    let (let_off, bottom) = (theme::phase(crate::action::grand::Phase::LetOff), theme::faint(ui));
    plot.show(ui, |plot_ui| {
        plot_ui.hline(HLine::new("key bed", dip_mm).color(bottom).width(1.5));
        plot_ui.line(Line::new("let-off", compass.let_off()).color(let_off).width(1.8));
    });
    let legend = "Key depth at let-off, and the key bed, over the compass";
    ui.label(RichText::new(legend).small().color(theme::faint(ui)));
}
