//! Settings of pedals and MIDI, and tools; below them the pedal's zone and the received messages.

use egui::Ui;

use super::messages::MessageList;
use super::{PLOTS, SETTINGS, apart, controllers, fitting, group, page, pedal_curve, rest};
use crate::faces::panel::pedal::PedalPanel;
use crate::faces::panel::tools::ToolsPanel;
use crate::state::controls::Controls;
use crate::widgets::theme;
use touchback_instrument::host::params::ParameterGroup;
use touchback_instrument::watch::monitor::tape::TimedMessage;
use touchback_instrument::{Event, Snapshot};

/// What the face shows of the instrument.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// Position of the pedals.
    pub snapshot: &'a Snapshot,
    /// The messages since the last frame.
    pub new_messages: &'a [TimedMessage],
    /// The last messages.
    pub messages: &'a MessageList,
}

/// Draws the face in as many columns as fit.
pub fn ui(
    ui: &mut Ui,
    pedal: &mut PedalPanel,
    tools: &mut ToolsPanel,
    shown: Shown<'_>,
    play: &mut Vec<Event>,
    controls: &mut dyn Controls,
) {
    page(ui, |ui, height| {
        let count = fitting(ui, 3);
        let rows = match count {
            3 => apart(ui, SETTINGS * height, 7, 1),
            _ => apart(ui, height - theme::size(ui) * PLOTS, 9, 2),
        };
        ui.columns(count, |columns| {
            group(&mut columns[0], ParameterGroup::Midi, rows, controls);
            controllers::ui(&mut columns[0], controls);
            let second = &mut columns[1.min(count - 1)];
            group(second, ParameterGroup::Pedals, rows, controls);
            second.horizontal_wrapped(|ui| pedal.ui(ui, shown.new_messages, controls));
            let third = &mut columns[count - 1];
            super::heading(third, "Tools");
            tools.ui(third, play, controls);
        });
        let height = rest(ui, height);
        let count = fitting(ui, 2);
        ui.columns(count, |columns| {
            pedal_curve::ui(&mut columns[0], height, shown.snapshot, controls);
            shown.messages.ui(&mut columns[count - 1], height);
        });
    });
}
