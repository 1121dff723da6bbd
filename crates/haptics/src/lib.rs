#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests compare results with the functions of the standard library"
    )
)]

pub mod action;
#[cfg(feature = "bridge")]
pub mod bridge;
#[cfg(feature = "serial")]
pub mod connection;
pub mod keyboard;
pub mod line;
pub mod record;
pub mod servo;
pub mod session;
#[cfg(feature = "serial")]
pub mod sidecar;
mod slewed_key;
pub mod wall;
