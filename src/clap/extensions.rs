//! The extensions that hosts receive: the wrapper's functions, each behind a catch of panics. Calls for
//! which the wrapper would panic or read invalid memory are refused.

use std::ffi::{CStr, c_char, c_void};

use clap_sys::events::{clap_input_events, clap_output_events};
use clap_sys::ext::audio_ports::{
    CLAP_EXT_AUDIO_PORTS, clap_audio_port_info, clap_plugin_audio_ports,
};
use clap_sys::ext::audio_ports_config::{
    CLAP_EXT_AUDIO_PORTS_CONFIG, clap_audio_ports_config, clap_plugin_audio_ports_config,
};
use clap_sys::ext::latency::{CLAP_EXT_LATENCY, clap_plugin_latency};
use clap_sys::ext::note_ports::{CLAP_EXT_NOTE_PORTS, clap_note_port_info, clap_plugin_note_ports};
use clap_sys::ext::params::{CLAP_EXT_PARAMS, clap_param_info, clap_plugin_params};
use clap_sys::ext::remote_controls::{
    CLAP_EXT_REMOTE_CONTROLS, clap_plugin_remote_controls, clap_remote_controls_page,
};
use clap_sys::ext::render::{CLAP_EXT_RENDER, clap_plugin_render, clap_plugin_render_mode};
use clap_sys::ext::state::{CLAP_EXT_STATE, clap_plugin_state};
use clap_sys::ext::tail::{CLAP_EXT_TAIL, clap_plugin_tail};
use clap_sys::ext::track_info::{CLAP_EXT_TRACK_INFO, clap_plugin_track_info};
use clap_sys::id::clap_id;
use clap_sys::plugin::clap_plugin;
use clap_sys::stream::{clap_istream, clap_ostream};
use touchback_haptics::connection::host_interface;

use super::haptic_keyboard;
use super::instance::{Instance, on};

/// A table of functions that call the wrapper's, each with its result on failure and its precondition.
/// `own` functions are this module's.
macro_rules! table {
    ($module:ident: $kind:ident, $id:ident; $(
        fn $name:ident($($argument:ident: $type:ty),*) -> $answer:ty = $failed:expr,
            if |$on:ident| $check:expr;
    )* $(own $own:ident = $function:expr;)*) => {
        mod $module {
            use super::*;

            pub(super) static TABLE: $kind =
                $kind { $($name: Some($name),)* $($own: Some($function),)* };

            $(unsafe extern "C" fn $name(
                plugin: *const clap_plugin $(, $argument: $type)*
            ) -> $answer {
                let call = |$on: &Instance| {
                    if !$check {
                        return $failed;
                    }
                    // SAFETY: the extension of this name is of this type.
                    let table: Option<&$kind> = unsafe { $on.framework_extension($id) };
                    table.and_then(|table| table.$name).map_or($failed, |call| {
                        // SAFETY: as the host called it.
                        unsafe { call(plugin $(, $argument)*) }
                    })
                };
                // SAFETY: the host's pointer.
                unsafe { on(plugin, $failed, call) }
            })*
        }
    };
}

table! { params: clap_plugin_params, CLAP_EXT_PARAMS;
    fn count() -> u32 = 0, if |_on| true;
    fn get_info(index: u32, info: *mut clap_param_info) -> bool = false,
        if |on| index < parameters(on);
    fn get_value(id: clap_id, value: *mut f64) -> bool = false, if |_on| true;
    fn value_to_text(id: clap_id, value: f64, text: *mut c_char, size: u32) -> bool = false,
        if |_on| size > 0;
    fn text_to_value(id: clap_id, text: *const c_char, value: *mut f64) -> bool = false,
        if |_on| true;
    own flush = flush;
}

table! { audio_ports: clap_plugin_audio_ports, CLAP_EXT_AUDIO_PORTS;
    fn count(is_input: bool) -> u32 = 0, if |_on| true;
    fn get(index: u32, is_input: bool, info: *mut clap_audio_port_info) -> bool = false,
        if |_on| true;
}

table! { layouts: clap_plugin_audio_ports_config, CLAP_EXT_AUDIO_PORTS_CONFIG;
    fn count() -> u32 = 0, if |_on| true;
    fn get(index: u32, layout: *mut clap_audio_ports_config) -> bool = false, if |_on| true;
    // CLAP: an activated plugin keeps its layout.
    fn select(id: clap_id) -> bool = false, if |on| !on.is_active();
}

table! { note_ports: clap_plugin_note_ports, CLAP_EXT_NOTE_PORTS;
    fn count(is_input: bool) -> u32 = 0, if |_on| true;
    fn get(index: u32, is_input: bool, info: *mut clap_note_port_info) -> bool = false,
        if |_on| !info.is_null();
}

table! { remote_controls: clap_plugin_remote_controls, CLAP_EXT_REMOTE_CONTROLS;
    fn count() -> u32 = 0, if |_on| true;
    fn get(index: u32, page: *mut clap_remote_controls_page) -> bool = false, if |_on| true;
}

table! { render: clap_plugin_render, CLAP_EXT_RENDER;
    fn has_hard_realtime_requirement() -> bool = false, if |_on| true;
    fn set(mode: clap_plugin_render_mode) -> bool = false, if |_on| true;
}

table! { latency: clap_plugin_latency, CLAP_EXT_LATENCY;
    fn get() -> u32 = 0, if |_on| true;
}

