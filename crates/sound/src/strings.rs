//! Strings: modes, unisons, hammers, losses and what the bridge gives back.

pub mod bank;
pub mod bridge;
pub mod bridge_delay;
pub mod contact;
pub mod hammer;
pub mod loss;
pub mod mobility;
pub mod note;
pub mod overtones;
pub mod plate;
pub mod poles;
pub mod rear_lengths;
pub mod resonances;
pub mod unison;
