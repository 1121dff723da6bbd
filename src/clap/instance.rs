//! One plugin instance as its host sees it: the functions of its table, which guard the wrapper's.

use std::ffi::{CStr, c_char, c_void};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use clap_sys::events::{clap_input_events, clap_output_events};
use clap_sys::ext::audio_ports::{CLAP_EXT_AUDIO_PORTS, clap_plugin_audio_ports};
use clap_sys::ext::params::{CLAP_EXT_PARAMS, clap_plugin_params};
use clap_sys::host::clap_host;
use clap_sys::plugin::clap_plugin;
use clap_sys::process::{
    CLAP_PROCESS_CONTINUE, CLAP_PROCESS_ERROR, clap_process, clap_process_status,
};
use crossbeam::queue::ArrayQueue;
use nice_plug::prelude::{Plugin, nice_log};
use nice_plug::wrapper::clap::Wrapper;

use super::block::{self, BlockFeeder};
use super::event::{Event, HostEvents};
use super::host::CheckedHost;
use super::{extensions, gui, menu, presets};
use crate::editor::host_menu::HostMenu;
use crate::guard::{Guard, catch};
use crate::ordered_events::HostMessages as _;
use crate::pending_parts;
use crate::plugin::Touchback;
use touchback_core::exchange::lock::lock;

/// Most flushed events that wait while another thread processes.
const LATE_EVENTS: usize = 256;

/// One plugin instance. `plugin` is the first field, so that a pointer to it is one to the instance.
#[repr(C)]
pub(super) struct Instance {
    plugin: clap_plugin,
    /// The wrapper's own functions.
    framework: clap_plugin,
    /// Valid until `destroy`.
    pub(super) wrapper: *const Wrapper<Touchback>,
    /// The host as the wrapper sees it.
    pub(super) host: Box<CheckedHost>,
    menu: Arc<HostMenu>,
    /// Keeps panics from the host.
    guard: Arc<Guard>,
    is_initialized: AtomicBool,
    is_active: AtomicBool,
    /// Blocks left silent because another thread processed, activated or flushed.
    locked_out: AtomicU64,
    /// Locked by the thread that processes. Other threads try the lock once; the main thread waits.
    feeder: Mutex<BlockFeeder>,
    /// Locked by the thread that requests the track's name.
    pub(super) track: Mutex<()>,
    /// Events that the host flushes while another thread processes.
    late: ArrayQueue<Event>,
}

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
    let pending_parts::Parts { menu, guard } = pending_parts::take();
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
        is_initialized: AtomicBool::new(false),
        is_active: AtomicBool::new(false),
        locked_out: AtomicU64::new(0),
        feeder: Mutex::new(BlockFeeder::new(Touchback::INPUT_EVENT_CAPACITY)),
        track: Mutex::new(()),
        late: ArrayQueue::new(LATE_EVENTS),
    };
    Box::into_raw(Box::new(instance)).cast()
}

/// Returns the result of `work` on the instance behind the host's pointer; `failed` for a null pointer
/// or after a panic.
///
/// # Safety
/// `plugin` is null or from [`create`] and not destroyed.
pub(super) unsafe fn on<T: Copy>(
    plugin: *const clap_plugin,
    failed: T,
    work: impl FnOnce(&Instance) -> T,
) -> T {
    // SAFETY: `create` made the pointer from a whole instance.
    let instance = unsafe { plugin.cast::<Instance>().as_ref() };
    instance.map_or(failed, |instance| catch(failed, || work(instance)))
}

impl Instance {
    /// The wrapper's functions of the extension `name`.
    ///
    /// # Safety
    /// The extension of this name is of this type.
    pub(super) unsafe fn framework_extension<T>(&self, name: &CStr) -> Option<&T> {
        let get = self.framework.get_extension?;
        // SAFETY: the wrapper's extensions live as long as the wrapper.
        unsafe { get(self.as_clap(), name.as_ptr()).cast::<T>().as_ref() }
    }

    /// The pointer by which host and wrapper identify the instance.
    pub(super) const fn as_clap(&self) -> *const clap_plugin {
        &raw const self.plugin
    }

    pub(super) fn is_active(&self) -> bool {
        self.is_active.load(Ordering::Acquire)
    }

