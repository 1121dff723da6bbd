//! The host as the framework's wrapper sees it. The wrapper panics where a host's table lacks a
//! function, and trusts the host's check of threads. This table has every function, offers an extension
//! only where the host has all the functions of it that the wrapper uses, and checks threads itself.

use std::ffi::{CStr, c_char, c_void};
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use std::thread::{self, ThreadId};

use clap_sys::ext::gui::{CLAP_EXT_GUI, clap_host_gui};
use clap_sys::ext::latency::{CLAP_EXT_LATENCY, clap_host_latency};
use clap_sys::ext::params::{CLAP_EXT_PARAMS, clap_host_params, clap_param_rescan_flags};
use clap_sys::ext::thread_check::{CLAP_EXT_THREAD_CHECK, clap_host_thread_check};
use clap_sys::ext::track_info::{CLAP_EXT_TRACK_INFO, clap_host_track_info, clap_track_info};
use clap_sys::host::clap_host;

use crate::guard::catch;
use crate::host_window::WindowThread;

/// A host between the wrapper and the real host. `table` is the first field, so that a pointer to it
/// is one to the whole.
#[repr(C)]
pub(super) struct CheckedHost {
    table: clap_host,
    /// The real host, which outlives the plugin.
    host: *const clap_host,
    /// Number of threads that process.
    processing: AtomicU32,
    made_on: ThreadId,
    pub(super) window: WindowThread,
    /// The host's extensions, null until the wrapper requests them.
    gui: AtomicPtr<clap_host_gui>,
    latency: AtomicPtr<clap_host_latency>,
    params: AtomicPtr<clap_host_params>,
    thread_check: AtomicPtr<clap_host_thread_check>,
    track_info: AtomicPtr<clap_host_track_info>,
}

impl CheckedHost {
    /// # Safety
    /// `host` is a valid host and outlives this value, as do its texts.
    pub(super) unsafe fn new(host: *const clap_host) -> Box<Self> {
        // SAFETY: the caller's promise.
        let own = unsafe { *host };
        let mut checked = Box::new(Self {
            table: clap_host {
                get_extension: Some(get_extension),
                request_restart: Some(request_restart),
                request_process: Some(request_process),
                request_callback: Some(request_callback),
                ..own
            },
            host,
            processing: AtomicU32::new(0),
            made_on: thread::current().id(),
            window: WindowThread::default(),
            gui: AtomicPtr::default(),
            latency: AtomicPtr::default(),
            params: AtomicPtr::default(),
            thread_check: AtomicPtr::default(),
            track_info: AtomicPtr::default(),
        });
        checked.table.host_data = (&raw mut *checked).cast();
        checked
    }

    /// The table that the wrapper gets.
    pub(super) const fn table(&self) -> *const clap_host {
        &raw const self.table
    }

    /// The real host.
    pub(super) const fn host(&self) -> *const clap_host {
        self.host
    }

    /// Whether the host has its part of the window extension, which the wrapper assumes when it requests
    /// a window's size.
    pub(super) fn has_window_extension(&self) -> bool {
        !self.gui.load(Ordering::Acquire).is_null()
    }

    /// Runs `work`, during which no thread counts as the main thread: the wrapper then defers its
    /// main-thread work until the host's call, and the host's thread check is not called.
    pub(super) fn processing<T>(&self, work: impl FnOnce() -> T) -> T {
        self.processing.fetch_add(1, Ordering::AcqRel);
        let result = work();
        self.processing.fetch_sub(1, Ordering::AcqRel);
        result
    }

    /// # Safety
    /// The type is the one of the extension's name.
    unsafe fn find<T>(&self, name: &CStr) -> *mut T {
        // SAFETY: the host and its function.
        unsafe { (*self.host).get_extension.map(|get| get(self.host, name.as_ptr())) }
            .map_or(std::ptr::null_mut(), |found| found.cast_mut().cast())
    }
}

/// The checked host behind the wrapper's pointer.
///
/// # Safety
/// `host` is the table of a [`CheckedHost`].
unsafe fn checked<'a>(host: *const clap_host) -> &'a CheckedHost {
    // SAFETY: the caller's promise; the table is the first field.
    unsafe { &*host.cast::<CheckedHost>() }
}

/// Functions of the host's own table.
macro_rules! requests {
    ($($name:ident)*) => {$(
        unsafe extern "C" fn $name(host: *const clap_host) {
            // SAFETY: called by the wrapper.
            let host = unsafe { checked(host) }.host;
            // SAFETY: the host and its function.
            catch((), || unsafe {
                if let Some(call) = (*host).$name {
                    call(host);
                }
            });
        }
    )*};
}

