#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests compare results with the system's functions"
    )
)]

pub mod catalogue;
pub mod grand;
pub mod interface;
pub mod keyboard;
pub mod penalty_model;
pub mod simple;

pub use grand::GrandKey;
pub use interface::events::{EventKind, KeyEvent, TimedEvent};
pub use interface::key::Key;
pub use interface::kind::ActionKind;
pub use interface::port::Drive;
pub use interface::readout::Readout;
pub use interface::settings::ActionSettings;
pub use keyboard::Keyboard;
pub use keyboard::switchable::SwitchableKeyboard;

/// Length of an action step, s.
pub const STEP: f64 = 125e-6;

/// Time from the beginning of step 0 to the beginning of `step`, s. Computed from whole microseconds, so
/// that its decimal form is short.
#[must_use]
pub fn step_time(step: u64) -> f64 {
    (step as f64 * (STEP * 1e6)) / 1e6
}
