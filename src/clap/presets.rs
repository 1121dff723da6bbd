//! Presets in a CLAP host's browser: factory presets inside the library, and the user's files.
//!
//! Main thread, but for the provider, which a host may call on a thread of its own. Loading a preset
//! keeps the settings of the user's keyboard and pedals, the scale and the window.

use std::ffi::{CStr, CString, OsStr, c_char, c_void};
use std::path::{Path, PathBuf};

use clap_sys::ext::preset_load::{
    CLAP_EXT_PRESET_LOAD, CLAP_EXT_PRESET_LOAD_COMPAT, clap_host_preset_load,
    clap_plugin_preset_load,
};
use clap_sys::factory::preset_discovery::{
    CLAP_PRESET_DISCOVERY_IS_FACTORY_CONTENT, CLAP_PRESET_DISCOVERY_IS_USER_CONTENT,
    CLAP_PRESET_DISCOVERY_LOCATION_FILE, CLAP_PRESET_DISCOVERY_LOCATION_PLUGIN,
    clap_preset_discovery_factory, clap_preset_discovery_filetype, clap_preset_discovery_indexer,
    clap_preset_discovery_location, clap_preset_discovery_location_kind as LocationKind,
    clap_preset_discovery_metadata_receiver as Receiver, clap_preset_discovery_provider,
    clap_preset_discovery_provider_descriptor,
};
use clap_sys::host::clap_host;
use clap_sys::plugin::clap_plugin;
use clap_sys::universal_plugin_id::clap_universal_plugin_id;
use clap_sys::version::CLAP_VERSION;
use nice_plug::plugin::ParamValue;

use crate::clap::instance::{Instance, on};
use crate::guard::catch;
use crate::project::MECHANISM;
use touchback_core::math::cast::{rounded_i32, single};
use touchback_instrument::host::params::{KEYS_FIELD, ValueKind, all};
use touchback_instrument::host::preset::file::NamedPiano;
use touchback_instrument::host::preset::user_presets::{self, UserPresets};
use touchback_instrument::host::preset::{self, PRESETS, is_keyboards, is_machines};

const PROVIDER_ID: &CStr = c"org.touchback.touchback.presets";
const VENDOR: &CStr = c"Touchback";

/// The preset-discovery factory that hosts find in the library.
pub(super) static FACTORY: clap_preset_discovery_factory = clap_preset_discovery_factory {
    count: Some(count),
    get_descriptor: Some(get),
    create: Some(create),
};

static DESCRIPTOR: clap_preset_discovery_provider_descriptor =
    clap_preset_discovery_provider_descriptor {
        clap_version: CLAP_VERSION,
        id: PROVIDER_ID.as_ptr(),
        name: c"Touchback pianos".as_ptr(),
        vendor: VENDOR.as_ptr(),
    };

unsafe extern "C" fn count(_: *const clap_preset_discovery_factory) -> u32 {
    1
}

unsafe extern "C" fn get(
    _: *const clap_preset_discovery_factory,
    index: u32,
) -> *const clap_preset_discovery_provider_descriptor {
    if index == 0 { &raw const DESCRIPTOR } else { std::ptr::null() }
}

/// A preset provider. `table` is the first field, so that a pointer to it is one to the provider.
#[repr(C)]
struct Provider {
    table: clap_preset_discovery_provider,
    /// The host's indexer, which outlives the provider.
    indexer: *const clap_preset_discovery_indexer,
}

unsafe extern "C" fn create(
    _: *const clap_preset_discovery_factory,
    indexer: *const clap_preset_discovery_indexer,
    id: *const c_char,
) -> *const clap_preset_discovery_provider {
    // SAFETY: CLAP gives a C string.
    if indexer.is_null() || id.is_null() || unsafe { CStr::from_ptr(id) } != PROVIDER_ID {
        return std::ptr::null();
    }
    let table = clap_preset_discovery_provider {
        desc: &raw const DESCRIPTOR,
        provider_data: std::ptr::null_mut(),
        init: Some(init),
        destroy: Some(destroy),
        get_metadata: Some(get_metadata),
        get_extension: Some(no_extension),
    };
    catch(std::ptr::null(), || Box::into_raw(Box::new(Provider { table, indexer })).cast())
}

unsafe extern "C" fn destroy(provider: *const clap_preset_discovery_provider) {
    if !provider.is_null() {
        // SAFETY: `create` made the pointer from a box.
        let provider = unsafe { Box::from_raw(provider.cast::<Provider>().cast_mut()) };
        catch((), || drop(provider));
    }
}

unsafe extern "C" fn no_extension(
    _: *const clap_preset_discovery_provider,
    _: *const c_char,
) -> *const c_void {
    std::ptr::null()
}

/// Declares where presets are: in the library, and in the user's folder if it exists.
unsafe extern "C" fn init(provider: *const clap_preset_discovery_provider) -> bool {
    // SAFETY: a provider is from `create`, its indexer from the host that outlives it.
    let indexer = unsafe { provider.cast::<Provider>().as_ref().and_then(|p| p.indexer.as_ref()) };
    indexer.is_some_and(|indexer| catch(false, || declare(indexer)))
}

