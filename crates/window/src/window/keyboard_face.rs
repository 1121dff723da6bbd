//! The face of the motorized keyboard of this instance.

#[cfg(feature = "serial")]
use std::sync::Arc;

use egui::Ui;

use crate::state::stroke::Stroke;
use touchback_action::ActionSettings;
use touchback_core::math::compass::KeyNumber;

#[cfg(feature = "serial")]
use crate::faces::panel::device::{DevicePanel, Played};
#[cfg(feature = "serial")]
use touchback_haptics::connection::{Choice, KeyboardConnection};

/// The face, and the connection that it controls.
#[derive(Default)]
pub struct KeyboardFace {
    #[cfg(feature = "serial")]
    panel: DevicePanel,
    /// The connection; none in pictures.
    #[cfg(feature = "serial")]
    pub connection: Option<Arc<KeyboardConnection>>,
    /// A changed choice of keyboard, for the project to save.
    #[cfg(feature = "serial")]
    pub chosen: Option<Choice>,
}

impl KeyboardFace {
    /// Draws the face, with the chosen key, the settings of its action and the last stroke.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        key: KeyNumber,
        settings: &ActionSettings,
        last: Option<&Stroke>,
    ) {
        #[cfg(not(feature = "serial"))]
        let _ = (key, settings, last);
        #[cfg(feature = "serial")]
        if let Some(connection) = &self.connection {
            let played = Played { key, settings, last };
            if let Some(choice) = self.panel.ui(ui, played, connection) {
                self.chosen = Some(choice);
            }
            return;
        }
        ui.label("No keyboard can be connected here.");
    }
}
