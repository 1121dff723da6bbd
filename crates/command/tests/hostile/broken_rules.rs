//! A CLAP host that breaks the rules of the extensions: each call is refused or tolerated.

use std::ffi::{CStr, c_char, c_void};
use std::sync::atomic::{AtomicBool, Ordering};

use clap_sys::events::*;
use clap_sys::ext::audio_ports::{CLAP_EXT_AUDIO_PORTS, clap_plugin_audio_ports};
use clap_sys::ext::audio_ports_config::{
    CLAP_EXT_AUDIO_PORTS_CONFIG, clap_plugin_audio_ports_config,
};
use clap_sys::ext::gui::*;
use clap_sys::ext::note_ports::{CLAP_EXT_NOTE_PORTS, clap_plugin_note_ports};
use clap_sys::ext::params::{CLAP_EXT_PARAMS, clap_plugin_params};
use clap_sys::ext::preset_load::{CLAP_EXT_PRESET_LOAD, clap_plugin_preset_load};
use clap_sys::ext::remote_controls::{CLAP_EXT_REMOTE_CONTROLS, clap_plugin_remote_controls};
use clap_sys::ext::render::{CLAP_EXT_RENDER, clap_plugin_render};
use clap_sys::ext::state::{CLAP_EXT_STATE, clap_plugin_state};
use clap_sys::ext::tail::{CLAP_EXT_TAIL, clap_plugin_tail};
use clap_sys::ext::track_info::{CLAP_EXT_TRACK_INFO, clap_plugin_track_info};
use clap_sys::stream::{clap_istream, clap_ostream};
use touchback_instrument::host::params;

use crate::host::{Event, Instance};
use crate::outputs::{Guarded, Outputs};
use crate::{FRAMES, blow, listen};

/// Calls a function of an extension's table.
macro_rules! ask {
    ($table:expr, $name:ident($($argument:expr),*)) => {
        // SAFETY: the plugin exists, or its absence is the test; the same holds for the arguments.
        unsafe { $table.$name.expect("a function")($($argument),*) }
    };
}

/// The tables of extensions, of the types of their names.
macro_rules! tables {
    ($instance:expr, $($name:ident: $kind:ty = $id:expr;)*) => {
        // SAFETY: the extension of this name is of this type.
        $(let $name: &$kind = unsafe { $instance.extension($id) };)*
    };
}

#[test]
fn values_flushed_during_blocks_are_applied() {
    let instance = Instance::active();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let audio = scope.spawn(|| {
            for _ in 0..300 {
                let outputs = Outputs::stereo(64);
                let note = [Event::note_on(0, 60)];
                instance.process(64, Some(&outputs), &note).expect("no flush costs a block");
                assert!(outputs.are_finite());
            }
            is_over.store(true, Ordering::Relaxed);
        });
        let values = (0..100).cycle().map(|step| Event::value(0, blow(), f64::from(step) / 100.0));
        for value in values {
            if is_over.load(Ordering::Relaxed) {
                break;
            }
            instance.flush(&[value]);
            instance.main_thread();
        }
        instance.flush(&[Event::value(0, blow(), 0.875)]);
        audio.join().expect("no panic");
    });
    // Values from during a block of the other thread apply from the next block on.
    listen(&instance, 1);
    assert_eq!(instance.value(blow()), 0.875);
}

#[test]
fn an_empty_flush_does_nothing_and_flushed_notes_are_deferred() {
    let instance = Instance::active();
    tables!(instance, params: clap_plugin_params = CLAP_EXT_PARAMS;);
    let none = clap_input_events { ctx: std::ptr::null_mut(), size: None, get: None };
    let out = clap_output_events { ctx: std::ptr::null_mut(), try_push: None };
    ask!(params, flush(instance.plugin, std::ptr::null(), std::ptr::null()));
    ask!(params, flush(instance.plugin, &raw const none, &raw const out));
    ask!(params, flush(std::ptr::null(), &raw const none, &raw const out));
    instance.flush(&[Event::note_on(7, 60), Event::value(u32::MAX, blow(), 0.875)]);
    assert_eq!(instance.value(blow()), 0.875);
    assert!(listen(&instance, 20) > 0.01);
    instance.deactivate();
    instance.flush(&[Event::note_on(7, 60), Event::value(0, blow(), 0.25)]);
    assert_eq!(instance.value(blow()), 0.25);
}