/// Declares the locations to `indexer`; false where the indexer refuses or lacks a function.
fn declare(indexer: &clap_preset_discovery_indexer) -> bool {
    let (Some(declare_filetype), Some(declare_location)) =
        (indexer.declare_filetype, indexer.declare_location)
    else {
        return false;
    };
    let factory = clap_preset_discovery_location {
        flags: CLAP_PRESET_DISCOVERY_IS_FACTORY_CONTENT,
        name: c"Factory pianos".as_ptr(),
        kind: CLAP_PRESET_DISCOVERY_LOCATION_PLUGIN,
        location: std::ptr::null(),
    };
    // SAFETY: the host's functions; their arguments live as long as the calls.
    if !unsafe { declare_location(indexer, &raw const factory) } {
        return false;
    }
    let folder = UserPresets::usual().map(|own| own.folder().to_owned());
    let Some(path) = folder.filter(|f| f.is_dir()).and_then(|f| c_text(f.to_str()?)) else {
        return true;
    };
    let Some(extension) = c_text(user_presets::EXTENSION) else { return false };
    let files = clap_preset_discovery_filetype {
        name: c"Touchback piano".as_ptr(),
        description: c"A piano saved in Touchback's window".as_ptr(),
        file_extension: extension.as_ptr(),
    };
    let own = clap_preset_discovery_location {
        flags: CLAP_PRESET_DISCOVERY_IS_USER_CONTENT,
        name: c"My pianos".as_ptr(),
        kind: CLAP_PRESET_DISCOVERY_LOCATION_FILE,
        location: path.as_ptr(),
    };
    // SAFETY: as above.
    unsafe {
        declare_filetype(indexer, &raw const files) && declare_location(indexer, &raw const own)
    }
}

/// Describes the presets of a location to the host.
unsafe extern "C" fn get_metadata(
    _: *const clap_preset_discovery_provider,
    kind: LocationKind,
    location: *const c_char,
    receiver: *const Receiver,
) -> bool {
    // SAFETY: the host's receiver lives as long as the call.
    let Some(to) = (unsafe { receiver.as_ref() }) else { return false };
    // SAFETY: the host's texts.
    catch(false, || unsafe { describe_all(kind, location, to) })
}

/// Describes the presets of a location to the host; false after the first failure.
///
/// # Safety
/// `location` is null or a C string; `to` is a valid receiver of the host.
unsafe fn describe_all(kind: LocationKind, location: *const c_char, to: &Receiver) -> bool {
    if kind == CLAP_PRESET_DISCOVERY_LOCATION_PLUGIN {
        return PRESETS.iter().all(|preset| {
            let name = preset.title();
            // SAFETY: the host's receiver.
            unsafe { describe(to, &name, Some(preset.name), preset.about, &[]) }
        });
    }
    // SAFETY: CLAP gives a C string.
    let read = unsafe { path(kind, location) }
        .ok_or_else(|| "not a location of presets".to_owned())
        .and_then(|path| user_presets::read(&path).map_err(|error| error.to_string()));
    match read {
        // SAFETY: the host's receiver.
        Ok((NamedPiano { name, tags, notes, .. }, _)) => unsafe {
            describe(to, &name, None, &notes, &tags)
        },
        Err(error) => {
            if let (Some(on_error), Some(error)) = (to.on_error, c_text(&error)) {
                // SAFETY: the host's function.
                unsafe { on_error(to, 0, error.as_ptr()) };
            }
            false
        }
    }
}

/// Describes one preset to the host; returns whether the host continues.
///
/// # Safety
/// `to` is a valid receiver of the host.
unsafe fn describe(
    to: &Receiver,
    name: &str,
    key: Option<&str>,
    about: &str,
    tags: &[String],
) -> bool {
    let (Some(begin), Some(name)) = (to.begin_preset, c_text(name)) else { return false };
    let key = key.and_then(c_text);
    let plugin = clap_universal_plugin_id {
        abi: c"clap".as_ptr(),
        id: crate::clap::descriptor().clap_id().as_ptr(),
    };
    // SAFETY: the caller's promise; the texts live as long as the calls.
    unsafe {
        if !begin(to, name.as_ptr(), key.as_ref().map_or(std::ptr::null(), |key| key.as_ptr())) {
            return false;
        }
        if let Some(add) = to.add_plugin_id {
            add(to, &raw const plugin);
        }
        if let (Some(creator), true) = (to.add_creator, key.is_some()) {
            creator(to, VENDOR.as_ptr());
        }
        if let (Some(set), Some(about)) = (to.set_description, c_text(about)) {
            set(to, about.as_ptr());
        }
        if let Some(add) = to.add_feature {
            add(to, c"instrument".as_ptr());
            for tag in tags.iter().filter_map(|tag| c_text(tag)) {
                add(to, tag.as_ptr());
            }
        }
    }
    true
}

