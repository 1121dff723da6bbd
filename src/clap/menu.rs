//! The host's own menu of a parameter, through CLAP's context-menu extension.

use std::sync::Arc;

use clap_sys::ext::context_menu::{
    CLAP_CONTEXT_MENU_TARGET_KIND_PARAM, CLAP_EXT_CONTEXT_MENU, CLAP_EXT_CONTEXT_MENU_COMPAT,
    clap_context_menu_target, clap_host_context_menu,
};
use clap_sys::host::clap_host;

use crate::host_menu::{MenuRequest, Show};

/// The host's part of the extension, which outlives its plugins.
struct HostMenuExtension {
    host: *const clap_host,
    menu: *const clap_host_context_menu,
}

// SAFETY: used on the host's main thread only.
unsafe impl Send for HostMenuExtension {}
// SAFETY: as above.
unsafe impl Sync for HostMenuExtension {}

impl HostMenuExtension {
    fn show(&self, request: MenuRequest) -> bool {
        // SAFETY: `find` received the table from the host, which outlives the plugin.
        let menu = unsafe { &*self.menu };
        let (Some(can_popup), Some(popup)) = (menu.can_popup, menu.popup) else { return false };
        let kind = CLAP_CONTEXT_MENU_TARGET_KIND_PARAM;
        let target = clap_context_menu_target { kind, id: request.parameter };
        // SAFETY: this is the host's main thread; an embedded window needs no screen.
        unsafe {
            can_popup(self.host)
                && popup(self.host, &raw const target, 0, request.at[0], request.at[1])
        }
    }
}

/// The function that shows the menu of `host`, if it has one.
///
/// # Safety
/// `host` is the host of an initialized plugin; main thread.
pub(super) unsafe fn find(host: *const clap_host) -> Option<Show> {
    // SAFETY: the caller's promise.
    let get = unsafe { host.as_ref() }?.get_extension?;
    let menu = [CLAP_EXT_CONTEXT_MENU, CLAP_EXT_CONTEXT_MENU_COMPAT]
        .into_iter()
        // SAFETY: the host's function.
        .map(|name| unsafe { get(host, name.as_ptr()) }.cast::<clap_host_context_menu>())
        .find(|menu| !menu.is_null())?;
    let extension = HostMenuExtension { host, menu };
    Some(Arc::new(move |request| extension.show(request)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::{CStr, c_char, c_void};
    use std::sync::Mutex;

    static SHOWN: Mutex<Vec<(u32, u32, i32, i32)>> = Mutex::new(Vec::new());

    static MENU: clap_host_context_menu = clap_host_context_menu {
        populate: None,
        perform: None,
        can_popup: Some(can),
        popup: Some(popup),
    };

    unsafe extern "C" fn can(_: *const clap_host) -> bool {
        true
    }

    unsafe extern "C" fn popup(
        _: *const clap_host,
        target: *const clap_context_menu_target,
        _: i32,
        x: i32,
        y: i32,
    ) -> bool {
        // SAFETY: the plugin's target.
        let target = unsafe { *target };
        SHOWN.lock().unwrap().push((target.kind, target.id, x, y));
        true
    }

    unsafe extern "C" fn get(_: *const clap_host, id: *const c_char) -> *const c_void {
        // SAFETY: a name.
        let id = unsafe { CStr::from_ptr(id) };
        if id == CLAP_EXT_CONTEXT_MENU { (&raw const MENU).cast() } else { std::ptr::null() }
    }

    fn host(with_menu: bool) -> clap_host {
        clap_host {
            clap_version: clap_sys::version::CLAP_VERSION,
            host_data: std::ptr::null_mut(),
            name: c"test".as_ptr(),
            vendor: c"".as_ptr(),
            url: c"".as_ptr(),
            version: c"".as_ptr(),
            get_extension: with_menu.then_some(get),
            request_restart: None,
            request_process: None,
            request_callback: None,
        }
    }

    #[test]
    fn the_host_receives_parameter_and_position() {
        let plain = host(false);
        // SAFETY: a host.
        assert!(unsafe { find(&raw const plain) }.is_none());
        let host = host(true);
        // SAFETY: a host.
        let show = unsafe { find(&raw const host) }.unwrap();
        assert!(show(MenuRequest { parameter: 5, at: [20, 30] }));
        let shown = SHOWN.lock().unwrap();
        assert_eq!(*shown, [(CLAP_CONTEXT_MENU_TARGET_KIND_PARAM, 5, 20, 30)]);
    }
}
