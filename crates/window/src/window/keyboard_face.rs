//! The face of the motorized keyboard of this instance.

#[cfg(feature = "serial")]
use std::sync::Arc;

use egui::Ui;

#[cfg(feature = "serial")]
use crate::faces::panel::device::DevicePanel;
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
    /// Draws the face.
    pub fn ui(&mut self, ui: &mut Ui) {
        #[cfg(feature = "serial")]
        if let Some(connection) = &self.connection {
            if let Some(choice) = self.panel.ui(ui, connection) {
                self.chosen = Some(choice);
            }
            return;
        }
        ui.label("No keyboard can be connected here.");
    }
}
