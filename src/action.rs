//! Keyboard actions: what lies between the finger and the string.
//!
//! Everything here advances on one fixed grid of [`STEP`] seconds, whatever the host's sample rate.

pub mod ball;
pub mod events;
pub mod grand;
pub mod keyboard;
pub mod load;
pub mod port;
pub mod settings;

pub use events::{ActionEvent, EventKind};
pub use keyboard::Keyboard;
pub use port::Drive;
pub use settings::ActionSettings;

/// Length of an action step, s.
pub const STEP: f64 = 125e-6;
