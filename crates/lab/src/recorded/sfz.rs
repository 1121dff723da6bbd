//! A sampled piano's regions from its SFZ file: which sound holds which key at which velocities.
//!
//! Read is what tells that: headers with their inheritance, `#include`, `#define`, keys as numbers
//! and note names, velocities, static gains, and the conditions under which a region sounds. All
//! other opcodes are counted and passed over. The format is that of sfzformat.com, ARIA's
//! directives among it: an include is found from the folder of the first file, and the longest
//! name that is defined stands for itself.

mod finder;
mod read;
mod region;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::output::{self, Shown as _};
use region::Scope;

/// One sound of the instrument.
#[derive(Clone, PartialEq, Debug)]
pub struct Region {
    /// Its file.
    pub sample: PathBuf,
    /// MIDI number of the key it was recorded of.
    pub key: i32,
    /// Lowest and highest MIDI velocity that plays it.
    pub velocities: [u8; 2],
    /// Gain the file gives it, dB.
    pub gain: f64,
}

/// What an SFZ file says.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Instrument {
    /// Regions that a key plays while every controller rests, in their order.
    pub regions: Vec<Region>,
    /// Regions that sound otherwise only: on release, with a pedal, at a later turn.
    pub others: usize,
    /// Opcodes that tell nothing of key, velocity or level.
    pub unread: usize,
    /// Words that are neither headers nor opcodes.
    pub strays: usize,
    /// The file and what it includes.
    pub files: Vec<PathBuf>,
}

/// Reads the SFZ file at `path` with everything it includes.
///
/// # Errors
/// A file that cannot be read, a header or directive that is not closed, values that are no keys or
/// velocities, includes without end: with file and line. No region that sounds.
pub fn read(path: &Path) -> Result<Instrument> {
    of_text(path, &output::read(path, read::LARGEST)?)
}

/// Reads `bytes` as the SFZ file at `path`, with everything it includes.
///
/// # Errors
/// As [`read()`].
pub fn of_text(path: &Path, bytes: &[u8]) -> Result<Instrument> {
    let mut scope = Scope::new(path.parent().unwrap_or_else(|| Path::new("")));
    read::text(path, bytes, &mut scope)?;
    let instrument = scope.finish()?;
    if instrument.regions.is_empty() {
        bail!("{}: has no region that a key plays", path.shown());
    }
    Ok(instrument)
}
