//! Behind the microphones: room, listener, levels.

pub mod level_equalization;
pub mod perspective;
pub mod room;
pub mod room_spec;
pub mod stage;
