//! Behind the microphones: room, listener, levels.

pub mod level_equalization;
pub mod perspective;
pub(crate) mod room;
pub(crate) mod room_spec;
pub(crate) mod stage;
