//! What is wrong with a mechanism's file.

use std::fmt;
use std::ops::Range;

/// Why a mechanism was refused: one line with the line of the file, the fault and its remedy.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct MechanismError {
    /// Line of the file, from 1; none for a fault of the whole.
    pub line: Option<usize>,
    /// Fault and remedy.
    pub message: String,
}

impl fmt::Display for MechanismError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        f.write_str(&self.message)
    }
}

/// A fault and the bytes of the file that it concerns.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Fault {
    pub at: Option<Range<usize>>,
    pub message: String,
}

pub(crate) type Result<T> = std::result::Result<T, Fault>;

impl Fault {
    /// A fault at `at`.
    pub(crate) fn at(at: &Range<usize>, message: impl Into<String>) -> Self {
        Self { at: Some(at.clone()), message: message.into() }
    }

    /// A fault without a place yet.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { at: None, message: message.into() }
    }

    /// The fault with the line in `text`.
    pub(crate) fn in_text(self, text: &str) -> MechanismError {
        let line = self.at.map(|at| {
            let before = text.as_bytes().iter().take(at.start);
            1 + before.filter(|byte| **byte == b'\n').count()
        });
        // Errors of a parser may have several lines.
        let message: Vec<&str> = self.message.split_whitespace().collect();
        MechanismError { line, message: message.join(" ") }
    }
}
