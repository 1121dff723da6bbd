//! Parts that a new plugin shares with the entry of its format. The framework creates the plugin on the
//! caller's thread and returns no reference to it, so the parts pass through a thread-local variable.

use std::cell::RefCell;
use std::sync::Arc;

use crate::guard::Guard;
use crate::host_menu::HostMenu;
use crate::host_params::HostParams;
use crate::repaint::Repaint;
use touchback_haptics::connection::KeyboardConnection;

/// The shared parts.
#[derive(Clone, Default)]
pub(super) struct Parts {
    pub(super) menu: Arc<HostMenu>,
    pub(super) guard: Arc<Guard>,
    pub(super) connection: Arc<KeyboardConnection>,
    /// None only where no plugin was created.
    pub(super) params: Option<Arc<HostParams>>,
    pub(super) repaint: Repaint,
}

thread_local! {
    static PENDING: RefCell<Option<Parts>> = const { RefCell::new(None) };
}

/// Stores the parts of the plugin that is created on this thread.
pub(super) fn set(parts: Parts) {
    PENDING.set(Some(parts));
}

/// Takes the parts of the plugin created last on this thread.
pub(super) fn take() -> Parts {
    PENDING.take().unwrap_or_default()
}
