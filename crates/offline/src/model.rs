//! `touchback model export`: writes one key's dimensions, masses, springs and frictions to a file.

pub mod named;

use std::path::Path;

use anyhow::{Context as _, Result, bail};

use crate::controls;
use crate::output::Draft;
use crate::paths::OutputFile;
use crate::simulate::plants;
use touchback_action::ActionSettings;
use touchback_core::math::compass::KeyNumber;
use touchback_instrument::host::mechanism::is_named;

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
    /// File to write, for `touchback simulate --model`; FILE.mechanism.toml describes the mechanism itself, for all keys
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

/// Defines [`FILES`] of the folder `mechanisms`.
macro_rules! files {
    ($($action:literal $file:literal),*) => {
        /// Built-in actions, and the files that describe the same mechanisms.
        const FILES: &[(&str, &str)] =
            &[$(($action, include_str!(concat!("../../../mechanisms/", $file, ".mechanism.toml")))),*];
    };
}
files!(
    "simplified" "key-hammer", "model-a" "model-a", "model-b" "model-b", "thesis" "thesis",
    "viennese" "viennese", "harpsichord" "harpsichord", "ball" "ball"
);

/// The file that describes the mechanism of the built-in `action`.
fn described(action: &str) -> Result<&'static str> {
    let found = FILES.iter().find(|(name, _)| *name == action);
    found.map(|(_, text)| *text).with_context(|| {
        let names = FILES.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        format!("--action {action}: no file describes this mechanism; there are files of {names}")
    })
}

/// Writes the model of `key` of the action `action` to `path`, or its mechanism if the path is that of a mechanism's
/// file.
///
/// # Errors
/// An unknown action, or a file that cannot be written.
pub fn export(action: &str, key: KeyNumber, path: &Path) -> Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let text = match is_named(&name) {
        true => described(action)?.to_owned(),
        false => toml::to_string_pretty(&plants::model(action, key, &ActionSettings::default())?)?,
    };
    let draft = Draft::create(path)?;
    draft.write_all(text.as_bytes())?;
    Ok(draft.keep()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_mechanisms_are_written_as_files_that_can_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let key = KeyNumber::from_midi(60).unwrap();
        for (action, _) in FILES {
            let path = folder.path().join(format!("{action}.mechanism.toml"));
            export(action, key, &path).unwrap();
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(touchback_mechanism::read(&text).is_ok(), "{action}");
        }
        let error = export("grand", key, &folder.path().join("own.mechanism.toml"));
        assert!(error.unwrap_err().to_string().contains("there are files of simplified"));
    }
}
