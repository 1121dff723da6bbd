//! Recorded pianos: their sound files, the distance of the rendered piano from them, voicings fitted to them, and
//! blind listening tests beside them.
//!
//! | module | part |
//! | --- | --- |
//! | [`compare`] | `touchback lab recorded` |
//! | [`voicing`] | `touchback match` |
//! | [`blind_test`] | `touchback lab listening --web` |
//! | [`sound_file`], [`sfz`], [`names`] | readers of recordings |
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "results are compared with the system's functions")
)]

pub mod blind_test;
pub mod compare;
mod figures;
mod measure;
pub mod names;
mod pairs;
mod pitch;
pub mod sfz;
pub mod sound_file;
mod tables;
mod takes;
mod verdict;
pub mod voicing;
