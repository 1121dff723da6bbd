//! The functions of CLAP's window extension, checked. The wrapper reads null names, panics for a parent
//! that is no window of this system and on a thread other than the window's, and accepts any size.

use std::ffi::{CStr, c_char, c_void};

use clap_sys::ext::gui::{
    CLAP_EXT_GUI, CLAP_WINDOW_API_X11, clap_gui_resize_hints, clap_plugin_gui, clap_window,
};
use clap_sys::plugin::clap_plugin;

use super::instance::{Instance, on};
use crate::host_window::{LONGEST_SIDE, is_scale, is_side, is_x11_window};

static TABLE: clap_plugin_gui = clap_plugin_gui {
    is_api_supported: Some(is_api_supported),
    get_preferred_api: Some(get_preferred_api),
    create: Some(create),
    destroy: Some(destroy),
    set_scale: Some(set_scale),
    get_size: Some(get_size),
    can_resize: Some(can_resize),
    get_resize_hints: Some(get_resize_hints),
    adjust_size: Some(adjust_size),
    set_size: Some(set_size),
    set_parent: Some(set_parent),
    set_transient: Some(set_transient),
    suggest_title: Some(suggest_title),
    show: Some(show),
    hide: Some(hide),
};

/// The table, if `id` names it. A host without its part of the extension, which the wrapper assumes, gets it
/// too, but opens no window: Qtractor decides by it, behind a host without extensions, whether there is one.
pub(super) fn extension(on: &Instance, id: &CStr) -> Option<*const c_void> {
    (id == CLAP_EXT_GUI && framework(on).is_some()).then(|| (&raw const TABLE).cast())
}

/// Closes the window of this thread, if there is one.
pub(super) fn close(on: &Instance) {
    on.host.window.close(|| close_now(on));
}

/// The wrapper's functions.
fn framework(on: &Instance) -> Option<&clap_plugin_gui> {
    // SAFETY: the extension of this name is of this type.
    unsafe { on.framework_extension(CLAP_EXT_GUI) }
}

fn close_now(on: &Instance) {
    if let Some(destroy) = framework(on).and_then(|gui| gui.destroy) {
        // SAFETY: the wrapper's function, on the window's thread.
        unsafe { destroy(on.as_clap()) };
    }
}

/// Returns the result of the wrapper's function that `call` calls.
///
/// # Safety
/// `plugin` is the host's pointer.
unsafe fn ask<T: Copy>(
    plugin: *const clap_plugin,
    failed: T,
    call: impl FnOnce(&clap_plugin_gui) -> Option<T>,
) -> T {
    // SAFETY: the caller's promise.
    unsafe { on(plugin, failed, |on| framework(on).and_then(call).unwrap_or(failed)) }
}

/// [`ask`] for functions of the open window: `failed` on any thread but the window's.
///
/// # Safety
/// `plugin` is the host's pointer.
unsafe fn ask_window<T: Copy>(
    plugin: *const clap_plugin,
    failed: T,
    call: impl FnOnce(&clap_plugin_gui) -> Option<T>,
) -> T {
    // SAFETY: the caller's promise.
    unsafe {
        on(plugin, failed, |on| {
            let work = || framework(on).and_then(call).unwrap_or(failed);
            on.host.window.run(failed, work, || close_now(on))
        })
    }
}

/// Whether `api` is the windowing system of this platform.
///
/// # Safety
/// `api` is null or a C string.
unsafe fn is_ours(gui: &clap_plugin_gui, api: *const c_char) -> bool {
    let Some(is_supported) = gui.is_api_supported else { return false };
    // SAFETY: the caller's promise; the wrapper ignores the plugin's pointer.
    !api.is_null() && unsafe { is_supported(std::ptr::null(), api, false) }
}

unsafe extern "C" fn is_api_supported(
    plugin: *const clap_plugin,
    api: *const c_char,
    is_floating: bool,
) -> bool {
    // SAFETY: the host's pointers.
    unsafe { ask(plugin, false, |gui| Some(!is_floating && is_ours(gui, api))) }
}

unsafe extern "C" fn get_preferred_api(
    plugin: *const clap_plugin,
    api: *mut *const c_char,
    is_floating: *mut bool,
) -> bool {
    // SAFETY: as the host called it.
    unsafe { ask(plugin, false, |gui| Some(gui.get_preferred_api?(plugin, api, is_floating))) }
}

