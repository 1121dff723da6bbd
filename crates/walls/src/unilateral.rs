//! Stability of a linear sampled loop closed by a one-sided spring [Tsai 1996, part II].
//!
//! `docs/unilateral.md` has the derivation and the relation to the circle and Tsypkin criteria.
//!
//! | module | part |
//! | --- | --- |
//! | [`continuous`] | the loop in continuous time: circle, Popov, a two-sided spring |
//! | [`criterion`] | oscillations excluded by the frequency response: circle, Tsypkin, shifts |
//! | [`game`] | the matrix game for the best multiplier |
//! | [`orbits`] | brute-force search for periodic orbits of 1 to 64 samples |

pub mod continuous;
pub mod criterion;
pub mod game;
pub mod orbits;
