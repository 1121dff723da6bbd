//! Parts that experiments share: a key on a test bench, reports, output folders, the runner.
//!
//! | module | part |
//! | --- | --- |
//! | [`test_bench`], [`strokes`], [`trace`] | one key of the grand action, driven and read step by step |
//! | [`any_bench`] | one key of any mechanism, driven and read step by step |
//! | [`driven`] | what both have in common |
//! | [`statics`], [`escapement`], [`repetition`], [`inertia`] | measurements of such a key, as by force gauge, weights and film |
//! | [`regulations`] | random regulations |
//! | [`key_source`] | the keys of an experiment: the standard piano's, or those of given numbers |
//! | [`report`], [`data`], [`folder`] | targets and verdicts; tables of data; output files, written together |
//! | [`record`], [`manifest`], [`session`] | verdicts as JSON; the origin of every file of a folder; one run into a folder |
//! | [`phrase`] | one phrase of a whole piano, and its analysis |
//! | [`hash`] | a hash of results |
//! | [`runner`] | runs experiments in parallel; those that measure time, alone |

pub mod any_bench;
pub mod data;
pub mod driven;
pub mod escapement;
pub mod folder;
pub mod hash;
pub mod inertia;
pub mod key_source;
pub mod manifest;
pub mod phrase;
pub mod record;
pub mod regulations;
pub mod repetition;
pub mod report;
pub mod runner;
pub mod session;
pub mod statics;
pub mod strokes;
pub mod test_bench;
pub mod trace;

use anyhow::Result;

use touchback_core::math::compass::KeyNumber;

pub use data::DataTable;
pub use folder::Folder;
pub use key_source::KeySource;
pub use report::{Report, RowKind, TargetBand};
pub use touchback_core::text::number::short;

/// The key numbered `number`, 1 (A0) to 88 (C8).
///
/// # Errors
/// A number outside 1 to 88.
pub fn key(number: usize) -> Result<KeyNumber> {
    KeyNumber::from_index(number.wrapping_sub(1))
        .ok_or_else(|| anyhow::anyhow!("key {number} is off the compass"))
}
