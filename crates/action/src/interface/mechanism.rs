//! A mechanism that was read from a file, as settings carry it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use super::key::Key;
use crate::keyboard::boxed;
use touchback_core::math::compass::{KEYS, KeyNumber};

/// A parameter of a mechanism.
#[derive(Clone, PartialEq, Debug)]
pub struct Parameter {
    /// Name in the file.
    pub id: String,
    /// Name shown to people.
    pub name: String,
    /// Unit of the values; empty for a ratio.
    pub unit: String,
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// Value where none is set.
    pub default: f64,
    /// Effect, in one sentence.
    pub about: String,
}

/// What a file describes: the keys of an action.
pub trait Mechanism: Send + Sync + fmt::Debug {
    /// Name within a sentence.
    fn name(&self) -> &str;

    /// The parameters, in the order of the values that [`Self::key`] takes.
    fn parameters(&self) -> &[Parameter] {
        &[]
    }

    /// The key `key` at rest, with a value for each parameter. Allocates.
    ///
    /// # Errors
    /// Why there is no such key with these values, in one line.
    fn key(&self, key: KeyNumber, values: &[f64]) -> Result<Box<dyn Key>, String>;
}

/// A mechanism's file and the values of its parameters: what projects and logs save.
#[derive(Clone, PartialEq, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct MechanismText {
    /// Name of the file.
    pub name: String,
    /// Contents of the file.
    pub text: String,
    /// Values of parameters by their ids; the others have their defaults.
    #[serde(default)]
    pub values: BTreeMap<String, f64>,
}

/// A prepared key, unless a keyboard has it.
type Slot = Mutex<Option<Box<dyn Key>>>;

/// A mechanism, the file that describes it, and a prepared key for every key of one keyboard.
///
/// The thread that publishes settings builds the keys, and frees them with the last clone of the settings; a
/// keyboard borrows them, so that it neither allocates nor frees.
pub struct MechanismFile {
    source: MechanismText,
    values: Vec<f64>,
    mechanism: Arc<dyn Mechanism>,
    /// Never waited for: one keyboard takes and returns the keys.
    prepared: Box<[Slot; KEYS]>,
}

impl MechanismFile {
    /// The `mechanism` that `source` describes. Values are clamped, and those of unknown parameters left out.
    ///
    /// # Errors
    /// Why a key cannot be built, in one line.
    pub fn new(mut source: MechanismText, mechanism: Arc<dyn Mechanism>) -> Result<Self, String> {
        let parameters = mechanism.parameters();
        source.values.retain(|id, _| parameters.iter().any(|parameter| parameter.id == *id));
        let of = |parameter: &Parameter| match source.values.get_mut(&parameter.id) {
            Some(value) if value.is_finite() => {
                *value = value.clamp(parameter.min, parameter.max);
                *value
            }
            _ => parameter.default,
        };
        let values: Vec<f64> = parameters.iter().map(of).collect();
        let keys = KeyNumber::all().map(|key| mechanism.key(key, &values));
        let mut keys = keys.collect::<Result<Vec<_>, _>>()?.into_iter();
        let prepared = boxed(|_| Mutex::new(keys.next()));
        Ok(Self { source, values, mechanism, prepared })
    }

    /// The same file with the parameter `id` at `value`.
    ///
    /// # Errors
    /// No such parameter, a value outside its range, or as of [`Self::new`].
    pub fn with(&self, id: &str, value: f64) -> Result<Self, String> {
        let parameters = self.parameters();
        let Some(parameter) = parameters.iter().find(|parameter| parameter.id == id) else {
            let ids: Vec<&str> = parameters.iter().map(|parameter| parameter.id.as_str()).collect();
            return Err(format!(
                "{} has no parameter `{id}`, but {}",
                self.source.name,
                ids.join(", ")
            ));
        };
        let Parameter { min, max, unit, .. } = parameter;
        if !(*min..=*max).contains(&value) {
            return Err(format!("{id} = {value}: {min} to {max} {unit}").trim_end().to_owned());
        }
        let mut source = self.source.clone();
        source.values.insert(id.to_owned(), value);
        Self::new(source, self.mechanism.clone())
    }

    /// File and values.
    #[must_use]
    pub const fn source(&self) -> &MechanismText {
        &self.source
    }

    /// Name of the mechanism within a sentence.
    #[must_use]
    pub fn title(&self) -> &str {
        self.mechanism.name()
    }

    /// The parameters.
    #[must_use]
    pub fn parameters(&self) -> &[Parameter] {
        self.mechanism.parameters()
    }

    /// Values of the parameters.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The key `key` at rest. Allocates.
    ///
    /// # Panics
    /// If the mechanism refuses a key that it has built before with the same values.
    #[must_use]
    pub fn key(&self, key: KeyNumber) -> Box<dyn Key> {
        match self.mechanism.key(key, &self.values) {
            Ok(key) => key,
            Err(error) => unreachable!("a key that was built before: {error}"),
        }
    }

    /// Takes the prepared key `key`; none if another keyboard has it.
    pub(crate) fn take(&self, key: KeyNumber) -> Option<Box<dyn Key>> {
        self.prepared[key.index()].try_lock().ok()?.take()
    }

    /// Takes back the key `key`, which comes from [`Self::take`].
    pub(crate) fn put_back(&self, key: KeyNumber, mut prepared: Box<dyn Key>) {
        prepared.reset_to_rest();
        match self.prepared[key.index()].try_lock() {
            Ok(mut slot) if slot.is_none() => *slot = Some(prepared),
            // A keyboard returns only what it has taken; freeing is not allowed here.
            _ => std::mem::forget(prepared),
        }
    }
}

impl Clone for MechanismFile {
    /// A file with keys of its own. Allocates.
    fn clone(&self) -> Self {
        let prepared = boxed(|key| Mutex::new(Some(self.key(key))));
        let Self { source, values, mechanism, .. } = self;
        let (source, values) = (source.clone(), values.clone());
        Self { source, values, mechanism: mechanism.clone(), prepared }
    }
}

impl PartialEq for MechanismFile {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl fmt::Debug for MechanismFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MechanismFile")
            .field("name", &self.source.name)
            .field("values", &self.values)
            .finish_non_exhaustive()
    }
}
