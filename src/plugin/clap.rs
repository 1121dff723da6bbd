//! The CLAP entry, and what stands between a host and the framework's wrapper.
//!
//! The wrapper trusts its host: an event stamped behind the block writes outside the host's
//! buffers, a block without samples or outputs loses its notes, `process` before activation
//! panics. The plugin that hosts see differs from the wrapper's in the functions below; all others
//! and every extension are the wrapper's own, which know it by `plugin_data` alone.
//!
//! | part | thread |
//! | --- | --- |
//! | entry, factory, activation | host's main thread |
//! | `process`, `reset`, `start_processing` | host's audio thread: no allocation, no waiting |

mod block;
mod event;
mod menu;
mod presets;

use std::ffi::{CStr, c_char, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use clap_sys::entry::clap_plugin_entry;
use clap_sys::ext::gui::CLAP_EXT_GUI;
use clap_sys::ext::params::{CLAP_EXT_PARAMS, clap_plugin_params};
use clap_sys::factory::plugin_factory::{CLAP_PLUGIN_FACTORY_ID, clap_plugin_factory};
use clap_sys::factory::preset_discovery::{
    CLAP_PRESET_DISCOVERY_FACTORY_ID, CLAP_PRESET_DISCOVERY_FACTORY_ID_COMPAT,
};
use clap_sys::host::clap_host;
use clap_sys::plugin::{clap_plugin, clap_plugin_descriptor};
use clap_sys::process::{
    CLAP_PROCESS_CONTINUE, CLAP_PROCESS_ERROR, clap_process, clap_process_status,
};
use clap_sys::version::CLAP_VERSION;
use nice_plug::prelude::nice_log;
use nice_plug::wrapper::clap::{PluginDescriptor, Wrapper};
use nice_plug::wrapper::setup_logger;

use crate::editor::host_menu::HostMenu;
use crate::exchange::lock::lock;
use crate::plugin::{Touchback, newest};
use block::BlockFeeder;

/// What a CLAP host looks for in the library.
#[used]
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "the name is CLAP's")]
pub static clap_entry: clap_plugin_entry = clap_plugin_entry {
    clap_version: CLAP_VERSION,
    init: Some(init),
    deinit: Some(deinit),
    get_factory: Some(get_factory),
};

static FACTORY: clap_plugin_factory = clap_plugin_factory {
    get_plugin_count: Some(get_plugin_count),
    get_plugin_descriptor: Some(get_plugin_descriptor),
    create_plugin: Some(create_plugin),
};

fn descriptor() -> &'static PluginDescriptor {
    static DESCRIPTOR: OnceLock<PluginDescriptor> = OnceLock::new();
    DESCRIPTOR.get_or_init(PluginDescriptor::for_plugin::<Touchback>)
}

unsafe extern "C" fn init(_path: *const c_char) -> bool {
    setup_logger::<Touchback>();
    true
}

unsafe extern "C" fn deinit() {}

unsafe extern "C" fn get_factory(id: *const c_char) -> *const c_void {
    // SAFETY: CLAP gives a C string.
    let Some(id) = (!id.is_null()).then(|| unsafe { CStr::from_ptr(id) }) else {
        return std::ptr::null();
    };
    if id == CLAP_PLUGIN_FACTORY_ID {
        (&raw const FACTORY).cast()
    } else if id == CLAP_PRESET_DISCOVERY_FACTORY_ID
        || id == CLAP_PRESET_DISCOVERY_FACTORY_ID_COMPAT
    {
        (&raw const presets::FACTORY).cast()
    } else {
        std::ptr::null()
    }
}

unsafe extern "C" fn get_plugin_count(_factory: *const clap_plugin_factory) -> u32 {
    1
}

unsafe extern "C" fn get_plugin_descriptor(
    _factory: *const clap_plugin_factory,
    index: u32,
) -> *const clap_plugin_descriptor {
    if index == 0 { descriptor().clap_plugin_descriptor() } else { std::ptr::null() }
}

