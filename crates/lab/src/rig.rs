//! Felt keys on the bench: emulator and servo in one virtual time, and what is measured on them.
//!
//! | module | part |
//! | --- | --- |
//! | [`co_simulation`] | keyboard, line and host, tick by tick, with faults on the way |
//! | [`acceptance`] | the junction against the same parts rigidly joined |
//! | [`fault_injection`] | random faults and strokes, servo against twin, the stiffest bed |
//! | [`z_width`] | how hard a contact can be felt |

pub mod acceptance;
pub mod co_simulation;
pub mod fault_injection;
#[cfg(test)]
pub(crate) mod tests;
pub mod z_width;

use touchback_haptics::plant::KeyPlant;

/// A light key that returns by its own weight: what a keyboard for pianists would be.
pub const KEY: KeyPlant = KeyPlant { mass: 0.03, friction: 0.1, weight: 0.2, ..KeyPlant::THREE[0] };
