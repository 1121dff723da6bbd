//! The face of the 88 keys: what the regulation makes of each.

use egui::{RichText, Ui};

use super::regulation::RegulationPanel;
use crate::action::ActionKind;
use crate::editor::controls::Controls;
use crate::editor::keyboard::name;
use crate::editor::theme;
use crate::math::compass::KeyNumber;

/// Draws the face: the chosen key's figures, then the compass.
pub fn ui(
    ui: &mut Ui,
    regulation: &mut RegulationPanel,
    key: KeyNumber,
    controls: &mut dyn Controls,
) {
    ui.horizontal(|ui| {
        ui.label(RichText::new(name(key)).size(20.0));
        let hint = "Choose a key below; turn the regulation on the face Action.";
        ui.label(RichText::new(hint).color(theme::faint(ui)));
    });
    if controls.settings().action.action != ActionKind::Grand {
        ui.label("The chosen action has no regulation: choose the grand on the face Action.");
        return;
    }
    ui.allocate_ui(egui::vec2(ui.available_width(), 64.0), |ui| {
        regulation.notes(ui, key, controls);
    });
    let height = (ui.available_height() - 24.0).max(80.0);
    regulation.curves(ui, height, key, controls);
}
