//! The servo and its log over an emulated keyboard.

mod documents;
mod misbehaviour;
mod played;
#[cfg(unix)]
mod port;
mod protocols;
pub mod recording;
mod repetition;
mod replay;
mod servo;
mod stalls;