unsafe extern "C" fn create_plugin(
    _factory: *const clap_plugin_factory,
    host: *const clap_host,
    id: *const c_char,
) -> *const clap_plugin {
    // SAFETY: CLAP gives a C string.
    if host.is_null() || id.is_null() || unsafe { CStr::from_ptr(id) } != descriptor().clap_id() {
        return std::ptr::null();
    }
    // SAFETY: the host outlives its plugins.
    let wrapper = unsafe { Wrapper::<Touchback>::new(host) };
    // The wrapper's `destroy` takes this reference back.
    let wrapper = Arc::into_raw(wrapper);
    let menu = newest::take();
    // SAFETY: the wrapper lives until then, and nothing borrows the field.
    let framework = unsafe { *(*wrapper).clap_plugin.as_ptr() };
    let plugin = clap_plugin {
        init: Some(init_plugin),
        destroy: Some(destroy),
        activate: Some(activate),
        deactivate: Some(deactivate),
        start_processing: Some(start_processing),
        reset: Some(reset),
        process: Some(process),
        get_extension: Some(get_extension),
        ..framework
    };
    let instance = Instance {
        plugin,
        framework,
        wrapper,
        host,
        menu,
        is_active: AtomicBool::new(false),
        feeder: Mutex::new(BlockFeeder::new(
            <Touchback as nice_plug::prelude::Plugin>::INPUT_EVENT_CAPACITY,
        )),
    };
    Box::into_raw(Box::new(instance)).cast()
}

/// One plugin as its host knows it: `plugin` comes first, so that a pointer to it is one to the
/// instance.
#[repr(C)]
struct Instance {
    plugin: clap_plugin,
    /// The wrapper's own functions.
    framework: clap_plugin,
    /// Lives until `destroy`.
    wrapper: *const Wrapper<Touchback>,
    /// Outlives the instance.
    host: *const clap_host,
    menu: Arc<HostMenu>,
    is_active: AtomicBool,
    /// Of the thread that processes; others try it and give up, or wait on the main thread.
    feeder: Mutex<BlockFeeder>,
}

/// The instance behind the host's pointer.
///
/// # Safety
/// `plugin` is null or from `create_plugin` and not destroyed.
unsafe fn instance<'a>(plugin: *const clap_plugin) -> Option<&'a Instance> {
    // SAFETY: `create_plugin` made the pointer from a whole instance.
    unsafe { plugin.cast::<Instance>().as_ref() }
}

/// Forgets what waits for the next block; says what was left out.
fn forget(instance: &Instance) {
    let left_out = lock(&instance.feeder).forget();
    if left_out > 0 {
        nice_log!("Touchback left out {left_out} events, more than there was room for");
    }
}

unsafe extern "C" fn init_plugin(plugin: *const clap_plugin) -> bool {
    // SAFETY: the host's pointer.
    let Some(instance) = (unsafe { instance(plugin) }) else { return false };
    // SAFETY: as the host called it.
    if !instance.framework.init.is_some_and(|init| unsafe { init(plugin) }) {
        return false;
    }
    // SAFETY: from here on the host may be asked.
    instance.menu.set(unsafe { menu::find(instance.host) });
    true
}

unsafe extern "C" fn destroy(plugin: *const clap_plugin) {
    if plugin.is_null() {
        return;
    }
    // SAFETY: the host gives the instance back, which `create_plugin` took out of a box.
    let instance = unsafe { Box::from_raw(plugin.cast::<Instance>().cast_mut()) };
    if let Some(destroy) = instance.framework.destroy {
        // SAFETY: the wrapper reads `plugin_data`, which is its own.
        unsafe { destroy(&raw const instance.plugin) };
    }
}

unsafe extern "C" fn activate(
    plugin: *const clap_plugin,
    sample_rate: f64,
    min_frames: u32,
    max_frames: u32,
) -> bool {
    // SAFETY: the host's pointer.
    let Some(instance) = (unsafe { instance(plugin) }) else { return false };
    forget(instance);
    // SAFETY: as the host called it.
    let is_active = instance
        .framework
        .activate
        .is_some_and(|activate| unsafe { activate(plugin, sample_rate, min_frames, max_frames) });
    instance.is_active.store(is_active, Ordering::Release);
    is_active
}

