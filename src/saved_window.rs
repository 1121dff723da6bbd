//! The window's part of a project's saved state.

use std::sync::{Arc, Mutex};

#[cfg(feature = "window")]
pub(crate) use touchback_window::state::window_state::SavedWindow;

/// The state of another build's window: saved again as it was loaded.
#[cfg(not(feature = "window"))]
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub(crate) struct SavedWindow(serde_json::Map<String, serde_json::Value>);

#[cfg(not(feature = "window"))]
impl SavedWindow {
    /// The state itself: what draws a window checks it.
    pub(crate) fn checked(self) -> Self {
        self
    }
}

/// The window's saved state, shared with the project.
pub(crate) type SharedWindowState = Arc<Mutex<SavedWindow>>;
