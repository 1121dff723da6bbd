//! Experiments for readers: the source documents, validation against published measurements, virtual walls, as tables of verdicts.
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "results are compared with the system's functions")
)]

pub mod experiment;
