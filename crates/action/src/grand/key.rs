//! One key of the grand: assembly, rest pose, constructed states, effort tables, weights and readings.

pub(crate) mod assembly;
pub(crate) mod compensation;
pub mod construct;
pub mod efforts;
pub(crate) mod grand_key;
pub mod outline;
pub mod pressing;
pub(crate) mod readout;
pub mod rest;
pub(crate) mod usual;
pub mod weigh;
