//! The keyboard at the other end: hello, one command to a state, force off.

use std::collections::VecDeque;

use super::super::session::HaltReason;
use super::FORCE;
use crate::fault_words::faults_in_words;
use crate::servo::unfit;
use touchback_device::device::safety::DeviceMode;
use touchback_device::fixed::{i16_of, u8_of, u16_of};
use touchback_device::frame::{FrameReceiver, MAX_FRAME};
use touchback_device::message::{
    Config, FORCE as FORCE_UNIT, Hello, IMPEDANCE, KeyList, KeyState, KeyWave, Message, POSITION,
    Play, StateMessage, VERSION, ability,
};

/// Both directions of a keyboard's wire.
pub trait Line {
    /// Sends `bytes`, waits about a millisecond for more, and appends what came to `into`; the time,
    /// s. An error, in words, ends the calibration.
    ///
    /// # Errors
    /// The port is gone, or the user has had enough.
    fn turn(&mut self, bytes: &[u8], into: &mut Vec<u8>) -> Result<f64, String>;
}

/// What stands in the way of a calibration.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum Trouble {
    /// The line's own end.
    #[error("{0}")]
    Line(String),
    /// Nobody answers.
    #[error("nobody answers; is it a keyboard, switched on, and at this port?")]
    Silent,
    /// The keyboard cannot be used at all.
    #[error("the keyboard cannot be used")]
    Unfit(HaltReason),
    /// It takes no plain forces.
    #[error("the keyboard takes no plain forces (ability 2), which calibration needs")]
    NoForces,
    /// It took its force away.
    #[error("the keyboard ended force by itself ({}: {})", mode.word(), faults_in_words(*faults))]
    Stopped {
        /// Its mode.
        mode: DeviceMode,
        /// Its faults.
        faults: u16,
    },
    /// It reports no such key.
    #[error("the keyboard does not report this key")]
    NoKey,
    /// A push down moves the key up.
    #[error("a push down moves the key up: the motor or the sensor is the wrong way round")]
    Reversed,
    /// It does not move.
    #[error("the key does not move under 2 N: motor, sensor, a blocked key or one too heavy")]
    Unmoved,
    /// It does not come back.
    #[error("the key does not come back to where it was")]
    Away,
    /// It moves by itself or somebody moves it.
    #[error("the key does not rest: hands off, or the sensor is too noisy")]
    Restless,
    /// The mass makes no difference that a mass makes.
    #[error("the mass on the key is not felt as one")]
    Unfelt,
}

/// Time from a state to its answer's play-out, µs: long enough for any wire.
const LEAD_US: u32 = 3000;
/// Longest wait for anything, s.
const PATIENCE: f64 = 0.5;

/// One state of the key and what was commanded for after it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sample {
    /// Time by the keyboard's clock since the first sample, s.
    pub time: f64,
    /// Position, m.
    pub x: f64,
    /// Force applied, N, positive down.
    pub force: f64,
}

/// A keyboard and the key that is being measured.
#[derive(Debug)]
pub struct Bench<L> {
    line: L,
    receiver: FrameReceiver,
    got: Vec<u8>,
    out: Vec<u8>,
    states: VecDeque<StateMessage>,
    hello: Option<Hello>,
    has_facts: bool,
    now: f64,
    key: u8,
    seq: u16,
    /// Newest time of the keyboard's, µs, and the seconds since the first.
    last_us: Option<u32>,
    time: f64,
}

impl<L: Line> Bench<L> {
    /// Asks until hello and facts have come.
    pub fn begin(line: L) -> Result<Self, Trouble> {
        let mut bench = Self {
            line,
            receiver: FrameReceiver::new(),
            got: Vec::new(),
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
            // A zero ends whatever half frame the line still holds.
            bench.out.push(0);
            bench.send(&Message::Ask(VERSION));
            bench.pause(0.1)?;
            if let Some(hello) = bench.hello.filter(|_| bench.has_facts) {
                if let Some(why) = unfit(&hello) {
                    return Err(why.into());
                }
                if hello.abilities & ability::TORQUE == 0 {
                    return Err(Trouble::NoForces);
                }
                return Ok(bench);
            }
        }
        match bench.hello.as_ref().and_then(unfit) {
            Some(why) => Err(why.into()),
            None => Err(Trouble::Silent),
        }
    }

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

