//! The touch: the velocity curve, its calibration, and the settings from velocity to hammer speed.

use egui::Ui;

use super::{columns, heading};
use crate::control;
use crate::controls::Controls;
use crate::panel::calibration::CalibrationPanel;
use crate::panel::timing;
use crate::velocity_curve::VelocityCurve;
use touchback_instrument::Snapshot;
use touchback_instrument::params::{ParameterGroup, all};

/// Height of the velocity curve, as a share of the face, and its least height, points.
const CURVE: (f32, f32) = (0.52, 150.0);

/// Draws the face in as many columns as fit.
pub fn ui(
    ui: &mut Ui,
    curve: &VelocityCurve,
    calibration: &mut CalibrationPanel,
    snapshot: &Snapshot,
    controls: &mut dyn Controls,
) {
    let height = (CURVE.0 * ui.available_height()).max(CURVE.1);
    columns(ui, 2, |columns| {
        let last = columns.len() - 1;
        let first = &mut columns[0];
        heading(first, "Velocity to hammer speed");
        curve.ui(first, height, controls);
        first.horizontal(|ui| calibration.ui(ui, snapshot, controls));
        heading(first, "Timing of one note");
        timing::ui(first, controls);
        let second = &mut columns[last];
        heading(second, "Touch");
        let touch = all().filter(|p| p.group == ParameterGroup::Touch);
        control::rows(second, "Touch", touch, controls);
    });
}
