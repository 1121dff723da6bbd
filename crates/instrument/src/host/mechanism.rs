//! Mechanisms from files: their reader, and pianos that have one.

use std::sync::Arc;

use crate::Settings;
use touchback_action::ActionKind;
pub use touchback_action::interface::mechanism::{MechanismFile, MechanismText, Parameter};
use touchback_core::exchange::shared::Shared;
pub use touchback_mechanism::open;

/// End of the names of mechanism files.
pub const ENDING: &str = ".mechanism.toml";

/// Largest file, bytes.
pub const LIMIT: u64 = 400_000;

/// Whether a file of this name describes a mechanism.
#[must_use]
pub fn is_named(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(ENDING)
}

/// Reads the contents `text` of the file `name`.
///
/// # Errors
/// What is wrong, in one line.
pub fn read(name: &str, text: String) -> Result<MechanismFile, String> {
    open(MechanismText { name: name.to_owned(), text, ..MechanismText::default() })
}

/// The mechanism of a piano: its file, which is kept even if this version cannot read it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct LoadedMechanism {
    /// The file, with the values of its parameters; none without one.
    pub source: Option<MechanismText>,
    /// What plays; none without a file that can be read.
    pub file: Shared<Option<MechanismFile>>,
    /// Why the file cannot be read.
    pub fault: Option<String>,
}

impl LoadedMechanism {
    /// Reads `source`.
    #[must_use]
    pub fn of(source: MechanismText) -> Arc<Self> {
        let (file, fault) = match open(source.clone()) {
            Ok(file) => (Some(file), None),
            Err(error) => (None, Some(error)),
        };
        Arc::new(Self { source: Some(source), file: file.into(), fault })
    }

    /// A mechanism that plays.
    #[must_use]
    pub fn playing(file: MechanismFile) -> Arc<Self> {
        let source = Some(file.source().clone());
        Arc::new(Self { source, file: Some(file).into(), fault: None })
    }
}

/// Lets the piano of `settings` play `mechanism`.
pub fn play(settings: &mut Settings, mechanism: MechanismFile) {
    settings.action.action = ActionKind::File;
    settings.action.mechanism = Some(mechanism).into();
}
