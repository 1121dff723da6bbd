//! What X11 hosts want of a child window and the adapter does not give: the mark of the XEmbed protocol,
//! and the screen's scale before there is a window.

use raw_window_handle::{HasWindowHandle, RawWindowHandle};
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{ConnectionExt as _, PropMode};
use x11rb::resource_manager;
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

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

/// Marks `window` as one that a host may embed: VST3 hosts on X11 ask for it before they show it.
pub fn announce(window: &impl HasWindowHandle) {
    let id = match window.window_handle().map(|handle| handle.as_raw()) {
        Ok(RawWindowHandle::Xlib(handle)) => u32::try_from(handle.window).ok(),
        Ok(RawWindowHandle::Xcb(handle)) => Some(handle.window.get()),
        _ => None,
    };
    // A window without it is still shown by hosts that do not ask.
    let _ = id.and_then(mark);
}

fn mark(window: u32) -> Option<()> {
    let (x, _) = RustConnection::connect(None).ok()?;
    let atom = x.intern_atom(false, b"_XEMBED_INFO").ok()?.reply().ok()?.atom;
    let set = x.change_property32(PropMode::REPLACE, window, atom, atom, &XEMBED_INFO).ok()?;
    set.check().ok()?;
    x.flush().ok()
}
