#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "results are compared with the system's functions")
)]

pub mod board;
pub mod engine;
pub mod measure;
pub mod output;
mod pipes;
pub mod settings;
pub mod signal;
pub mod strings;
pub mod tuning;

pub use board::knock::Knock;
pub use engine::Sound;
pub use settings::SoundSettings;
