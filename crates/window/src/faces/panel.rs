//! The panels on the faces: settings by group, and tools.

pub mod bench;
pub mod calibration;
mod controllers;
#[cfg(feature = "serial")]
pub mod device;
#[cfg(feature = "serial")]
mod haptic_load;
pub mod keys;
mod lesson;
pub mod mechanism;
pub mod messages;
pub mod pedal;
mod pedal_curve;
pub mod piano;
pub mod presets;
pub mod regulation;
mod repetition;
pub mod scale;
pub mod settings;
mod sheet_file;
pub mod timing;
pub mod tools;
pub mod touch;
pub mod voice;
pub mod voice_curves;

use egui::{ScrollArea, Ui};

use crate::state::controls::Controls;
use crate::widgets::{control, theme};
use touchback_instrument::host::params::{ParameterGroup, all};

/// Least width of a column, points.
const COLUMN: f32 = 330.0;
/// Height of a row of a setting and of a heading, without the space between rows, points.
const ROW: f32 = 21.0;
const HEADING: f32 = 28.0;
/// Least and most space between rows of settings, points.
const APART: (f32, f32) = (0.5, 10.0);
/// Share of a face's height for the settings above its plots, and the least height of the plots, points.
const SETTINGS: f32 = 0.5;
const PLOTS: f32 = 120.0;

/// Draws the parameters of one group under its heading, `apart` points between the rows.
pub fn group(ui: &mut Ui, group: ParameterGroup, apart: f32, controls: &mut dyn Controls) {
    heading(ui, group.name());
    control::rows(ui, group.name(), all().filter(|p| p.group == group), apart, controls);
    ui.add_space(4.0);
}

/// Number of columns of equal width that fit in `ui`, at most `most`.
fn fitting(ui: &Ui, most: usize) -> usize {
    let count = match ui.available_width() / (theme::size(ui) * COLUMN) {
        columns if columns > 3.0 => 3,
        columns if columns > 1.8 => 2,
        _ => 1,
    };
    count.min(most)
}

/// Space between rows such that `rows` of them and `headings` fill `height`, within limits, points.
fn apart(ui: &Ui, height: f32, rows: usize, headings: usize) -> f32 {
    let large = theme::size(ui);
    let left = height - large * (rows as f32 * ROW + headings as f32 * HEADING);
    (left / rows as f32).clamp(APART.0, large * APART.1)
}

/// Draws the contents of a face, with texts that grow with the window and a scroll bar if it is too low.
/// `add` receives the face's height.
pub fn page(ui: &mut Ui, add: impl FnOnce(&mut Ui, f32)) {
    let large = theme::enlargement(ui.ctx());
    let height = ui.available_height();
    scrolled(ui, |ui| {
        theme::enlarge(ui, large);
        add(ui, height);
    });
}

/// Height left of a face `height` points high below what `ui` has drawn, at least that of plots, points.
fn rest(ui: &Ui, height: f32) -> f32 {
    (height - ui.min_rect().height() - ui.spacing().item_spacing.y).max(theme::size(ui) * PLOTS)
}

/// Draws a heading.
pub fn heading(ui: &mut Ui, text: &str) {
    ui.add_space(2.0);
    ui.label(egui::RichText::new(text).heading());
}

/// Draws a panel's contents, with a scroll bar if the window is too low.
pub(crate) fn scrolled(ui: &mut Ui, add: impl FnOnce(&mut Ui)) {
    ScrollArea::vertical().auto_shrink([false, false]).min_scrolled_height(16.0).show(ui, add);
}

/// Shows the message of an outcome, an error in the accent's colour.
pub fn outcome(ui: &mut Ui, outcome: Option<&Result<String, String>>) {
    let (text, colour) = match outcome {
        Some(Ok(text)) => (text, ui.visuals().text_color()),
        Some(Err(text)) => (text, theme::accent(ui)),
        None => return,
    };
    ui.label(egui::RichText::new(text).small().color(colour));
}
