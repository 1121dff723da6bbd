//! Analyses of virtual walls, and of junctions that couple simulations over delays.
//!
//! The sources are [Gillespie 1996, ch. 4–6] and [Tsai 1996]. Positions in m,
//! positive into the wall, which fills x > 0, as a key's depth (docs/notation.md); a wall's force in N
//! acts against +x. The thesis counts y = −x, away from the wall.
//!
//! | module | part |
//! | --- | --- |
//! | [`mod@bench`] | the sampled loop: hold, delay, encoder, velocity from position |
//! | [`ball`] | a ball on a sampled wall, with chosen numbers |
//! | [`calculation`] | criteria, dampings, return maps and lines as functions of chosen numbers |
//! | [`comparison`] | every wall under the same conditions: the largest stiffness that comes to rest |
//! | [`analysis`] | marginal and passivating damping, return maps, energy at switching |
//! | [`finger`] | mass, damping and stiffness of the finger on the device, estimated during play |
//! | [`display`] | a virtual mass displayed by position or by force, and its coupling spring |
//! | [`unilateral`] | stability criteria for one-sided springs, and brute-force search |
//! | [`mapping`] | passivity of mappings from s to z |
//! | [`junction`] | constraints carried by transmission lines |
//!
//! The walls themselves are in [`touchback_haptics::wall::sampled`].
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "results are compared with the system's functions")
)]

pub mod analysis;
pub mod ball;
pub mod bench;
pub mod calculation;
pub mod comparison;
#[cfg(test)]
mod controller_tests;
pub mod display;
pub mod finger;
pub mod junction;
pub mod mapping;
pub mod unilateral;
