//! The window's view as hosts see it, checked. The wrapper reads null names, panics for a parent that is
//! no window of this system and on a thread other than the window's, and accepts any size.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};

use nice_plug::wrapper::vst3::vst3::Steinberg::Linux::{
    FileDescriptor, IEventHandler, IRunLoop, IRunLoopTrait, ITimerHandler, TimerInterval,
};
use nice_plug::wrapper::vst3::vst3::Steinberg::{
    FIDString, IPlugFrame, IPlugFrameTrait, IPlugView, IPlugViewContentScaleSupport,
    IPlugViewContentScaleSupport_::ScaleFactor, IPlugViewContentScaleSupportTrait, IPlugViewTrait,
    TBool, ViewRect, char16, int16, int32, kInvalidArgument, kResultFalse, kResultOk, tresult,
};
use nice_plug::wrapper::vst3::vst3::{Class, ComPtr, ComRef, ComWrapper};

use crate::guard::catch;
use crate::host_window::{LONGEST_SIDE, WindowThread, is_scale, is_side, is_x11_window};

/// The wrapper's view behind checks.
pub(super) struct View {
    framework: ComPtr<IPlugView>,
    window: Arc<WindowThread>,
    /// This view's pointer, which the host holds.
    own: AtomicPtr<IPlugView>,
}

impl Class for View {
    type Interfaces = (IPlugView, IPlugViewContentScaleSupport);
}

impl View {
    /// A checked view of the wrapper's view, with one reference; null for null.
    ///
    /// # Safety
    /// `framework` is null or a view whose reference passes to the new view.
    pub(super) unsafe fn create(
        framework: *mut IPlugView,
        window: Arc<WindowThread>,
    ) -> *mut IPlugView {
        // SAFETY: the caller's promise.
        let Some(framework) = (unsafe { ComPtr::from_raw(framework) }) else {
            return std::ptr::null_mut();
        };
        let own = AtomicPtr::new(std::ptr::null_mut());
        let view = ComWrapper::new(Self { framework, window, own });
        let pointer = view.to_com_ptr::<IPlugView>().map_or(std::ptr::null_mut(), ComPtr::into_raw);
        view.own.store(pointer, Ordering::Release);
        pointer
    }

    /// Returns the result of a function of the open window: `kResultFalse` on any thread but the window's.
    fn ask(&self, call: impl FnOnce() -> tresult) -> tresult {
        let work = || self.window.run(kResultFalse, call, || self.close());
        catch(kResultFalse, work)
    }

    fn close(&self) {
        // SAFETY: the wrapper's own view.
        unsafe { self.framework.removed() };
    }
}

impl Drop for View {
    fn drop(&mut self) {
        // The wrapper keeps its view, which holds the frame, which refers to this view.
        // SAFETY: the wrapper's own view.
        catch(kResultFalse, || unsafe { self.framework.setFrame(std::ptr::null_mut()) });
    }
}

/// Width and height of a rectangle, if a window may have them.
fn size(rectangle: &ViewRect) -> Option<(u32, u32)> {
    let side = |from: int32, to: int32| {
        u32::try_from(to.checked_sub(from)?).ok().filter(|pixels| is_side(*pixels))
    };
    side(rectangle.left, rectangle.right).zip(side(rectangle.top, rectangle.bottom))
}

/// The rectangle, limited to a window's largest width and height.
fn bounded(rectangle: &ViewRect) -> ViewRect {
    let end = |from: int32, to: int32| to.min(from.saturating_add_unsigned(LONGEST_SIDE));
    ViewRect {
        right: end(rectangle.left, rectangle.right),
        bottom: end(rectangle.top, rectangle.bottom),
        ..*rectangle
    }
}

impl IPlugViewTrait for View {
    unsafe fn isPlatformTypeSupported(&self, name: FIDString) -> tresult {
        if name.is_null() {
            return kInvalidArgument;
        }
        // SAFETY: as the host called it.
        catch(kResultFalse, || unsafe { self.framework.isPlatformTypeSupported(name) })
    }