table! { tail: clap_plugin_tail, CLAP_EXT_TAIL;
    fn get() -> u32 = 0, if |_on| true;
}

static TRACK_INFO: clap_plugin_track_info = clap_plugin_track_info { changed: Some(track_changed) };

static STATE: clap_plugin_state = clap_plugin_state { save: Some(save), load: Some(load) };

/// The table of `id`, which hosts may request before the plugin is initialized.
pub(super) fn find(id: &CStr) -> Option<*const c_void> {
    let tables: [(&CStr, *const c_void); 11] = [
        (CLAP_EXT_PARAMS, (&raw const params::TABLE).cast()),
        (CLAP_EXT_STATE, (&raw const STATE).cast()),
        (CLAP_EXT_AUDIO_PORTS, (&raw const audio_ports::TABLE).cast()),
        (CLAP_EXT_AUDIO_PORTS_CONFIG, (&raw const layouts::TABLE).cast()),
        (CLAP_EXT_NOTE_PORTS, (&raw const note_ports::TABLE).cast()),
        (CLAP_EXT_REMOTE_CONTROLS, (&raw const remote_controls::TABLE).cast()),
        (CLAP_EXT_RENDER, (&raw const render::TABLE).cast()),
        (CLAP_EXT_LATENCY, (&raw const latency::TABLE).cast()),
        (CLAP_EXT_TAIL, (&raw const tail::TABLE).cast()),
        (CLAP_EXT_TRACK_INFO, (&raw const TRACK_INFO).cast()),
        (host_interface::ID, (&raw const haptic_keyboard::TABLE).cast()),
    ];
    tables.into_iter().find(|(name, _)| *name == id).map(|(_, table)| table)
}

/// Number of the wrapper's parameters. The wrapper itself accepts an index one too large.
fn parameters(on: &Instance) -> u32 {
    // SAFETY: the extension of this name is of this type; the wrapper's function.
    unsafe {
        let table: Option<&clap_plugin_params> = on.framework_extension(CLAP_EXT_PARAMS);
        table.and_then(|table| table.count).map_or(0, |count| count(on.as_clap()))
    }
}

unsafe extern "C" fn flush(
    plugin: *const clap_plugin,
    inputs: *const clap_input_events,
    outputs: *const clap_output_events,
) {
    // SAFETY: the host's pointers.
    unsafe {
        on(plugin, (), |on| {
            on.flush(inputs, outputs);
        });
    }
}

/// Serialized: the wrapper stores the track's name where only one thread at a time may write.
unsafe extern "C" fn track_changed(plugin: *const clap_plugin) {
    // SAFETY: the host's pointer; the extension of this name is of this type.
    unsafe {
        on(plugin, (), |on| {
            let Ok(_turn) = on.track.try_lock() else { return };
            let table: Option<&clap_plugin_track_info> =
                on.framework_extension(CLAP_EXT_TRACK_INFO);
            if let Some(changed) = table.and_then(|table| table.changed) {
                changed(plugin);
            }
        });
    }
}

/// A host's stream whose reported number of bytes never exceeds the requested one.
#[repr(transparent)]
struct Bounded<T>(*const T);

impl<T> Bounded<T> {
    const fn as_context(&self) -> *mut c_void {
        std::ptr::from_ref(self).cast_mut().cast()
    }
}

/// The number of bytes that the host reports, at most `size`.
fn bounded(moved: i64, size: u64) -> i64 {
    moved.min(i64::try_from(size).unwrap_or(i64::MAX))
}

unsafe extern "C" fn read(stream: *const clap_istream, buffer: *mut c_void, size: u64) -> i64 {
    // SAFETY: made in `load`; the host's function.
    unsafe {
        let host = (*(*stream).ctx.cast::<Bounded<clap_istream>>()).0;
        (*host).read.map_or(-1, |read| bounded(read(host, buffer, size), size))
    }
}

unsafe extern "C" fn write(stream: *const clap_ostream, buffer: *const c_void, size: u64) -> i64 {
    // SAFETY: made in `save`; the host's function.
    unsafe {
        let host = (*(*stream).ctx.cast::<Bounded<clap_ostream>>()).0;
        (*host).write.map_or(-1, |write| bounded(write(host, buffer, size), size))
    }
}

unsafe extern "C" fn save(plugin: *const clap_plugin, stream: *const clap_ostream) -> bool {
    let host = Bounded(stream);
    let bounded = clap_ostream { ctx: host.as_context(), write: Some(write) };
    // SAFETY: the host's pointers; the extension of this name is of this type.
    unsafe {
        on(plugin, false, |on| {
            let table: Option<&clap_plugin_state> = on.framework_extension(CLAP_EXT_STATE);
            let save = table.and_then(|table| table.save).filter(|_| !stream.is_null());
            save.is_some_and(|save| save(plugin, &raw const bounded))
        })
    }
}

unsafe extern "C" fn load(plugin: *const clap_plugin, stream: *const clap_istream) -> bool {
    let host = Bounded(stream);
    let bounded = clap_istream { ctx: host.as_context(), read: Some(read) };
    // SAFETY: as above.
    unsafe {
        on(plugin, false, |on| {
            let table: Option<&clap_plugin_state> = on.framework_extension(CLAP_EXT_STATE);
            let load = table.and_then(|table| table.load).filter(|_| !stream.is_null());
            load.is_some_and(|load| load(plugin, &raw const bounded))
        })
    }
}
