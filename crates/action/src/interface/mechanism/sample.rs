//! A mechanism in place of a file's, until files have their reader.

use std::sync::Arc;

use super::{Mechanism, MechanismFile, MechanismText, Parameter};
use crate::Key;
use crate::built_in::BuiltIn;
use crate::simple::{ActionKey, model_b};
use touchback_core::math::compass::KeyNumber;

/// A file that [`open`] reads.
pub const TEXT: &str = "name = \"sample\"\n";

#[derive(Debug)]
struct Sample(String, [Parameter; 1]);

impl Mechanism for Sample {
    fn name(&self) -> &str {
        &self.0
    }

    fn parameters(&self) -> &[Parameter] {
        &self.1
    }

    fn key(&self, key: KeyNumber, values: &[f64]) -> Result<Box<dyn Key>, String> {
        let spec = model_b::Spec::played(key, || unreachable!("no grand is needed"));
        Ok(Box::new(ActionKey::new(model_b::Spec { k2: values[0], ..spec })))
    }
}

/// Reads the text of a mechanism file.
///
/// # Errors
/// What is wrong, in one line.
pub fn open(source: MechanismText) -> Result<MechanismFile, String> {
    let name = source.text.strip_prefix("name = \"").and_then(|rest| rest.split_once('"'));
    let Some((name, _)) = name else {
        return Err(format!("{}, line 1: write name = \"…\"", source.name));
    };
    let spring = Parameter {
        id: "k2".into(),
        name: "Spring".into(),
        unit: "N/m".into(),
        min: 500.0,
        max: 8000.0,
        default: 2000.0,
        about: "Spring between key and hammer.".into(),
    };
    let mechanism = Arc::new(Sample(name.to_owned(), [spring]));
    MechanismFile::new(source, mechanism)
}
