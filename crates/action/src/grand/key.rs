//! One key of the grand: assembly, rest pose, constructed states, effort tables, weights and readings.

pub mod assembly;
pub mod compensation;
pub mod construct;
pub mod efforts;
pub mod grand_key;
pub mod outline;
pub mod pressing;
pub mod readout;
pub mod rest;
pub mod usual;
pub mod weigh;
