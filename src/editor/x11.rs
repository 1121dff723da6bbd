//! What X11 hosts want of a child window and the adapter does not give: the mark of the XEmbed protocol,
//! the screen's scale before there is a window, and a first frame however late it is shown.

use raw_window_handle::{HasDisplayHandle, HasWindowHandle, RawDisplayHandle, RawWindowHandle};
use x11rb::connection::{Connection as _, RequestConnection as _};
use x11rb::protocol::present::{self, ConnectionExt as _};
use x11rb::protocol::xproto::{ConnectionExt as _, PropMode};
use x11rb::resource_manager;
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;
use x11rb::xcb_ffi::XCBConnection;

/// Version of the protocol, and the flag of a window that is mapped: XEmbed specification 0.5.
const XEMBED_INFO: [u32; 2] = [0, 1];

/// Dots an inch at scale 1, as the adapter has it.
const DPI: f32 = 96.0;

/// Pixels a point of the screen, if its settings name one: what the adapter gives its window.
pub fn scale() -> Option<f32> {
    let (x, _) = RustConnection::connect(None).ok()?;
    let settings = resource_manager::new_from_default(&x).ok()?;
    let dpi: u16 = settings.get_value("Xft.dpi", "").ok()??;
    (dpi > 0).then(|| f32::from(dpi) / DPI)
}

/// Makes `window` one that a host may embed and that draws: before it is shown, on its thread.
pub fn announce(window: &(impl HasWindowHandle + HasDisplayHandle)) {
    let id = match window.window_handle().map(|handle| handle.as_raw()) {
        Ok(RawWindowHandle::Xlib(handle)) => u32::try_from(handle.window).ok(),
        Ok(RawWindowHandle::Xcb(handle)) => Some(handle.window.get()),
        _ => None,
    };
    if let Some(id) = id {
        // A window without them is still shown by hosts that do not ask, and soon.
        let _ = (mark(id), hear_frames(id, window));
    }
}

/// Hears the screen's answers to requests for frames from the beginning. The adapter does so once the
/// window is shown, and waits for ever for the answer to a request from before.
fn hear_frames(window: u32, on: &impl HasDisplayHandle) -> Option<()> {
    let Ok(RawDisplayHandle::Xcb(display)) = on.display_handle().map(|handle| handle.as_raw())
    else {
        return None;
    };
    let raw = display.connection?.as_ptr();
    // SAFETY: the handle's owner keeps the connection open; what is made here does not close it.
    let x = unsafe { XCBConnection::from_raw_xcb_connection(raw, false) }.ok()?;
    x.extension_information(present::X11_EXTENSION_NAME).ok()??;
    let events = present::EventMask::COMPLETE_NOTIFY;
    x.present_select_input(x.generate_id().ok()?, window, events).ok()?.check().ok()
}

/// VST3 hosts ask for it before they show a window.
fn mark(window: u32) -> Option<()> {
    let (x, _) = RustConnection::connect(None).ok()?;
    let atom = x.intern_atom(false, b"_XEMBED_INFO").ok()?.reply().ok()?.atom;
    let set = x.change_property32(PropMode::REPLACE, window, atom, atom, &XEMBED_INFO).ok()?;
    set.check().ok()?;
    x.flush().ok()
}