    /// Stops processing: waits for the current block, drops the deferred events and logs how many
    /// events were lost and blocks left silent.
    fn stop(&self) {
        self.is_active.store(false, Ordering::Release);
        let lost = lock(&self.feeder).reset();
        while self.late.pop().is_some() {}
        if lost > 0 {
            nice_log!("Touchback lost {lost} events for want of room");
        }
        let locked_out = self.locked_out.swap(0, Ordering::Relaxed);
        if locked_out > 0 {
            nice_log!("Touchback was silent for {locked_out} blocks that overlapped other calls");
        }
    }

    /// The feeder, as soon as no other thread processes, within 200 ms. A host that keeps CLAP's rules
    /// never waits.
    fn wait_for_feeder(&self) -> Option<MutexGuard<'_, BlockFeeder>> {
        (0..200).find_map(|_| {
            let feeder = self.feeder.try_lock().ok();
            if feeder.is_none() {
                thread::sleep(Duration::from_millis(1));
            }
            feeder
        })
    }

    /// Outputs of the current layout.
    fn outputs(&self) -> u32 {
        // SAFETY: the extension of this name is of this type.
        let ports: Option<&clap_plugin_audio_ports> =
            unsafe { self.framework_extension(CLAP_EXT_AUDIO_PORTS) };
        // SAFETY: the wrapper's function.
        ports
            .and_then(|ports| ports.count)
            .map_or(1, |count| unsafe { count(self.as_clap(), false) })
    }

    /// Takes events without samples: values apply at once, notes wait for the next block. While another
    /// thread processes, all events wait.
    ///
    /// # Safety
    /// The lists are null or valid.
    pub(super) unsafe fn flush(
        &self,
        inputs: *const clap_input_events,
        outputs: *const clap_output_events,
    ) -> clap_process_status {
        self.guard.run(CLAP_PROCESS_ERROR, || {
            let Ok(mut feeder) = self.feeder.try_lock() else {
                // SAFETY: the caller's promise.
                let events = unsafe { HostEvents::new(inputs) };
                // Where the queue is full, the latest events replace the earliest.
                events.for_each(1, &mut |_, event| {
                    self.late.force_push(event);
                });
                return CLAP_PROCESS_CONTINUE;
            };
            // SAFETY: the extension of this name is of this type.
            let params: Option<&clap_plugin_params> =
                unsafe { self.framework_extension(CLAP_EXT_PARAMS) };
            let Some(flush) = params.and_then(|params| params.flush) else {
                return CLAP_PROCESS_ERROR;
            };
            // SAFETY: the feeder's lists, or null.
            let flush = |inputs, outputs| unsafe { flush(self.as_clap(), inputs, outputs) };
            // SAFETY: the caller's promise.
            let pass = |feeder: &mut BlockFeeder| unsafe { feeder.flush(inputs, outputs, flush) };
            self.defer_late(&mut feeder);
            if self.is_active() {
                self.host.processing(|| pass(&mut feeder));
            } else {
                pass(&mut feeder);
            }
            CLAP_PROCESS_CONTINUE
        })
    }

    /// Passes the events that were flushed while another thread processed to the feeder.
    fn defer_late(&self, feeder: &mut BlockFeeder) {
        while let Some(event) = self.late.pop() {
            feeder.defer(event);
        }
    }

    /// Processes a block.
    ///
    /// # Safety
    /// The block's pointers are null or valid, as CLAP requires.
    unsafe fn process_block(&self, block: &clap_process) -> clap_process_status {
        let Some(process) = self.framework.process else { return CLAP_PROCESS_ERROR };
        if !self.is_active() {
            return CLAP_PROCESS_ERROR;
        }
        if block.frames_count == 0 {
            // SAFETY: the caller's promise.
            return unsafe { self.flush(block.in_events, block.out_events) };
        }
        let Ok(mut feeder) = self.feeder.try_lock() else {
            self.locked_out.fetch_add(1, Ordering::Relaxed);
            return CLAP_PROCESS_ERROR;
        };
        // Checked again under the lock: `stop` clears the flag before it waits for the feeder.
        if !self.is_active() {
            return CLAP_PROCESS_ERROR;
        }
        self.defer_late(&mut feeder);
        // SAFETY: the feeder's parts are valid for the wrapper; the buffers are the host's.
        let part = |part: &clap_process| unsafe { process(self.as_clap(), part) };
        // SAFETY: the caller's promise.
        self.host.processing(|| unsafe { feeder.feed(block, part) })
    }
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
