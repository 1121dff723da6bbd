//! A host's stream whose reported number of bytes never exceeds the requested one, because the wrapper
//! trusts the reported number.

use std::cell::Cell;
use std::ffi::c_void;

use nice_plug::wrapper::vst3::vst3::Steinberg::{
    IBStream, IBStreamTrait, int32, int64, kInvalidArgument, kResultOk, tresult,
};
use nice_plug::wrapper::vst3::vst3::{Class, ComPtr, ComRef, ComWrapper};

/// A host's stream during one call.
struct Bounded {
    host: ComPtr<IBStream>,
    /// Whether the host wrote all bytes.
    is_complete: Cell<bool>,
}

impl Class for Bounded {
    type Interfaces = (IBStream,);
}

/// A [`Bounded`] stream as the wrapper receives it.
pub(super) struct Stream(ComWrapper<Bounded>);

impl Stream {
    /// # Safety
    /// `host` is null or a host's stream.
    pub(super) unsafe fn new(host: *mut IBStream) -> Option<Self> {
        // SAFETY: the caller's promise.
        let host = unsafe { ComRef::from_raw(host) }?.to_com_ptr();
        Some(Self(ComWrapper::new(Bounded { host, is_complete: Cell::new(true) })))
    }

    /// The stream's pointer, without a reference count of its own.
    pub(super) fn as_stream(&self) -> *mut IBStream {
        self.0.as_com_ref::<IBStream>().map_or(std::ptr::null_mut(), |stream| stream.as_ptr())
    }

    pub(super) fn is_complete(&self) -> bool {
        self.0.is_complete.get()
    }
}

/// Limits the host's number of bytes, `reported`, to `requested`, and writes it to the wrapper's `moved`.
///
/// # Safety
/// `moved` is null or valid.
unsafe fn limit(reported: int32, requested: int32, moved: *mut int32) -> int32 {
    let reported = reported.clamp(0, requested.max(0));
    if !moved.is_null() {
        // SAFETY: the caller's promise.
        unsafe { moved.write(reported) };
    }
    reported
}

impl IBStreamTrait for Bounded {
    unsafe fn read(&self, buffer: *mut c_void, size: int32, moved: *mut int32) -> tresult {
        if size < 0 {
            return kInvalidArgument;
        }
        let mut reported = 0;
        // SAFETY: the wrapper's buffer and variable, the host's function.
        unsafe {
            let answer = self.host.read(buffer, size, &raw mut reported);
            limit(reported, size, moved);
            answer
        }
    }

    unsafe fn write(&self, buffer: *mut c_void, size: int32, moved: *mut int32) -> tresult {
        let mut reported = size;
        // SAFETY: as above. A host that does not report a number has written all bytes.
        let (answer, reported) = unsafe {
            let answer = self.host.write(buffer, size, &raw mut reported);
            (answer, limit(reported, size, moved))
        };
        self.is_complete.set(self.is_complete.get() && answer == kResultOk && reported == size);
        answer
    }

    unsafe fn seek(&self, to: int64, mode: int32, at: *mut int64) -> tresult {
        let mut reported = 0;
        // SAFETY: the host's function, with a variable of our own: some hosts write to null.
        let answer = unsafe { self.host.seek(to, mode, &raw mut reported) };
        if !at.is_null() {
            // SAFETY: the wrapper's variable.
            unsafe { at.write(reported) };
        }
        answer
    }

    unsafe fn tell(&self, at: *mut int64) -> tresult {
        // SAFETY: the wrapper's variable, the host's function.
        unsafe { self.host.tell(at) }
    }
}
