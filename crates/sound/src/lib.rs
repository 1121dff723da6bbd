#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "results are compared with the system's functions")
)]

pub mod bank;
pub mod board;
pub mod bridge;
pub mod bridge_delay;
pub mod contact;
pub mod convolve;
pub mod engine;
pub mod fourier;
pub mod glide;
pub mod hammer;
pub mod knock;
pub mod level_equalization;
pub mod loss;
pub mod measure;
pub mod microphone_mixer;
pub mod microphones;
pub mod mobility;
pub mod note;
pub mod output;
pub mod overtones;
pub mod perspective;
pub mod plate;
pub mod poles;
pub mod radiation;
pub mod rear_lengths;
pub mod resonances;
pub mod room;
pub mod room_spec;
pub mod scala;
pub mod scale;
pub mod settings;
pub mod shared_board;
pub mod slow_rate;
pub mod temperament;
pub mod tuning;
pub mod unison;

pub use engine::Sound;
pub use knock::Knock;
pub use settings::SoundSettings;
