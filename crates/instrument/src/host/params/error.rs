//! Errors in a parameter's text; each message says what would be right.

use crate::host::params::{Parameter, all};
use touchback_core::text::near::suggestion;

/// Why an assignment was refused.
#[derive(thiserror::Error, Clone, Debug)]
#[non_exhaustive]
pub enum ParamError {
    /// The text has no equals sign.
    #[error("`{text}` sets nothing; write ID=VALUE, for example let_off_mm=2")]
    NoAssignment {
        /// The text.
        text: String,
    },
    /// No parameter has this id.
    #[error("no parameter is called `{id}`{}", near(id))]
    NoSuchParameter {
        /// The text.
        id: String,
    },
    /// The value is not a finite number in the parameter's unit.
    #[error("{}: `{text}` is no number{}; give {}", parameter.id, in_unit(parameter), range(parameter))]
    NotANumber {
        /// Which parameter.
        parameter: &'static Parameter,
        /// The text.
        text: String,
    },
    /// The value is outside the range.
    #[error("{}: {text} is out of range; give {}", parameter.id, range(parameter))]
    OutOfRange {
        /// Which parameter.
        parameter: &'static Parameter,
        /// The text.
        text: String,
    },
    /// The parameter has no choice of this name or index.
    #[error("{}: there is no choice `{text}`; give {}", parameter.id, range(parameter))]
    NoSuchChoice {
        /// Which parameter.
        parameter: &'static Parameter,
        /// The text.
        text: String,
    },
}

/// The parameter that an unknown id means, or where all are listed.
fn near(id: &str) -> String {
    match suggestion(id, all().map(|parameter| parameter.id)) {
        near if near.is_empty() => "; `touchback params` lists them all".to_owned(),
        near => near,
    }
}

fn in_unit(parameter: &Parameter) -> String {
    match parameter.unit() {
        "" => String::new(),
        unit => format!(" in {unit}"),
    }
}

/// Text of the values that the parameter accepts.
fn range(parameter: &Parameter) -> String {
    match parameter.choices() {
        [] => {
            let (min, max) = (parameter.min(), parameter.max());
            format!("{} to {}", parameter.number_text(min), parameter.text(max))
        }
        names => format!("one of {}", names.join(", ")),
    }
}
