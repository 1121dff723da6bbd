//! Laws of mechanical parts: felt, friction, and the hammer that action and strings share. Pure
//! functions, for any thread.

pub mod felt;
pub mod friction;
pub mod hammer;
pub mod key_tones;
