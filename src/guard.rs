//! What keeps a panic inside the plugin: one that leaves a function a host calls ends the host.
//!
//! The framework's CLAP functions end the process at a panic below them, whatever is caught above:
//! the plugin's own functions that they call are guarded as well, and calls by which the framework
//! itself would panic are refused before they reach it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use nice_plug::prelude::nice_log;

/// The answer of `work`, or `failed` where it panics. The panic hook has said why.
pub(crate) fn catch<T>(failed: T, work: impl FnOnce() -> T) -> T {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(answer) => answer,
        Err(payload) => {
            // Whatever was thrown may panic again where it is dropped.
            std::mem::forget(payload);
            failed
        }
    }
}

/// Whether an instance still plays: one that panicked once is silent until it is loaded again.
#[derive(Default)]
pub(crate) struct Guard {
    is_broken: AtomicBool,
}

impl Guard {
    pub(crate) fn is_broken(&self) -> bool {
        self.is_broken.load(Ordering::Acquire)
    }

    /// The answer of `work`, or `failed` where it panics or something has panicked before.
    pub(crate) fn run<T>(&self, failed: T, work: impl FnOnce() -> T) -> T {
        if self.is_broken() {
            return failed;
        }
        if let Some(answer) = catch(None, || Some(work())) {
            return answer;
        }
        self.is_broken.store(true, Ordering::Release);
        nice_log!("Touchback has failed and is silent: save the project and load it again");
        failed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Panics again where it is dropped.
    struct Bomb;

    impl Drop for Bomb {
        fn drop(&mut self) {
            assert!(std::thread::panicking(), "dropped");
        }
    }

    #[test]
    fn a_panic_becomes_the_answer_of_a_failure() {
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
