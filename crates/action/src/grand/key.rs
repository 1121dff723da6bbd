//! One key as an instrument: at rest, driven, pressed, weighed and read.

pub mod assembly;
pub mod compensation;
pub mod construct;
pub mod efforts;
pub mod grand_key;
pub mod outline;
pub mod pressing;
pub mod readout;
pub mod rest;
pub mod weigh;
