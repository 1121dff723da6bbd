//! Models of the actions that can be simulated, by name or from a file.

use std::path::Path;

use anyhow::{Context, Result, bail};

use super::numbers;
use crate::output::{self, Shown as _};
use touchback_action::grand::design::concert::Design;
use touchback_action::interface::kind::NAMES;
use touchback_action::{ActionSettings, Key};
use touchback_core::math::compass::KeyNumber;
use touchback_core::text::near;
use touchback_instrument::Settings;
use touchback_models::catalogue::Model;

/// The model of `key` of the action `name` with `settings`. Settings beyond the travel of a grand's
/// adjusting screws are reported on stderr.
///
/// # Errors
/// An unknown name.
pub fn model(name: &str, key: KeyNumber, settings: &ActionSettings) -> Result<Model> {
    if matches!(name, "grand" | "reference") {
        for reason in Design::new(key).build(settings).regulated.limits.reasons() {
            output::warn(&format!("warning: {reason}"));
        }
    }
    match Model::named(name, key, settings) {
        Some(model) => Ok(model),
        None => {
            let near = near::suggestion(name, NAMES);
            bail!("--action {name}: unknown action{near}; one of {}", NAMES.join(", "))
        }
    }
}

/// Largest model file, bytes.
const MODEL_LIMIT: u64 = 1_000_000;

/// Reads a model file.
///
/// # Errors
/// One line with the file and what is wrong.
pub fn open(path: &Path) -> Result<Model> {
    read(&path.shown(), &output::read_text(path, MODEL_LIMIT)?)
}

/// Reads the `text` of a model file; `name` names it in errors.
///
/// # Errors
/// One line with the file and what is wrong.
pub fn read(name: &str, text: &str) -> Result<Model> {
    let refused = |e: toml::de::Error| {
        let line = e.span().map_or(0, |s| text[..s.start].lines().count().max(1));
        anyhow::anyhow!("{name}: line {line}: {}", e.message().replace('\n', " "))
    };
    let model: Model = toml::from_str(text).map_err(refused)?;
    numbers::check(&toml::from_str(text).map_err(refused)?)
        .with_context(|| format!("{name}: not a usable key"))?;
    model.check().with_context(|| format!("{name}: not a usable key"))?;
    Ok(model)
}

/// The action named in a model file.
///
/// # Errors
/// An unreadable file, or one without an action.
pub fn name_of(path: &Path) -> Result<String> {
    let table: toml::Table = toml::from_str(&output::read_text(path, MODEL_LIMIT)?)?;
    let name = table.get("action").and_then(toml::Value::as_str);
    Ok(name.context("no action")?.to_owned())
}

/// One key of the action `name` with `settings`, from the model file if one is given, at rest.
///
/// # Errors
/// An unknown name, or a model file that cannot be used, in one line.
pub fn start(
    name: &str,
    key: KeyNumber,
    settings: &Settings,
    file: Option<&Path>,
) -> Result<Box<dyn Key>> {
    let model = match file {
        Some(path) => open(path)?,
        None => model(name, key, &settings.action)?,
    };
    Ok(model.start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_file_reads_back_unchanged() {
        let dir = tempfile::tempdir().unwrap();
        let key = KeyNumber::from_midi(60).unwrap();
        for name in NAMES {
            let sent = model(name, key, &ActionSettings::default()).unwrap();
            let path = dir.path().join(name);
            std::fs::write(&path, toml::to_string_pretty(&sent).unwrap()).unwrap();
            assert_eq!(open(&path).unwrap(), sent, "{name}");
        }
        let path = dir.path().join("bad");
        let text =
            toml::to_string_pretty(&model("model-b", key, &ActionSettings::default()).unwrap())
                .unwrap();
        let bad = text.replace("k2 = 2000.0", "k2 = -1.0");
        assert_ne!(bad, text);
        std::fs::write(&path, bad).unwrap();
        let error = format!("{:#}", open(&path).unwrap_err());
        assert!(error.contains("k2 = -1"), "{error}");
        let absurd = text.replace("k2 = 2000.0", "k2 = inf");
        std::fs::write(&path, absurd).unwrap();
        let error = format!("{:#}", open(&path).unwrap_err());
        assert!(error.contains("model.k2 = inf must be a number"), "{error}");
    }
}
