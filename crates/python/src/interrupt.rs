//! Ctrl-C while a call works without the interpreter's lock.

use std::num::NonZeroUsize;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use pyo3::prelude::*;
use touchback_core::exchange::cancel::Cancellation;
use touchback_offline::parallel;

/// Time between two looks at Python's signals.
pub(crate) const PERIOD: Duration = Duration::from_millis(20);

/// The result of `work`, which runs on a thread of its own, while this thread looks at Python's signals. An
/// exception of a signal handler, such as `KeyboardInterrupt`, cancels `work` and is returned once `work` has ended.
///
/// # Errors
/// The exception of a signal handler.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    on_threads(py, None, work)
}

/// [`interruptible`] `work` that begins at most `threads` threads.
///
/// # Errors
/// As [`interruptible`].
pub(crate) fn on_threads<T: Send>(
    py: Python<'_>,
    threads: Option<NonZeroUsize>,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let work = move || parallel::limited(threads, work);
    let cancellation = Cancellation::default();
    let request = cancellation.clone();
    let wait = || {
        std::thread::scope(|scope| {
            let (send, receive) = channel();
            let worker = scope.spawn(move || send.send(request.run(work)).is_ok());
            let mut interrupted = None;
            let outcome = loop {
                match receive.recv_timeout(PERIOD) {
                    Ok(outcome) => break Some(outcome),
                    Err(RecvTimeoutError::Disconnected) => break None,
                    Err(RecvTimeoutError::Timeout) => {
                        if let Err(exception) = Python::attach(|py| py.check_signals()) {
                            cancellation.cancel();
                            interrupted = Some(exception);
                        }
                    }
                }
            };
            if let Err(panic) = worker.join() {
                std::panic::resume_unwind(panic);
            }
            (outcome, interrupted)
        })
    };
    match py.detach(wait) {
        (_, Some(exception)) => Err(exception),
        (Some(Ok(result)), None) => Ok(result),
        // Work ends without a result only by a panic, which continues above, or cancelled.
        (Some(Err(_)) | None, None) => unreachable!("work ended without a result"),
    }
}
