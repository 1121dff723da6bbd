//! Factory pianos, one click each.

use egui::{RichText, Ui};

use super::heading;
use crate::editor::controls::Controls;
use crate::editor::theme;
use crate::params::all;
use crate::preset::{PRESETS, Preset};

/// The list; the piano that is in force is marked. A click changes every parameter that differs,
/// each as a gesture that the host can undo.
pub fn ui(ui: &mut Ui, controls: &mut dyn Controls) {
    heading(ui, "Factory pianos");
    let present = controls.settings();
    for preset in &PRESETS {
        let is_this = is_like(preset, controls);
        let name = ui.selectable_label(is_this, RichText::new(title(preset)).strong());
        if name.on_hover_text("Load this piano").clicked() && !is_this {
            controls.recall(&preset.settings());
        }
        ui.label(RichText::new(preset.about).small().color(theme::faint(ui)));
        ui.add_space(4.0);
    }
    let changed =
        all().filter(|p| p.get(&present).to_bits() != p.default_value().to_bits()).count();
    let text = format!("{changed} of {} parameters differ from the concert grand.", all().len());
    ui.label(RichText::new(text).small().color(theme::faint(ui)));
}

/// Every parameter has the preset's value, to the precision of a host.
fn is_like(preset: &Preset, controls: &dyn Controls) -> bool {
    let settings = preset.settings();
    all().all(|p| p.quantize(p.get(&settings)).to_bits() == controls.value(p).to_bits())
}

/// Its name with a capital.
#[must_use]
pub fn title(preset: &Preset) -> String {
    let mut letters = preset.name.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
