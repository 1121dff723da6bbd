//! The player's controls below the moving action, and the velocity curve with the last notes.

use egui::{Layout, Rect, Ui, UiBuilder, pos2, vec2};

use crate::faces::panel::calibration::CalibrationPanel;
use crate::state::controls::Controls;
use crate::views::velocity_curve::VelocityCurve;
use crate::widgets::control::macros::macro_named;
use crate::widgets::levels::Levels;
use crate::widgets::{control, theme};
use touchback_core::math::cast::floor_index;
use touchback_instrument::Snapshot;
use touchback_instrument::host::params::find;

/// Height of a control's cell in two rows and in three, and space between cells, points.
const CELL: (f32, f32) = (44.0, 40.0);
const GAP: f32 = 16.0;
/// Width of a window from which the controls are in two rows of six, points; below it in three of four.
const WIDE: f32 = 1000.0;
/// Share of the width for the velocity curve, and its least and largest width, points.
const CURVE: (f32, f32, f32) = (0.22, 168.0, 320.0);
/// Height of the row below the curve, points.
const CALIBRATE: f32 = 22.0;
/// Margin around the controls, points.
const MARGIN: f32 = 8.0;

/// The cells of a small window without *More*.
const FIRST: [&str; 3] = ["Tone", "Touch weight", "Room"];
/// Least width of a cell in a small window, and height of the curve there, points.
const NARROWEST: f32 = 108.0;
const SMALL_CURVE: f32 = 150.0;

/// The cells, in order.
const CELLS: [&str; 12] = [
    "Tone",
    "Dynamics",
    "Touch weight",
    "Wear",
    "Resonance",
    "Noises",
    "Tuning",
    "Lid",
    "Microphones",
    "Room",
    "Level",
    "Limiter",
];

/// The state that the controls show and change.
pub struct PianoControls<'a> {
    /// The velocity curve and the last notes.
    pub curve: &'a VelocityCurve,
    /// Touch calibration by three notes.
    pub calibration: &'a mut CalibrationPanel,
    /// The keyboard's snapshot.
    pub snapshot: &'a Snapshot,
    /// The output's level.
    pub levels: &'a Levels,
}

/// Number of columns in a window of this width.
const fn columns(width: f32) -> usize {
    if width >= WIDE { 6 } else { 4 }
}

/// Height of a cell, points.
const fn cell(columns: usize) -> f32 {
    if columns == 6 { CELL.0 } else { CELL.1 }
}

/// Space between two rows, points.
const fn between(columns: usize) -> f32 {
    if columns == 6 { GAP } else { 0.0 }
}

/// Height that the controls, enlarged by `large`, need in a window of this width, points.
#[must_use]
pub fn height(width: f32, large: f32) -> f32 {
    let columns = columns(width / large);
    let rows = CELLS.len().div_ceil(columns) as f32;
    large * (rows * cell(columns) + (rows - 1.0) * between(columns) + 2.0 * MARGIN)
}

impl PianoControls<'_> {
    /// Draws the controls in `area`, enlarged by `large`.
    pub fn ui(self, ui: &mut Ui, area: Rect, large: f32, controls: &mut dyn Controls) {
        let count = columns(area.width() / large);
        let area = area.shrink(large * MARGIN);
        let (share, least, most) = CURVE;
        let curve = (share * area.width()).clamp(large * least, large * most);
        let (gap, high) = (large * GAP, large * cell(count));
        let left = Rect::from_min_max(area.min, pos2(area.max.x - curve - gap, area.max.y));
        let width = (left.width() + gap) / count as f32 - gap;
        for (index, name) in CELLS.into_iter().enumerate() {
            let (column, row) = ((index % count) as f32, (index / count) as f32);
            let down = row * (high + large * between(count));
            let at = left.min + vec2(column * (width + gap), down);
            let cell = Rect::from_min_size(at, vec2(width, high));
            let place = UiBuilder::new().max_rect(cell).layout(Layout::top_down(egui::Align::Min));
            ui.scope_builder(place.id_salt(name), |ui| {
                theme::enlarge(ui, large);
                ui.spacing_mut().item_spacing = vec2(6.0, 3.0) * large;
                self.cell(ui, name, width, controls);
            });
        }
        let right = Rect::from_min_max(pos2(area.max.x - curve, area.min.y), area.max);
        ui.scope_builder(UiBuilder::new().max_rect(right).id_salt("curve"), |ui| {
            theme::enlarge(ui, large);
            ui.spacing_mut().item_spacing.y = 2.0;
            self.curve.ui(ui, right.height() - large * CALIBRATE, controls);
            ui.horizontal(|ui| self.calibration.ui(ui, self.snapshot, controls));
        });
    }

    /// Draws three controls, with `more` all of them and the velocity curve, in as many columns as fit.
    pub fn small(self, ui: &mut Ui, more: bool, controls: &mut dyn Controls) {
        let cells = if more { &CELLS[..] } else { &FIRST };
        ui.spacing_mut().interact_size.y = 0.8 * theme::touched(ui.ctx());
        let gap = ui.spacing().item_spacing.x;
        let count = ((ui.available_width() + gap) / (NARROWEST + gap)).floor().clamp(1.0, 4.0);
        for row in cells.chunks(floor_index(f64::from(count))) {
            ui.columns(floor_index(f64::from(count)), |columns| {
                for (ui, name) in columns.iter_mut().zip(row) {
                    // A slider's handle stands out at its end.
                    let width = ui.available_width() - 4.0;
                    ui.push_id(name, |ui| self.cell(ui, name, width, controls));
                }
            });
        }
        if more {
            self.curve.ui(ui, SMALL_CURVE, controls);
            ui.horizontal_wrapped(|ui| self.calibration.ui(ui, self.snapshot, controls));
        }
    }

    fn cell(&self, ui: &mut Ui, name: &str, width: f32, controls: &mut dyn Controls) {
        match (name, macro_named(name)) {
            (_, Some(control)) => control.ui(ui, width, controls),
            ("Tuning", _) => control::tuning_cell(ui, width, controls),
            ("Microphones", _) => {
                if let (Ok(place), Some(distance)) = (find("perspective"), macro_named("Distance"))
                {
                    control::choice_cell(ui, name, place, distance, width, controls);
                }
            }
            _ => control::limiter_cell(ui, width, self.levels.is_guarded(), controls),
        }
    }
}
