//! Spreads work over all cores.

use std::cell::Cell;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use touchback_core::exchange::cancel;

/// The results of `work` for each of `items`, in their order.
pub fn map<T: Sync, U: Send>(items: &[T], work: impl Fn(&T) -> U + Sync) -> Vec<U> {
    map_on(cores(), items, work)
}

thread_local! {
    /// Number of threads of the work that this thread begins; none: that of the cores.
    static THREADS: Cell<Option<NonZeroUsize>> = const { Cell::new(None) };
}

/// Number of threads for work: that of the cores, or of [`limited`].
#[must_use]
pub fn cores() -> usize {
    let limit = THREADS.get().map(Ok);
    limit.unwrap_or_else(thread::available_parallelism).map_or(1, usize::from)
}

/// `work`, which begins at most `threads` threads from this one.
pub fn limited<T>(threads: Option<NonZeroUsize>, work: impl FnOnce() -> T) -> T {
    let before = THREADS.replace(threads);
    let done = work();
    THREADS.set(before);
    done
}

/// [`map`] on at most `cores` cores.
pub fn map_on<T: Sync, U: Send>(
    cores: usize,
    items: &[T],
    work: impl Fn(&T) -> U + Sync,
) -> Vec<U> {
    let next = AtomicUsize::new(0);
    let take = || {
        let mut done = Vec::new();
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(i) else { break done };
            cancel::check();
            done.push((i, work(item)));
        }
    };
    let mut done: Vec<(usize, U)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..cores.max(1).min(items.len()))
            .map(|_| scope.spawn(cancel::inherit(take)))
            .collect();
        let results = workers.into_iter().map(|worker| worker.join());
        results
            .flat_map(|done| done.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    done.sort_unstable_by_key(|(i, _)| *i);
    done.into_iter().map(|(_, made)| made).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_item_is_mapped_once_and_in_order() {
        let items: Vec<u32> = (0..1000).collect();
        assert_eq!(super::map(&items, |i| i * 2), items.iter().map(|i| i * 2).collect::<Vec<_>>());
        assert!(super::map(&[] as &[u32], |i| *i).is_empty());
    }
}
