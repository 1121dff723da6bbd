//! The regions of a sampled piano from its SFZ file: which sound file is which key at which velocities.
//!
//! The reader follows headers with their inheritance, `#include`, `#define`, keys as numbers
//! and note names, velocities, static gains, and the conditions under which a region sounds. Other
//! opcodes are counted and ignored. The format is that of sfzformat.com with ARIA's directives: an
//! include path is relative to the folder of the first file, and the longest defined name after a `$`
//! is replaced.

mod finder;
mod instrument;
mod read;
mod region;
#[cfg(test)]
mod tests;
mod value;

use std::path::Path;

use anyhow::{Result, bail};

pub use instrument::{Instrument, Region};
use region::Scope;
use touchback_offline::output::{self, Shown as _};

/// Reads the SFZ file at `path` with everything it includes.
///
/// # Errors
/// With file and line: an unreadable file, a header or directive that is not closed, a value that is
/// no key or velocity, includes nested too deeply. Without a line: no region that a key plays.
pub fn read(path: &Path) -> Result<Instrument> {
    of_text(path, &output::read(path, read::LARGEST)?)
}

/// Reads `bytes` as the SFZ file at `path`, with everything it includes.
///
/// # Errors
/// Errors of [`read()`].
pub fn of_text(path: &Path, bytes: &[u8]) -> Result<Instrument> {
    let mut scope = Scope::new(path.parent().unwrap_or_else(|| Path::new("")));
    read::text(path, bytes, &mut scope)?;
    let instrument = scope.finish()?;
    if instrument.regions.is_empty() {
        bail!("{}: has no region that a key plays", path.shown());
    }
    Ok(instrument)
}
