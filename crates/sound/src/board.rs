//! Soundboard and knocks: from the strings' force to the microphones.

pub mod knock;
pub mod microphone_mixer;
pub mod microphones;
pub(crate) mod radiation;
pub mod response;
pub mod shared_board;
