//! Counts what one thread takes from the heap: these functions stand before the C library's in the
//! whole process, the plugin's library included.

use std::cell::Cell;
use std::ffi::{c_int, c_void};

thread_local! {
    /// Calls of this thread, if it is watched. Without a destructor, so that the heap may ask.
    static COUNT: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Runs `work` and counts the calling thread's allocations in it.
pub fn count<T>(work: impl FnOnce() -> T) -> (T, u64) {
    COUNT.set(Some(0));
    let result = work();
    (result, COUNT.take().unwrap_or(0))
}

fn note() {
    COUNT.set(COUNT.get().map(|count| count + 1));
}

unsafe extern "C" {
    fn __libc_malloc(size: usize) -> *mut c_void;
    fn __libc_calloc(count: usize, size: usize) -> *mut c_void;
    fn __libc_realloc(block: *mut c_void, size: usize) -> *mut c_void;
    fn __libc_memalign(alignment: usize, size: usize) -> *mut c_void;
    fn __libc_free(block: *mut c_void);
}

#[unsafe(no_mangle)]
unsafe extern "C" fn malloc(size: usize) -> *mut c_void {
    note();
    // SAFETY: as called.
    unsafe { __libc_malloc(size) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
    note();
    // SAFETY: as called.
    unsafe { __libc_calloc(count, size) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn realloc(block: *mut c_void, size: usize) -> *mut c_void {
    note();
    // SAFETY: as called.
    unsafe { __libc_realloc(block, size) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn memalign(alignment: usize, size: usize) -> *mut c_void {
    note();
    // SAFETY: as called.
    unsafe { __libc_memalign(alignment, size) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn aligned_alloc(alignment: usize, size: usize) -> *mut c_void {
    note();
    // SAFETY: as called.
    unsafe { __libc_memalign(alignment, size) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn posix_memalign(
    block: *mut *mut c_void,
    alignment: usize,
    size: usize,
) -> c_int {
    note();
    // SAFETY: as called.
    unsafe { *block = __libc_memalign(alignment, size) };
    // SAFETY: written above.
    if unsafe { *block }.is_null() { libc::ENOMEM } else { 0 }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn free(block: *mut c_void) {
    if !block.is_null() {
        note();
    }
    // SAFETY: as called.
    unsafe { __libc_free(block) }
}

#[test]
fn an_allocation_is_counted() {
    let (kept, taken) = count(|| std::hint::black_box(Vec::<u8>::with_capacity(100)));
    assert_eq!(taken, 1);
    assert_eq!(count(|| drop(kept)).1, 1);
    assert_eq!(count(|| std::hint::black_box(1 + 1)).1, 0);
}
