//! What crosses between threads: the latest value, a bounded queue, the most recent items, flags
//! and levels.
//!
//! Nothing here but [`lock`], which is for threads that may, waits, locks or calls the system, on
//! either side; creating allocates. A thread that falls behind loses what [`latest`] or [`recent`] overwrote, by design, or what [`queue`] had no
//! room for, counted. The types know nothing of pianos.

pub mod flags;
pub mod latest;
pub mod lock;
pub mod queue;
pub mod recent;
