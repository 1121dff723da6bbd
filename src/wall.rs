//! Virtual walls, their analysis, and the junctions that carry simulations over delays.
//!
//! The sources are [Gillespie 1996, ch. 4–6] and [Tsai 1996]. Heights in m, positive away from the
//! wall, which fills y < 0; forces in N *against* +y, as the thesis writes them.
//!
//! | module | part |
//! | --- | --- |
//! | [`plant`] | manipulandum and finger: exact motion between samples |
//! | [`controller`] | walls: standard, hysteretic, predictive, placed poles, deadbeat |
//! | [`bench`] | the sampled loop: hold, delay, encoder, velocity from position |
//! | [`analysis`] | marginal and passivating damping, return maps, energy at switching |
//!
//! Controllers neither allocate nor wait; benches and analyses are for the laboratory.

pub mod analysis;
pub mod bench;
pub mod controller;
pub mod plant;
