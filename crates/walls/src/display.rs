//! Schemes that display a virtual mass through a device [Gillespie 1996, ch. 4].
//!
//! | module | part |
//! | --- | --- |
//! | [`sprung_mass`] | impedance display: a mass behind a spring, driven by position |
//! | [`dynamic`] | a mass that moves by itself, with crossings and hold compensated |
//! | [`key`] | the same compensation for a simulated key |
//! | [`coupled`] | the sampled loop of device, coupling spring and virtual mass; admittance display |

pub mod coupled;
pub mod dynamic;
pub mod key;
pub mod sprung_mass;
