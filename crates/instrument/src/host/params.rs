//! Every parameter, as hosts and people see it. The row of its setting, in the struct of the settings, declares
//! id, name, range, unit and text; the table here adds order, group and place.
//!
//! Command line, files, window and plugin all use the same table. Values are plain numbers in the
//! parameter's unit; a choice is the index of its name.
//!
//! May be called on any thread; reading and setting a value does not allocate, text does.

pub(crate) mod assign;
pub(crate) mod error;
pub mod midi_map;
pub mod page;
pub(crate) mod parameter;
pub mod relevance;
mod table;
#[cfg(test)]
mod tests;

pub use assign::{Listing, apply, listing, parse_assignment};
pub use error::ParamError;
pub use parameter::{Parameter, ParameterGroup, host_id};
pub use relevance::relevance;
pub use table::{COUNT, all, find};
pub use touchback_core::math::setting::ValueKind;

/// Version of the meaning of saved values: it is raised when a parameter's old values must be read
/// differently. Host states and preset files contain it; 0 and 1 mean the same values.
pub const FORMAT: u32 = 1;

/// Name of the field with the key sheet, as CSV, in host states and preset files.
pub const KEYS_FIELD: &str = "keys";
