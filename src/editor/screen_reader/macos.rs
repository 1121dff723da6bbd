//! Screen readers on macOS, through the accessibility protocol of a view.

use accesskit::TreeUpdate;
use accesskit_macos::SubclassingAdapter;
use raw_window_handle::RawWindowHandle;

use super::SystemEnd;

/// A view that answers the protocol.
pub(super) struct Bridge(SubclassingAdapter);

// SAFETY: the window creates, draws and drops egui's context, which owns this value, on the main thread.
unsafe impl Send for Bridge {}
// SAFETY: as above.
unsafe impl Sync for Bridge {}

impl Bridge {
    pub(super) fn new(window: Option<RawWindowHandle>, end: &SystemEnd) -> Option<Self> {
        let Some(RawWindowHandle::AppKit(handle)) = window else { return None };
        let view = handle.ns_view.as_ptr();
        // SAFETY: the view of a window that is being created.
        Some(Self(unsafe { SubclassingAdapter::new(view, end.clone(), end.clone()) }))
    }

    pub(super) fn focus(&mut self, is_focused: bool) {
        if let Some(events) = self.0.update_view_focus_state(is_focused) {
            events.raise();
        }
    }

    pub(super) fn update(&mut self, update: TreeUpdate) {
        if let Some(events) = self.0.update_if_active(|| update) {
            events.raise();
        }
    }
}