    /// One turn of the line.
    fn turn(&mut self) -> Result<(), Trouble> {
        self.got.clear();
        self.now = self.line.turn(&self.out, &mut self.got).map_err(Trouble::Line)?;
        self.out.clear();
        for byte in &self.got {
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

    /// Listens for `seconds` without commanding anything.
    pub fn pause(&mut self, seconds: f64) -> Result<(), Trouble> {
        self.turn()?;
        let until = self.now + seconds;
        while self.now < until {
            self.turn()?;
            self.states.clear();
        }
        Ok(())
    }

    /// Bounds the force, clears, and takes `key` for what follows.
    pub fn arm(&mut self, key: u8) -> Result<(), Trouble> {
        self.stop()?;
        self.send(&Message::Config(Config {
            force_max: u16_of(FORCE, 10e-3),
            slew: 0,
            force_held: 0,
            thermal_time: 0,
            timeout_ms: 20,
            safe_damping: 0,
            bed_stiffness: 0,
            bed_damping: 0,
            bed: 0,
            guard: 0,
            report_us: 1000,
        }));
        self.seq = self.seq.wrapping_add(1);
        self.send(&Message::Clear(self.seq));
        self.key = key;
        (self.last_us, self.time) = (None, 0.0);
        self.pause(0.01)
    }

    /// Ends force, and the damping after it, which a motor the wrong way round would push with.
    pub fn stop(&mut self) -> Result<(), Trouble> {
        self.seq = self.seq.wrapping_add(1);
        self.send(&Message::Stop(self.seq));
        self.pause(0.03)?;
        self.send(&Message::Clear(self.seq));
        self.send(&Message::Stop(self.seq));
        self.pause(0.01)
    }

    /// Commands `force` N, positive down, and a damping of `z` N·s/m, then waits for the key's next
    /// state; while states wait that came late, nothing is commanded on. A key is commanded something
    /// always, so that every state has it.
    pub fn step(&mut self, force: f64, z: f64) -> Result<Sample, Trouble> {
        while let Some(state) = self.states.pop_front() {
            if let Some(sample) = self.take(&state)? {
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
        let until = self.now + PATIENCE;
        let mut is_there = false;
        loop {
            self.turn()?;
            while let Some(state) = self.states.pop_front() {
                is_there = true;
                if let Some(sample) = self.take(&state)? {
                    return Ok(sample);
                }
            }
            if self.now > until {
                return Err(if is_there { Trouble::NoKey } else { Trouble::Silent });
            }
        }
    }

    /// Leaves states that came late unread, so that the next command is of now.
    pub fn catch_up(&mut self) {
        while let Some(state) = self.states.pop_front() {
            // What it says of the keyboard's mode, the next one says too.
            let _ = self.take(&state);
        }
    }

    /// When what is commanded now is played, s, by the samples' time.
    pub const fn plays_at(&self) -> f64 {
        self.time + LEAD_US as f64 * 1e-6
    }

    fn take(&mut self, state: &StateMessage) -> Result<Option<Sample>, Trouble> {
        let passed_us = self.last_us.map_or(0, |last| state.t_us.wrapping_sub(last));
        if passed_us > u32::MAX / 2 {
            return Ok(None);
        }
        self.last_us = Some(state.t_us);
        self.time += f64::from(passed_us) * 1e-6;
        let mode = DeviceMode::of(state.mode).unwrap_or(DeviceMode::Fault);
        if !matches!(mode, DeviceMode::Ready | DeviceMode::Live) {
            return Err(Trouble::Stopped { mode, faults: state.faults });
        }
        let key = state.keys.as_slice().iter().find(|k| k.key == self.key);
        Ok(key.map(|KeyState { x, force, .. }| Sample {
            time: self.time,
            x: f64::from(*x) * POSITION,
            force: -f64::from(*force) * FORCE_UNIT,
        }))
    }
}
