//! File work on a thread of its own, one job after the other.
//!
//! The thread exists only while there are jobs. Dropping the worker waits for its jobs, so that no saved
//! file is lost and no thread outlives the plugin's library.

use std::collections::VecDeque;
use std::thread::JoinHandle;

type Job<T> = Box<dyn FnOnce() -> T + Send>;

/// Runs jobs that return a `T`.
pub struct FileWorker<T> {
    queue: VecDeque<Job<T>>,
    running: Option<JoinHandle<T>>,
}

impl<T> Default for FileWorker<T> {
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

    /// The result of the oldest job, if it is done. A job that panicked has no result.
    pub fn answer(&mut self) -> Option<T> {
        if !self.running.as_ref()?.is_finished() {
            return None;
        }
        let answer = self.running.take()?.join().ok();
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
            self.running = Some(std::thread::spawn(job));
        }
    }
}

impl<T> Drop for FileWorker<T> {
    fn drop(&mut self) {
        if let Some(thread) = self.running.take() {
            let _ = thread.join();
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
