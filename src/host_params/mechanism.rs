//! Eight host parameters for those of a mechanism from a file, so that hosts can automate them.
//!
//! They are outside the table of parameters, because every file has its own. A position 0…1 is one in the range of the
//! file's parameter of the same number. The project saves the values with the file; a position takes effect when it
//! *moves*, by a thread that builds the keys anew ([`Mechanisms`](crate::mechanisms::Mechanisms)).

use std::sync::Arc;

use nice_plug::prelude::{FloatParam, FloatRange, Param as _, ParamPtr};

/// Number of parameters.
pub const COUNT: usize = 8;

/// Ids in projects.
pub const IDS: [&str; COUNT] = [
    "mechanism_1",
    "mechanism_2",
    "mechanism_3",
    "mechanism_4",
    "mechanism_5",
    "mechanism_6",
    "mechanism_7",
    "mechanism_8",
];

/// The parameters. They stay where they are when this value moves.
#[derive(Debug)]
pub struct MechanismParams(Box<[FloatParam; COUNT]>);

impl Default for MechanismParams {
    fn default() -> Self {
        let mut number = 0;
        Self(Box::new(IDS.map(|_| {
            number += 1;
            let range = FloatRange::Linear { min: 0.0, max: 1.0 };
            FloatParam::new(format!("Mechanism {number}"), 0.0, range)
                .with_unit(" %")
                .with_value_to_string(Arc::new(super::pedals::percent))
                .with_string_to_value(Arc::new(super::pedals::of_percent))
        })))
    }
}

impl MechanismParams {
    /// Id, handle and group of each.
    pub(super) fn map(&self) -> impl Iterator<Item = (String, ParamPtr, String)> {
        IDS.into_iter()
            .zip(self.0.iter())
            .map(|(id, param)| (id.to_owned(), param.as_ptr(), "Mechanism".to_owned()))
    }

    /// The parameters, in order.
    #[must_use]
    pub fn params(&self) -> &[FloatParam; COUNT] {
        &self.0
    }

    /// Positions, 0…1, without the host's modulation.
    #[must_use]
    pub fn positions(&self) -> [f32; COUNT] {
        self.0.each_ref().map(|param| param.unmodulated_plain_value().clamp(0.0, 1.0))
    }
}
