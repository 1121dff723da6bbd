//! Reads Scala scale and keyboard-map files.

use std::path::Path;

use anyhow::{Context, Result};

use crate::output::{self, Shown as _};
use touchback_core::text::encoding::decode;
use touchback_sound::tuning::scala::{KeyMap, Scale, notes};

/// Largest file, bytes.
const LIMIT: u64 = 1_000_000;

/// Reads a `.scl` file and, if given, a `.kbm` file. Without a map the scale begins on middle C, and `a4_hz` tunes
/// A4 or scales the reference pitch of an `.ascl` file.
///
/// # Errors
/// A file that cannot be read, or a line that is not valid, with its number.
pub fn read(scale: &Path, map: Option<&Path>) -> Result<Scale> {
    let name = |path: &Path| path.shown();
    let text = |path: &Path| -> Result<String> {
        let bytes = output::read(path, LIMIT)?;
        Ok(decode(&bytes))
    };
    let scale_text = text(scale)?;
    let notes = notes(&scale_text).with_context(|| name(scale))?;
    let keys = match map {
        Some(path) => KeyMap::read(&text(path)?).with_context(|| name(path))?,
        None => KeyMap::of_scale(&scale_text, &notes).with_context(|| name(scale))?,
    };
    Scale::new(&notes, &keys).with_context(|| name(map.unwrap_or(scale)))
}
