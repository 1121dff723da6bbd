//! The `touchback` command: renders, simulations, experiments, and a host for the built plugin.
//!
//! | module | part |
//! | --- | --- |
//! | [`cli`] | arguments, exit codes, one-line errors |
//! | [`render`] | a MIDI file through the piano into a WAV file |
//! | [`simulate`] | one key under one gesture, as data and figure |
//! | [`gesture`] | the drive of a key by a finger, a weight or a jig |
//! | [`weigh`] | a technician's measurements of every key |
//! | [`fit`] | parameters of a model fitted to a measured key |
//! | [`model`] | one key's dimensions and masses as a file |
//! | [`mod@bench`] | parts that experiments share |
//! | [`experiment`] | experiments and validations, as tables of verdicts |
//! | [`recorded`] | comparison of the piano with recorded notes |
//! | [`rig`] | haptic keys in virtual time, and measurements on them |
//! | [`film`] | moving pictures of the editor window while a performance plays |
//! | [`shot`] | pictures of the editor window in a scripted state |
//! | [`play`] | the stand-alone instrument (feature `standalone`) |
//! | [`keyboard`], [`feel`] | motorized keyboards: listing, timing, calibration, emulation, haptics |
//! | [`demo`] | the demonstration, rendered by the built plugin |
//! | [`host`] | a CLAP host without window or sound card |
//! | [`controls`], [`key_motion`], [`table`] | readers of options, key depths and CSV |
//! | [`compare_touch`] | figures of two takes of key motion, stroke by stroke |
//! | [`paths`] | options that name files; protects inputs from being overwritten |
//! | [`output`], [`wave`], [`plot`] | terminal output, files, WAV and figures |
//! | [`wall`] | analyses of virtual walls and of junctions over delays |
//! | `parallel` | work spread over all cores |
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "results are compared with the system's functions")
)]

pub mod bench;
pub mod cli;
pub mod compare_touch;
pub mod controls;
pub mod demo;
pub mod experiment;
pub mod feel;
pub mod film;
pub mod fit;
pub mod gesture;
pub mod host;
mod interrupt;
pub mod key_motion;
pub mod keyboard;
pub mod memory;
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
