//! Counts the instances of this process. The end of the last instance, and the closing of a window, return
//! the heap's free memory to the system.

use std::sync::atomic::{AtomicUsize, Ordering};

static LIVE: AtomicUsize = AtomicUsize::new(0);

/// Counts one live instance. It has to be the instance's last field: fields are dropped in order, so all
/// other memory is free by then.
pub(super) struct LiveInstance(());

impl Default for LiveInstance {
    fn default() -> Self {
        LIVE.fetch_add(1, Ordering::Relaxed);
        Self(())
    }
}

impl Drop for LiveInstance {
    fn drop(&mut self) {
        if LIVE.fetch_sub(1, Ordering::Relaxed) == 1 {
            release_free_memory();
        }
    }
}

/// Returns free memory to the system. The GNU C library keeps freed blocks below its mapping threshold:
/// several MB of each destroyed instance would stay with the host. Takes milliseconds; for the host's main
/// thread.
pub(super) fn release_free_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: always allowed.
    unsafe {
        libc::malloc_trim(0);
    }
}
