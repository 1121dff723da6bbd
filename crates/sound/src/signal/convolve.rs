//! Convolution of the board's inputs with its responses, without delay.
//!
//! The first [`BLOCK`] taps are applied directly. The rest is cut into three stages of equal
//! partitions, each convolved by overlap-save in the frequency domain: partitions of one block up
//! to tap 1024, of eight blocks up to tap 4096, then of 32 blocks. A stage of P samples needs its
//! input P samples (short stage) or 2 P samples (other stages) before its output is due, so the
//! other stages spread their transforms and products over the blocks of a partition. Everything
//! counts blocks since reset. Audio thread; allocates only in `new`.
//!
//! | part | holds |
//! | --- | --- |
//! | [`Filter`] | transformed responses: read only, shared between engines |
//! | [`Input`] | the inputs' history, transformed once for all outputs |
//! | [`Output`] | one filter's convolution with them |
//! | [`Tail`] | the share of the last stage |

mod filter;
mod input;
mod output;
mod spectrum;
mod tail;

use crate::strings::bank::BLOCK;
use crate::strings::bridge::ZONES;

pub use filter::Filter;
pub use input::Input;
pub use output::{Output, Workspace};
pub use tail::Tail;

/// Number of output channels.
pub const CHANNELS: usize = 2;

/// Number of stages.
const STAGES: usize = 3;

/// Blocks in a partition of each stage. 16 and 64 blocks in the last stage take more time, in the
/// mean and in the most expensive block (measured at 24 000 taps).
const PARTITIONS: [usize; STAGES] = [1, 8, 32];

/// The blocks of a partition in which a stage does its work.
struct Schedule {
    /// The partition before is transformed, for each input.
    transforms: [usize; ZONES],
    /// The products with older partitions are spread over these blocks.
    older: &'static [usize],
    /// The products with the partition before, for each channel.
    newest: [usize; CHANNELS],
    /// The sums of each channel are transformed to the next output.
    deliver: [usize; CHANNELS],
}

/// The schedule of each stage: transforms of the last stage are in blocks without other transforms and products.
const SCHEDULES: [Schedule; STAGES] = [
    Schedule { transforms: [0; ZONES], older: &[0], newest: [0; 2], deliver: [0; 2] },
    Schedule { transforms: [0, 1, 2, 3], older: &[0, 1, 2, 3], newest: [6, 7], deliver: [6, 7] },
    Schedule {
        transforms: [4, 5, 12, 13],
        older: &[0, 1, 2, 3, 6, 7, 8, 9, 10, 11, 14, 15, 16, 17, 18, 19, 20, 21],
        newest: [22, 23],
        deliver: [28, 29],
    },
];

/// Taps before the second stage: two of its partitions.
pub const EARLY: usize = 2 * PARTITIONS[1] * BLOCK;

/// Taps before the third stage: two of its partitions.
const MIDDLE: usize = 2 * PARTITIONS[2] * BLOCK;

/// Blocks after which an [`Output`] that was switched on contains all of the input's history: until the
/// next partition of the last stage begins, and until that is delivered.
pub(crate) const COMPLETE: usize = 2 * PARTITIONS[STAGES - 1];

/// Impulse responses: `[input][channel][tap]`.
pub type Responses = Vec<[Vec<f32>; CHANNELS]>;

/// Range of taps of each stage for responses of `taps` taps.
fn stages(taps: usize) -> [std::ops::Range<usize>; STAGES] {
    [BLOCK..EARLY, EARLY..MIDDLE, MIDDLE..taps]
        .map(|stage| stage.start.min(taps)..stage.end.min(taps))
}

/// Number of partitions of `blocks` blocks for `taps` taps.
const fn partitions(taps: usize, blocks: usize) -> usize {
    taps.div_ceil(blocks * BLOCK)
}

#[cfg(test)]
mod tests;
