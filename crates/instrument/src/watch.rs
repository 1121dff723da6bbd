//! What a window reads: the present state, steps, and the last block.

pub(crate) mod block_log;
pub mod monitor;
pub mod snapshot;
pub mod trace;
