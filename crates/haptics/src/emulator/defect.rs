//! Defects of a keyboard around a correct device: motors, sensors, arithmetic, clock.

use std::collections::VecDeque;

use touchback_device::frame::{FrameReceiver, MAX_FRAME};
use touchback_device::message::{KeyList, Message, StateMessage};

use touchback_core::math::random::Random;

/// Defect of the position sensors.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SensorDefect {
    /// Right positions.
    #[default]
    None,
    /// Always 0.
    Stuck,
    /// Random positions within ±16 mm.
    Random,
}

/// Errors of a keyboard's motors, sensors, arithmetic and clock.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Defects {
    /// Motor constant: newtons given for one commanded; negative for a reversed motor.
    pub motor: f64,
    /// Delay of the motor, ticks of 125 µs.
    pub motor_delay: usize,
    /// Factor of the reported wave integral.
    pub wave: i32,
    /// Factor of the reported impedance.
    pub impedance: u8,
    /// Rate of the keyboard's clock; 1 is right.
    pub clock: f64,
    /// Defect of the sensors.
    pub sensor: SensorDefect,
}

impl Default for Defects {
    fn default() -> Self {
        Self {
            motor: 1.0,
            motor_delay: 0,
            wave: 1,
            impedance: 1,
            clock: 1.0,
            sensor: SensorDefect::None,
        }
    }
}

impl Defects {
    /// The defects change the reports of the device.
    fn are_in_reports(&self) -> bool {
        self.wave != 1 || self.impedance != 1 || self.sensor != SensorDefect::None
    }
}

/// State of the defects: delayed forces of every motor, random positions.
#[derive(Clone, Debug)]
pub(super) struct DefectState {
    pub(super) set: Defects,
    delayed: Vec<VecDeque<f64>>,
    random: Random,
}

impl DefectState {
    /// No defects, for `keys` keys.
    pub(super) fn new(keys: usize) -> Self {
        Self {
            set: Defects::default(),
            delayed: vec![VecDeque::new(); keys],
            random: Random::new(7),
        }
    }

    /// Force, N, that the motor of `key` gives in a tick with the command `force`, N.
    pub(super) fn motor(&mut self, key: usize, force: f64) -> f64 {
        let mut given = force;
        if let Some(delayed) = self.delayed.get_mut(key)
            && self.set.motor_delay > 0
        {
            delayed.push_back(force);
            let is_due = delayed.len() > self.set.motor_delay;
            given = if is_due { delayed.pop_front().unwrap_or(0.0) } else { 0.0 };
        }
        self.set.motor * given
    }

    /// Appends a frame of the device to `out`, with the defects.
    pub(super) fn report(&mut self, frame: &[u8], out: &mut Vec<u8>) {
        let altered = self.set.are_in_reports().then(|| self.altered(frame)).flatten();
        out.extend_from_slice(altered.as_deref().unwrap_or(frame));
    }

    fn altered(&mut self, frame: &[u8]) -> Option<Vec<u8>> {
        let mut receiver = FrameReceiver::new();
        let mut message = None;
        for byte in frame {
            if let Some(Ok(payload)) = receiver.push(*byte) {
                message = Message::decode(payload);
            }
        }
        let Some(Message::State(state)) = message else { return None };
        let mut keys = KeyList::default();
        for key in state.keys.as_slice() {
            let mut key = *key;
            key.wave_sum = key.wave_sum.wrapping_mul(self.set.wave);
            key.impedance = key.impedance.saturating_mul(self.set.impedance);
            key.x = match self.set.sensor {
                SensorDefect::None => key.x,
                SensorDefect::Stuck => 0,
                SensorDefect::Random => i32::try_from(self.random.below(64_000))
                    .ok()
                    .and_then(|x| i16::try_from(x - 32_000).ok())
                    .unwrap_or(0),
            };
            keys.push(key);
        }
        let mut bytes = [0; MAX_FRAME];
        let length = Message::State(StateMessage { keys, ..state }).frame(&mut bytes)?;
        bytes.get(..length).map(<[u8]>::to_vec)
    }
}
