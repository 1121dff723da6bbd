//! What one does with the models without a host: drive a key by a gesture, run it, render a performance, fit and
//! weigh, and write data and figures.
//!
//! | module | part |
//! | --- | --- |
//! | [`gesture`] | the drive of a key by a finger, a weight or a jig |
//! | [`simulate`] | one key under one gesture, as data and figure |
//! | [`render`], [`prelude`] | a MIDI file through the piano into a WAV file; the demonstration's piece |
//! | [`weigh`] | a technician's measurements of every key |
//! | [`fit`] | parameters of a model fitted to a measured key |
//! | [`model`] | one key's dimensions and masses as a file |
//! | [`mod@bench`] | parts that experiments share: a key on a test bench, reports, the runner |
//! | [`rig`] | haptic keys in virtual time, and measurements on them |
//! | [`compare_touch`] | figures of two takes of key motion, stroke by stroke |
//! | [`controls`], [`key_motion`], [`table`] | readers of options, key depths and CSV |
//! | [`paths`] | options that name files; protects inputs from being overwritten |
//! | [`output`], [`wave`], [`flac`], [`plot`] | terminal output, files, WAV, FLAC and figures |
//! | [`parallel`], [`interrupt`], [`memory`] | work spread over all cores; Ctrl-C; the process's memory |
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "results are compared with the system's functions")
)]

pub mod bench;
pub mod compare_touch;
pub mod controls;
pub mod fit;
pub mod flac;
pub mod gesture;
pub mod interrupt;
pub mod key_motion;
pub mod memory;
pub mod model;
pub mod output;
pub mod parallel;
pub mod paths;
pub mod plot;
pub mod prelude;
pub mod render;
pub mod rig;
pub mod simulate;
pub mod table;
pub mod wave;
pub mod weigh;
