//! Settings of pedals and MIDI, and tools.

use egui::Ui;

use super::{columns, controllers, group};
use crate::controls::Controls;
use crate::monitor::tape::TimedMessage;
use crate::panel::pedal::PedalPanel;
use crate::panel::tools::ToolsPanel;
use touchback_instrument::Event;
use touchback_instrument::params::ParameterGroup;

/// Draws the face in as many columns as fit.
pub fn ui(
    ui: &mut Ui,
    pedal: &mut PedalPanel,
    tools: &mut ToolsPanel,
    messages: &[TimedMessage],
    play: &mut Vec<Event>,
    controls: &mut dyn Controls,
) {
    columns(ui, 2, |columns| {
        let last = columns.len() - 1;
        group(&mut columns[0], ParameterGroup::Midi, controls);
        controllers::ui(&mut columns[0], controls);
        let second = &mut columns[last];
        group(second, ParameterGroup::Pedals, controls);
        second.horizontal_wrapped(|ui| pedal.ui(ui, messages, controls));
        super::heading(second, "Tools");
        tools.ui(second, play, controls);
    });
}
