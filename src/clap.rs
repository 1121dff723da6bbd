//! The CLAP entry, and the checks between a host and the framework's wrapper.
//!
//! The wrapper trusts its host: an event stamped after the block's end writes outside the host's
//! buffers, a block without samples or outputs loses its notes, `process` before activation panics, and
//! a panic inside the wrapper's functions ends the host. Hosts therefore receive the tables of this
//! module, and the wrapper receives a [`host`] of this module. The wrapper identifies its plugin by
//! `plugin_data` alone.
//!
//! | module | task | thread |
//! | --- | --- | --- |
//! | this one | entry, factory | host's main thread |
//! | [`instance`] | the functions of the plugin's table | main thread; `process`: the audio thread, without allocation or waiting |
//! | [`block`], [`event`] | blocks and events that the wrapper accepts | audio thread |
//! | [`flushed`] | values set without a block | any, without waiting |
//! | [`extensions`], [`gui`], [`haptic_keyboard`], [`menu`], [`presets`] | the extensions' functions | as CLAP specifies |
//! | [`host`] | the host that the wrapper sees | any |

mod block;
mod event;
mod extensions;
mod flushed;
mod gui;
mod haptic_keyboard;
mod host;
mod instance;
mod menu;
mod plugin_table;
mod presets;

use std::ffi::{CStr, c_char, c_void};
use std::sync::OnceLock;

use clap_sys::entry::clap_plugin_entry;
use clap_sys::factory::plugin_factory::{CLAP_PLUGIN_FACTORY_ID, clap_plugin_factory};
use clap_sys::factory::preset_discovery::{
    CLAP_PRESET_DISCOVERY_FACTORY_ID, CLAP_PRESET_DISCOVERY_FACTORY_ID_COMPAT,
};
use clap_sys::host::clap_host;
use clap_sys::plugin::{clap_plugin, clap_plugin_descriptor};
use clap_sys::version::CLAP_VERSION;
use nice_plug::wrapper::clap::PluginDescriptor;
use nice_plug::wrapper::setup_logger;

use crate::guard::catch;
use crate::plugin::Touchback;

/// The symbol that CLAP hosts look up in the library.
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
    catch(false, || {
        setup_logger::<Touchback>();
        true
    })
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
    let none = std::ptr::null();
    catch(none, || if index == 0 { descriptor().clap_plugin_descriptor() } else { none })
}

unsafe extern "C" fn create_plugin(
    _factory: *const clap_plugin_factory,
    host: *const clap_host,
    id: *const c_char,
) -> *const clap_plugin {
    if host.is_null() || id.is_null() {
        return std::ptr::null();
    }
    // SAFETY: CLAP gives a C string.
    let id = unsafe { CStr::from_ptr(id) };
    catch(std::ptr::null(), || {
        if id != descriptor().clap_id() {
            return std::ptr::null();
        }
        // SAFETY: the host outlives its plugins.
        unsafe { plugin_table::create(host) }
    })
}
