#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "results are compared with the system's functions")
)]

pub mod episode;
pub mod exchange;
#[cfg(feature = "files")]
pub mod files;
pub mod math;
pub mod mech;
#[cfg(feature = "png")]
pub mod picture;
pub mod text;
