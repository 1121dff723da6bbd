//! Status of the servo: connection, counts, clock.

use super::Servo;
use super::key::{HapticKey, HapticKeyView, WaitReason};
use crate::keyboard::symptom::Symptom;
use crate::session::{ConnectionState, HaltReason};
use touchback_action::interface::key::{DynamicsCompensation, Key};
use touchback_device::device::safety::DeviceMode;
use touchback_device::fixed::u16_of;
use touchback_device::message::Hello;

/// A key that waits for force in a live session.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WaitingKey {
    /// Number of the piano key.
    pub key: u8,
    /// Time since the key waits, s.
    pub time: f64,
    /// Why it waits.
    pub reason: WaitReason,
}

/// Status of the servo: connection, counts, clock.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ServoStatus {
    /// State of the connection.
    pub state: ConnectionState,
    /// Reason of a refusal or halt.
    pub halt_reason: HaltReason,
    /// The keyboard's hello, once it has answered.
    pub hello: Option<Hello>,
    /// Mode of the device's state machine, as last reported.
    pub mode: DeviceMode,
    /// Bits of the device's faults, as last reported.
    pub faults: u16,
    /// Number of keys whose simulation is awake.
    pub awake: u32,
    /// State messages received.
    pub states: u64,
    /// State messages that came before the facts.
    pub factless: u64,
    /// State messages lost in transmission, by their sequence numbers.
    pub lost: u64,
    /// Damaged or unexpected frames.
    pub damaged: u64,
    /// Bytes received.
    pub bytes: u64,
    /// Gaps in the states, after which keys were placed anew.
    pub gaps: u64,
    /// Commands whose force the host limited.
    pub limited: u64,
    /// Slots in which a simulated key's state became non-finite and was replaced by rest.
    pub upset: u64,
    /// Number of keys that host notes move now.
    pub played: u32,
    /// Number of times that the virtual finger released a key to a player's finger.
    pub yields: u64,
    /// Largest mass, weight and friction of the keyboard's keys that could not be deducted.
    pub uncompensated: DynamicsCompensation,
    /// Last round trip, s.
    pub round_trip: f64,
    /// Share by which the keyboard's clock is fast.
    pub drift: f64,
    /// Root mean square residual of the clock fit, s.
    pub residual: f64,
    /// Number of the next action step, counted from the first state.
    pub step: u64,
    /// Lead that the wire needs and the servo uses, µs; 0 before a session is live.
    pub lead_us: u32,
    /// Commands known to be received by the keyboard since the last clear, and those received late.
    pub commands: (u64, u64),
    /// Longest time that a chunk of states covers, ms; 0 where states do not come in chunks.
    pub chunk_ms: u16,
    /// The key that has waited longest for force in the live session.
    pub waiting: Option<WaitingKey>,
    /// First key whose force is limited because of its sensor, by its piano number, and why.
    pub remark: Option<(u8, Symptom)>,
}

impl Servo {
    /// The present status.
    #[must_use]
    pub fn status(&self) -> ServoStatus {
        let (drift, residual) = self.clock.fit();
        // A keyboard that has sent a hello and no state is not present yet.
        let state = match self.session.state() {
            ConnectionState::Present if !self.is_reporting => ConnectionState::Seeking,
            state => state,
        };
        let awake = self.keys.iter().filter(|k| k.is_awake()).count();
        ServoStatus {
            state,
            halt_reason: self.session.halt_reason(),
            hello: self.hello,
            awake: u32::try_from(awake).unwrap_or(u32::MAX),
            limited: self.keys.iter().map(|k| k.limited).sum(),
            upset: self.keys.iter().map(|k| k.upset).sum(),
            played: u32::try_from(self.keys.iter().filter(|k| k.is_played()).count()).unwrap_or(0),
            yields: self.keys.iter().map(HapticKey::yields).sum(),
            drift,
            residual,
            commands: self.times.counts(),
            chunk_ms: self.wire.chunk(self.ticked_at).map_or(0, |chunk| u16_of(chunk, 1e-3)),
            waiting: self.waiting(),
            remark: self.keys.iter().find_map(|k| k.remark().map(|why| (k.number().number(), why))),
            ..self.status
        }
    }

    fn waiting(&self) -> Option<WaitingKey> {
        let each = self.keys.iter().filter_map(|key| {
            let (time, reason) = key.waits()?;
            Some(WaitingKey { key: key.number().number(), time, reason })
        });
        each.max_by(|a, b| a.time.total_cmp(&b.time))
    }

    /// One key of the keyboard, by its number from 0.
    #[must_use]
    pub fn key(&self, index: usize) -> Option<HapticKeyView> {
        self.keys.get(index).map(HapticKey::view)
    }

    /// The simulated key of one key of the keyboard, by its number from 0.
    #[must_use]
    pub fn simulated(&self, index: usize) -> Option<&dyn Key> {
        self.keys.get(index).map(HapticKey::simulated)
    }
}
