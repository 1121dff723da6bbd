//! Connection to the keyboard under calibration: hello, one command per state, end of force.

use std::collections::VecDeque;

use super::super::session::HaltReason;
use super::FORCE;
use crate::fault_message::fault_message;
use crate::servo::unfit;
use touchback_device::device::safety::DeviceMode;
use touchback_device::fixed::{i16_of, u8_of, u16_of};
use touchback_device::frame::{FrameReceiver, MAX_FRAME};
use touchback_device::message::{
    Config, FORCE as FORCE_UNIT, Hello, IMPEDANCE, KeyList, KeyState, KeyWave, Message, POSITION,
    Play, StateMessage, VERSION, ability,
};

/// Both directions of the line to a keyboard.
pub trait Line {
    /// Sends `bytes`, waits about 1 ms, and appends the received bytes to `into`. Returns the time, s. An error
    /// message ends the calibration.
    ///
    /// # Errors
    /// The port is gone, or the user has cancelled.
    fn turn(&mut self, bytes: &[u8], into: &mut Vec<u8>) -> Result<f64, String>;
}

/// Error of a calibration.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CalibrationError {
    /// The line has ended, with its message.
    #[error("{0}")]
    Line(String),
    /// No keyboard answers.
    #[error("nothing answers; is the keyboard at this port, and is it switched on?")]
    Silent,
    /// The keyboard is unusable.
    #[error("the keyboard cannot be used")]
    Unfit(HaltReason),
    /// The keyboard does not accept plain forces.
    #[error("the keyboard takes no plain forces (ability 2), which calibration needs")]
    NoForces,
    /// The keyboard has ended force.
    #[error("the keyboard ended force by itself ({}: {})", mode.name(), fault_message(*faults))]
    Stopped {
        /// Mode of the keyboard.
        mode: DeviceMode,
        /// Faults of the keyboard.
        faults: u16,
    },
    /// The keyboard does not report the key.
    #[error("the keyboard does not report this key")]
    NoKey,
    /// A push down moves the key up.
    #[error("a push down moves the key up: the motor or the sensor is the wrong way round")]
    Reversed,
    /// The key does not move.
    #[error("the key does not move under 2 N: motor, sensor, a blocked key or one too heavy")]
    Unmoved,
    /// The key does not return.
    #[error("the key does not return to its rest position")]
    Away,
    /// The key moves by itself, or somebody moves it.
    #[error("the key is not at rest: do not touch it; or the sensor is too noisy")]
    Restless,
    /// The mass on the key does not show in its weight.
    #[error("the mass on the key does not show in its weight")]
    Unfelt,
}

/// Time from a state to the play-out of its answer, µs: long enough for every wire.
const LEAD_US: u32 = 3000;
/// Longest wait for a state, s.
const TIMEOUT: f64 = 0.5;

/// One state of the key.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sample {
    /// Time by the keyboard's clock since the first sample, s.
    pub time: f64,
    /// Position, m.
    pub x: f64,
    /// Applied force, N, positive down.
    pub force: f64,
}

/// A keyboard and the key that is being measured.
#[derive(Debug)]
pub struct Bench<L> {
    line: L,
    receiver: FrameReceiver,
    received: Vec<u8>,
    out: Vec<u8>,
    states: VecDeque<StateMessage>,
    hello: Option<Hello>,
    has_facts: bool,
    now: f64,
    key: u8,
    seq: u16,
    /// Time of the newest state by the keyboard's clock, µs, and time since the first, s.
    last_us: Option<u32>,
    time: f64,
}

impl<L: Line> Bench<L> {
    /// Asks, up to ten times, until hello and facts have come.
    pub fn begin(line: L) -> Result<Self, CalibrationError> {
        let mut bench = Self {
            line,
            receiver: FrameReceiver::new(),
            received: Vec::new(),
            out: Vec::new(),
            states: VecDeque::new(),
            hello: None,
            has_facts: false,
            now: 0.0,
            key: 0,
            seq: 0,
            last_us: None,
            time: 0.0,
        };
        for _ in 0..10 {
            // A zero ends a partial frame on the line.
            bench.out.push(0);
            bench.send(&Message::Ask(VERSION));
            bench.pause(0.1)?;
            if let Some(hello) = bench.hello.filter(|_| bench.has_facts) {
                if let Some(why) = unfit(&hello) {
                    return Err(why.into());
                }
                if hello.abilities & ability::TORQUE == 0 {
                    return Err(CalibrationError::NoForces);
                }
                return Ok(bench);
            }
        }
        match bench.hello.as_ref().and_then(unfit) {
            Some(why) => Err(why.into()),
            None => Err(CalibrationError::Silent),
        }
    }

    /// The hello of the keyboard.
    pub const fn hello(&self) -> &Hello {
        match &self.hello {
            Some(hello) => hello,
            None => unreachable!(),
        }
    }

