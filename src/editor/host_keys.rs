//! Keys that the window leaves to its host, on X11.
//!
//! After a click the adapter's window has the keyboard focus, so that the host gets no key any more, also of those that
//! the window does not take. A connection of our own selects the same keys of the window, as they come from the server,
//! and sends those on to the host's window in which it is embedded. The focus stays: Tab still moves within the window.

use std::collections::BTreeSet;

use raw_window_handle::HasWindowHandle;
use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    ChangeWindowAttributesAux, ConnectionExt as _, EventMask, KeyButMask, KeyPressEvent,
};
use x11rb::rust_connection::RustConnection;

use crate::editor::x11;

/// Bit of an event's type that says that a client has sent it.
const SENT: u8 = 0x80;

/// Symbols of keys by the names of the adapter's crate.
const SYMBOLS: [(&str, &[u32]); 7] = [
    ("Tab", &[0xFF09, 0xFE20]),
    ("Enter", &[0xFF0D, 0xFF8D]),
    ("Escape", &[0xFF1B]),
    ("ArrowLeft", &[0xFF51, 0xFF96]),
    ("ArrowUp", &[0xFF52, 0xFF97]),
    ("ArrowRight", &[0xFF53, 0xFF98]),
    ("ArrowDown", &[0xFF54, 0xFF99]),
];

/// Symbols that the window takes together with Ctrl: undo and redo, and the zoom.
const WITH_CTRL: [u32; 8] =
    [b'z' as u32, b'y' as u32, b'+' as u32, b'-' as u32, b'=' as u32, b'0' as u32, 0xFFAB, 0xFFAD];

/// Whether the window takes the key of the symbols `of` with `names` as the names of those that it takes without Ctrl.
fn is_taken(of: &[u32], has_ctrl: bool, names: &[&str]) -> bool {
    let named = |(name, symbols): &(&str, &[u32])| {
        names.contains(name) && of.first().is_some_and(|symbol| symbols.contains(symbol))
    };
    SYMBOLS.iter().any(named) || has_ctrl && of.iter().any(|symbol| WITH_CTRL.contains(symbol))
}

/// Keys of one window.
pub struct HostKeys {
    x: RustConnection,
    window: u32,
    /// Symbols of the first key code of the keyboard and those after it, `each` for a code.
    symbols: Vec<u32>,
    each: usize,
    /// Codes whose press the host has been sent, and not their release.
    down: BTreeSet<u8>,
}

impl HostKeys {
    /// Keys of `window`; `None` where it is no window of an X server that answers.
    pub fn new(window: &impl HasWindowHandle) -> Option<Self> {
        let (x, _) = RustConnection::connect(None).ok()?;
        let window = x11::id(window)?;
        let keys = EventMask::KEY_PRESS | EventMask::KEY_RELEASE;
        let attributes = ChangeWindowAttributesAux::new().event_mask(keys);
        x.change_window_attributes(window, &attributes).ok()?.check().ok()?;
        let mut keys = Self { x, window, symbols: Vec::new(), each: 1, down: BTreeSet::new() };
        keys.read_symbols()?;
        Some(keys)
    }

    fn read_symbols(&mut self) -> Option<()> {
        let setup = self.x.setup();
        let (first, last) = (setup.min_keycode, setup.max_keycode);
        let mapping = self.x.get_keyboard_mapping(first, last - first + 1).ok()?.reply().ok()?;
        (self.symbols, self.each) =
            (mapping.keysyms, usize::from(mapping.keysyms_per_keycode).max(1));
        Some(())
    }

    /// Sends the host the keys typed since the last call but those in `names`; none where the window `takes_all`.
    pub fn pass_on(&mut self, takes_all: bool, names: &[&str]) {
        while let Ok(Some(event)) = self.x.poll_for_event() {
            match event {
                Event::MappingNotify(_) => {
                    let _ = self.read_symbols();
                }
                Event::KeyPress(key) | Event::KeyRelease(key) if is_sent(&key) => {}
                Event::KeyPress(key)
                    if !takes_all && !is_taken(self.of(key.detail), has_ctrl(&key), names) =>
                {
                    self.down.insert(key.detail);
                    let _ = self.send(key, EventMask::KEY_PRESS);
                }
                Event::KeyRelease(key) if self.down.remove(&key.detail) => {
                    let _ = self.send(key, EventMask::KEY_RELEASE);
                }
                _ => (),
            }
        }
    }

    /// Symbols of a key code without and with Shift.
    fn of(&self, code: u8) -> &[u32] {
        let begin = usize::from(code.saturating_sub(self.x.setup().min_keycode)) * self.each;
        let all = self.symbols.get(begin..begin + self.each).unwrap_or_default();
        &all[..all.len().min(2)]
    }

    fn send(&self, key: KeyPressEvent, mask: EventMask) -> Option<()> {
        let host = self.host()?;
        let key = KeyPressEvent { event: host, child: 0, ..key };
        self.x.send_event(true, host, mask, key).ok()?;
        self.x.flush().ok()
    }

    /// The host's window that has the plugin's: the nearest one that a window manager knows, otherwise the one below the
    /// root. `None` where the plugin's window has no other around it.
    fn host(&self) -> Option<u32> {
        let state = self.x.intern_atom(false, b"WM_STATE").ok()?.reply().ok()?.atom;
        let is_managed = |window: u32| {
            let state = self.x.get_property(false, window, state, 0u32, 0, 0).ok()?;
            Some(state.reply().ok()?.type_ != 0)
        };
        if is_managed(self.window)? {
            return None;
        }
        let (mut window, mut outermost) = (self.window, None);
        loop {
            let tree = self.x.query_tree(window).ok()?.reply().ok()?;
            if tree.parent == tree.root || tree.parent == 0 {
                return outermost;
            }
            window = tree.parent;
            if is_managed(window)? {
                return Some(window);
            }
            outermost = Some(window);
        }
    }
}

const fn is_sent(key: &KeyPressEvent) -> bool {
    key.response_type & SENT != 0
}

fn has_ctrl(key: &KeyPressEvent) -> bool {
    key.state.contains(KeyButMask::CONTROL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_taken_by_name_and_with_ctrl() {
        let space = [0x20, 0];
        assert!(!is_taken(&space, false, &["Tab"]));
        assert!(is_taken(&[0xFF09, 0xFE20], false, &["Tab"]));
        assert!(!is_taken(&[0xFF0D], false, &["Tab"]));
        assert!(is_taken(&[0xFF0D], false, &["Tab", "Enter"]));
        let z = [u32::from(b'z'), u32::from(b'Z')];
        assert_eq!([false, true].map(|ctrl| is_taken(&z, ctrl, &["Tab"])), [false, true]);
        let equals = [u32::from(b'='), u32::from(b'+')];
        assert!(is_taken(&equals, true, &[]) && !is_taken(&space, true, &[]));
    }
}