/// Bytes of an event that ends where a page begins that nobody may touch.
struct Short(Guarded, *const clap_event_header);

impl Short {
    /// The first `length` bytes of `event`, which says it is so long.
    fn new(event: &Event, length: u32) -> Self {
        let held = Guarded::new(length.div_ceil(4));
        let end = held.start().wrapping_add(held.samples().len());
        let start = end.cast::<u8>().wrapping_sub(usize::try_from(length).unwrap());
        let mut event = *event;
        event.header.size = length;
        // SAFETY: as many bytes as both hold.
        unsafe {
            std::ptr::copy_nonoverlapping(
                (&raw const event).cast(),
                start,
                usize::try_from(length).unwrap(),
            );
        }
        Self(held, start.cast_const().cast())
    }
}

unsafe extern "C" fn one(_: *const clap_input_events) -> u32 {
    1
}

unsafe extern "C" fn first(list: *const clap_input_events, _: u32) -> *const clap_event_header {
    // SAFETY: the pointer is of the test below.
    unsafe { (*list).ctx.cast_const().cast() }
}

#[test]
fn events_shorter_than_their_kind_are_not_read() {
    let instance = Instance::active();
    let before = instance.value(blow());
    let size = |length: usize| u32::try_from(length).unwrap();
    for (event, whole) in [
        (Event::note_on(0, 60), size(size_of::<clap_event_note>())),
        (Event::value(0, blow(), 0.875), size(size_of::<clap_event_param_value>())),
        (Event::modulation(0, blow(), 0.25), size(size_of::<clap_event_param_mod>())),
        (Event::expression(0, 60, 0, 1.0), size(size_of::<clap_event_note_expression>())),
        (Event::midi(0, [0x90, 60, 100]), size(size_of::<clap_event_midi>())),
        (Event::transport(0), size(size_of::<clap_event_header>())),
    ] {
        for length in (4..=whole).rev() {
            let short = Short::new(&event, length);
            let list = clap_input_events {
                ctx: short.1.cast_mut().cast(),
                size: Some(one),
                get: Some(first),
            };
            if length < whole {
                let outputs = [Outputs::stereo(64)];
                instance.process_ports(64, &outputs, &list).expect("played");
                tables!(instance, params: clap_plugin_params = CLAP_EXT_PARAMS;);
                ask!(params, flush(instance.plugin, &raw const list, std::ptr::null()));
            }
            drop(short.0);
        }
        assert_eq!(listen(&instance, 2), 0.0);
    }
    assert_eq!(instance.value(blow()), before);
}

