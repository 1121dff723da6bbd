//! Records of a session: the servo's log, its file, its replay.

pub mod live;
pub mod log;
pub mod publish;
#[cfg(feature = "serial")]
pub mod recording;
pub mod replay;
