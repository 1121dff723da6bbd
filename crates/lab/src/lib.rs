//! The work of the `touchback` command.
//!
//! | module | part |
//! | --- | --- |
//! | [`cli`] | arguments, exit codes, one-line errors |
//! | [`render`] | a MIDI file through the piano into a WAV file |
//! | [`simulate`] | one key under one gesture, as data and figure |
//! | [`gesture`] | what a finger, weight or jig does to a key |
//! | [`weigh`] | the technician's numbers of every key |
//! | [`fit`] | numbers of a model fitted to a measured key |
//! | [`model`] | one key's dimensions and masses as a file |
//! | [`mod@bench`] | what experiments are made with |
//! | [`experiment`] | experiments and validations, as tables of verdicts |
//! | [`recorded`] | the piano beside recorded notes |
//! | [`rig`] | felt keys in virtual time, and what is measured on them |
//! | [`shot`] | pictures of the window in a scripted state |
//! | [`play`] | the instrument on its own, where the build has sound and MIDI |
//! | [`keyboard`], [`feel`] | motorized keyboards: found, timed, emulated, felt |
//! | [`demo`] | the demonstration, through the built plugin |
//! | [`host`] | a CLAP host without window or sound card |
//! | [`controls`], [`midi`], [`table`] | readers of options, MIDI files and CSV |
//! | [`paths`] | which options name files, and that no input is overwritten |
//! | [`output`], [`wave`], [`plot`] | writers of whole files, WAV and figures |
//! | [`wall`] | analyses of virtual walls and of junctions over delays |
//! | `parallel` | work on all cores |
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "results are compared with the system's functions")
)]

pub mod bench;
pub mod cli;
pub mod controls;
pub mod demo;
pub mod experiment;
pub mod feel;
pub mod fit;
pub mod gesture;
pub mod host;
mod interrupt;
pub mod keyboard;
pub mod memory;
pub mod midi;
pub mod model;
pub mod output;
mod parallel;
pub mod paths;
pub mod play;
pub mod plot;
pub mod preset;
pub mod recorded;
pub mod render;
pub mod rig;
pub mod shot;
pub mod simulate;
pub mod table;
pub mod wall;
pub mod wave;
pub mod weigh;
