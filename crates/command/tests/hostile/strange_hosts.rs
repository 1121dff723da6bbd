//! CLAP hosts with incomplete or wrong tables.

use std::ffi::{CStr, c_char, c_void};

use clap_sys::ext::gui::{CLAP_EXT_GUI, clap_host_gui};
use clap_sys::ext::latency::{CLAP_EXT_LATENCY, clap_host_latency};
use clap_sys::ext::params::{CLAP_EXT_PARAMS, clap_host_params, clap_param_rescan_flags};
use clap_sys::ext::thread_check::{CLAP_EXT_THREAD_CHECK, clap_host_thread_check};
use clap_sys::ext::track_info::{CLAP_EXT_TRACK_INFO, clap_host_track_info};
use clap_sys::host::clap_host;
use clap_sys::version::CLAP_VERSION;

use crate::host::{Event, Instance};
use crate::outputs::Outputs;
use crate::{FRAMES, blow, listen};

const BARE: clap_host = clap_host {
    clap_version: CLAP_VERSION,
    host_data: std::ptr::null_mut(),
    name: std::ptr::null(),
    vendor: std::ptr::null(),
    url: std::ptr::null(),
    version: std::ptr::null(),
    get_extension: None,
    request_restart: None,
    request_process: None,
    request_callback: None,
};

/// A host without any function.
static WITHOUT_FUNCTIONS: clap_host = BARE;
/// A host that has every extension, and no function in any.
static HOLLOW: clap_host = clap_host { get_extension: Some(hollow), ..BARE };
/// A host that reports every thread as its main thread, and shows windows.
static LIAR: clap_host = clap_host { get_extension: Some(lies), ..BARE };

unsafe extern "C" fn hollow(_: *const clap_host, _: *const c_char) -> *const c_void {
    // As large as the largest of them.
    static NOTHING: [usize; 64] = [0; 64];
    (&raw const NOTHING).cast()
}

unsafe extern "C" fn yes(_: *const clap_host) -> bool {
    true
}

unsafe extern "C" fn nothing(_: *const clap_host) {}

unsafe extern "C" fn rescan(_: *const clap_host, _: clap_param_rescan_flags) {}

unsafe extern "C" fn resize(_: *const clap_host, _: u32, _: u32) -> bool {
    true
}

unsafe extern "C" fn closed(_: *const clap_host, _: bool) {}

unsafe extern "C" fn lies(_: *const clap_host, name: *const c_char) -> *const c_void {
    static THREADS: clap_host_thread_check =
        clap_host_thread_check { is_main_thread: Some(yes), is_audio_thread: Some(yes) };
    static PARAMS: clap_host_params =
        clap_host_params { rescan: Some(rescan), clear: None, request_flush: Some(nothing) };
    static LATENCY: clap_host_latency = clap_host_latency { changed: Some(nothing) };
    static TRACK: clap_host_track_info = clap_host_track_info { get: None };
    static GUI: clap_host_gui = clap_host_gui {
        resize_hints_changed: None,
        request_resize: Some(resize),
        request_show: None,
        request_hide: None,
        closed: Some(closed),
    };
    // SAFETY: the plugin's C string.
    let name = unsafe { CStr::from_ptr(name) };
    match name {
        _ if name == CLAP_EXT_THREAD_CHECK => (&raw const THREADS).cast(),
        _ if name == CLAP_EXT_PARAMS => (&raw const PARAMS).cast(),
        _ if name == CLAP_EXT_LATENCY => (&raw const LATENCY).cast(),
        _ if name == CLAP_EXT_TRACK_INFO => (&raw const TRACK).cast(),
        _ if name == CLAP_EXT_GUI => (&raw const GUI).cast(),
        _ => std::ptr::null(),
    }
}

/// An instance in the host that lies about threads, active.
pub fn in_a_liar() -> Instance {
    let instance = Instance::made_by(&LIAR);
    assert!(instance.init() && instance.activate(48_000.0) && instance.start());
    instance
}

#[test]
fn the_plugin_plays_in_a_host_without_functions() {
    for host in [&WITHOUT_FUNCTIONS, &HOLLOW, &LIAR] {
        let instance = Instance::made_by(host);
        // Queried without initialization.
        assert!(!instance.creates_window());
        instance.main_thread();
        assert!(instance.init() && instance.init());
        assert_eq!(instance.has_window(), cfg!(feature = "window"));
        assert!(std::ptr::eq(host, &LIAR) || !instance.creates_window());
        assert!(instance.activate(48_000.0) && instance.start());
        // The functions for latency, restarts and the host's values are missing.
        let timing =
            touchback_instrument::host::params::find("timing").expect("a parameter").host_id();
        for value in [2.0, 0.0, 1.0, 0.0] {
            let outputs = Outputs::stereo(FRAMES);
            let events = [Event::value(0, timing, value), Event::value(9, blow(), 0.3)];
            instance.process(FRAMES, Some(&outputs), &events).expect("played");
            instance.main_thread();
        }
        instance.process(FRAMES, None, &[Event::note_on(0, 60)]).expect("played");
        assert!(listen(&instance, 20) > 0.001);
        instance.deactivate();
        instance.flush(&[Event::value(0, blow(), 0.875)]);
        assert_eq!(instance.value(blow()), 0.875);
    }
}

/// A thread that processes without `start_processing`, as in hosts with a thread pool.
#[test]
fn a_parameter_on_a_thread_that_started_nothing_allocates_nothing() {
    let instance = Instance::active();
    std::thread::scope(|scope| {
        let audio = scope.spawn(|| {
            let outputs = Outputs::stereo(FRAMES);
            // The loader makes the library's values of a thread at their first use.
            instance.process(FRAMES, Some(&outputs), &[]).expect("played");
            instance.process(FRAMES, Some(&outputs), &[Event::value(0, blow(), 0.3)])
        });
        assert_eq!(audio.join().expect("no panic"), Ok(0));
    });
}
