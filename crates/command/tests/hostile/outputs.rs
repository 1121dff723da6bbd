//! Buffers between guard pages, as the outputs of a host.

use std::ffi::c_void;

/// Samples that end at a guard page; none for length 0.
pub struct Guarded {
    map: *mut c_void,
    bytes: usize,
    start: *mut f32,
    length: usize,
}

impl Guarded {
    pub fn new(length: u32) -> Self {
        const PAGE: usize = 4096;
        let length = usize::try_from(length).unwrap();
        if length == 0 {
            let (map, start) = (std::ptr::null_mut(), std::ptr::null_mut());
            return Self { map, bytes: 0, start, length };
        }
        let held = (length * size_of::<f32>()).next_multiple_of(PAGE);
        let bytes = held + 2 * PAGE;
        // SAFETY: a mapping of its own, of which all but the first and last page are opened.
        let (map, start) = unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let map = libc::mmap(std::ptr::null_mut(), bytes, libc::PROT_NONE, flags, -1, 0);
            assert_ne!(map, libc::MAP_FAILED);
            let open = libc::PROT_READ | libc::PROT_WRITE;
            assert_eq!(libc::mprotect(map.byte_add(PAGE), held, open), 0);
            (map, map.byte_add(PAGE + held).cast::<f32>().sub(length))
        };
        // SAFETY: just mapped. NaN shows samples that the plugin did not write.
        unsafe { std::slice::from_raw_parts_mut(start, length) }.fill(f32::NAN);
        Self { map, bytes, start, length }
    }

    /// The first sample, null where there is none.
    pub const fn start(&self) -> *mut f32 {
        self.start
    }

    pub fn samples(&self) -> &[f32] {
        if self.length == 0 {
            return &[];
        }
        // SAFETY: mapped, and the plugin writes only inside `process`.
        unsafe { std::slice::from_raw_parts(self.start, self.length) }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        if !self.map.is_null() {
            // SAFETY: mapped in `new`.
            unsafe { libc::munmap(self.map, self.bytes) };
        }
    }
}

/// A host's output port.
pub struct Outputs {
    pub channels: Vec<Guarded>,
}

impl Outputs {
    /// Channels of these lengths; a null pointer for 0.
    pub fn new(lengths: &[u32]) -> Self {
        Self { channels: lengths.iter().map(|length| Guarded::new(*length)).collect() }
    }

    pub fn stereo(frames: u32) -> Self {
        Self::new(&[frames; 2])
    }

    pub fn are_finite(&self) -> bool {
        self.channels.iter().flat_map(Guarded::samples).all(|sample| sample.is_finite())
    }

    pub fn starts(&self) -> Vec<*mut f32> {
        self.channels.iter().map(Guarded::start).collect()
    }
}
