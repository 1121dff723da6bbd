//! The context menu of a parameter, and the reason why a typed value was refused.

use egui::{Popup, PopupKind, Response, RichText, SetOpenCommand, Ui};

use crate::state::controls::Controls;
use crate::widgets::theme;
use touchback_core::math::cast::rounded_i32;
use touchback_instrument::host::params::Parameter;

/// Time for which a refusal is shown, s.
const SHOWN: f64 = 5.0;

/// Draws the context menu of a parameter's row, opened by the secondary button `over` it. Returns whether
/// the user chose to type a value.
pub(super) fn ui(
    ui: &Ui,
    slider: &Response,
    over: bool,
    parameter: &'static Parameter,
    controls: &mut dyn Controls,
) -> bool {
    let opens = over && ui.input(|i| i.pointer.secondary_clicked());
    let mut types = false;
    Popup::from_response(slider)
        .id(slider.id.with("menu"))
        .kind(PopupKind::Menu)
        .layout(egui::Layout::top_down_justified(egui::Align::Min))
        .open_memory(opens.then_some(SetOpenCommand::Bool(true)))
        .at_pointer_fixed()
        .show(|ui| {
            ui.set_max_width(280.0);
            ui.strong(parameter.name);
            if ui.button("Type a value").clicked() {
                types = true;
                ui.close();
            }
            let default = parameter.text(parameter.default_value());
            if ui.button(format!("Reset to {default}")).clicked() {
                controls.put(parameter, parameter.default_value());
                ui.close();
            }
            if ui.button("Copy the value").clicked() {
                ui.copy_text(parameter.text(controls.value(parameter)));
                ui.close();
            }
            ui.separator();
            if let Some(number) = controls.midi_map().controller(parameter) {
                if ui.button(format!("Forget MIDI controller {number}")).clicked() {
                    controls.forget_controller(parameter);
                    ui.close();
                }
            } else if controls.learning_parameter().is_some_and(|p| std::ptr::eq(p, parameter)) {
                if ui.button("Wait for no MIDI controller").clicked() {
                    controls.learn(None);
                    ui.close();
                }
            } else if ui.button("Learn a MIDI controller").clicked() {
                controls.learn(Some(parameter));
                ui.close();
            }
            ui.separator();
            if controls.has_host_menu() && ui.button("The host's menu").clicked() {
                let at = ui.input(|i| i.pointer.latest_pos()).unwrap_or(slider.rect.min);
                let pixels = |points: f32| rounded_i32(f64::from(points * ui.pixels_per_point()));
                controls.open_host_menu(parameter, [pixels(at.x), pixels(at.y)]);
                ui.close();
            }
            let hint = format!(
                "The host automates and learns it as “{}” ({}).",
                parameter.name, parameter.id
            );
            ui.label(RichText::new(hint).small().color(theme::faint(ui)));
        });
    types
}

/// Shows the `reason` why an action or a typed value was refused, below its control, for some seconds.
pub fn refused(number: &Response, reason: Option<String>) {
    let (id, context) = (number.id.with("refused"), &number.ctx);
    let now = context.input(|i| i.time);
    if let Some(reason) = reason {
        context.data_mut(|data| data.insert_temp(id, (now, reason)));
    }
    let Some((since, reason)) = context.data_mut(|data| data.get_temp::<(f64, String)>(id)) else {
        return;
    };
    if now > since + SHOWN || number.changed() || number.dragged() {
        context.data_mut(|data| data.remove_temp::<(f64, String)>(id));
        return;
    }
    context.request_repaint_after(std::time::Duration::from_secs_f64(SHOWN));
    Popup::from_response(number).id(id).kind(PopupKind::Tooltip).open(true).show(|ui| {
        ui.set_max_width(260.0);
        ui.label(RichText::new(reason).color(theme::accent(ui)));
    });
}
