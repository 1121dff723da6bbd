//! Connection to the keyboard under calibration: hello, one command per state, end of force.

use super::FORCE;
use crate::keyboard::fault_message::fault_message;
use crate::line::conversation::{Conversation, Line};
use crate::servo::unfit;
use crate::session::HaltReason;
use touchback_device::device::safety::DeviceMode;
use touchback_device::fixed::{i16_of, u8_of, u16_of};
use touchback_device::message::{
    Config, FORCE as FORCE_UNIT, Hello, IMPEDANCE, KeyList, KeyState, KeyWave, Message, POSITION,
    Play, StateMessage, ability,
};

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

impl From<String> for CalibrationError {
    fn from(message: String) -> Self {
        Self::Line(message)
    }
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
    talk: Conversation<L>,
    hello: Hello,
    key: u8,
    /// Time of the newest state by the keyboard's clock, µs, and time since the first, s.
    last_us: Option<u32>,
    time: f64,
}

impl<L: Line> Bench<L> {
    /// Asks, up to ten times, until hello and facts have come.
    pub fn begin(line: L) -> Result<Self, CalibrationError> {
        let mut talk = Conversation::new(line);
        let described = talk.ask()?;
        if let Some(why) = talk.hello.as_ref().and_then(unfit) {
            return Err(why.into());
        }
        let hello = described.ok_or(CalibrationError::Silent)?;
        if hello.abilities & ability::TORQUE == 0 {
            return Err(CalibrationError::NoForces);
        }
        Ok(Self { talk, hello, key: 0, last_us: None, time: 0.0 })
    }

    /// The hello of the keyboard.
    pub const fn hello(&self) -> &Hello {
        &self.hello
    }

    /// Receives for `seconds` without commands.
    pub fn pause(&mut self, seconds: f64) -> Result<(), CalibrationError> {
        self.talk.wait(seconds)?;
        self.talk.states.clear();
        Ok(())
    }

    /// Configures the largest force, clears, and selects `key`.
    pub fn arm(&mut self, key: u8) -> Result<(), CalibrationError> {
        self.stop()?;
        self.talk.send(&Message::Config(Config {
            force_max: u16_of(FORCE, 10e-3),
            timeout_ms: 20,
            report_us: 1000,
            ..Config::OWN
        }));
        let seq = self.talk.next();
        self.talk.send(&Message::Clear(seq));
        self.key = key;
        (self.last_us, self.time) = (None, 0.0);
        self.pause(0.01)
    }

    /// Ends force and safe damping.
    pub fn stop(&mut self) -> Result<(), CalibrationError> {
        self.talk.end_force()?;
        self.talk.states.clear();
        Ok(())
    }

    /// Commands `force`, N, positive down, and a damping of `z`, N·s/m, and waits for the key's next state.
    /// Where states are waiting, returns the oldest without a command. The commanded force is never 0, so
    /// that every state reports the key.
    pub fn step(&mut self, force: f64, z: f64) -> Result<Sample, CalibrationError> {
        while let Some((_, state)) = self.talk.states.pop_front() {
            if let Some(sample) = self.sample(&state)? {
                return Ok(sample);
            }
        }
        if let Some(t_us) = self.last_us {
            let mut keys = KeyList::default();
            let up = i16_of(-force.clamp(-FORCE, FORCE), FORCE_UNIT);
            let up = if up == 0 { 1 } else { up };
            keys.push(KeyWave { key: self.key, force: up, impedance: u8_of(z, IMPEDANCE) });
            let play_us = t_us.wrapping_add(LEAD_US);
            let seq = self.talk.next();
            self.talk.send(&Message::Torque(Play { seq, play_us, keys }));
        }
        let until = self.talk.now + TIMEOUT;
        let mut has_state = false;
        loop {
            self.talk.turn()?;
            while let Some((_, state)) = self.talk.states.pop_front() {
                has_state = true;
                if let Some(sample) = self.sample(&state)? {
                    return Ok(sample);
                }
            }
            if self.talk.now > until {
                return Err(if has_state {
                    CalibrationError::NoKey
                } else {
                    CalibrationError::Silent
                });
            }
        }
    }

    /// Skips the waiting states, so that the next command answers the newest one.
    pub(crate) fn catch_up(&mut self) {
        while let Some((_, state)) = self.talk.states.pop_front() {
            // The next state repeats mode and faults.
            let _ = self.sample(&state);
        }
    }

    /// Play-out time of the next command, s, in the time of the samples.
    pub(crate) const fn plays_at(&self) -> f64 {
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
