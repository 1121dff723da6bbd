//! The actions that can be simulated, by name.

mod grand;

use std::path::Path;

use anyhow::{Result, bail};

use super::Plant;
use crate::instrument::Settings;
use crate::math::compass::Key;

/// Makes one key of the action `name` with `settings`, from the model file if one is given.
///
/// # Errors
/// An unknown name, or a model file that cannot be used, in one line.
pub fn plant(
    name: &str,
    key: Key,
    settings: &Settings,
    model: Option<&Path>,
) -> Result<Box<dyn Plant>> {
    if let Some(path) = model {
        bail!("--model {}: no action here takes a model file", path.display());
    }
    match name {
        "grand" => Ok(Box::new(grand::Grand::new(key, settings))),
        _ => bail!("--action {name}: unknown action; there is: grand"),
    }
}