    fn send(&mut self, message: &Message) {
        let mut frame = [0; MAX_FRAME];
        if let Some(length) = message.frame(&mut frame) {
            self.out.extend_from_slice(&frame[..length]);
        }
    }

    /// Sends the pending bytes and handles the received ones.
    fn turn(&mut self) -> Result<(), CalibrationError> {
        self.received.clear();
        self.now = self.line.turn(&self.out, &mut self.received).map_err(CalibrationError::Line)?;
        self.out.clear();
        for byte in &self.received {
            let Some(Ok(payload)) = self.receiver.push(*byte) else { continue };
            match Message::decode(payload) {
                Some(Message::State(state)) => self.states.push_back(state),
                Some(Message::Hello(hello)) => self.hello = Some(hello),
                Some(Message::Facts(_)) => self.has_facts = true,
                _ => {}
            }
        }
        Ok(())
    }

    /// Receives for `seconds` without commands.
    pub fn pause(&mut self, seconds: f64) -> Result<(), CalibrationError> {
        self.turn()?;
        let until = self.now + seconds;
        while self.now < until {
            self.turn()?;
            self.states.clear();
        }
        Ok(())
    }

    /// Configures the largest force, clears, and selects `key`.
    pub fn arm(&mut self, key: u8) -> Result<(), CalibrationError> {
        self.stop()?;
        self.send(&Message::Config(Config {
            force_max: u16_of(FORCE, 10e-3),
            timeout_ms: 20,
            report_us: 1000,
            ..Config::OWN
        }));
        self.seq = self.seq.wrapping_add(1);
        self.send(&Message::Clear(self.seq));
        self.key = key;
        (self.last_us, self.time) = (None, 0.0);
        self.pause(0.01)
    }

    /// Ends force, and then the safe damping, with which a reversed motor would push.
    pub fn stop(&mut self) -> Result<(), CalibrationError> {
        self.seq = self.seq.wrapping_add(1);
        self.send(&Message::Stop(self.seq));
        self.pause(0.03)?;
        self.send(&Message::Clear(self.seq));
        self.send(&Message::Stop(self.seq));
        self.pause(0.01)
    }

    /// Commands `force`, N, positive down, and a damping of `z`, N·s/m, and waits for the key's next state.
    /// Where states are waiting, returns the oldest without a command. The commanded force is never 0, so
    /// that every state reports the key.
    pub fn step(&mut self, force: f64, z: f64) -> Result<Sample, CalibrationError> {
        while let Some(state) = self.states.pop_front() {
            if let Some(sample) = self.sample(&state)? {
                return Ok(sample);
            }
        }
        if let Some(t_us) = self.last_us {
            self.seq = self.seq.wrapping_add(1);
            let mut keys = KeyList::default();
            let up = i16_of(-force.clamp(-FORCE, FORCE), FORCE_UNIT);
            let up = if up == 0 { 1 } else { up };
            keys.push(KeyWave { key: self.key, force: up, impedance: u8_of(z, IMPEDANCE) });
            let play_us = t_us.wrapping_add(LEAD_US);
            self.send(&Message::Torque(Play { seq: self.seq, play_us, keys }));
        }
        let until = self.now + TIMEOUT;
        let mut has_state = false;
        loop {
            self.turn()?;
            while let Some(state) = self.states.pop_front() {
                has_state = true;
                if let Some(sample) = self.sample(&state)? {
                    return Ok(sample);
                }
            }
            if self.now > until {
                return Err(if has_state {
                    CalibrationError::NoKey
                } else {
                    CalibrationError::Silent
                });
            }
        }
    }

    /// Skips the waiting states, so that the next command answers the newest one.
    pub fn catch_up(&mut self) {
        while let Some(state) = self.states.pop_front() {
            // The next state repeats mode and faults.
            let _ = self.sample(&state);
        }
    }

    /// Play-out time of the next command, s, in the time of the samples.
    pub const fn plays_at(&self) -> f64 {
        self.time + LEAD_US as f64 * 1e-6
    }

    /// The sample of the key in a state; none where the state is old or lacks the key.
    fn sample(&mut self, state: &StateMessage) -> Result<Option<Sample>, CalibrationError> {
        let passed_us = self.last_us.map_or(0, |last| state.t_us.wrapping_sub(last));
        if passed_us > u32::MAX / 2 {
            return Ok(None);
        }
        self.last_us = Some(state.t_us);
        self.time += f64::from(passed_us) * 1e-6;
        let mode = DeviceMode::of(state.mode).unwrap_or(DeviceMode::Fault);
        if !matches!(mode, DeviceMode::Ready | DeviceMode::Live) {
            return Err(CalibrationError::Stopped { mode, faults: state.faults });
        }
        let key = state.keys.as_slice().iter().find(|k| k.key == self.key);
        Ok(key.map(|KeyState { x, force, .. }| Sample {
            time: self.time,
            x: f64::from(*x) * POSITION,
            force: -f64::from(*force) * FORCE_UNIT,
        }))
    }
}
