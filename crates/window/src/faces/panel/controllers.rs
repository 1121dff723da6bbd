//! The list of MIDI controllers that move parameters.

use egui::{RichText, Ui};

use crate::state::controls::Controls;
use crate::widgets::theme;

/// Draws the parameter that waits for a controller, and every controller with its parameter and a button
/// that removes it.
pub(super) fn ui(ui: &mut Ui, controls: &mut dyn Controls) {
    if let Some(parameter) = controls.learning_parameter() {
        ui.horizontal_wrapped(|ui| {
            let text = format!("Move the controller for {}", parameter.name);
            ui.label(RichText::new(text).color(theme::accent(ui)));
            if ui.button("Cancel").clicked() {
                controls.learn(None);
            }
        });
    }
    for (number, parameter) in controls.midi_map().pairs() {
        ui.horizontal(|ui| {
            ui.label(format!("Controller {number} moves {}", parameter.name));
            let name = format!("Forget controller {number}");
            let button = ui.small_button("forget").on_hover_text(&name);
            button.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, &name));
            if button.clicked() {
                controls.forget_controller(parameter);
            }
        });
    }
}
