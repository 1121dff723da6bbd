//! Cancellation of offline work from another thread.
//!
//! [`Cancellation::run`] runs the work, which calls [`check`] at least every 50 ms. After
//! [`Cancellation::cancel`], the next [`check`] unwinds the work's stack: files that are not kept yet are removed,
//! threads are joined. Threads that the work starts call [`check`] within [`inherit`]. Outside of
//! [`Cancellation::run`] a check has no effect.
//!
//! Not for the audio thread and the servo: the current cancellation is a variable of the thread.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    static CURRENT: RefCell<Option<Cancellation>> = const { RefCell::new(None) };
}

/// A request to end work early; its clones are one request.
#[derive(Clone, Default, Debug)]
pub struct Cancellation(Arc<AtomicBool>);

/// The work was cancelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cancelled;

impl Cancellation {
    /// Ends the work at its next [`check`].
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// The result of `work`, which runs on this thread. The values that `work` changes are in a valid state
    /// between any two calls of [`check`]. A panic of `work` continues.
    ///
    /// # Errors
    /// The work was cancelled.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> Result<T, Cancelled> {
        let run = || within(Some(self.clone()), work);
        catch_unwind(AssertUnwindSafe(run)).map_err(|panic| match panic.is::<Cancelled>() {
            true => Cancelled,
            false => resume_unwind(panic),
        })
    }
}

/// Whether the current work was cancelled: for work that has threads to end before its next [`check`].
#[inline]
#[must_use]
pub fn is_requested() -> bool {
    CURRENT.with_borrow(|current| {
        current.as_ref().is_some_and(|current| current.0.load(Ordering::Relaxed))
    })
}

/// Ends the current work here if it was cancelled, by unwinding.
#[inline]
pub fn check() {
    if is_requested() {
        // Not a panic: nothing is printed.
        resume_unwind(Box::new(Cancelled));
    }
}

/// `work` for another thread, with the cancellation of this thread.
pub fn inherit<T>(work: impl FnOnce() -> T) -> impl FnOnce() -> T {
    let current = CURRENT.with_borrow(Clone::clone);
    move || within(current, work)
}

fn within<T>(current: Option<Cancellation>, work: impl FnOnce() -> T) -> T {
    struct Restored(Option<Cancellation>);
    impl Drop for Restored {
        fn drop(&mut self) {
            CURRENT.set(self.0.take());
        }
    }
    let _restored = Restored(CURRENT.replace(current));
    work()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn cancelled_work_ends_at_the_next_check_on_every_thread() {
        let cancellation = Cancellation::default();
        let outcome = cancellation.run(|| {
            check();
            cancellation.cancel();
            let work = inherit(check);
            let worker = thread::scope(|scope| scope.spawn(work).join());
            assert!(worker.unwrap_err().is::<Cancelled>());
            check();
            unreachable!("the work goes on");
        });
        assert_eq!(outcome, Err::<(), _>(Cancelled));
        check();
    }

    #[test]
    fn work_without_a_request_returns_its_result() {
        let (ours, other) = (Cancellation::default(), Cancellation::default());
        other.cancel();
        assert_eq!(ours.run(|| (check(), 3).1), Ok(3));
        assert_eq!(other.run(|| ours.run(check)), Ok(Ok(())));
        check();
    }

    #[test]
    fn a_panic_is_no_cancellation() {
        let run = || Cancellation::default().run(|| resume_unwind(Box::new("other")));
        let panic = catch_unwind(AssertUnwindSafe(run)).unwrap_err();
        assert_eq!(panic.downcast_ref(), Some(&"other"));
    }
}
