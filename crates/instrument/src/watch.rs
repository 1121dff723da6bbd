//! What a window reads: the present state, steps, and the last block.

pub(crate) mod block_log;
pub mod monitor;
pub(crate) mod snapshot;
pub mod trace;
