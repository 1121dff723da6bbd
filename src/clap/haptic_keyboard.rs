//! The vendor extension by which a host without the plugin's window arms the motorized keyboard and reads its state.

use std::ffi::{c_char, c_void};

use clap_sys::plugin::clap_plugin;
use touchback_haptics::connection::host_interface::{HostInterface, KeyboardState};

use super::instance::on;

pub(super) static TABLE: HostInterface = HostInterface { arm, state };

unsafe extern "C" fn arm(plugin: *const c_void, is_on: bool) {
    // SAFETY: the host's pointer.
    unsafe { on(plugin.cast::<clap_plugin>(), (), |on| on.connection.arm(is_on)) }
}

unsafe extern "C" fn state(plugin: *const c_void, text: *mut c_char, capacity: u32) -> u32 {
    let write = |json: &[u8]| {
        let room = usize::try_from(capacity).unwrap_or(0).saturating_sub(1);
        if !text.is_null() && capacity > 0 {
            let length = json.len().min(room);
            // SAFETY: the host gives `capacity` bytes; a byte of them is left for the final 0.
            unsafe {
                text.copy_from_nonoverlapping(json.as_ptr().cast(), length);
                *text.add(length) = 0;
            }
        }
        u32::try_from(json.len()).unwrap_or(0)
    };
    // SAFETY: the host's pointer.
    unsafe {
        on(plugin.cast::<clap_plugin>(), 0, |on| {
            let state = KeyboardState::from(on.connection.view());
            serde_json::to_vec(&state).map_or(0, |json| write(&json))
        })
    }
}
