//! What a window remembers: edits, strokes, files.

pub(crate) mod capture;
pub(crate) mod compare;
pub mod controls;
#[cfg(target_family = "wasm")]
pub mod downloads;
pub(crate) mod export;
pub(crate) mod history;
pub(crate) mod regulation;
pub(crate) mod stroke;
pub mod window_state;
