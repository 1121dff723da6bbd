//! The piano: gestures through the action to the strings.
//!
//! [`Piano`] is what a host plays. Under it, `block` keeps the one sample clock: `clock` says when
//! an action step is due, `touch` turns notes into what fingers do, `presses` counts them,
//! `damping` carries dampers to the strings, `agenda` holds what sounds at a later sample, `output`
//! sets the level. Everything here runs on the audio thread; only [`Piano::new`] allocates.

mod agenda;
mod block;
mod clock;
mod damping;
pub mod event;
mod key_set;
mod output;
pub mod piano;
mod presses;
mod seam;
pub mod settings;
mod strike_log;
pub mod touch;

pub use event::Event;
pub use piano::Piano;
pub use settings::Settings;
