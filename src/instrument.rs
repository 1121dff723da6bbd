//! The piano: gestures through the action to the strings.
//!
//! [`Piano`] is what a host plays; [`midi`] says what its messages mean, [`event_scheduler`] brings
//! them to their samples, `look_ahead` late by a latency in exchange for fingers in time. Under it, `block` keeps the one sample clock: `clock` says when an action
//! step is due, `touch` turns notes into what fingers do, `held_notes` counts them, `repetition` says
//! which can repeat, `dampers` carries dampers to the strings, `pitch` bends them, `event_queue` holds
//! what sounds at a later sample, `output` sets the level. [`note_output`] sends the strikes on,
//! [`record`] lists and counts them, [`load`] counts the work. Everything here runs on the audio
//! thread; only [`Piano::new`] allocates.

mod block;
mod block_log;
mod clock;
mod dampers;
mod engine_traits;
pub mod event;
mod event_queue;
pub mod event_scheduler;
mod held_notes;
pub mod load;
pub mod look_ahead;
pub mod midi;
pub mod note_output;
mod output;
pub mod piano;
mod pitch;
pub mod record;
mod repetition;
pub mod settings;
mod shank;
pub mod snapshot;
pub mod touch;
pub mod trace;

pub use event::Event;
pub use piano::Piano;
pub use settings::Settings;
pub use snapshot::Snapshot;
