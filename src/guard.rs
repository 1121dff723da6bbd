//! Keeps panics inside the plugin: a panic that leaves a function called by the host ends the host.
//!
//! The framework's CLAP functions abort the process at a panic inside them, before an outer catch sees
//! it. The plugin's functions that they call are therefore guarded as well, and calls for which the
//! framework itself would panic are refused before they reach it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use nice_plug::prelude::nice_log;

/// Returns the result of `work`, or `failed` if it panics. The panic hook logs the reason.
pub(crate) fn catch<T>(failed: T, work: impl FnOnce() -> T) -> T {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result,
        Err(payload) => {
            // The payload's destructor may panic too.
            std::mem::forget(payload);
            failed
        }
    }
}

/// Records whether an instance has panicked. Such an instance is silent until it is loaded again.
#[derive(Default)]
pub(crate) struct Guard {
    is_broken: AtomicBool,
}

impl Guard {
    pub(crate) fn is_broken(&self) -> bool {
        self.is_broken.load(Ordering::Acquire)
    }

    /// Returns the result of `work`, or `failed` if it panics or an earlier call has panicked.
    pub(crate) fn run<T>(&self, failed: T, work: impl FnOnce() -> T) -> T {
        if self.is_broken() {
            return failed;
        }
        if let Some(result) = catch(None, || Some(work())) {
            return result;
        }
        self.is_broken.store(true, Ordering::Release);
        nice_log!("Touchback has failed and is silent: save the project and load it again");
        failed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Panics when it is dropped.
    struct Bomb;

    impl Drop for Bomb {
        fn drop(&mut self) {
            assert!(std::thread::panicking(), "dropped");
        }
    }

    #[test]
    fn a_panic_returns_the_failure_value() {
        assert_eq!(catch(1, || 2), 2);
        assert_eq!(catch(1, || panic!("as a test")), 1);
        assert_eq!(catch(1, || std::panic::panic_any(Bomb)), 1);
    }

    #[test]
    fn after_a_panic_nothing_runs_again() {
        let guard = Guard::default();
        assert_eq!(guard.run(1, || 2), 2);
        assert!(!guard.is_broken());
        assert_eq!(guard.run(1, || panic!("as a test")), 1);
        assert!(guard.is_broken());
        let mut ran = false;
        assert_eq!(
            guard.run(1, || {
                ran = true;
                2
            }),
            1
        );
        assert!(!ran);
    }
}
