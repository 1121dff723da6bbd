//! Counts the heap calls and held bytes of one thread: these functions replace the C library's in the whole
//! process, the plugin's library included.

use std::cell::Cell;
use std::ffi::{c_int, c_void};

/// Heap calls, and allocated minus freed bytes.
#[derive(Clone, Copy, Default)]
struct Heap {
    calls: u64,
    bytes: i64,
}

thread_local! {
    /// Totals of this thread, if it is watched. Without a destructor, so that the heap may ask.
    static HEAP: Cell<Option<Heap>> = const { Cell::new(None) };
}

/// Runs `work` and counts the calling thread's heap calls in it.
pub fn count<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let (result, heap) = watch(work);
    (result, heap.calls)
}

/// Runs `work`; bytes that the calling thread allocated in it and did not free.
pub fn held<T>(work: impl FnOnce() -> T) -> (T, i64) {
    let (result, heap) = watch(work);
    (result, heap.bytes)
}

fn watch<T>(work: impl FnOnce() -> T) -> (T, Heap) {
    HEAP.set(Some(Heap::default()));
    let result = work();
    (result, HEAP.take().unwrap_or_default())
}

/// Adds to the totals of a watched thread.
fn add(calls: u64, bytes: impl FnOnce() -> i64) {
    if let Some(heap) = HEAP.get() {
        HEAP.set(Some(Heap { calls: heap.calls + calls, bytes: heap.bytes + bytes() }));
    }
}

/// Counts the allocation of `block`.
fn taken(block: *mut c_void) -> *mut c_void {
    add(1, || size(block));
    block
}

/// Size of `block`, bytes; 0 if null.
fn size(block: *mut c_void) -> i64 {
    // SAFETY: null or from this allocator, and not yet freed.
    i64::try_from(unsafe { libc::malloc_usable_size(block) }).unwrap_or(i64::MAX)
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
    // SAFETY: as called.
    taken(unsafe { __libc_malloc(size) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
    // SAFETY: as called.
    taken(unsafe { __libc_calloc(count, size) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn realloc(block: *mut c_void, size: usize) -> *mut c_void {
    let before = self::size(block);
    // SAFETY: as called.
    let moved = unsafe { __libc_realloc(block, size) };
    if !moved.is_null() || size == 0 {
        add(0, || -before);
    }
    taken(moved)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn memalign(alignment: usize, size: usize) -> *mut c_void {
    // SAFETY: as called.
    taken(unsafe { __libc_memalign(alignment, size) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn aligned_alloc(alignment: usize, size: usize) -> *mut c_void {
    // SAFETY: as called.
    taken(unsafe { __libc_memalign(alignment, size) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn posix_memalign(
    block: *mut *mut c_void,
    alignment: usize,
    size: usize,
) -> c_int {
    // SAFETY: as called.
    let new = taken(unsafe { __libc_memalign(alignment, size) });
    // SAFETY: as called.
    unsafe { *block = new };
    if new.is_null() { libc::ENOMEM } else { 0 }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn free(block: *mut c_void) {
    if !block.is_null() {
        add(1, || -size(block));
    }
    // SAFETY: as called.
    unsafe { __libc_free(block) }
}

#[test]
fn bytes_are_held_until_they_are_freed() {
    let (mut kept, held) = held(|| std::hint::black_box(Vec::<u8>::with_capacity(5000)));
    assert!((5000..5100).contains(&held), "{held}");
    let ((), more) = self::held(|| kept.reserve_exact(20_000));
    assert!((15_000..15_100).contains(&more), "{more}");
    assert_eq!(self::held(|| drop(kept)).1, -held - more);
}

#[test]
fn an_allocation_is_counted() {
    let (kept, taken) = count(|| std::hint::black_box(Vec::<u8>::with_capacity(100)));
    assert_eq!(taken, 1);
    assert_eq!(count(|| drop(kept)).1, 1);
    assert_eq!(count(|| std::hint::black_box(1 + 1)).1, 0);
}
