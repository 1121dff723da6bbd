//! Settings from `ID=VALUE` texts, and the list of all parameters as data.

use crate::Settings;
use crate::host::params::{ParamError, Parameter, all, find};

/// Reads one `ID=VALUE`; [`Parameter::parse`] reads the value.
///
/// # Errors
/// [`ParamError`], with the text and the accepted values.
pub fn parse_assignment(text: &str) -> Result<(&'static Parameter, f64), ParamError> {
    let Some((id, value)) = text.split_once('=') else {
        return Err(ParamError::NoAssignment { text: text.to_owned() });
    };
    let parameter = find(id.trim())?;
    Ok((parameter, parameter.parse(value)?))
}

/// Applies `ID=VALUE` texts to `settings` in order; the last value of an id counts.
///
/// # Errors
/// The first [`ParamError`]; `settings` is then unchanged.
pub fn apply<T: AsRef<str>>(
    settings: &mut Settings,
    assignments: impl IntoIterator<Item = T>,
) -> Result<(), ParamError> {
    let mut changed = settings.clone();
    for assignment in assignments {
        let (parameter, value) = parse_assignment(assignment.as_ref())?;
        parameter.set(&mut changed, value);
    }
    *settings = changed;
    Ok(())
}

/// One line of the list that `touchback params` prints.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct Listing {
    /// Stable id.
    pub id: &'static str,
    /// Name shown to people.
    pub name: &'static str,
    /// Name of the group under which it is shown.
    pub group: &'static str,
    /// Unit, empty for choices.
    pub unit: &'static str,
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// Default value.
    pub default: f64,
    /// Default as shown to people.
    pub default_text: String,
    /// Names of the values 0, 1, … of a choice; empty for a number.
    pub choices: &'static [&'static str],
}

/// All parameters in display order.
#[must_use]
pub fn listing() -> Vec<Listing> {
    all()
        .map(|p| Listing {
            id: p.id,
            name: p.name,
            group: p.group.name(),
            unit: p.unit(),
            min: p.min(),
            max: p.max(),
            default: p.default_value(),
            default_text: p.text(p.default_value()),
            choices: p.choices(),
        })
        .collect()
}
