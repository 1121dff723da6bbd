//! Laws of the mechanical parts: felt, friction, and the hammer that action and strings share. Any
//! thread.

pub mod felt;
pub mod friction;
pub mod hammer;
