//! Strings, felt, dampers, bridge and board: strikes in, sound out, nothing back.

pub mod engine;
pub mod voicing;

pub use engine::{Knock, Sound};
pub use voicing::Voicing;
