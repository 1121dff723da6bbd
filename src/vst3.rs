//! The VST3 entry, and the checks between a host and the framework's wrapper.
//!
//! The wrapper panics if it processes before set-up, drops the notes of a block without samples or
//! outputs, and allocates for more events than it has room for. Hosts receive a
//! [`component::Component`], which checks the calls that process, passes on all others, and catches
//! panics.
//!
//! | task | thread |
//! | --- | --- |
//! | entry, factory, set-up | host's main thread |
//! | `process`, `setProcessing` | host's audio thread: no allocation, no waiting |

mod block;
// The names of functions are VST3's.
#[allow(non_snake_case, reason = "the names are VST3's")]
mod component;
mod controllers;
mod edit_controller;
mod framework;
#[allow(non_snake_case, reason = "the names are VST3's")]
mod lists;
mod menu;
mod messages;
#[allow(non_snake_case, reason = "the names are VST3's")]
mod stream;
mod unprocessed;
#[allow(non_snake_case, reason = "the names are VST3's")]
mod view;

use std::ffi::c_void;

use nice_plug::wrapper::setup_logger;
use nice_plug::wrapper::vst3::PluginInfo;
use nice_plug::wrapper::vst3::vst3::Steinberg::{
    FIDString, FUnknown, IPluginFactory, IPluginFactory2, IPluginFactory2Trait, IPluginFactory3,
    IPluginFactory3Trait, IPluginFactoryTrait, PClassInfo, PClassInfo2, PClassInfoW, PFactoryInfo,
    TUID, int32, kInvalidArgument, kResultFalse, kResultOk, tresult,
};
use nice_plug::wrapper::vst3::vst3::{Class, ComWrapper};

use crate::guard::catch;
use crate::plugin::Touchback;
use component::Component;

/// The symbol that VST3 hosts look up in the library.
#[unsafe(no_mangle)]
#[allow(non_snake_case, reason = "the name is VST3's")]
pub extern "system" fn GetPluginFactory() -> *mut c_void {
    catch(std::ptr::null_mut(), || {
        let factory = ComWrapper::new(Factory(PluginInfo::for_plugin::<Touchback>()));
        factory.to_com_ptr::<IPluginFactory>().map_or(std::ptr::null_mut(), |f| f.into_raw().cast())
    })
}

/// Module entries: functions that hosts call after they load the library and before they unload it.
macro_rules! module {
    ($system:meta, $enter:ident($($handle:ty)?), $leave:ident) => {
        /// Called after the library is loaded.
        #[cfg($system)]
        #[unsafe(no_mangle)]
        #[allow(non_snake_case, reason = "the name is VST3's")]
        pub extern "system" fn $enter($(_: $handle)?) -> bool {
            catch(false, || {
                setup_logger::<Touchback>();
                true
            })
        }

        /// Called before the library is unloaded.
        #[cfg($system)]
        #[unsafe(no_mangle)]
        #[allow(non_snake_case, reason = "the name is VST3's")]
        pub extern "system" fn $leave() -> bool {
            true
        }
    };
}

module!(all(unix, not(target_os = "macos")), ModuleEntry(*mut c_void), ModuleExit);
module!(target_os = "macos", bundleEntry(*mut c_void), bundleExit);
module!(windows, InitDll(), ExitDll);

/// Creates components.
struct Factory(PluginInfo);

impl Class for Factory {
    type Interfaces = (IPluginFactory, IPluginFactory2, IPluginFactory3);
}

/// Writes `info` to `to`, if `index` is that of the only class.
///
/// # Safety
/// `to` is null or valid.
unsafe fn write_info<T>(index: int32, to: *mut T, info: impl FnOnce() -> T) -> tresult {
    if index != 0 || to.is_null() {
        return kInvalidArgument;
    }
    // SAFETY: the caller's promise.
    catch(kResultFalse, || unsafe {
        to.write(info());
        kResultOk
    })
}

#[allow(non_snake_case, reason = "the names are VST3's")]
impl IPluginFactoryTrait for Factory {
    unsafe fn getFactoryInfo(&self, info: *mut PFactoryInfo) -> tresult {
        // SAFETY: the host's pointer.
        unsafe { write_info(0, info, || self.0.create_factory_info()) }
    }

    unsafe fn countClasses(&self) -> int32 {
        1
    }

    unsafe fn getClassInfo(&self, index: int32, info: *mut PClassInfo) -> tresult {
        // SAFETY: the host's pointer.
        unsafe { write_info(index, info, || self.0.create_class_info()) }
    }

    unsafe fn createInstance(
        &self,
        class: FIDString,
        interface: FIDString,
        object: *mut *mut c_void,
    ) -> tresult {
        if object.is_null() {
            return kInvalidArgument;
        }
        // SAFETY: the host's variable.
        unsafe { object.write(std::ptr::null_mut()) };
        if class.is_null() || interface.is_null() {
            return kInvalidArgument;
        }
        // SAFETY: both names are 16 bytes long.
        let (class, interface) = unsafe { (&*class.cast::<[u8; 16]>(), interface.cast::<TUID>()) };
        if class != self.0.cid {
            return kInvalidArgument;
        }
        catch(kResultFalse, || {
            let component = ComWrapper::new(Component::new());
            let Some(unknown) = component.as_com_ref::<FUnknown>() else { return kInvalidArgument };
            let unknown = unknown.as_ptr();
            // SAFETY: the object's own table. A successful query counts one reference; otherwise the
            // component is dropped with `component`.
            unsafe { ((*(*unknown).vtbl).queryInterface)(unknown, interface, object) }
        })
    }
}

#[allow(non_snake_case, reason = "the names are VST3's")]
impl IPluginFactory2Trait for Factory {
    unsafe fn getClassInfo2(&self, index: int32, info: *mut PClassInfo2) -> tresult {
        // SAFETY: the host's pointer.
        unsafe { write_info(index, info, || self.0.create_class_info_2()) }
    }
}

#[allow(non_snake_case, reason = "the names are VST3's")]
impl IPluginFactory3Trait for Factory {
    unsafe fn getClassInfoUnicode(&self, index: int32, info: *mut PClassInfoW) -> tresult {
        // SAFETY: the host's pointer.
        unsafe { write_info(index, info, || self.0.create_class_info_unicode()) }
    }

    unsafe fn setHostContext(&self, _: *mut FUnknown) -> tresult {
        kResultOk
    }
}
