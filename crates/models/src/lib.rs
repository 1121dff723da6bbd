#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests compare results with the system's functions"
    )
)]

pub mod catalogue;
pub mod penalty_model;
