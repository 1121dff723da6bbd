//! How many instances this process has; the last one, and a window that closes, give the heap's free
//! memory back.

use std::sync::atomic::{AtomicUsize, Ordering};

static LIVE: AtomicUsize = AtomicUsize::new(0);

/// One live instance. Has to be the last field of what it counts: fields are dropped in order, so that
/// everything else is free by then.
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
            give_back();
        }
    }
}

/// Returns free memory to the system. The GNU C library keeps what is freed below its threshold for
/// mappings: several MB of each destroyed instance would stay with the host. Takes milliseconds; the
/// host's main thread.
pub(super) fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: always allowed.
    unsafe {
        libc::malloc_trim(0);
    }
}
