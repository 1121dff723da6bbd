//! One plugin instance: the wrapper behind a guard, its feeder of blocks, and the events that wait.

use std::ffi::CStr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use clap_sys::events::{clap_input_events, clap_output_events};
use clap_sys::ext::audio_ports::{CLAP_EXT_AUDIO_PORTS, clap_plugin_audio_ports};
use clap_sys::ext::params::{CLAP_EXT_PARAMS, clap_plugin_params};
use clap_sys::plugin::clap_plugin;
use clap_sys::process::{
    CLAP_PROCESS_CONTINUE, CLAP_PROCESS_ERROR, clap_process, clap_process_status,
};
use crossbeam::queue::ArrayQueue;
use nice_plug::prelude::nice_log;
use nice_plug::wrapper::clap::Wrapper;

use super::block::BlockFeeder;
use super::event::{Event, HostEvents};
use super::flushed::FlushedValues;
use super::host::CheckedHost;
use crate::guard::{Guard, catch};
use crate::host_menu::HostMenu;
use crate::ordered_events::{Deferrable as _, HostMessages as _};
use crate::plugin::Touchback;
use crate::repaint::Repaint;
use touchback_core::exchange::lock::lock;
use touchback_haptics::connection::KeyboardConnection;

/// One plugin instance. `plugin` is the first field, so that a pointer to it is one to the instance.
#[repr(C)]
pub(super) struct Instance {
    pub(super) plugin: clap_plugin,
    /// The wrapper's own functions.
    pub(super) framework: clap_plugin,
    /// Valid until `destroy`.
    pub(super) wrapper: *const Wrapper<Touchback>,
    /// The host as the wrapper sees it.
    pub(super) host: Box<CheckedHost>,
    pub(super) menu: Arc<HostMenu>,
    /// Keeps panics from the host.
    pub(super) guard: Arc<Guard>,
    pub(super) connection: Arc<KeyboardConnection>,
    pub(super) is_initialized: AtomicBool,
    pub(super) is_active: AtomicBool,
    /// Blocks left silent because another thread processed or activated.
    pub(super) locked_out: AtomicU64,
    /// Locked by the thread that processes. Other threads try the lock once; the main thread waits.
    pub(super) feeder: Mutex<BlockFeeder>,
    /// Locked by the thread that requests the track's name.
    pub(super) track: Mutex<()>,
    /// Values that the host flushes.
    pub(super) flushed: FlushedValues,
    /// Notes that the host flushes.
    pub(super) late: ArrayQueue<Event>,
    /// Requests a frame of the open window.
    pub(super) repaint: Repaint,
}

/// Returns the result of `work` on the instance behind the host's pointer; `failed` for a null pointer
/// or after a panic.
///
/// # Safety
/// `plugin` is null or from [`create`](super::plugin_table::create) and not destroyed.
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
    pub(super) fn stop(&self) {
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
    pub(super) fn wait_for_feeder(&self) -> Option<MutexGuard<'_, BlockFeeder>> {
        (0..200).find_map(|_| {
            let feeder = self.feeder.try_lock().ok();
            if feeder.is_none() {
                thread::sleep(Duration::from_millis(1));
            }
            feeder
        })
    }

    /// Outputs of the current layout.
    pub(super) fn outputs(&self) -> u32 {
        // SAFETY: the extension of this name is of this type.
        let ports: Option<&clap_plugin_audio_ports> =
            unsafe { self.framework_extension(CLAP_EXT_AUDIO_PORTS) };
        // SAFETY: the wrapper's function.
        ports
            .and_then(|ports| ports.count)
            .map_or(1, |count| unsafe { count(self.as_clap(), false) })
    }

    /// Takes events without samples, from any thread: values apply at once, or after the block that
    /// another thread processes; notes wait for the next block.
    ///
    /// # Safety
    /// The lists are null or valid.
    pub(super) unsafe fn flush(
        &self,
        inputs: *const clap_input_events,
        outputs: *const clap_output_events,
    ) -> clap_process_status {
        self.guard.run(CLAP_PROCESS_ERROR, || {
            // SAFETY: the caller's promise.
            unsafe { HostEvents::new(inputs) }.for_each(1, &mut |_, event| {
                if !self.flushed.keep(&event) && event.outlasts_block() {
                    // Where the queue is full, the latest events replace the earliest.
                    self.late.force_push(event);
                }
            });
            if self.flushed.apply() {
                self.repaint.request();
            }
            // SAFETY: the extension of this name is of this type.
            let params: Option<&clap_plugin_params> =
                unsafe { self.framework_extension(CLAP_EXT_PARAMS) };
            let Some(flush) = params.and_then(|params| params.flush) else {
                return CLAP_PROCESS_ERROR;
            };
            // The wrapper's own events alone: with the host's it would lock what a block needs.
            // SAFETY: the caller's promise.
            let send = || unsafe { flush(self.as_clap(), std::ptr::null(), outputs) };
            if self.is_active() {
                self.host.processing(send)
            } else {
                send()
            }
            CLAP_PROCESS_CONTINUE
        })
    }

    /// Processes a block.
    ///
    /// # Safety
    /// The block's pointers are null or valid, as CLAP requires.
    pub(super) unsafe fn process_block(&self, block: &clap_process) -> clap_process_status {
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
        while let Some(event) = self.late.pop() {
            feeder.defer(event);
        }
        // SAFETY: the feeder's parts are valid for the wrapper; the buffers are the host's.
        let part = |part: &clap_process| unsafe { process(self.as_clap(), part) };
        // SAFETY: the caller's promise.
        let feed = || unsafe { feeder.feed(block, part) };
        self.flushed.before(|| self.host.processing(feed))
    }
}
