//! Locks for threads that may wait: windows, the main threads of hosts, the sidecar's connection to the
//! window. Not for the audio thread.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks `mutex`, poisoned or not: no code under these locks leaves a value partly written.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
