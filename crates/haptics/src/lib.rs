#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests compare results with the functions of the standard library"
    )
)]

pub mod action;
pub mod bench_load;
pub mod calibration;
pub mod certify;
pub mod clock;
#[cfg(feature = "serial")]
pub mod connection;
mod conversation;
pub mod emulator;
pub mod fault_message;
pub mod hello_message;
#[cfg(feature = "serial")]
pub mod live;
pub mod log;
pub mod plant;
#[cfg(feature = "serial")]
pub mod port_group;
#[cfg(feature = "serial")]
pub mod priority;
#[cfg(feature = "serial")]
pub mod recording;
pub mod replay;
pub mod sampled_wall;
pub mod script;
#[cfg(feature = "serial")]
pub mod serial;
pub mod servo;
pub mod session;
#[cfg(feature = "serial")]
pub mod sidecar;
pub mod simulated_link;
mod slewed_key;
#[cfg(feature = "serial")]
pub mod status_text;
pub mod symptom;
pub mod walls;
