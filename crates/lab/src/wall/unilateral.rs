//! Stability of a linear sampled loop closed by a one-sided spring [Tsai 1996, part II].
//!
//! The derivation, and how it stands to the circle and Tsypkin criteria, is in
//! `docs/unilateral.md`.
//!
//! | module | part |
//! | --- | --- |
//! | [`criterion`] | what the frequency response excludes: circle, Tsypkin, shifts |
//! | [`game`] | the matrix game that finds the best multiplier |
//! | [`orbits`] | brute force: periodic orbits of the loop itself, from 1 to 64 samples |

pub mod criterion;
pub mod game;
pub mod orbits;
