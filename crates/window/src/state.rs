//! What a window remembers: edits, strokes, files.

pub mod capture;
pub mod compare;
pub mod controls;
#[cfg(target_family = "wasm")]
pub mod downloads;
pub mod export;
pub mod file_worker;
pub mod history;
pub mod regulation;
pub mod stroke;
pub mod window_state;
