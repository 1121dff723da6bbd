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
pub mod pedal;
pub mod piano;
pub mod presets;
pub mod regulation;
mod repetition;
pub mod scale;
pub mod settings;
mod sheet_file;
mod timing;
pub mod tools;
pub mod touch;
pub mod voice;

use egui::{ScrollArea, Ui};

use crate::control;
use crate::controls::Controls;
use crate::theme;
use touchback_instrument::params::{ParameterGroup, all};

/// Least width of a column, points.
const COLUMN: f32 = 330.0;

/// Draws the parameters of one group under its heading.
pub fn group(ui: &mut Ui, group: ParameterGroup, controls: &mut dyn Controls) {
    heading(ui, group.name());
    control::rows(ui, group.name(), all().filter(|p| p.group == group), controls);
    ui.add_space(4.0);
}

/// Draws a face in as many columns of equal width as fit, at most `most`; texts grow with the window.
pub fn columns(ui: &mut Ui, most: usize, add: impl FnOnce(&mut [Ui])) {
    let large = theme::enlargement(ui.ctx());
    let count = match ui.available_width() / (large * COLUMN) {
        columns if columns > 3.0 => 3,
        columns if columns > 1.8 => 2,
        _ => 1,
    };
    scrolled(ui, |ui| {
        theme::enlarge(ui, large);
        ui.columns(count.min(most), add);
    });
}

/// Draws a heading.
pub fn heading(ui: &mut Ui, text: &str) {
    ui.add_space(2.0);
    ui.label(egui::RichText::new(text).heading());
}

/// Draws a panel's contents, with a scroll bar if the window is too low.
pub fn scrolled(ui: &mut Ui, add: impl FnOnce(&mut Ui)) {
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
