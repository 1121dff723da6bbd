//! `touchback model export`: writes one key's dimensions, masses, springs and frictions to a file.

pub mod named;

use std::path::Path;

use anyhow::{Result, bail};

use crate::controls;
use crate::output::Draft;
use crate::paths::OutputFile;
use crate::simulate::plants;
use touchback_action::ActionSettings;
use touchback_core::math::compass::KeyNumber;

/// Options of `touchback model export`.
#[derive(clap::Args, Debug)]
pub struct ModelOptions {
    /// Action
    #[arg(long, value_name = "NAME", default_value = "grand")]
    action: String,
    /// Key, 1 to 88 or A0 to C8
    #[arg(long, value_name = "KEY", default_value_t = 40,
          value_parser = controls::key_number)]
    key: u8,
    /// File to write, for `touchback simulate --model`
    #[arg(short, long, value_name = "FILE.toml")]
    output: OutputFile,
}

/// Runs `touchback model export`.
///
/// # Errors
/// Errors of [`export`].
pub fn run(options: &ModelOptions) -> Result<()> {
    let Some(key) = KeyNumber::from_number(options.key) else {
        bail!("--key {}: keys count from 1 to 88", options.key)
    };
    export(&options.action, key, &options.output)
}

/// Writes the model of `key` of the action `action` to `path`.
///
/// # Errors
/// An unknown action, or a file that cannot be written.
pub fn export(action: &str, key: KeyNumber, path: &Path) -> Result<()> {
    let text = toml::to_string_pretty(&plants::model(action, key, &ActionSettings::default())?)?;
    let draft = Draft::create(path)?;
    draft.write_all(text.as_bytes())?;
    Ok(draft.keep()?)
}
