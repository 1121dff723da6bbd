//! The parts of the action, each a table of its numbers.
//!
//! Points are given in the frame of the body that carries them, whose x axis lies along the body at
//! angle 0. `regulation` sets the screws (capstan height, button height, lever stop, drop screw,
//! check, damper pick-up) from a technician's millimetres.

pub mod check;
pub mod damper;
pub mod hammer;
pub mod jack;
pub mod key;
pub mod lever;
pub mod shank;
pub mod wippen;
