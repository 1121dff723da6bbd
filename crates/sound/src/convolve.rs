//! Convolution of the board's inputs with its responses, without delay.
//!
//! The first [`BLOCK`] taps are applied directly. The rest is cut into two stages of equal
//! partitions, each convolved by overlap-save in the frequency domain: partitions of one block up
//! to tap 1024, then of eight blocks. A stage of P samples needs its input only P samples (short
//! stage) or 2 P samples (long stage) before its output is due, so the long stage spreads its work
//! over eight blocks. Everything counts blocks since reset. Audio thread; allocates only in `new`.
//!
//! | part | holds |
//! | --- | --- |
//! | [`Filter`] | transformed responses: read only, shared between engines |
//! | [`Input`] | the inputs' history, transformed once for all outputs |
//! | [`Output`] | one filter's convolution with them |

mod filter;
mod input;
mod output;
mod spectrum;

use crate::bank::BLOCK;

pub use filter::Filter;
pub use input::Input;
pub use output::Output;

/// Number of output channels.
pub const CHANNELS: usize = 2;

/// Blocks in a partition of the short stage and of the long one.
const PARTITIONS: [usize; 2] = [1, 8];

/// Taps before the long stage: two of its partitions.
pub const EARLY: usize = 2 * PARTITIONS[1] * BLOCK;

/// Blocks after which an [`Output`] that was switched on contains all of the input's history: until the
/// next partition of the long stage begins, and until that is delivered.
pub const COMPLETE: usize = 2 * PARTITIONS[1];

/// Impulse responses: `[input][channel][tap]`.
pub type Responses = Vec<[Vec<f32>; CHANNELS]>;

/// Range of taps of each stage for responses of `taps` taps.
fn stages(taps: usize) -> [std::ops::Range<usize>; 2] {
    [BLOCK..EARLY, EARLY..taps].map(|stage| stage.start.min(taps)..stage.end.min(taps))
}

/// Number of partitions of `blocks` blocks for `taps` taps.
const fn partitions(taps: usize, blocks: usize) -> usize {
    taps.div_ceil(blocks * BLOCK)
}

#[cfg(test)]
mod tests;