    unsafe fn attached(&self, parent: *mut c_void, name: FIDString) -> tresult {
        // SAFETY: as the host called it.
        let is_ours = unsafe { self.isPlatformTypeSupported(name) } == kResultOk;
        let is_window = cfg!(not(all(unix, not(target_os = "macos"))))
            || u64::try_from(parent.addr()).is_ok_and(is_x11_window);
        if parent.is_null() || !is_ours || !is_window {
            return kInvalidArgument;
        }
        // SAFETY: as the host called it.
        let make = || unsafe { self.framework.attached(parent, name) == kResultOk };
        let is_open = catch(false, || self.window.open(make, || self.close()));
        if is_open { kResultOk } else { kResultFalse }
    }

    unsafe fn removed(&self) -> tresult {
        if !self.window.is_here() {
            return kResultFalse;
        }
        catch((), || self.window.close(|| self.close()));
        kResultOk
    }

    unsafe fn onWheel(&self, distance: f32) -> tresult {
        // SAFETY: as the host called it.
        self.ask(|| unsafe { self.framework.onWheel(distance) })
    }

    unsafe fn onKeyDown(&self, key: char16, code: int16, modifiers: int16) -> tresult {
        // SAFETY: as the host called it.
        self.ask(|| unsafe { self.framework.onKeyDown(key, code, modifiers) })
    }

    unsafe fn onKeyUp(&self, key: char16, code: int16, modifiers: int16) -> tresult {
        // SAFETY: as the host called it.
        self.ask(|| unsafe { self.framework.onKeyUp(key, code, modifiers) })
    }

    unsafe fn getSize(&self, size: *mut ViewRect) -> tresult {
        // SAFETY: as the host called it.
        catch(kResultFalse, || unsafe { self.framework.getSize(size) })
    }

    unsafe fn onSize(&self, wanted: *mut ViewRect) -> tresult {
        // SAFETY: the host's rectangle.
        let Some(rectangle) = (unsafe { wanted.as_ref() }) else { return kInvalidArgument };
        if size(rectangle).is_none() {
            return kInvalidArgument;
        }
        // SAFETY: as the host called it.
        self.ask(|| unsafe { self.framework.onSize(wanted) })
    }

    unsafe fn onFocus(&self, state: TBool) -> tresult {
        // SAFETY: as the host called it.
        self.ask(|| unsafe { self.framework.onFocus(state) })
    }

    unsafe fn setFrame(&self, frame: *mut IPlugFrame) -> tresult {
        let view = self.own.load(Ordering::Acquire);
        // SAFETY: the host's frame, or null.
        catch(kResultFalse, || match unsafe { ComRef::from_raw(frame) } {
            // SAFETY: the wrapper holds a reference of its own.
            Some(host) => unsafe {
                let host = host.to_com_ptr();
                let checked = match host.cast::<IRunLoop>() {
                    Some(run_loop) => ComWrapper::new(LoopFrame(Frame { host, view }, run_loop))
                        .to_com_ptr::<IPlugFrame>(),
                    None => ComWrapper::new(Frame { host, view }).to_com_ptr(),
                };
                let pointer = checked.as_ref().map_or(std::ptr::null_mut(), ComPtr::as_ptr);
                self.framework.setFrame(pointer)
            },
            // SAFETY: null removes the frame.
            None => unsafe { self.framework.setFrame(frame) },
        })
    }

    unsafe fn canResize(&self) -> tresult {
        // SAFETY: as the host called it.
        catch(kResultFalse, || unsafe { self.framework.canResize() })
    }

