//! Every parameter, declared once: id, name, range, unit, text, and where it lives in the settings.
//!
//! The command line, the files, the window and the plugin all read the same table. Values are
//! plain numbers in the parameter's unit; a choice is the index of its name. Only [`host`] knows
//! the plugin framework.
//!
//! May be called from anywhere; reading and setting a value allocates nothing, text does.

pub mod assign;
pub mod error;
pub mod midi_map;
pub mod page;
pub mod parameter;
pub mod relevance;
mod table;
#[cfg(test)]
mod tests;

pub use assign::{Listing, apply, listing, parse_assignment};
pub use error::ParamError;
pub use parameter::{Parameter, ParameterGroup, ValueKind};
pub use relevance::relevance;
pub use table::{COUNT, all, find};

/// Version of what saved values mean: a parameter whose old values must be read another way raises
/// it. Host states and preset files are saved with it; 0 and 1 mean the same values.
pub const FORMAT: u32 = 1;

/// Name of what holds the sheet of single keys, as CSV, in host states and preset files.
pub const KEYS_FIELD: &str = "keys";