#[test]
fn invalid_queries_are_refused() {
    let instance = Instance::active();
    let plugin = instance.plugin;
    tables!(instance,
        params: clap_plugin_params = CLAP_EXT_PARAMS;
        ports: clap_plugin_audio_ports = CLAP_EXT_AUDIO_PORTS;
        layouts: clap_plugin_audio_ports_config = CLAP_EXT_AUDIO_PORTS_CONFIG;
        notes: clap_plugin_note_ports = CLAP_EXT_NOTE_PORTS;
        pages: clap_plugin_remote_controls = CLAP_EXT_REMOTE_CONTROLS;
        render: clap_plugin_render = CLAP_EXT_RENDER;
        tail: clap_plugin_tail = CLAP_EXT_TAIL;
        track: clap_plugin_track_info = CLAP_EXT_TRACK_INFO;
        presets: clap_plugin_preset_load = CLAP_EXT_PRESET_LOAD;
    );
    // SAFETY: numbers and texts, all of which may be 0.
    let (mut info, mut port, mut layout, mut note, mut page) = unsafe {
        (
            std::mem::zeroed(),
            std::mem::zeroed(),
            std::mem::zeroed(),
            std::mem::zeroed(),
            std::mem::zeroed(),
        )
    };
    let count = ask!(params, count(plugin));
    for index in [count, count + 1, u32::MAX] {
        assert!(!ask!(params, get_info(plugin, index, &raw mut info)));
        assert!(!ask!(ports, get(plugin, index, false, &raw mut port)));
        assert!(!ask!(ports, get(plugin, index, true, &raw mut port)));
        assert!(!ask!(layouts, get(plugin, index, &raw mut layout)));
        assert!(!ask!(notes, get(plugin, index, true, &raw mut note)));
        assert!(!ask!(pages, get(plugin, index, &raw mut page)));
    }
    assert!(ask!(params, get_info(plugin, 0, &raw mut info)));
    assert!(!ask!(params, get_info(plugin, 0, std::ptr::null_mut())));
    assert!(!ask!(params, get_value(plugin, info.id, std::ptr::null_mut())));
    assert!(!ask!(params, get_value(plugin, 1, &raw mut info.max_value)));
    assert!(!ask!(params, value_to_text(plugin, info.id, 0.5, std::ptr::null_mut(), 9)));
    assert!(!ask!(params, text_to_value(plugin, info.id, std::ptr::null(), std::ptr::null_mut())));
    for text in [c"\xff\xfe", c"", c"1e999", c"-nan", c"\xc3\xbc"] {
        let mut value = 0.0;
        ask!(params, text_to_value(plugin, info.id, text.as_ptr(), &raw mut value));
        assert!(value.is_finite(), "{text:?}");
    }
    for id in params::all().map(params::Parameter::host_id) {
        for value in [f64::NAN, f64::INFINITY, f64::MIN, f64::MAX, -1.0, 1e300] {
            let mut text: [c_char; 8] = [1; 8];
            for size in 0..=7 {
                ask!(params, value_to_text(plugin, id, value, text.as_mut_ptr(), size));
                assert_eq!(text[7], 1);
            }
        }
    }
    assert!(!ask!(ports, get(plugin, 0, false, std::ptr::null_mut())));
    assert!(!ask!(layouts, get(plugin, 0, std::ptr::null_mut())));
    assert!(!ask!(notes, get(plugin, 0, true, std::ptr::null_mut())));
    assert!(!ask!(pages, get(plugin, 0, std::ptr::null_mut())));
    for mode in [i32::MIN, -1, 2, i32::MAX] {
        ask!(render, set(plugin, mode));
    }
    ask!(track, changed(plugin));
    for kind in [0, 1, 2, u32::MAX] {
        assert!(!ask!(presets, from_location(plugin, kind, std::ptr::null(), std::ptr::null())));
    }
    // No plugin at all.
    let none = std::ptr::null();
    assert_eq!(ask!(params, count(none)) + ask!(ports, count(none, false)), 0);
    assert_eq!(ask!(tail, get(none)) + ask!(layouts, count(none)) + ask!(pages, count(none)), 0);
    assert!(!ask!(params, get_info(none, 0, &raw mut info)) && !ask!(layouts, select(none, 0)));
    ask!(track, changed(none));
    assert!(listen(&instance, 2) < 1e-6);
}

#[test]
fn invalid_rates_and_lengths_are_refused_or_played() {
    let instance = Instance::new();
    // SAFETY: the plugin is there.
    let activate = |rate, least, most| unsafe {
        (*instance.plugin).activate.expect("a function")(instance.plugin, rate, least, most)
    };
    for rate in [f64::NAN, f64::INFINITY, -48_000.0, 0.0, 1e300, f64::MIN_POSITIVE] {
        assert!(!activate(rate, 1, 512), "{rate}");
        assert!(!instance.start());
    }
    for (least, most) in [(0, 0), (512, 1), (1, u32::MAX), (u32::MAX, u32::MAX)] {
        assert!(activate(48_000.0, least, most), "{least} to {most}");
        assert!(instance.start());
        instance.process(FRAMES, None, &[Event::note_on(0, 60)]).expect("played");
        assert!(listen(&instance, 20) > 0.001);
        instance.stop();
        instance.deactivate();
    }
}