unsafe extern "C" fn deactivate(plugin: *const clap_plugin) {
    // SAFETY: the host's pointer.
    let Some(instance) = (unsafe { instance(plugin) }) else { return };
    instance.is_active.store(false, Ordering::Release);
    forget(instance);
    if let Some(deactivate) = instance.framework.deactivate {
        // SAFETY: as the host called it.
        unsafe { deactivate(plugin) };
    }
}

unsafe extern "C" fn start_processing(plugin: *const clap_plugin) -> bool {
    // SAFETY: the host's pointer.
    let Some(instance) = (unsafe { instance(plugin) }) else { return false };
    // Where a host has no thread check the wrapper asks the standard library for the thread at a
    // parameter's change, which allocates the first time on each thread: here, not in `process`.
    drop(std::thread::current());
    if !instance.is_active.load(Ordering::Acquire) {
        return false;
    }
    if let Ok(mut feeder) = instance.feeder.try_lock() {
        feeder.silence();
    }
    // SAFETY: as the host called it.
    instance.framework.start_processing.is_some_and(|start| unsafe { start(plugin) })
}

unsafe extern "C" fn reset(plugin: *const clap_plugin) {
    // SAFETY: the host's pointer.
    let Some(instance) = (unsafe { instance(plugin) }) else { return };
    if let Ok(mut feeder) = instance.feeder.try_lock() {
        feeder.silence();
    }
    if let Some(reset) = instance.framework.reset {
        // SAFETY: as the host called it.
        unsafe { reset(plugin) };
    }
}

/// The wrapper's extensions, and presets of our own, but no window for a host that has no half of
/// its own: the wrapper takes for granted that it has.
unsafe extern "C" fn get_extension(plugin: *const clap_plugin, id: *const c_char) -> *const c_void {
    // SAFETY: the host's pointer.
    let Some(instance) = (unsafe { instance(plugin) }) else { return std::ptr::null() };
    let Some(get_extension) = instance.framework.get_extension else { return std::ptr::null() };
    if id.is_null() {
        return std::ptr::null();
    }
    // SAFETY: CLAP gives a C string.
    if let Some(own) = presets::extension(unsafe { CStr::from_ptr(id) }) {
        return own;
    }
    // SAFETY: CLAP gives a C string; the host and its function are there.
    let has_half = unsafe {
        CStr::from_ptr(id) != CLAP_EXT_GUI
            || (*instance.host)
                .get_extension
                .is_some_and(|get| !get(instance.host, CLAP_EXT_GUI.as_ptr()).is_null())
    };
    if !has_half {
        return std::ptr::null();
    }
    // SAFETY: as the host called it.
    unsafe { get_extension(plugin, id) }
}

unsafe extern "C" fn process(
    plugin: *const clap_plugin,
    block: *const clap_process,
) -> clap_process_status {
    // SAFETY: the host's pointers, valid while it waits for this call.
    let (Some(instance), Some(block)) = (unsafe { (instance(plugin), block.as_ref()) }) else {
        return CLAP_PROCESS_ERROR;
    };
    let framework = &instance.framework;
    let Some(process) = framework.process else { return CLAP_PROCESS_ERROR };
    if !instance.is_active.load(Ordering::Acquire) {
        return CLAP_PROCESS_ERROR;
    }
    let Ok(mut feeder) = instance.feeder.try_lock() else { return CLAP_PROCESS_ERROR };
    if block.frames_count > 0 {
        // SAFETY: each part is one that the wrapper stands; the buffers are the host's.
        return unsafe { feeder.feed(block, |part| process(plugin, part)) };
    }
    // A block without samples is a flush: values hold at once, notes wait for the next sample.
    let Some(get_extension) = framework.get_extension else { return CLAP_PROCESS_ERROR };
    // SAFETY: the wrapper's extension of this name is of this type and lives as long as it.
    unsafe {
        let params = get_extension(plugin, CLAP_EXT_PARAMS.as_ptr()).cast::<clap_plugin_params>();
        let Some(flush) = params.as_ref().and_then(|params| params.flush) else {
            return CLAP_PROCESS_ERROR;
        };
        feeder.flush(block, |inputs, outputs| flush(plugin, inputs, outputs));
    }
    CLAP_PROCESS_CONTINUE
}
