//! The `touchback` command, and a host for the built plugin.
//!
//! | module | part |
//! | --- | --- |
//! | [`cli`] | arguments, exit codes, one-line errors |
//! | [`demo`] | the demonstration, rendered by the built plugin |
//! | [`host`] | a CLAP host without window or sound card |
//! | [`keyboard`], [`feel`] | motorized keyboards: listing, timing, calibration, emulation, haptics |
//! | [`preset`] | lists and exports presets |
//! | [`film`], [`shot`] | pictures of the window, moving and still |
//! | [`play`] | the stand-alone instrument (feature `standalone`) |
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "results are compared with the system's functions")
)]

pub mod cli;
pub mod demo;
pub mod feel;
pub mod film;
pub mod host;
pub mod keyboard;
pub mod play;
pub mod preset;
pub mod shot;