unsafe extern "C" fn too_much(_: *const clap_istream, _: *mut c_void, size: u64) -> i64 {
    i64::try_from(size).unwrap() + 1_000_000
}

unsafe extern "C" fn failure(_: *const clap_istream, _: *mut c_void, _: u64) -> i64 {
    i64::MIN
}

unsafe extern "C" fn too_much_taken(_: *const clap_ostream, _: *const c_void, _: u64) -> i64 {
    i64::MAX
}

unsafe extern "C" fn none_taken(_: *const clap_ostream, _: *const c_void, _: u64) -> i64 {
    0
}

#[test]
fn invalid_streams_load_nothing() {
    let instance = Instance::active();
    tables!(instance, state: clap_plugin_state = CLAP_EXT_STATE;);
    let plugin = instance.plugin;
    let before = instance.value(blow());
    for read in [None, Some(too_much as unsafe extern "C" fn(_, _, _) -> _), Some(failure)] {
        let stream = clap_istream { ctx: std::ptr::null_mut(), read };
        assert!(!ask!(state, load(plugin, &raw const stream)));
    }
    assert!(!ask!(state, load(plugin, std::ptr::null())));
    assert!(!ask!(state, save(plugin, std::ptr::null())));
    for write in [None, Some(none_taken as unsafe extern "C" fn(_, _, _) -> _)] {
        let stream = clap_ostream { ctx: std::ptr::null_mut(), write };
        assert!(!ask!(state, save(plugin, &raw const stream)));
    }
    let stream = clap_ostream { ctx: std::ptr::null_mut(), write: Some(too_much_taken) };
    assert!(ask!(state, save(plugin, &raw const stream)));
    assert_eq!(instance.value(blow()), before);
}

/// The window's functions without an open window, and without a display.
#[test]
#[cfg_attr(not(feature = "window"), ignore = "needs the feature `window`")]
fn window_functions_without_a_window_do_nothing() {
    let instance = Instance::to_be_shown();
    tables!(instance, gui: clap_plugin_gui = CLAP_EXT_GUI;);
    let (plugin, null) = (instance.plugin, std::ptr::null());
    let (mut width, mut height) = (900, 700);
    for name in [null, c"".as_ptr(), c"nothing".as_ptr(), CLAP_WINDOW_API_WAYLAND.as_ptr()] {
        assert!(!ask!(gui, is_api_supported(plugin, name, false)));
        assert!(!ask!(gui, create(plugin, name, false)));
    }
    assert!(!ask!(gui, create(plugin, CLAP_WINDOW_API_X11.as_ptr(), true)));
    assert!(!ask!(gui, create(null.cast(), CLAP_WINDOW_API_X11.as_ptr(), false)));
    assert!(!ask!(gui, get_preferred_api(plugin, std::ptr::null_mut(), std::ptr::null_mut())));
    assert!(!ask!(gui, get_size(plugin, std::ptr::null_mut(), &raw mut height)));
    assert!(!ask!(gui, get_resize_hints(plugin, std::ptr::null_mut())));
    assert!(!ask!(gui, adjust_size(plugin, std::ptr::null_mut(), std::ptr::null_mut())));
    assert!(!ask!(gui, adjust_size(plugin, &raw mut width, &raw mut height)));
    assert!(!ask!(gui, set_size(plugin, 900, 700)) && !ask!(gui, set_scale(plugin, 1.0)));
    assert!(!ask!(gui, set_parent(plugin, null.cast())));
    assert!(!ask!(gui, set_transient(plugin, null.cast())));
    assert!(!ask!(gui, show(plugin)) && !ask!(gui, hide(plugin)));
    ask!(gui, suggest_title(plugin, null));
    ask!(gui, destroy(plugin));
    ask!(gui, destroy(null.cast()));
    assert!(ask!(gui, get_size(plugin, &raw mut width, &raw mut height)) && width > 100);
}

