//! Screen readers on Windows, through UI Automation.

use std::ffi::c_void;

use accesskit::TreeUpdate;
use accesskit_windows::{HWND, SubclassingAdapter};
use raw_window_handle::RawWindowHandle;

use super::SystemEnd;

#[link(name = "user32")]
unsafe extern "system" {
    #[link_name = "IsWindowVisible"]
    safe fn is_visible(window: *mut c_void) -> i32;
}

/// A window that answers automation's messages.
pub(super) struct Bridge(SubclassingAdapter);

// SAFETY: the window creates, draws and drops egui's context, which owns this value, on one thread.
unsafe impl Send for Bridge {}
// SAFETY: as above.
unsafe impl Sync for Bridge {}

impl Bridge {
    /// None for a window that is already shown, which the adapter does not accept.
    pub(super) fn new(window: Option<RawWindowHandle>, end: &SystemEnd) -> Option<Self> {
        let Some(RawWindowHandle::Win32(handle)) = window else { return None };
        let window = handle.hwnd.get() as *mut c_void;
        if is_visible(window) != 0 {
            return None;
        }
        Some(Self(SubclassingAdapter::new(HWND(window), end.clone(), end.clone())))
    }

    /// Nothing to do: the adapter reads the window's own messages.
    pub(super) fn focus(&mut self, _is_focused: bool) {}

    pub(super) fn update(&mut self, update: TreeUpdate) {
        if let Some(events) = self.0.update_if_active(|| update) {
            events.raise();
        }
    }
}
