#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests compare results with the system's functions"
    )
)]

pub mod built_in;
pub mod grand;
pub mod interface;
pub mod keyboard;
pub mod simple;

pub use grand::GrandKey;
pub use interface::constants::{GRAVITY, STEP, step_time};
pub use interface::events::{EventKind, KeyEvent, TimedEvent};
pub use interface::key::Key;
pub use interface::kind::ActionKind;
pub use interface::mechanism::{Mechanism, MechanismFile};
pub use interface::port::Drive;
pub use interface::readout::Readout;
pub use interface::settings::ActionSettings;
pub use keyboard::Keyboard;
pub use keyboard::switchable::SwitchableKeyboard;
