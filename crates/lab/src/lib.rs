//! Experiments for readers: the source documents, validation against published measurements, virtual walls, and
//! comparison with recorded pianos.
//!
//! | module | part |
//! | --- | --- |
//! | [`experiment`] | experiments and validations, as tables of verdicts |
//! | [`recorded`] | comparison of the piano with recorded notes, and voicings fitted to them |
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "results are compared with the system's functions")
)]

pub mod experiment;
pub mod recorded;
