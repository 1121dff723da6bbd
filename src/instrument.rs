//! The piano: gestures through the action to the strings.
//!
//! [`Piano`] is what a host plays; [`midi`] says what its messages mean. Under it, `block` keeps the
//! one sample clock: `clock` says when an action step is due, `touch` turns notes into what fingers
//! do, `presses` counts them, `jacks` says which can repeat, `damping` carries dampers to the strings, `pitch` bends them, `agenda`
//! holds what sounds at a later sample, `output` sets the level. [`outgoing`] sends the strikes on,
//! [`load`] counts the work. Everything here runs on the audio thread; only [`Piano::new`]
//! allocates.

mod agenda;
mod block;
mod block_log;
mod clock;
mod damping;
pub mod event;
mod jacks;
pub mod load;
pub mod midi;
pub mod outgoing;
mod output;
pub mod piano;
mod pitch;
mod presses;
mod seam;
pub mod settings;
mod shank;
pub mod snapshot;
pub mod touch;
pub mod trace;

pub use event::Event;
pub use piano::Piano;
pub use settings::Settings;
pub use snapshot::Snapshot;
