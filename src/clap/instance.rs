//! One plugin as its host knows it: the functions of its table, which differ from the wrapper's.

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
use crate::pending_parts;
use crate::plugin::Touchback;
use touchback_core::exchange::lock::lock;

/// Parameters' changes that may wait while another thread processes.
const LATE_EVENTS: usize = 256;

/// One plugin: `plugin` comes first, so that a pointer to it is one to the instance.
#[repr(C)]
pub(super) struct Instance {
    plugin: clap_plugin,
    /// The wrapper's own functions.
    framework: clap_plugin,
    /// Lives until `destroy`.
    pub(super) wrapper: *const Wrapper<Touchback>,
    /// The host as the wrapper sees it.
    pub(super) host: Box<CheckedHost>,
    menu: Arc<HostMenu>,
    /// What keeps a panic from the host.
    guard: Arc<Guard>,
    is_initialized: AtomicBool,
    is_active: AtomicBool,
    /// Blocks that came while another thread processed, activated or flushed.
    locked_out: AtomicU64,
    /// Of the thread that processes; others try it and give up, or wait on the main thread.
    feeder: Mutex<BlockFeeder>,
    /// Of the thread that asks for the track's name.
    pub(super) track: Mutex<()>,
    /// What a host flushes while another thread processes.
    late: ArrayQueue<Event>,
}

/// Makes one plugin for `host`.
///
/// # Safety
/// The host is one, and outlives its plugins.
pub(super) unsafe fn create(host: *const clap_host) -> *const clap_plugin {
    // SAFETY: the caller's promise.
    let host = unsafe { CheckedHost::new(host) };
    // SAFETY: the instance keeps it longer than the wrapper.
    let wrapper = unsafe { Wrapper::<Touchback>::new(host.table()) };
    // The wrapper's `destroy` takes this reference back.
    let wrapper = Arc::into_raw(wrapper);
    let pending_parts::Parts { menu, guard } = pending_parts::take();
    // SAFETY: the wrapper lives until then, and nothing borrows the field.
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

/// The answer of `work` with the instance behind the host's pointer, or `failed` where there is none
/// or a panic.
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
        // SAFETY: the wrapper's extension lives as long as it.
        unsafe { get(self.as_clap(), name.as_ptr()).cast::<T>().as_ref() }
    }

    /// The pointer by which the wrapper knows it.
    pub(super) const fn as_clap(&self) -> *const clap_plugin {
        &raw const self.plugin
    }

    pub(super) fn is_active(&self) -> bool {
        self.is_active.load(Ordering::Acquire)
    }

    /// Ends the time in which blocks are played, and waits for the one that is; forgets what waits
    /// for the next and says what was left out.
    fn rest(&self) {
        self.is_active.store(false, Ordering::Release);
        let left_out = lock(&self.feeder).forget();
        while self.late.pop().is_some() {}
        if left_out > 0 {
            nice_log!("Touchback left out {left_out} events, more than there was room for");
        }
        let locked_out = self.locked_out.swap(0, Ordering::Relaxed);
        if locked_out > 0 {
            nice_log!("Touchback was silent for {locked_out} blocks that came beside other calls");
        }
    }

    /// The feeder, as soon as no other thread processes: a host that keeps CLAP's rules never
    /// waits.
    fn feeder_soon(&self) -> Option<MutexGuard<'_, BlockFeeder>> {
        (0..200).find_map(|_| {
            let feeder = self.feeder.try_lock().ok();
            if feeder.is_none() {
                thread::sleep(Duration::from_millis(1));
            }
            feeder
        })
    }

    /// Outputs of the layout in force.
    fn outputs(&self) -> u32 {
        // SAFETY: the extension of this name is of this type.
        let ports: Option<&clap_plugin_audio_ports> =
            unsafe { self.framework_extension(CLAP_EXT_AUDIO_PORTS) };
        // SAFETY: the wrapper's function.
        ports
            .and_then(|ports| ports.count)
            .map_or(1, |count| unsafe { count(self.as_clap(), false) })
    }

    /// Takes events without samples: values hold at once, notes wait for the next sample. While
    /// another thread processes all of them wait.
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
                // Where they do not fit the last ones hold.
                for (_, event) in (0..events.length).filter_map(|index| events.get(index)) {
                    self.late.force_push(event);
                }
                return CLAP_PROCESS_CONTINUE;
            };
            // SAFETY: the extension of this name is of this type.
            let params: Option<&clap_plugin_params> =
                unsafe { self.framework_extension(CLAP_EXT_PARAMS) };
            let Some(flush) = params.and_then(|params| params.flush) else {
                return CLAP_PROCESS_ERROR;
            };
            // SAFETY: the feeder's lists, or none.
            let flush = |inputs, outputs| unsafe { flush(self.as_clap(), inputs, outputs) };
            // SAFETY: the caller's promise.
            let pass = |feeder: &mut BlockFeeder| unsafe { feeder.flush(inputs, outputs, flush) };
            self.take_late(&mut feeder);
            if self.is_active() {
                self.host.processing(|| pass(&mut feeder));
            } else {
                pass(&mut feeder);
            }
            CLAP_PROCESS_CONTINUE
        })
    }

    /// Hands the feeder what was flushed while another thread processed.
    fn take_late(&self, feeder: &mut BlockFeeder) {
        while let Some(event) = self.late.pop() {
            feeder.keep(event);
        }
    }

    /// Plays a block.
    ///
    /// # Safety
    /// What the block points at is null or valid, as CLAP says.
    unsafe fn play(&self, block: &clap_process) -> clap_process_status {
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
        // Asked again: who ends the time of blocks waits for the feeder after that.
        if !self.is_active() {
            return CLAP_PROCESS_ERROR;
        }
        self.take_late(&mut feeder);
        // SAFETY: each part is one that the wrapper stands; the buffers are the host's.
        let part = |part: &clap_process| unsafe { process(self.as_clap(), part) };
        // SAFETY: the caller's promise.
        self.host.processing(|| unsafe { feeder.feed(block, part) })
    }
}

