//! Errors in a parameter's text; each message names the remedy.

use crate::params::Parameter;

/// Why an assignment was refused.
#[derive(thiserror::Error, Clone, Debug)]
pub enum ParamError {
    /// The text has no equals sign.
    #[error("`{text}` sets nothing; write ID=VALUE, for example let_off_mm=2")]
    NoAssignment {
        /// What was written.
        text: String,
    },
    /// No parameter has this id.
    #[error("no parameter is called `{id}`; `touchback params` lists them all")]
    NoSuchParameter {
        /// What was written.
        id: String,
    },
    /// The value is no finite number in the parameter's unit.
    #[error("{}: `{text}` is no number{}; give {}", parameter.id, in_unit(parameter), range(parameter))]
    NotANumber {
        /// Which parameter.
        parameter: &'static Parameter,
        /// What was written.
        text: String,
    },
    /// The value lies outside the range.
    #[error("{}: {text} is out of range; give {}", parameter.id, range(parameter))]
    OutOfRange {
        /// Which parameter.
        parameter: &'static Parameter,
        /// What was written.
        text: String,
    },
    /// The parameter has no choice of this name or index.
    #[error("{}: there is no choice `{text}`; give {}", parameter.id, range(parameter))]
    NoSuchChoice {
        /// Which parameter.
        parameter: &'static Parameter,
        /// What was written.
        text: String,
    },
}

fn in_unit(parameter: &Parameter) -> String {
    match parameter.unit() {
        "" => String::new(),
        unit => format!(" in {unit}"),
    }
}

/// What the parameter accepts, in words.
fn range(parameter: &Parameter) -> String {
    match parameter.choices() {
        [] => {
            let (min, max) = (parameter.min(), parameter.max());
            format!("{} to {}", parameter.number_text(min), parameter.text(max))
        }
        names => format!("one of {}", names.join(", ")),
    }
}
