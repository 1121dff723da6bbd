//! The touch: the velocity curve, its calibration, and the settings from velocity to hammer speed.

use egui::Ui;

use super::{apart, fitting, heading, page};
use crate::faces::panel::calibration::CalibrationPanel;
use crate::faces::panel::timing::TimeLine;
use crate::state::controls::Controls;
use crate::state::stroke::Stroke;
use crate::views::velocity_curve::VelocityCurve;
use crate::widgets::{control, theme};
use touchback_core::math::compass::KeyNumber;
use touchback_instrument::Snapshot;
use touchback_instrument::host::params::{ParameterGroup, all};

/// Least height of the velocity curve, and height of everything below it, points.
const CURVE: f32 = 150.0;
const BELOW: f32 = 240.0;
/// Largest height of the curve, as a share of its width.
const HIGHEST: f32 = 0.8;

/// What the face shows of the instrument: the last notes, the chosen key, the last stroke.
#[derive(Clone, Copy)]
pub struct Played<'a> {
    /// The last notes.
    pub snapshot: &'a Snapshot,
    /// The chosen key.
    pub key: KeyNumber,
    /// The last stroke.
    pub last: Option<&'a Stroke>,
}

/// Draws the face in as many columns as fit.
pub fn ui(
    ui: &mut Ui,
    curve: &VelocityCurve,
    calibration: &mut CalibrationPanel,
    line: &mut TimeLine,
    played: Played<'_>,
    controls: &mut dyn Controls,
) {
    page(ui, |ui, height| {
        let large = theme::size(ui);
        let touch = || all().filter(|p| p.group == ParameterGroup::Touch);
        let rows = apart(ui, height, touch().count(), 1);
        ui.columns(fitting(ui, 2), |columns| {
            let last = columns.len() - 1;
            let first = &mut columns[0];
            heading(first, "Velocity to hammer speed");
            let highest = HIGHEST * first.available_width();
            curve.ui(first, (height - large * BELOW).min(highest).max(CURVE), controls);
            first.horizontal_wrapped(|ui| calibration.ui(ui, played.snapshot, controls));
            heading(first, "Timing of one note");
            line.ui(first, played.key, played.last, controls);
            let second = &mut columns[last];
            heading(second, "Touch");
            control::rows(second, "Touch", touch(), rows, controls);
        });
    });
}
