//! What the format's glue needs of the plugin that the framework has just made for it: the framework
//! makes plugins on the caller's thread and hands out no reference to them.

use std::cell::RefCell;
use std::sync::Arc;

use crate::editor::host_menu::HostMenu;
use crate::guard::Guard;

/// What the glue needs.
#[derive(Clone, Default)]
pub(super) struct Parts {
    pub(super) menu: Arc<HostMenu>,
    pub(super) guard: Arc<Guard>,
}

thread_local! {
    static PENDING: RefCell<Option<Parts>> = const { RefCell::new(None) };
}

/// A plugin of these parts has been made on this thread.
pub(super) fn set(parts: Parts) {
    PENDING.set(Some(parts));
}

/// The parts of the plugin made last on this thread, once.
pub(super) fn take() -> Parts {
    PENDING.take().unwrap_or_default()
}
