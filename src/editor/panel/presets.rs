//! Whole pianos by name: the factory's, and the player's own as files.

mod own;

use egui::{RichText, Ui};

use super::heading;
use crate::editor::controls::Controls;
use crate::editor::theme;
use crate::instrument::Settings;
use crate::params::all;
use crate::preset::user_presets::UserPresets;
use crate::preset::{PRESETS, is_keyboards};

/// State of the panel.
pub struct PresetsPanel {
    /// Loading keeps the settings of the player's keyboard and pedals.
    keeps_keyboard: bool,
    own: own::OwnPresets,
}

impl Default for PresetsPanel {
    fn default() -> Self {
        Self::on(UserPresets::usual())
    }
}

impl PresetsPanel {
    /// A panel that lists the player's pianos of the folder `shelf`.
    #[must_use]
    pub fn on(shelf: Option<UserPresets>) -> Self {
        Self { keeps_keyboard: true, own: own::OwnPresets::new(shelf) }
    }

    /// Both lists; the piano that is in force is marked. A click changes every parameter that
    /// differs, each as a gesture that the host can undo.
    pub fn ui(&mut self, ui: &mut Ui, controls: &mut dyn Controls) {
        let keeps = ui.checkbox(&mut self.keeps_keyboard, "Keep my keyboard's settings");
        keeps.on_hover_text(
            "Loading a piano leaves calibration, silent velocities, pedals and MIDI as they are: \
             they belong to the keyboard under your hands",
        );
        ui.add_space(6.0);
        heading(ui, "Factory pianos");
        for preset in &PRESETS {
            let settings = self.meant(&preset.settings(), controls);
            let is_this = is_in_force(&settings, controls);
            ui.horizontal_wrapped(|ui| {
                let name = ui.selectable_label(is_this, RichText::new(preset.title()).strong());
                if name.on_hover_text("Load this piano").clicked() && !is_this {
                    controls.recall(&settings);
                }
                ui.label(RichText::new(preset.about).small().color(theme::faint(ui)));
            });
        }
        let present = controls.settings();
        let changed =
            all().filter(|p| p.get(&present).to_bits() != p.default_value().to_bits()).count();
        let text =
            format!("{changed} of {} parameters differ from the concert grand.", all().len());
        ui.label(RichText::new(text).small().color(theme::faint(ui)));
        ui.add_space(8.0);
        heading(ui, "My pianos");
        if let Some(chosen) = self.own.ui(ui, controls) {
            let settings = self.meant(&chosen, controls);
            controls.recall(&settings);
        }
    }

    /// The settings that loading `wanted` would give.
    fn meant(&self, wanted: &Settings, controls: &dyn Controls) -> Settings {
        let mut settings = *wanted;
        if self.keeps_keyboard {
            for parameter in all().filter(|p| is_keyboards(p)) {
                parameter.set(&mut settings, controls.value(parameter));
            }
        }
        settings
    }

    /// Whether files are being written or read.
    #[must_use]
    pub const fn is_busy(&self) -> bool {
        self.own.is_busy()
    }
}

/// Every parameter has the value of `settings`, to the precision of a host.
fn is_in_force(settings: &Settings, controls: &dyn Controls) -> bool {
    all().all(|p| p.quantize(p.get(settings)).to_bits() == controls.value(p).to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::editor::controls::DetachedControls;
    use crate::params::find;

    #[test]
    fn a_piano_leaves_the_players_keyboard_alone_if_asked() {
        let mut desk = DetachedControls::default();
        desk.put(find("soft_velocity").unwrap(), 20.0);
        desk.put(find("transpose").unwrap(), 12.0);
        let mut panel = PresetsPanel::on(None);
        let heavy = crate::preset::find("heavy").unwrap().settings();
        let kept = panel.meant(&heavy, &desk);
        assert_eq!((kept.touch.soft_velocity, kept.midi.transpose), (20.0, 12.0));
        assert_eq!(kept.action, heavy.action);
        assert!(!is_in_force(&kept, &desk));
        desk.recall(&kept);
        assert!(is_in_force(&panel.meant(&heavy, &desk), &desk));
        panel.keeps_keyboard = false;
        assert_eq!(panel.meant(&heavy, &desk), heavy);
    }
}
