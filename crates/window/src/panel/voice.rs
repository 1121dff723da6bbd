//! The voice of the piano: strings and hammers, tuning, and what is heard of it in the room.

use egui::Ui;

use super::{columns, group};
use crate::controls::Controls;
use crate::panel::scale::ScalePanel;
use touchback_instrument::params::ParameterGroup;

/// Draws the face in as many columns as fit.
pub fn ui(ui: &mut Ui, scale: &mut ScalePanel, controls: &mut dyn Controls) {
    columns(ui, 3, |columns| {
        let last = columns.len() - 1;
        group(&mut columns[0], ParameterGroup::Sound, controls);
        // In a narrow window the second and the third group are below one another.
        group(&mut columns[last.min(1)], ParameterGroup::Output, controls);
        let third = &mut columns[if last == 2 { 2 } else { 0 }];
        group(third, ParameterGroup::Tuning, controls);
        scale.ui(third, controls);
    });
}