unsafe extern "C" fn create(
    plugin: *const clap_plugin,
    api: *const c_char,
    is_floating: bool,
) -> bool {
    // SAFETY: as the host called it.
    unsafe {
        on(plugin, false, |on| {
            let Some(gui) =
                framework(on).filter(|_| !is_floating && on.host.has_window_extension())
            else {
                return false;
            };
            let make = || gui.create.is_some_and(|create| create(plugin, api, false));
            is_ours(gui, api) && on.host.window.open(make, || close_now(on))
        })
    }
}

unsafe extern "C" fn destroy(plugin: *const clap_plugin) {
    // SAFETY: the host's pointer.
    unsafe { on(plugin, (), close) };
}

unsafe extern "C" fn set_scale(plugin: *const clap_plugin, scale: f64) -> bool {
    if !is_scale(scale) {
        return false;
    }
    // SAFETY: as the host called it.
    unsafe { ask_window(plugin, false, |gui| Some(gui.set_scale?(plugin, scale))) }
}

unsafe extern "C" fn get_size(
    plugin: *const clap_plugin,
    width: *mut u32,
    height: *mut u32,
) -> bool {
    // SAFETY: as the host called it.
    unsafe { ask(plugin, false, |gui| Some(gui.get_size?(plugin, width, height))) }
}

unsafe extern "C" fn can_resize(plugin: *const clap_plugin) -> bool {
    // SAFETY: as the host called it.
    unsafe { ask(plugin, false, |gui| Some(gui.can_resize?(plugin))) }
}

unsafe extern "C" fn get_resize_hints(
    plugin: *const clap_plugin,
    hints: *mut clap_gui_resize_hints,
) -> bool {
    // SAFETY: as the host called it.
    unsafe { ask(plugin, false, |gui| Some(gui.get_resize_hints?(plugin, hints))) }
}

unsafe extern "C" fn adjust_size(
    plugin: *const clap_plugin,
    width: *mut u32,
    height: *mut u32,
) -> bool {
    if width.is_null() || height.is_null() {
        return false;
    }
    // SAFETY: the host's variables; the wrapper's function with our own.
    unsafe {
        let (mut wide, mut high) = ((*width).min(LONGEST_SIDE), (*height).min(LONGEST_SIDE));
        let is_adjusted = ask_window(plugin, false, |gui| {
            Some(gui.adjust_size?(plugin, &raw mut wide, &raw mut high))
        });
        if is_adjusted {
            (*width, *height) = (wide.min(LONGEST_SIDE), high.min(LONGEST_SIDE));
        }
        is_adjusted
    }
}

unsafe extern "C" fn set_size(plugin: *const clap_plugin, width: u32, height: u32) -> bool {
    if !is_side(width) || !is_side(height) {
        return false;
    }
    // SAFETY: as the host called it.
    unsafe { ask_window(plugin, false, |gui| Some(gui.set_size?(plugin, width, height))) }
}

#[allow(clippy::useless_conversion, reason = "an X11 window has 32 bits on Windows")]
unsafe extern "C" fn set_parent(plugin: *const clap_plugin, window: *const clap_window) -> bool {
    // SAFETY: the host's pointers; an API's handle is the field of its name.
    unsafe {
        ask_window(plugin, false, |gui| {
            let parent = window.as_ref()?;
            let is_window = is_ours(gui, parent.api)
                && if CStr::from_ptr(parent.api) == CLAP_WINDOW_API_X11 {
                    is_x11_window(parent.specific.x11.into())
                } else {
                    !parent.specific.ptr.is_null()
                };
            Some(is_window && gui.set_parent?(plugin, window))
        })
    }
}

// The window never floats.
unsafe extern "C" fn set_transient(_: *const clap_plugin, _: *const clap_window) -> bool {
    false
}

unsafe extern "C" fn suggest_title(_: *const clap_plugin, _: *const c_char) {}

unsafe extern "C" fn show(plugin: *const clap_plugin) -> bool {
    // SAFETY: as the host called it.
    unsafe { ask_window(plugin, false, |gui| Some(gui.show?(plugin))) }
}

unsafe extern "C" fn hide(plugin: *const clap_plugin) -> bool {
    // SAFETY: as the host called it.
    unsafe { ask_window(plugin, false, |gui| Some(gui.hide?(plugin))) }
}
