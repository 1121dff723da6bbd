//! Keyboard actions: what lies between the finger and the string.
//!
//! Everything here advances on one fixed grid of [`STEP`] seconds, whatever the host's sample rate.
//! [`grand`] is the instrument's own action, [`keyboard`] 88 keys of it; the others are small models
//! with one lever, all played through [`mechanism::Mechanism`] and found by name in [`catalogue`].

pub mod ball;
pub mod catalogue;
pub mod drive_input;
pub mod events;
pub mod finger;
pub mod grand;
pub mod harpsichord;
pub mod keyboard;
pub mod kind;
pub mod load;
pub mod losses;
pub mod mechanism;
pub mod model_a;
pub mod model_b;
pub mod note_interface;
pub mod penalty_model;
pub mod port;
pub mod pose;
pub mod press;
pub mod readout;
pub mod settings;
pub mod simple_keys;
pub mod simplified;
pub mod slider;
pub mod switchable_keyboard;
pub mod viennese;

pub use events::{EventKind, KeyEvent, TimedEvent};
pub use keyboard::Keyboard;
pub use kind::ActionKind;
pub use port::Drive;
pub use readout::Readout;
pub use settings::ActionSettings;
pub use switchable_keyboard::SwitchableKeyboard;

/// Length of an action step, s.
pub const STEP: f64 = 125e-6;

/// Time from the beginning of step 0 to that of `step`, s. Counted in whole microseconds, so that
/// it prints short.
#[must_use]
pub fn step_time(step: u64) -> f64 {
    (step as f64 * (STEP * 1e6)) / 1e6
}
