//! Laws of the mechanical parts: felt and friction. No piano words, any thread.

pub mod felt;
pub mod friction;
