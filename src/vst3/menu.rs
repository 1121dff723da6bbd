//! The host's own menu of a parameter, through VST3's component handler.

use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};

use nice_plug::wrapper::vst3::vst3::Steinberg::Vst::{
    IComponentHandler, IComponentHandler3, IComponentHandler3Trait, IContextMenuTrait,
};
use nice_plug::wrapper::vst3::vst3::Steinberg::{IPlugView, kResultOk};
use nice_plug::wrapper::vst3::vst3::{ComPtr, ComRef};

use crate::host_menu::{MenuRequest, Show};

/// The view created last. A request for the menu lives no longer than the view's window, which the host
/// closes on the thread that shows the menu.
pub(super) type View = Arc<AtomicPtr<IPlugView>>;

/// The function by which the host of `handler` shows its menu over `view`, if it has one.
///
/// # Safety
/// `handler` is null or a host's.
pub(super) unsafe fn find(handler: *mut IComponentHandler, view: View) -> Option<Show> {
    // SAFETY: the caller's promise.
    let handler: ComPtr<IComponentHandler3> = unsafe { ComRef::from_raw(handler) }?.cast()?;
    Some(Arc::new(move |request| show(&handler, view.load(Ordering::Acquire), request)))
}

fn show(handler: &ComPtr<IComponentHandler3>, view: *mut IPlugView, request: MenuRequest) -> bool {
    // SAFETY: the host's handler; the view is valid, or null, which hosts accept.
    let menu = unsafe { handler.createContextMenu(view, &raw const request.parameter) };
    // SAFETY: the host passes its reference on.
    let Some(menu) = (unsafe { ComPtr::from_raw(menu) }) else { return false };
    // SAFETY: the host's menu.
    unsafe { menu.popup(request.at[0], request.at[1]) == kResultOk }
}

#[cfg(test)]
// The names of functions are VST3's.
#[allow(non_snake_case, reason = "the names are VST3's")]
mod tests {
    use super::*;
    use nice_plug::wrapper::vst3::vst3::Steinberg::Vst::{
        IComponentHandlerTrait, IContextMenu, IContextMenu_, IContextMenuTarget, ParamID,
        ParamValue,
    };
    use nice_plug::wrapper::vst3::vst3::Steinberg::{UCoord, int32, kNotImplemented, tresult};
    use nice_plug::wrapper::vst3::vst3::{Class, ComWrapper};
    use std::sync::Mutex;

    type Shown = Arc<Mutex<Vec<(u32, i32, i32)>>>;

    struct Host(Shown);

    impl Class for Host {
        type Interfaces = (IComponentHandler, IComponentHandler3);
    }

    impl IComponentHandlerTrait for Host {
        unsafe fn beginEdit(&self, _: ParamID) -> tresult {
            kNotImplemented
        }
        unsafe fn performEdit(&self, _: ParamID, _: ParamValue) -> tresult {
            kNotImplemented
        }
        unsafe fn endEdit(&self, _: ParamID) -> tresult {
            kNotImplemented
        }
        unsafe fn restartComponent(&self, _: int32) -> tresult {
            kNotImplemented
        }
    }

    impl IComponentHandler3Trait for Host {
        unsafe fn createContextMenu(
            &self,
            _: *mut IPlugView,
            parameter: *const ParamID,
        ) -> *mut IContextMenu {
            // SAFETY: the plugin's number.
            let menu = ComWrapper::new(Menu(self.0.clone(), unsafe { *parameter }));
            menu.to_com_ptr::<IContextMenu>().map_or(std::ptr::null_mut(), ComPtr::into_raw)
        }
    }

    struct Menu(Shown, u32);

    impl Class for Menu {
        type Interfaces = (IContextMenu,);
    }

    impl IContextMenuTrait for Menu {
        unsafe fn getItemCount(&self) -> int32 {
            0
        }
        unsafe fn getItem(
            &self,
            _: int32,
            _: *mut IContextMenu_::Item,
            _: *mut *mut IContextMenuTarget,
        ) -> tresult {
            kNotImplemented
        }
        unsafe fn addItem(
            &self,
            _: *const IContextMenu_::Item,
            _: *mut IContextMenuTarget,
        ) -> tresult {
            kNotImplemented
        }
        unsafe fn removeItem(
            &self,
            _: *const IContextMenu_::Item,
            _: *mut IContextMenuTarget,
        ) -> tresult {
            kNotImplemented
        }
        unsafe fn popup(&self, x: UCoord, y: UCoord) -> tresult {
            self.0.lock().unwrap().push((self.1, x, y));
            kResultOk
        }
    }

    #[test]
    fn the_host_receives_parameter_and_position() {
        let shown = Shown::default();
        let host = ComWrapper::new(Host(shown.clone()));
        let handler = host.to_com_ptr::<IComponentHandler>().unwrap();
        // SAFETY: a handler, and none.
        unsafe {
            assert!(find(std::ptr::null_mut(), View::default()).is_none());
            let show = find(handler.as_ptr(), View::default()).unwrap();
            assert!(show(MenuRequest { parameter: 5, at: [20, 30] }));
        }
        assert_eq!(*shown.lock().unwrap(), [(5, 20, 30)]);
    }
}
