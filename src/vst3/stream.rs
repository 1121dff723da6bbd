//! A host's stream that never says it has moved more than was asked for: the wrapper would believe it.

use std::cell::Cell;
use std::ffi::c_void;

use nice_plug::wrapper::vst3::vst3::Steinberg::{
    IBStream, IBStreamTrait, int32, int64, kInvalidArgument, kResultOk, tresult,
};
use nice_plug::wrapper::vst3::vst3::{Class, ComPtr, ComRef, ComWrapper};

/// A host's stream, for as long as a call.
struct Bounded {
    host: ComPtr<IBStream>,
    /// Whether the host took everything that was written.
    is_whole: Cell<bool>,
}

impl Class for Bounded {
    type Interfaces = (IBStream,);
}

/// A [`Bounded`] as the wrapper gets it.
pub(super) struct Stream(ComWrapper<Bounded>);

impl Stream {
    /// # Safety
    /// `host` is null or a host's stream.
    pub(super) unsafe fn new(host: *mut IBStream) -> Option<Self> {
        // SAFETY: the caller's promise.
        let host = unsafe { ComRef::from_raw(host) }?.to_com_ptr();
        Some(Self(ComWrapper::new(Bounded { host, is_whole: Cell::new(true) })))
    }

    /// Not counted as a reference.
    pub(super) fn as_stream(&self) -> *mut IBStream {
        self.0.as_com_ref::<IBStream>().map_or(std::ptr::null_mut(), |stream| stream.as_ptr())
    }

    pub(super) fn is_whole(&self) -> bool {
        self.0.is_whole.get()
    }
}

/// Bytes that a host says it has moved, of `wanted`, handed to the wrapper.
///
/// # Safety
/// `moved` is null or valid.
unsafe fn tell(said: int32, wanted: int32, moved: *mut int32) -> int32 {
    let said = said.clamp(0, wanted.max(0));
    if !moved.is_null() {
        // SAFETY: the caller's promise.
        unsafe { moved.write(said) };
    }
    said
}

impl IBStreamTrait for Bounded {
    unsafe fn read(&self, buffer: *mut c_void, size: int32, moved: *mut int32) -> tresult {
        if size < 0 {
            return kInvalidArgument;
        }
        let mut said = 0;
        // SAFETY: the wrapper's buffer and variable, the host's function.
        unsafe {
            let answer = self.host.read(buffer, size, &raw mut said);
            tell(said, size, moved);
            answer
        }
    }

    unsafe fn write(&self, buffer: *mut c_void, size: int32, moved: *mut int32) -> tresult {
        let mut said = size;
        // SAFETY: as above. Hosts that do not say how much they took took all.
        let (answer, said) = unsafe {
            let answer = self.host.write(buffer, size, &raw mut said);
            (answer, tell(said, size, moved))
        };
        self.is_whole.set(self.is_whole.get() && answer == kResultOk && said == size);
        answer
    }

    unsafe fn seek(&self, to: int64, mode: int32, at: *mut int64) -> tresult {
        let mut said = 0;
        // SAFETY: the host's function. Some hosts write where they were handed nothing.
        let answer = unsafe { self.host.seek(to, mode, &raw mut said) };
        if !at.is_null() {
            // SAFETY: the wrapper's variable.
            unsafe { at.write(said) };
        }
        answer
    }

    unsafe fn tell(&self, at: *mut int64) -> tresult {
        // SAFETY: the wrapper's variable, the host's function.
        unsafe { self.host.tell(at) }
    }
}
