//! The player's face: tone, tuning, touch with its curve, room and output, pedals, tools.

use egui::Ui;

use super::{group, heading};
use crate::editor::control;
use crate::editor::controls::Controls;
use crate::editor::panel::calibration::CalibrationPanel;
use crate::editor::panel::pedal::PedalPanel;
use crate::editor::panel::scale::ScalePanel;
use crate::editor::panel::tools::ToolsPanel;
use crate::editor::velocity_curve::VelocityCurve;
use crate::monitor::tape::TimedMessage;
use touchback_instrument::params::{ParameterGroup, all};
use touchback_instrument::{Event, Snapshot};

/// Least width of a column, points.
const COLUMN: f32 = 330.0;
/// Height of the velocity curve, points.
const CURVE: f32 = 150.0;

/// The state that the face shows and changes.
pub struct PlayFace<'a> {
    /// The velocity curve and the last notes.
    pub curve: &'a VelocityCurve,
    /// Touch calibration by three notes.
    pub calibration: &'a mut CalibrationPanel,
    /// Pedal range by one press.
    pub pedal: &'a mut PedalPanel,
    /// Scale files.
    pub scale: &'a mut ScalePanel,
    /// Performance, transposition, panic.
    pub tools: &'a mut ToolsPanel,
    /// The keyboard's snapshot.
    pub snapshot: &'a Snapshot,
    /// Messages since the last frame.
    pub messages: &'a [TimedMessage],
    /// Events for the instrument.
    pub play: &'a mut Vec<Event>,
}

impl PlayFace<'_> {
    /// Draws the face in as many columns as fit.
    pub fn ui(mut self, ui: &mut Ui, controls: &mut dyn Controls) {
        let count = match ui.available_width() {
            width if width > 3.0 * COLUMN => 3,
            width if width > 1.8 * COLUMN => 2,
            _ => 1,
        };
        super::scrolled(ui, |ui| {
            ui.columns(count, |columns| {
                let last = columns.len() - 1;
                self.tone(&mut columns[0], controls);
                self.touch(&mut columns[last.min(1)], controls);
                // In a narrow window the third column is below the first.
                let third = if last == 2 { 2 } else { 0 };
                self.output(&mut columns[third], controls);
            });
        });
    }

    fn tone(&mut self, ui: &mut Ui, controls: &mut dyn Controls) {
        group(ui, ParameterGroup::Sound, controls);
        group(ui, ParameterGroup::Tuning, controls);
        self.scale.ui(ui, controls);
        ui.add_space(4.0);
    }

    fn touch(&mut self, ui: &mut Ui, controls: &mut dyn Controls) {
        heading(ui, "Touch");
        self.curve.ui(ui, CURVE, controls);
        ui.horizontal(|ui| self.calibration.ui(ui, self.snapshot, controls));
        let touch = all().filter(|p| p.group == ParameterGroup::Touch);
        control::rows(ui, "Touch", touch, controls);
        ui.add_space(4.0);
    }

    fn output(&mut self, ui: &mut Ui, controls: &mut dyn Controls) {
        group(ui, ParameterGroup::Output, controls);
        group(ui, ParameterGroup::Pedals, controls);
        ui.horizontal_wrapped(|ui| self.pedal.ui(ui, self.messages, controls));
        group(ui, ParameterGroup::Midi, controls);
        super::controllers::ui(ui, controls);
        self.tools.ui(ui, self.play, controls);
    }
}
