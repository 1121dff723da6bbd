#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "results are compared with the system's functions")
)]

pub mod benchmark;
mod block_log;
mod clock;
mod dampers;
mod engine_traits;
pub mod event;
mod event_queue;
pub mod event_scheduler;
mod held_notes;
pub mod knocks;
pub mod limiter;
pub mod load;
pub mod look_ahead;
pub mod midi;
#[cfg(feature = "midi-files")]
pub mod midi_file;
pub mod monitor;
pub mod note_output;
mod output;
pub mod params;
pub mod pedal_repair;
pub mod piano;
pub mod pipeline;
mod pitch;
pub mod preset;
pub mod record;
mod repetition;
pub mod settings;
pub mod shank;
mod sink;
pub mod snapshot;
mod thinning;
pub mod touch;
pub mod trace;

pub use event::Event;
pub use piano::Piano;
pub use settings::Settings;
pub use snapshot::Snapshot;

/// The code of the page about the libraries.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/rust.md")]
struct LibrariesPage;
