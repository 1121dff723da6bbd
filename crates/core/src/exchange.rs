//! Exchange between threads: the latest value, a bounded queue, the most recent items, flags and levels.
//!
//! Apart from [`lock`], neither side waits, locks or calls the system; only construction allocates. A reader
//! that falls behind loses items that [`latest`] or [`recent`] have overwritten, and a sender items for which
//! [`queue`] has no room; the queue counts these.

pub mod flags;
pub mod latest;
pub mod lock;
pub mod queue;
pub mod recent;
