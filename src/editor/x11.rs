//! Additions for X11 hosts that the adapter lacks: the window property of the XEmbed protocol, the screen's
//! scale before there is a window, and a first frame however late the window is shown.

use raw_window_handle::{HasDisplayHandle, HasWindowHandle, RawDisplayHandle, RawWindowHandle};
use x11rb::connection::{Connection as _, RequestConnection as _};
use x11rb::protocol::present::{self, ConnectionExt as _};
use x11rb::protocol::xproto::{ConnectionExt as _, PropMode};
use x11rb::resource_manager;
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;
use x11rb::xcb_ffi::XCBConnection;

/// Version of the protocol, and the flag of a mapped window: XEmbed specification 0.5.
const XEMBED_INFO: [u32; 2] = [0, 1];

/// Dots per inch at scale 1, as in the adapter.
const DPI: f32 = 96.0;

/// Pixels per point of the screen, if its settings define them, as the adapter computes them.
pub fn scale() -> Option<f32> {
    let (x, _) = RustConnection::connect(None).ok()?;
    let settings = resource_manager::new_from_default(&x).ok()?;
    let dpi: u16 = settings.get_value("Xft.dpi", "").ok()??;
    (dpi > 0).then(|| f32::from(dpi) / DPI)
}

/// Prepares `window` for embedding and for its first frame. Call on the window's thread before it is shown.
pub fn announce(window: &(impl HasWindowHandle + HasDisplayHandle)) {
    if let Some(id) = id(window) {
        // On failure, hosts that do not check the property still show the window.
        let _ = (mark(id), select_frame_events(id, window));
    }
}

/// The server's number of `window`.
pub fn id(window: &impl HasWindowHandle) -> Option<u32> {
    match window.window_handle().ok()?.as_raw() {
        RawWindowHandle::Xlib(handle) => u32::try_from(handle.window).ok(),
        RawWindowHandle::Xcb(handle) => Some(handle.window.get()),
        _ => None,
    }
}

/// Selects the events that complete frame requests. The adapter selects them only when the window is shown,
/// and would wait forever for the completion of an earlier request.
fn select_frame_events(window: u32, on: &impl HasDisplayHandle) -> Option<()> {
    let Ok(RawDisplayHandle::Xcb(display)) = on.display_handle().map(|handle| handle.as_raw())
    else {
        return None;
    };
    let raw = display.connection?.as_ptr();
    // SAFETY: the handle's owner keeps the connection open; the value made here does not close it.
    let x = unsafe { XCBConnection::from_raw_xcb_connection(raw, false) }.ok()?;
    x.extension_information(present::X11_EXTENSION_NAME).ok()??;
    let events = present::EventMask::COMPLETE_NOTIFY;
    x.present_select_input(x.generate_id().ok()?, window, events).ok()?.check().ok()
}

/// Sets the XEmbed property, which VST3 hosts check before they show a window.
fn mark(window: u32) -> Option<()> {
    let (x, _) = RustConnection::connect(None).ok()?;
    let atom = x.intern_atom(false, b"_XEMBED_INFO").ok()?.reply().ok()?.atom;
    let set = x.change_property32(PropMode::REPLACE, window, atom, atom, &XEMBED_INFO).ok()?;
    set.check().ok()?;
    x.flush().ok()
}
