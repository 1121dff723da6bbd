//! Records of a session: the servo's log, its file, its replay.

pub mod log;
#[cfg(feature = "serial")]
pub mod recording;
pub mod replay;
