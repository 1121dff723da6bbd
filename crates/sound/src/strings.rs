//! Strings: modes, unisons, hammers, losses and what the bridge gives back.

pub mod bank;
pub mod bridge;
pub(crate) mod bridge_delay;
pub mod contact;
pub mod hammer;
pub mod loss;
pub(crate) mod mobility;
pub mod note;
pub mod overtones;
pub(crate) mod plate;
pub(crate) mod poles;
pub(crate) mod rear_lengths;
pub(crate) mod resonances;
pub(crate) mod rods;
pub mod unison;
