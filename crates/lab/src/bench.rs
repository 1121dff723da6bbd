//! What experiments are made with: a key on the bench, the report and the folder of one experiment.
//!
//! | module | part |
//! | --- | --- |
//! | [`test_bench`], [`strokes`], [`trace`] | one key of the grand action, driven and read step by step |
//! | [`statics`], [`escapement`], [`inertia`] | what is measured on such a key by force gauge, weights and film |
//! | [`key_source`] | which keys an experiment runs on: the standard piano's, or numbers of one's own |
//! | [`report`], [`data`], [`folder`] | a table of targets and verdicts; tables of data; files, put in place together |
//! | [`record`], [`manifest`] | the same for programs: verdicts as JSON, what is in a folder and where it comes from |
//! | [`phrase`] | one phrase of a whole piano, and what is heard of it |
//! | [`hash`] | a hash of results |
//! | [`runner`] | runs experiments side by side, or alone where they look at the clock |

pub mod data;
pub mod escapement;
pub mod folder;
pub mod hash;
pub mod inertia;
pub mod key_source;
pub mod manifest;
pub mod phrase;
pub mod record;
pub mod report;
pub mod runner;
pub mod statics;
pub mod strokes;
pub mod test_bench;
pub mod trace;

use anyhow::Result;

use touchback_core::math::compass::KeyNumber;

pub use data::DataTable;
pub use folder::Folder;
pub use key_source::KeySource;
pub use report::{Report, TargetBand, short};

/// The key of a maker's number, 1…88.
///
/// # Errors
/// Any other number.
pub fn key(number: usize) -> Result<KeyNumber> {
    KeyNumber::from_index(number.wrapping_sub(1))
        .ok_or_else(|| anyhow::anyhow!("key {number} is off the compass"))
}
