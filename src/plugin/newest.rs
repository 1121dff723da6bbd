//! What the format's glue needs of the plugin that the framework has just made for it: the framework
//! makes plugins on the caller's thread and hands out no reference to them.

use std::cell::RefCell;
use std::sync::Arc;

use crate::editor::host_menu::HostMenu;

thread_local! {
    static MENU: RefCell<Option<Arc<HostMenu>>> = const { RefCell::new(None) };
}

/// A plugin with this menu has been made on this thread.
pub(super) fn leave(menu: &Arc<HostMenu>) {
    MENU.set(Some(menu.clone()));
}

/// The menu of the plugin made last on this thread, once.
pub(super) fn take() -> Arc<HostMenu> {
    MENU.take().unwrap_or_default()
}
