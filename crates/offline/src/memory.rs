//! Counts heap allocations of a thread, and reads the memory of the process.
//!
//! Allocations are counted in release builds only: in debug builds the plugin framework's guard is the
//! allocator.

#[cfg(not(debug_assertions))]
mod counting {
    use std::alloc::{GlobalAlloc, Layout, System};
    use std::cell::Cell;

    struct Counting;

    thread_local! {
        pub(super) static CALLS: Cell<u64> = const { Cell::new(0) };
    }

    // SAFETY: every call goes to the system's allocator unchanged.
    unsafe impl GlobalAlloc for Counting {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            // A thread that is ending has no counter any more.
            let _ = CALLS.try_with(|calls| calls.set(calls.get() + 1));
            // SAFETY: as the caller promised.
            unsafe { System.alloc(layout) }
        }

        unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
            // SAFETY: as the caller promised.
            unsafe { System.dealloc(pointer, layout) }
        }
    }

    #[global_allocator]
    static ALLOCATOR: Counting = Counting;
}

/// Number of allocations of this thread during `work`; `None` in debug builds.
pub fn allocations(work: impl FnOnce()) -> Option<u64> {
    #[cfg(not(debug_assertions))]
    {
        let before = counting::CALLS.get();
        work();
        Some(counting::CALLS.get() - before)
    }
    #[cfg(debug_assertions)]
    {
        work();
        None
    }
}

/// Resident memory of this process, bytes; `None` except on Linux (pages of 4 KiB).
#[must_use]
pub fn resident() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: f64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(4096.0 * pages)
}

#[cfg(test)]
mod tests {
    use super::allocations;

    #[test]
    fn allocations_are_counted_in_release_builds() {
        let mut kept = Vec::new();
        let count = allocations(|| kept = (0..7).map(Box::new).collect());
        let counted = !cfg!(debug_assertions);
        assert_eq!(count, counted.then_some(8));
        assert_eq!(kept.len(), 7);
    }
}
