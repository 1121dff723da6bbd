//! Screen readers on Linux, through AT-SPI.

use accesskit::TreeUpdate;
use accesskit_unix::Adapter;
use raw_window_handle::RawWindowHandle;

use super::SystemEnd;

/// A window on the session's accessibility bus.
pub(super) struct Bridge(Adapter);

impl Bridge {
    /// Starts a thread. The window is ignored, because the bus identifies programs, not windows.
    pub(super) fn new(_window: Option<RawWindowHandle>, end: &SystemEnd) -> Option<Self> {
        Some(Self(Adapter::new(end.clone(), end.clone(), end.clone())))
    }

    pub(super) fn focus(&mut self, is_focused: bool) {
        self.0.update_window_focus_state(is_focused);
    }

    pub(super) fn update(&mut self, update: TreeUpdate) {
        self.0.update_if_active(|| update);
    }
}
