//! The piano as it plays: events in, samples out, on one sample clock.

pub mod benchmark;
pub(crate) mod clock;
pub(crate) mod dampers;
pub(crate) mod engine_traits;
pub(crate) mod event_queue;
pub mod event_scheduler;
pub(crate) mod held_notes;
pub mod knocks;
pub(crate) mod limiter;
pub mod load;
pub mod look_ahead;
pub mod note_output;
pub(crate) mod output;
pub(crate) mod pedal_repair;
pub(crate) mod piano;
pub mod pipeline;
pub(crate) mod pitch;
pub mod record;
pub(crate) mod repetition;
pub mod shank;
pub(crate) mod sink;
pub mod touch;