unsafe extern "C" fn init(plugin: *const clap_plugin) -> bool {
    // SAFETY: the host's pointer.
    unsafe {
        on(plugin, false, |on| {
            // The wrapper takes the host's extensions once.
            if on.is_initialized.swap(true, Ordering::AcqRel) {
                return true;
            }
            if !on.framework.init.is_some_and(|init| init(plugin)) {
                return false;
            }
            // From here on the host may be asked.
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
        // SAFETY: the host gives the instance back, which `create` took out of a box.
        let instance = unsafe { Box::from_raw(plugin.cast::<Instance>().cast_mut()) };
        instance.menu.set(None);
        gui::close(&instance);
        if instance.guard.is_broken() || !instance.host.window.is_free_or_here() {
            // What has failed, or lives on another thread, is left alone rather than taken apart.
            std::mem::forget(instance);
        } else if let Some(destroy) = instance.framework.destroy {
            // SAFETY: the wrapper reads `plugin_data`, which is its own.
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
            on.rest();
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
            on.rest();
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
                let Some(mut feeder) = on.feeder_soon().filter(|_| on.is_active()) else {
                    return false;
                };
                feeder.silence();
                on.framework.start_processing.is_some_and(|start| start(plugin))
            })
        })
    }
}

unsafe extern "C" fn stop_processing(plugin: *const clap_plugin) {
    // SAFETY: the host's pointer.
    unsafe {
        on(plugin, (), |on| {
            let _feeder = on.feeder_soon();
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
                let Some(mut feeder) = on.feeder_soon() else { return };
                feeder.silence();
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
            let status = on.guard.run(CLAP_PROCESS_ERROR, || on.play(block));
            if status == CLAP_PROCESS_ERROR {
                block::silence(block);
            }
            status
        })
    }
}

/// Tables of our own: the wrapper's functions behind what guards them, and presets.
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
            // A window lives on the main thread: where it does not, this is another one.
            if on.host.window.is_free_or_here()
                && let Some(call) = on.framework.on_main_thread
            {
                call(plugin);
            }
        });
    }
}
