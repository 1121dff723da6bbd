//! The voice of the piano: strings and hammers, tuning, and what is heard of it in the room; below them
//! tuning and decay of the 88 keys.

use egui::Ui;

use super::{SETTINGS, apart, fitting, group, page, rest};
use crate::faces::panel::scale::ScalePanel;
use crate::faces::panel::voice_curves::VoiceCurves;
use crate::state::controls::Controls;
use touchback_core::math::compass::KeyNumber;
use touchback_instrument::host::params::ParameterGroup;

/// Draws the face in as many columns as fit.
pub fn ui(
    ui: &mut Ui,
    scale: &mut ScalePanel,
    curves: &mut VoiceCurves,
    chosen: KeyNumber,
    controls: &mut dyn Controls,
) {
    page(ui, |ui, height| {
        let count = fitting(ui, 3);
        // The output has most rows; with two columns it has those of the scale file below it.
        let rows = match count {
            3 => apart(ui, SETTINGS * height, 10, 1),
            _ => apart(ui, height, 13, 2),
        };
        ui.columns(count, |columns| {
            let (second, third) = (1.min(count - 1), if count == 3 { 2 } else { 0 });
            group(&mut columns[0], ParameterGroup::Sound, rows, controls);
            group(&mut columns[second], ParameterGroup::Output, rows, controls);
            group(&mut columns[third], ParameterGroup::Tuning, rows, controls);
            scale.ui(&mut columns[count - 1], controls);
        });
        let height = rest(ui, height);
        curves.ui(ui, height, chosen, controls);
    });
}
