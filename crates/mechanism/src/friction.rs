//! Friction of a file: its direction, and its largest force in a submodel.

use crate::error::{Fault, Result};
use crate::file::Scalar;
use crate::graph::{Graph, Id};
use crate::scope::Scope;

/// Coulomb friction.
#[derive(Debug)]
pub(crate) struct Friction {
    pub name: String,
    pub is_torque: bool,
    /// Derivative of the measure by each coordinate.
    pub direction: Vec<Id>,
    /// Largest force, which may depend on the forces of contacts.
    pub bound: Scalar,
}

impl Friction {
    /// The largest force in `scope`, N: that of an expression is 0 where it is negative.
    pub(crate) fn largest(&self, g: &mut Graph, scope: &Scope<'_>) -> Result<Id> {
        let bound = scope.scalar(g, &self.bound)?;
        match g.value(bound) {
            Some(value) if value >= 0.0 && value.is_finite() => Ok(bound),
            Some(_) => Err(Fault::at(&self.bound.span(), "a bound of friction is at least 0")),
            None => {
                let zero = g.number(0.0);
                Ok(g.max(bound, zero))
            }
        }
    }
}
