//! Haptic keys on the bench: emulator and servo in one virtual time, and measurements on them.
//!
//! | module | part |
//! | --- | --- |
//! | [`co_simulation`] | keyboard, line and host, tick by tick, with faults on the line |
//! | [`acceptance`] | the junction compared with the same parts rigidly joined |
//! | [`coupling`] | the coupling to a keyboard without a wave junction, compensated or not |
//! | [`fault_injection`] | random faults, servo compared with twin, the stiffest bed |
//! | [`defect_campaign`] | keyboards that look right and are not; a right one on a bad wire |
//! | [`random_strokes`] | random strokes: created energy, held keys |
//! | [`z_width`] | the stiffest contact that can be rendered |

pub mod acceptance;
pub mod co_simulation;
pub mod coupling;
pub mod defect_campaign;
pub mod fault_injection;
pub mod random_strokes;
#[cfg(test)]
pub mod tests;
pub mod z_width;

use touchback_haptics::keyboard::plant::KeyPlant;

/// A light key that returns by its own weight, as on a keyboard for pianists.
pub const KEY: KeyPlant = KeyPlant { mass: 0.03, friction: 0.1, weight: 0.2, ..KeyPlant::THREE[0] };
