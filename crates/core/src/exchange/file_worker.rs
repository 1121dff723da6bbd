//! File work on a thread of its own, one job after the other.
//!
//! The thread exists only while there are jobs. Dropping the worker waits for its jobs, so that no saved
//! file is lost and no thread outlives the plugin's library. In a browser, which gives a page no threads, a
//! job runs when its turn comes.

use std::collections::VecDeque;

type Job<T> = Box<dyn FnOnce() -> T + Send>;

/// A job on a thread of its own.
#[cfg(not(target_family = "wasm"))]
struct Running<T>(std::thread::JoinHandle<T>);

#[cfg(not(target_family = "wasm"))]
impl<T: Send + 'static> Running<T> {
    fn begin(job: Job<T>) -> Self {
        Self(std::thread::spawn(job))
    }

    fn is_finished(&self) -> bool {
        self.0.is_finished()
    }

    /// Waits for the result; none if the job panicked.
    fn finish(self) -> Option<T> {
        self.0.join().ok()
    }
}

/// A job that has run.
#[cfg(target_family = "wasm")]
struct Running<T>(T);

#[cfg(target_family = "wasm")]
impl<T> Running<T> {
    fn begin(job: Job<T>) -> Self {
        Self(job())
    }

    const fn is_finished(&self) -> bool {
        true
    }

    fn finish(self) -> Option<T> {
        Some(self.0)
    }
}

/// Runs jobs that return a `T`.
pub struct FileWorker<T: Send + 'static> {
    queue: VecDeque<Job<T>>,
    running: Option<Running<T>>,
}

impl<T: Send + 'static> Default for FileWorker<T> {
    fn default() -> Self {
        Self { queue: VecDeque::new(), running: None }
    }
}

impl<T: Send + 'static> FileWorker<T> {
    /// Queues a job.
    pub fn order(&mut self, job: impl FnOnce() -> T + Send + 'static) {
        self.queue.push_back(Box::new(job));
        self.begin();
    }

    /// Queues a job in place of those that have not begun.
    pub fn order_instead(&mut self, job: impl FnOnce() -> T + Send + 'static) {
        self.queue.clear();
        self.order(job);
    }

    /// The result of the oldest job, if it is done. A job that panicked has no result.
    pub fn answer(&mut self) -> Option<T> {
        if !self.running.as_ref()?.is_finished() {
            return None;
        }
        let answer = self.running.take()?.finish();
        self.begin();
        answer
    }

    /// Whether a job is queued or running.
    #[must_use]
    pub const fn is_busy(&self) -> bool {
        self.running.is_some()
    }

    fn begin(&mut self) {
        if self.running.is_some() {
            return;
        }
        if let Some(job) = self.queue.pop_front() {
            self.running = Some(Running::begin(job));
        }
    }
}

impl<T: Send + 'static> Drop for FileWorker<T> {
    fn drop(&mut self) {
        if let Some(job) = self.running.take() {
            job.finish();
        }
        for job in self.queue.drain(..) {
            job();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn all_jobs_run_in_order() {
        let mut file_worker = FileWorker::default();
        let done = Arc::new(AtomicU32::new(0));
        for number in 0..5 {
            let done = done.clone();
            file_worker.order(move || (number, done.fetch_add(1, Ordering::AcqRel)));
        }
        let mut answers = Vec::new();
        while file_worker.is_busy() {
            answers.extend(file_worker.answer());
            std::thread::yield_now();
        }
        assert_eq!(answers, [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4)]);
        for _ in 0..3 {
            let done = done.clone();
            file_worker.order(move || (9, done.fetch_add(1, Ordering::AcqRel)));
        }
        drop(file_worker);
        assert_eq!(done.load(Ordering::Acquire), 8);
    }

    #[test]
    fn the_newest_job_replaces_those_that_wait() {
        let mut file_worker = FileWorker::default();
        let (go, gone) = std::sync::mpsc::channel();
        file_worker.order(move || gone.recv().unwrap());
        file_worker.order(|| 1);
        file_worker.order_instead(|| 2);
        go.send(0).unwrap();
        let mut answers = Vec::new();
        while file_worker.is_busy() {
            answers.extend(file_worker.answer());
        }
        assert_eq!(answers, [0, 2]);
    }

    #[test]
    fn a_job_that_panics_does_not_stop_the_others() {
        let mut file_worker = FileWorker::default();
        file_worker.order(|| panic!("as the test wants"));
        file_worker.order(|| 7);
        let mut answers = Vec::new();
        while file_worker.is_busy() {
            answers.extend(file_worker.answer());
        }
        assert_eq!(answers, [7]);
    }
}
