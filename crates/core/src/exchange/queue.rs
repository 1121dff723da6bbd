//! A bounded first-in, first-out queue between threads.
//!
//! The sender never waits: a full queue refuses the new item and counts it, and both ends can read the
//! count.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crossbeam::queue::ArrayQueue;

#[derive(Debug)]
struct Shared<T> {
    items: ArrayQueue<T>,
    lost: AtomicU64,
}

/// The sending end.
#[derive(Debug)]
pub struct Sender<T> {
    shared: Arc<Shared<T>>,
}

/// The receiving end.
#[derive(Debug)]
pub struct Receiver<T> {
    shared: Arc<Shared<T>>,
}

/// Both ends of a queue of `capacity` (at least one) items. Allocates.
#[must_use]
pub fn bounded<T: Send>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    let items = ArrayQueue::new(capacity.max(1));
    let shared = Arc::new(Shared { items, lost: AtomicU64::new(0) });
    (Sender { shared: shared.clone() }, Receiver { shared })
}

impl<T> Sender<T> {
    /// Appends `item`; a full queue counts and returns it.
    ///
    /// # Errors
    /// The item, if the queue is full.
    pub fn send(&self, item: T) -> Result<(), T> {
        self.shared.items.push(item).inspect_err(|_| {
            self.shared.lost.fetch_add(1, Ordering::Relaxed);
        })
    }

    /// Number of items refused since creation.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.shared.lost.load(Ordering::Relaxed)
    }
}

impl<T> Receiver<T> {
    /// Removes and returns the oldest item.
    #[must_use]
    pub fn receive(&self) -> Option<T> {
        self.shared.items.pop()
    }

    /// Number of items in the queue.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.shared.items.len()
    }

    /// Number of items refused since creation.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.shared.lost.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_queue_refuses_and_counts() {
        let (sender, receiver) = bounded(2);
        assert_eq!([sender.send(1), sender.send(2), sender.send(3)], [Ok(()), Ok(()), Err(3)]);
        assert_eq!((receiver.waiting(), receiver.lost(), sender.lost()), (2, 1, 1));
        assert_eq!(
            [receiver.receive(), receiver.receive(), receiver.receive()],
            [Some(1), Some(2), None]
        );
    }

    #[test]
    fn items_keep_their_order_across_threads() {
        const LAST: u32 = if cfg!(miri) { 300 } else { 50_000 };
        let (sender, receiver) = bounded(64);
        let sending = std::thread::spawn(move || {
            for i in 0..LAST {
                let mut item = i;
                while let Err(back) = sender.send(item) {
                    item = back;
                    std::thread::yield_now();
                }
            }
        });
        let mut expected = 0;
        while expected < LAST {
            match receiver.receive() {
                Some(item) => {
                    assert_eq!(item, expected);
                    expected += 1;
                }
                None => std::thread::yield_now(),
            }
        }
        sending.join().unwrap();
    }
}
