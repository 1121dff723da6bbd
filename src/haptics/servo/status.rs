//! What the servo tells of itself.

use super::super::mechanism::DynamicsCompensation;
use super::super::session::{ConnectionState, HaltReason};
use touchback_device::device::safety::DeviceMode;
use touchback_device::message::Hello;

/// What the servo tells of itself.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Status {
    /// Where it stands with the keyboard.
    pub standing: ConnectionState,
    /// Why, where something is wrong.
    pub why: HaltReason,
    /// What the keyboard is.
    pub hello: Option<Hello>,
    /// Its mode and faults.
    pub mode: DeviceMode,
    /// See `mode`.
    pub faults: u16,
    /// Keys that move.
    pub awake: u32,
    /// States taken; lost on the way; damaged frames; gaps after which keys were placed anew.
    pub states: u64,
    /// See `states`.
    pub lost: u64,
    /// See `states`.
    pub damaged: u64,
    /// See `states`.
    pub gaps: u64,
    /// Commands whose force was limited here.
    pub limited: u64,
    /// Action steps lost because a mechanism left the numbers and was laid to rest.
    pub upset: u64,
    /// Keys that host notes move, and times one was left to a finger.
    pub played: u32,
    /// See `played`.
    pub yields: u64,
    /// Most that could not be deducted of any key.
    pub left: DynamicsCompensation,
    /// Last round trip, s, and the keyboard's clock: drift and residual.
    pub round_trip: f64,
    /// Share by which the keyboard's clock runs fast, and what the fit leaves, s.
    pub drift: f64,
    /// See `drift`.
    pub residual: f64,
    /// Step the servo stands before.
    pub step: u64,
}
