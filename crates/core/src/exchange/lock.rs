//! What threads share that may wait for each other: windows, hosts' main threads, the sidecar's side
//! of the window. Not for the audio thread.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks `mutex` whether poisoned or not: no code under these locks leaves a value half written.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
