//! Exchange between threads: the latest value, a bounded queue, the most recent items, flags and levels, values
//! shared by many settings; cancellation of offline work; jobs on a thread of their own.
//!
//! Apart from [`lock`], [`cancel`] and [`file_worker`], neither side waits, locks or calls the system; only construction
//! allocates. A reader that falls behind loses items that [`latest`] or [`recent`] have overwritten, and a sender items
//! for which [`queue`] has no room; the queue counts these.

pub mod cancel;
pub mod file_worker;
pub mod flags;
pub mod latest;
pub mod lock;
pub mod queue;
pub mod recent;
pub mod shared;