/// The extension by which a host loads a preset, if `id` names it.
pub(super) fn extension(id: &CStr) -> Option<*const c_void> {
    static LOAD: clap_plugin_preset_load =
        clap_plugin_preset_load { from_location: Some(from_location) };
    (id == CLAP_EXT_PRESET_LOAD || id == CLAP_EXT_PRESET_LOAD_COMPAT)
        .then(|| (&raw const LOAD).cast())
}

unsafe extern "C" fn from_location(
    plugin: *const clap_plugin,
    kind: LocationKind,
    location: *const c_char,
    key: *const c_char,
) -> bool {
    // SAFETY: the host's pointers.
    unsafe { on(plugin, false, |on| load_and_report(on, kind, location, key)) }
}

/// Loads a preset and reports success or the error to the host.
///
/// # Safety
/// `location` and `key` are null or C strings.
unsafe fn load_and_report(
    instance: &Instance,
    kind: LocationKind,
    location: *const c_char,
    key: *const c_char,
) -> bool {
    let to = instance.host.host();
    // SAFETY: CLAP gives C strings.
    let loaded = unsafe { load(instance, kind, location, key) };
    // SAFETY: the host outlives its plugins and answers on this thread.
    let host = unsafe { host_extension(to) };
    let Some(host) = host else { return loaded.is_ok() };
    match &loaded {
        Ok(()) => {
            if let Some(loaded) = host.loaded {
                // SAFETY: the host's function and its own texts.
                unsafe { loaded(to, kind, location, key) };
            }
        }
        Err(error) => {
            if let (Some(on_error), Some(error)) = (host.on_error, c_text(error)) {
                // SAFETY: the host's function and its own texts.
                unsafe { on_error(to, kind, location, key, 0, error.as_ptr()) };
            }
        }
    }
    loaded.is_ok()
}

/// # Safety
/// `location` and `key` are null or C strings.
unsafe fn load(
    instance: &Instance,
    kind: LocationKind,
    location: *const c_char,
    key: *const c_char,
) -> Result<(), String> {
    let (wanted, mechanism) = if kind == CLAP_PRESET_DISCOVERY_LOCATION_PLUGIN {
        // SAFETY: the caller's promise.
        let key = (!key.is_null()).then(|| unsafe { CStr::from_ptr(key) }.to_string_lossy());
        let key = key.unwrap_or_default();
        let found = preset::find(&key);
        let found = found.ok_or_else(|| format!("there is no factory piano `{key}`"))?;
        (found.settings(), found.mechanism())
    } else {
        // SAFETY: the caller's promise.
        let path = unsafe { path(kind, location) }.ok_or("not a location of presets")?;
        let (piano, _) = user_presets::read(&path).map_err(|error| error.to_string())?;
        (piano.settings, piano.mechanism)
    };
    // SAFETY: the wrapper lives as long as the instance.
    let wrapper = unsafe { &*instance.wrapper };
    let mut state = wrapper.get_state_object();
    for parameter in all().filter(|p| !is_keyboards(p) && !is_machines(p)) {
        let value = parameter.get(&wanted);
        let value = match parameter.kind {
            ValueKind::Number { .. } => ParamValue::F32(single(value)),
            ValueKind::Choice(_) => ParamValue::I32(rounded_i32(value)),
        };
        state.params.insert(parameter.id.to_owned(), value);
    }
    let sheet = wanted.key_sheet();
    state.fields.remove(KEYS_FIELD);
    if !sheet.is_even() {
        state.fields.insert(KEYS_FIELD.to_owned(), sheet.text());
    }
    if let Some(mechanism) = mechanism {
        let text = serde_json::to_string(&mechanism).map_err(|error| error.to_string())?;
        state.fields.insert(MECHANISM.to_owned(), text);
    }
    if wrapper.set_state_inner(&mut state) { Ok(()) } else { Err("not loaded".to_owned()) }
}

/// The host's part of the preset-load extension.
///
/// # Safety
/// `host` is the plugin's host.
unsafe fn host_extension<'a>(host: *const clap_host) -> Option<&'a clap_host_preset_load> {
    // SAFETY: the caller's promise; the extension of this name is of this type and the host's own.
    unsafe {
        let get = (*host).get_extension?;
        [CLAP_EXT_PRESET_LOAD, CLAP_EXT_PRESET_LOAD_COMPAT]
            .iter()
            .find_map(|id| get(host, id.as_ptr()).cast::<clap_host_preset_load>().as_ref())
    }
}

/// The path of a preset file, if `location` is one.
///
/// # Safety
/// `location` is null or a C string.
unsafe fn path(kind: LocationKind, location: *const c_char) -> Option<PathBuf> {
    if kind != CLAP_PRESET_DISCOVERY_LOCATION_FILE || location.is_null() {
        return None;
    }
    // SAFETY: the caller's promise.
    let location = unsafe { CStr::from_ptr(location) };
    let path = Path::new(location.to_str().ok()?);
    (path.extension() == Some(OsStr::new(user_presets::EXTENSION))).then(|| path.to_owned())
}

/// `text` as a C string, up to its first NUL.
fn c_text(text: &str) -> Option<CString> {
    CString::new(text.split('\0').next()?).ok()
}