requests!(request_restart request_process request_callback);

/// Functions of the host's extensions. The wrapper calls only those of extensions it has received.
macro_rules! extension_functions {
    ($($field:ident: fn $own:ident = $name:ident($($argument:ident: $kind:ty),*)
        -> $answer:ty = $failed:expr;)*) => {$(
        unsafe extern "C" fn $own(host: *const clap_host, $($argument: $kind),*) -> $answer {
            // SAFETY: called by the wrapper.
            let host = unsafe { checked(host) };
            // SAFETY: the host's extension and function.
            catch($failed, || unsafe {
                let table = host.$field.load(Ordering::Acquire).as_ref();
                table.and_then(|table| table.$name).map_or($failed, |call| {
                    call(host.host, $($argument),*)
                })
            })
        }
    )*};
}

extension_functions! {
    gui: fn request_resize = request_resize(width: u32, height: u32) -> bool = false;
    gui: fn closed = closed(is_destroyed: bool) -> () = ();
    latency: fn latency_changed = changed() -> () = ();
    params: fn rescan = rescan(flags: clap_param_rescan_flags) -> () = ();
    params: fn request_flush = request_flush() -> () = ();
    track_info: fn track = get(info: *mut clap_track_info) -> bool = false;
}

static GUI: clap_host_gui = clap_host_gui {
    resize_hints_changed: None,
    request_resize: Some(request_resize),
    request_show: None,
    request_hide: None,
    closed: Some(closed),
};
static LATENCY: clap_host_latency = clap_host_latency { changed: Some(latency_changed) };
static PARAMS: clap_host_params =
    clap_host_params { rescan: Some(rescan), clear: None, request_flush: Some(request_flush) };
static THREAD_CHECK: clap_host_thread_check =
    clap_host_thread_check { is_main_thread: Some(is_main_thread), is_audio_thread: None };
static TRACK_INFO: clap_host_track_info = clap_host_track_info { get: Some(track) };

/// Returns the extensions that the wrapper uses, where the host has all of their functions.
unsafe extern "C" fn get_extension(host: *const clap_host, name: *const c_char) -> *const c_void {
    // SAFETY: called by the wrapper, with a C string.
    let (host, name) = unsafe { (checked(host), CStr::from_ptr(name)) };
    catch(std::ptr::null(), || {
        macro_rules! offer {
            ($field:ident: $kind:ty, $name:expr, $own:expr, $($function:ident)+) => {
                if name == $name {
                    // SAFETY: the extension of this name is of this type.
                    let found = unsafe { host.find::<$kind>($name) };
                    // SAFETY: the host's table, or null.
                    let table = unsafe { found.as_ref() };
                    if !table.is_some_and(|table| $(table.$function.is_some())&&+) {
                        return std::ptr::null();
                    }
                    host.$field.store(found, Ordering::Release);
                    return (&raw const $own).cast::<c_void>();
                }
            };
        }
        if name == CLAP_EXT_THREAD_CHECK {
            // SAFETY: the extension of this name is of this type.
            let found = unsafe { host.find(CLAP_EXT_THREAD_CHECK) };
            host.thread_check.store(found, Ordering::Release);
            return (&raw const THREAD_CHECK).cast();
        }
        offer!(gui: clap_host_gui, CLAP_EXT_GUI, GUI, request_resize closed);
        offer!(latency: clap_host_latency, CLAP_EXT_LATENCY, LATENCY, changed);
        offer!(params: clap_host_params, CLAP_EXT_PARAMS, PARAMS, rescan request_flush);
        offer!(track_info: clap_host_track_info, CLAP_EXT_TRACK_INFO, TRACK_INFO, get);
        std::ptr::null()
    })
}

/// Whether the wrapper may do main-thread work on this thread.
unsafe extern "C" fn is_main_thread(host: *const clap_host) -> bool {
    // SAFETY: called by the wrapper.
    let checked = unsafe { checked(host) };
    if checked.processing.load(Ordering::Acquire) > 0 {
        return false;
    }
    catch(false, || {
        if !checked.window.is_free_or_here() {
            return false;
        }
        // SAFETY: the host's table, or null.
        let check = unsafe { checked.thread_check.load(Ordering::Acquire).as_ref() };
        match check.and_then(|check| check.is_main_thread) {
            // SAFETY: the host's function.
            Some(is_main) => unsafe { is_main(checked.host) },
            None => thread::current().id() == checked.made_on,
        }
    })
}
