//! The line to a keyboard: ports, messages, clocks.

pub(crate) mod clock;
pub(crate) mod conversation;
#[cfg(feature = "serial")]
pub mod port_group;
#[cfg(feature = "serial")]
pub mod priority;
#[cfg(feature = "serial")]
pub mod serial;
pub mod simulated_link;