    unsafe fn checkSizeConstraint(&self, rectangle: *mut ViewRect) -> tresult {
        // SAFETY: the host's rectangle.
        let Some(wanted) = (unsafe { rectangle.as_mut() }) else { return kInvalidArgument };
        let mut possible = bounded(wanted);
        if size(&possible).is_none() {
            return kInvalidArgument;
        }
        // SAFETY: as the host called it, with a rectangle of our own.
        let answer = self.ask(|| unsafe { self.framework.checkSizeConstraint(&raw mut possible) });
        if answer == kResultOk {
            *wanted = bounded(&possible);
        }
        answer
    }
}

impl IPlugViewContentScaleSupportTrait for View {
    unsafe fn setContentScaleFactor(&self, scale: ScaleFactor) -> tresult {
        let framework = self.framework.cast::<IPlugViewContentScaleSupport>();
        let Some(framework) = framework.filter(|_| is_scale(scale.into())) else {
            return kInvalidArgument;
        };
        // SAFETY: as the host called it.
        self.ask(|| unsafe { framework.setContentScaleFactor(scale) })
    }
}

/// A host's frame as the wrapper sees it. It passes the host the view that the host holds.
struct Frame {
    host: ComPtr<IPlugFrame>,
    view: *mut IPlugView,
}

impl Class for Frame {
    type Interfaces = (IPlugFrame,);
}

impl IPlugFrameTrait for Frame {
    unsafe fn resizeView(&self, _: *mut IPlugView, to: *mut ViewRect) -> tresult {
        // SAFETY: the host's frame; the view removes its frame when it is dropped.
        unsafe { self.host.resizeView(self.view, to) }
    }
}

/// The frame of a host that runs the plugin's event loop.
struct LoopFrame(Frame, ComPtr<IRunLoop>);

impl Class for LoopFrame {
    type Interfaces = (IPlugFrame, IRunLoop);
}

impl IPlugFrameTrait for LoopFrame {
    unsafe fn resizeView(&self, view: *mut IPlugView, to: *mut ViewRect) -> tresult {
        // SAFETY: as the wrapper called it.
        unsafe { self.0.resizeView(view, to) }
    }
}

impl IRunLoopTrait for LoopFrame {
    unsafe fn registerEventHandler(
        &self,
        handler: *mut IEventHandler,
        file: FileDescriptor,
    ) -> tresult {
        // SAFETY: as the wrapper called it. The wrapper panics if the host refuses, so a refusal is
        // ignored: the wrapper's events then wait.
        unsafe { self.1.registerEventHandler(handler, file) };
        kResultOk
    }

    unsafe fn unregisterEventHandler(&self, handler: *mut IEventHandler) -> tresult {
        // SAFETY: as the wrapper called it.
        unsafe { self.1.unregisterEventHandler(handler) }
    }

    unsafe fn registerTimer(&self, handler: *mut ITimerHandler, every: TimerInterval) -> tresult {
        // SAFETY: as the wrapper called it.
        unsafe { self.1.registerTimer(handler, every) }
    }

    unsafe fn unregisterTimer(&self, handler: *mut ITimerHandler) -> tresult {
        // SAFETY: as the wrapper called it.
        unsafe { self.1.unregisterTimer(handler) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rectangle(left: i32, top: i32, right: i32, bottom: i32) -> ViewRect {
        ViewRect { left, top, right, bottom }
    }

    #[test]
    fn only_sizes_that_a_window_may_have_are_accepted() {
        assert_eq!(size(&rectangle(10, 20, 1_190, 780)), Some((1_180, 760)));
        for wrong in [
            rectangle(0, 0, 0, 700),
            rectangle(0, 700, 900, 0),
            rectangle(i32::MIN, 0, i32::MAX, 700),
            rectangle(0, 0, i32::MAX, i32::MAX),
        ] {
            assert_eq!(size(&wrong), None, "{:?}", (wrong.right, wrong.bottom));
        }
        let cut = bounded(&rectangle(-5, 0, i32::MAX, 700));
        assert_eq!(size(&cut), Some((LONGEST_SIDE, 700)));
        assert_eq!(size(&bounded(&rectangle(i32::MAX, 0, i32::MAX, 700))), None);
    }
}
