//! The actions that can be simulated, by name.

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
    _key: Key,
    _settings: &Settings,
    _model: Option<&Path>,
) -> Result<Box<dyn Plant>> {
    bail!("--action {name}: unknown action")
}