/// Misuse of a created window; needs a display, see `windowed.rs`.
pub fn misuse_of_a_window(instance: &Instance, parent: u32) {
    tables!(instance, gui: clap_plugin_gui = CLAP_EXT_GUI;);
    let (plugin, api) = (instance.plugin, CLAP_WINDOW_API_X11.as_ptr());
    let window = |api: *const c_char, id: u64| clap_window {
        api,
        specific: clap_window_handle {
            ptr: std::ptr::without_provenance_mut(usize::try_from(id).unwrap()),
        },
    };
    assert!(ask!(gui, create(plugin, api, false)));
    assert!(!ask!(gui, create(plugin, api, false)));
    for wrong in [
        window(api, 0),
        window(api, 1 << 32),
        window(api, u64::MAX),
        window(std::ptr::null(), parent.into()),
        window(CLAP_WINDOW_API_COCOA.as_ptr(), parent.into()),
        window(CLAP_WINDOW_API_WIN32.as_ptr(), parent.into()),
        window(c"".as_ptr(), parent.into()),
    ] {
        assert!(!ask!(gui, set_parent(plugin, &raw const wrong)));
    }
    let right = window(api, parent.into());
    assert!(ask!(gui, set_parent(plugin, &raw const right)));
    ask!(gui, show(plugin));
    for (width, height) in [(0, 0), (0, 700), (900, u32::MAX), (u32::MAX, u32::MAX), (16_385, 700)]
    {
        assert!(!ask!(gui, set_size(plugin, width, height)), "{width} x {height}");
    }
    for (width, height) in [(u32::MAX, u32::MAX), (900, u32::MAX), (100_000, 100_000)] {
        let (mut wide, mut high) = (width, height);
        if ask!(gui, adjust_size(plugin, &raw mut wide, &raw mut high)) {
            assert!(wide <= 16_384 && high <= 16_384, "{wide} x {high}");
        }
    }
    for scale in [f64::NAN, f64::INFINITY, 0.0, -1.0, 100.0, 1e-300] {
        assert!(!ask!(gui, set_scale(plugin, scale)), "{scale}");
    }
    // Another thread, which a host may take for its main one.
    std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            tables!(instance, gui: clap_plugin_gui = CLAP_EXT_GUI;);
            let plugin = instance.plugin;
            assert!(!ask!(gui, set_size(plugin, 900, 700)) && !ask!(gui, hide(plugin)));
            assert!(!ask!(gui, create(plugin, CLAP_WINDOW_API_X11.as_ptr(), false)));
            ask!(gui, destroy(plugin));
            instance.main_thread();
            instance.flush(&[Event::value(0, blow(), 0.875)]);
            let outputs = Outputs::stereo(FRAMES);
            let values = [Event::value(0, blow(), 0.1), Event::value(9, blow(), 0.2)];
            instance.process(FRAMES, Some(&outputs), &values).expect("played");
        });
        other.join().expect("no panic");
    });
    instance.main_thread();
    assert!(ask!(gui, set_size(plugin, 1_000, 700)));
    ask!(gui, destroy(plugin));
    ask!(gui, destroy(plugin));
    assert!(!ask!(gui, set_size(plugin, 1_000, 700)));
}

/// Names of extensions that do not exist.
#[test]
fn missing_extensions_are_null() {
    let instance = Instance::active();
    // SAFETY: the plugin is there; a name, or none.
    let find = |name: *const c_char| unsafe {
        (*instance.plugin).get_extension.expect("a function")(instance.plugin, name)
    };
    for name in [c"", c"clap.", c"clap.params ", c"\xff", c"clap.voice-info", c"clap.thread-pool"] {
        let name: &CStr = name;
        assert!(find(name.as_ptr()).is_null(), "{name:?}");
    }
    assert!(find(std::ptr::null()).is_null());
}
