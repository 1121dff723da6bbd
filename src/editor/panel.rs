//! The panel beside the action: settings by subject, tools.

pub mod calibration;
pub mod device;
pub mod pedal;
pub mod presets;
pub mod regulation;
pub mod scale;
pub mod tools;

use egui::{ScrollArea, Ui};

use crate::editor::control;
use crate::editor::controls::Controls;
use crate::params::{Parameter, ParameterGroup, all};

/// What the panel shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Subject {
    /// What a technician sets, and the action's parts.
    #[default]
    Regulation,
    /// How notes become gestures.
    Touch,
    /// Strings, hammers, level.
    Sound,
    /// Whole pianos by name.
    Presets,
    /// Comparison, panic, recording, appearance.
    Tools,
    /// A motorized keyboard.
    Device,
}

impl Subject {
    /// All of them, in order.
    pub const ALL: [Self; 6] =
        [Self::Regulation, Self::Touch, Self::Sound, Self::Presets, Self::Tools, Self::Device];

    /// Name of the subject, as its tab shows it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Regulation => "Regulation",
            Self::Touch => "Touch",
            Self::Sound => "Sound",
            Self::Presets => "Presets",
            Self::Tools => "Tools",
            Self::Device => "Device",
        }
    }

    /// Where a group of parameters belongs.
    const fn of(group: ParameterGroup) -> Self {
        match group {
            ParameterGroup::Regulation | ParameterGroup::Action => Self::Regulation,
            ParameterGroup::Touch | ParameterGroup::Pedals | ParameterGroup::Midi => Self::Touch,
            ParameterGroup::Tuning | ParameterGroup::Sound | ParameterGroup::Output => Self::Sound,
        }
    }
}

/// The parameters of one subject under their groups' headings.
pub fn parameters(ui: &mut Ui, subject: Subject, controls: &mut dyn Controls) {
    let mut groups: Vec<ParameterGroup> = all().map(|p| p.group).collect();
    groups.dedup();
    for group in groups.into_iter().filter(|g| Subject::of(*g) == subject) {
        heading(ui, group.name());
        let of_group = all().filter(move |p: &&Parameter| p.group == group);
        control::rows(ui, group.name(), of_group, controls, crate::editor::regulation::usual);
        ui.add_space(8.0);
    }
}

/// A heading.
pub fn heading(ui: &mut Ui, text: &str) {
    ui.add_space(2.0);
    ui.label(egui::RichText::new(text).heading());
}

/// A panel's contents, scrolled where the window is low.
pub fn scrolled(ui: &mut Ui, add: impl FnOnce(&mut Ui)) {
    ScrollArea::vertical().auto_shrink([false, false]).show(ui, add);
}

/// The outcome of something, in words: an error in the accent's colour.
pub fn said(ui: &mut Ui, said: Option<&Result<String, String>>) {
    let (text, colour) = match said {
        Some(Ok(text)) => (text, ui.visuals().text_color()),
        Some(Err(text)) => (text, crate::editor::theme::accent(ui)),
        None => return,
    };
    ui.label(egui::RichText::new(text).small().color(colour));
}
