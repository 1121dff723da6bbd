//! The functions that a host calls on an instance; they guard the wrapper's.

use std::ffi::{CStr, c_char, c_void};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use clap_sys::host::clap_host;
use clap_sys::plugin::clap_plugin;
use clap_sys::process::{CLAP_PROCESS_ERROR, clap_process, clap_process_status};
use crossbeam::queue::ArrayQueue;
use nice_plug::prelude::Plugin;
use nice_plug::wrapper::clap::Wrapper;

use super::block::{self, BlockFeeder};
use super::flushed::FlushedValues;
use super::host::CheckedHost;
use super::instance::{Instance, on};
use super::{extensions, gui, menu, presets};
use crate::guard::catch;
use crate::pending_parts;
use crate::plugin::Touchback;
use touchback_core::exchange::lock::lock;

/// Most flushed notes that wait for a block.
const LATE_EVENTS: usize = 256;

/// Creates one plugin instance for `host`.
///
/// # Safety
/// `host` is a valid host that outlives its plugins.
pub(super) unsafe fn create(host: *const clap_host) -> *const clap_plugin {
    // SAFETY: the caller's promise.
    let host = unsafe { CheckedHost::new(host) };
    // SAFETY: the instance drops the table after the wrapper.
    let wrapper = unsafe { Wrapper::<Touchback>::new(host.table()) };
    // The wrapper's `destroy` releases this reference.
    let wrapper = Arc::into_raw(wrapper);
    let pending_parts::Parts { menu, guard, params, repaint, connection } = pending_parts::take();
    // SAFETY: the wrapper is valid until `destroy`, and nothing borrows the field.
    let framework = unsafe { *(*wrapper).clap_plugin.as_ptr() };
    let plugin = clap_plugin {
        init: Some(init),
        destroy: Some(destroy),
        activate: Some(activate),
        deactivate: Some(deactivate),
        start_processing: Some(start_processing),
        stop_processing: Some(stop_processing),
        reset: Some(reset),
        process: Some(process),
        get_extension: Some(get_extension),
        on_main_thread: Some(on_main_thread),
        ..framework
    };
    let instance = Instance {
        plugin,
        framework,
        wrapper,
        host,
        menu,
        guard,
        connection,
        is_initialized: AtomicBool::new(false),
        is_active: AtomicBool::new(false),
        locked_out: AtomicU64::new(0),
        feeder: Mutex::new(BlockFeeder::new(Touchback::INPUT_EVENT_CAPACITY)),
        track: Mutex::new(()),
        flushed: FlushedValues::new(params),
        late: ArrayQueue::new(LATE_EVENTS),
        repaint,
    };
    Box::into_raw(Box::new(instance)).cast()
}

unsafe extern "C" fn init(plugin: *const clap_plugin) -> bool {
    // SAFETY: the host's pointer.
    unsafe {
        on(plugin, false, |on| {
            // The wrapper reads the host's extensions once.
            if on.is_initialized.swap(true, Ordering::AcqRel) {
                return true;
            }
            if !on.framework.init.is_some_and(|init| init(plugin)) {
                return false;
            }
            // CLAP allows queries to the host from here on.
            on.menu.set(menu::find(on.host.host()));
            true
        })
    }
}

unsafe extern "C" fn destroy(plugin: *const clap_plugin) {
    if plugin.is_null() {
        return;
    }
    catch((), || {
        // SAFETY: `create` made the pointer from a box.
        let instance = unsafe { Box::from_raw(plugin.cast::<Instance>().cast_mut()) };
        instance.menu.set(None);
        gui::close(&instance);
        if instance.guard.is_broken() || !instance.host.window.is_free_or_here() {
            // A plugin that has panicked, or has a window on another thread, is leaked: its destructors
            // might fail.
            std::mem::forget(instance);
        } else if let Some(destroy) = instance.framework.destroy {
            // SAFETY: the wrapper reads only `plugin_data`, its own field.
            unsafe { destroy(&raw const instance.plugin) };
        }
    });
}

unsafe extern "C" fn activate(
    plugin: *const clap_plugin,
    sample_rate: f64,
    min_frames: u32,
    max_frames: u32,
) -> bool {
    // SAFETY: the host's pointer.
    unsafe {
        on(plugin, false, |on| {
            on.stop();
            on.guard.run(false, || {
                let activate = on.framework.activate;
                if !activate.is_some_and(|call| call(plugin, sample_rate, min_frames, max_frames)) {
                    return false;
                }
                lock(&on.feeder).set_outputs(on.outputs());
                on.is_active.store(true, Ordering::Release);
                true
            })
        })
    }
}

unsafe extern "C" fn deactivate(plugin: *const clap_plugin) {
    // SAFETY: the host's pointer.
    unsafe {
        on(plugin, (), |on| {
            on.stop();
            if let Some(deactivate) = on.framework.deactivate {
                deactivate(plugin);
            }
        });
    }
}

unsafe extern "C" fn start_processing(plugin: *const clap_plugin) -> bool {
    // SAFETY: the host's pointer.
    unsafe {
        on(plugin, false, |on| {
            on.guard.run(false, || {
                let Some(mut feeder) = on.wait_for_feeder().filter(|_| on.is_active()) else {
                    return false;
                };
                feeder.clear();
                on.framework.start_processing.is_some_and(|start| start(plugin))
            })
        })
    }
}

unsafe extern "C" fn stop_processing(plugin: *const clap_plugin) {
    // SAFETY: the host's pointer.
    unsafe {
        on(plugin, (), |on| {
            let _feeder = on.wait_for_feeder();
            if let Some(stop) = on.framework.stop_processing {
                stop(plugin);
            }
        });
    }
}

unsafe extern "C" fn reset(plugin: *const clap_plugin) {
    // SAFETY: the host's pointer.
    unsafe {
        on(plugin, (), |on| {
            on.guard.run((), || {
                let Some(mut feeder) = on.wait_for_feeder() else { return };
                feeder.clear();
                if let Some(reset) = on.framework.reset {
                    reset(plugin);
                }
            });
        });
    }
}

unsafe extern "C" fn process(
    plugin: *const clap_plugin,
    block: *const clap_process,
) -> clap_process_status {
    if block.is_null() || !block.is_aligned() {
        return CLAP_PROCESS_ERROR;
    }
    // SAFETY: the host's pointers, valid while it waits for this call.
    unsafe {
        on(plugin, CLAP_PROCESS_ERROR, |on| {
            let block = &*block;
            let status = on.guard.run(CLAP_PROCESS_ERROR, || on.process_block(block));
            if status == CLAP_PROCESS_ERROR {
                block::silence(block);
            }
            status
        })
    }
}

/// Returns this crate's tables: the guarded functions of the wrapper, and presets.
unsafe extern "C" fn get_extension(plugin: *const clap_plugin, id: *const c_char) -> *const c_void {
    if id.is_null() {
        return std::ptr::null();
    }
    // SAFETY: the host's pointer; CLAP gives a C string.
    unsafe {
        let id = CStr::from_ptr(id);
        on(plugin, std::ptr::null(), |on| {
            presets::extension(id)
                .or_else(|| extensions::find(id))
                .or_else(|| gui::extension(on, id))
                .unwrap_or(std::ptr::null())
        })
    }
}

unsafe extern "C" fn on_main_thread(plugin: *const clap_plugin) {
    // SAFETY: the host's pointer.
    unsafe {
        on(plugin, (), |on| {
            // The window's thread is the main thread: any other is not.
            if on.host.window.is_free_or_here()
                && let Some(call) = on.framework.on_main_thread
            {
                call(plugin);
            }
        });
    }
}
