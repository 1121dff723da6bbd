//! Messages between a certification and a keyboard.

use std::collections::VecDeque;

use super::{CertifyError, FORCE, IMPEDANCE};
use crate::calibration::Line;
use touchback_device::device::safety::DeviceMode;
use touchback_device::fixed::{i16_of, since, u8_of};
use touchback_device::frame::{FrameReceiver, MAX_FRAME};
use touchback_device::message::{
    Config, FORCE as FORCE_UNIT, Hello, IMPEDANCE as IMPEDANCE_UNIT, KeyList, KeyState, KeyWave,
    Message, Play, StateMessage, VERSION,
};

/// Time from a state to the play-out of its answer, µs: long enough for every wire that is served.
pub const LEAD_US: u32 = 6000;

/// A keyboard under test.
#[derive(Debug)]
pub struct Exchange<L> {
    line: L,
    receiver: FrameReceiver,
    received: Vec<u8>,
    out: Vec<u8>,
    /// Description of the keyboard, as it was at first.
    pub hello: Hello,
    has_hello: bool,
    has_facts: bool,
    states: VecDeque<(f64, StateMessage)>,
    /// The newest state.
    pub last: Option<StateMessage>,
    now: f64,
    /// Sequence number of the last message that has one.
    pub seq: u16,
    /// Pongs received.
    pub pongs: u32,
}

impl<L: Line> Exchange<L> {
    /// Asks until hello and facts have come, at most 1 s.
    pub(super) fn begin(line: L) -> Result<Self, CertifyError> {
        let mut exchange = Self {
            line,
            receiver: FrameReceiver::new(),
            received: Vec::new(),
            out: Vec::new(),
            hello: NO_HELLO,
            has_hello: false,
            has_facts: false,
            states: VecDeque::new(),
            last: None,
            now: 0.0,
            seq: 0,
            pongs: 0,
        };
        for _ in 0..10 {
            exchange.out.push(0);
            exchange.send(&Message::Ask(VERSION));
            exchange.wait(0.1)?;
            if exchange.has_hello && exchange.has_facts {
                return Ok(exchange);
            }
        }
        Err(CertifyError::Silent)
    }

    /// Forgets the hello, to see whether another comes.
    pub const fn forget(&mut self) {
        (self.has_hello, self.has_facts) = (false, false);
    }

    /// A hello has come since [`Exchange::forget`].
    pub const fn has_hello(&self) -> bool {
        self.has_hello
    }

    /// Queues a message.
    pub fn send(&mut self, message: &Message) {
        let mut frame = [0; MAX_FRAME];
        if let Some(length) = message.frame(&mut frame) {
            self.out.extend_from_slice(&frame[..length]);
        }
    }

    /// Queues raw bytes.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    /// Sends what is queued and handles what has come.
    pub fn turn(&mut self) -> Result<(), CertifyError> {
        self.received.clear();
        self.now = self.line.turn(&self.out, &mut self.received).map_err(CertifyError::Line)?;
        self.out.clear();
        for byte in &self.received {
            let message = match self.receiver.push(*byte) {
                None => continue,
                Some(Ok(payload)) => Message::decode(payload),
                Some(Err(_)) => None,
            };
            match message {
                Some(Message::State(state)) => {
                    self.last = Some(state);
                    self.states.push_back((self.now, state));
                }
                Some(Message::Hello(hello)) => (self.hello, self.has_hello) = (hello, true),
                Some(Message::Facts(_)) => self.has_facts = true,
                Some(Message::Pong(..)) => self.pongs += 1,
                _ => {}
            }
        }
        Ok(())
    }

    /// Receives for `seconds` without commands. Returns the states.
    pub fn wait(&mut self, seconds: f64) -> Result<Vec<(f64, StateMessage)>, CertifyError> {
        self.turn()?;
        let until = self.now + seconds;
        while self.now < until {
            self.turn()?;
        }
        Ok(self.states.drain(..).collect())
    }

    /// Mode of the keyboard by its newest state.
    pub fn mode(&self) -> DeviceMode {
        self.last.and_then(|state| DeviceMode::of(state.mode)).unwrap_or(DeviceMode::Fault)
    }

    /// Faults of the keyboard by its newest state.
    pub fn faults(&self) -> u16 {
        self.last.map_or(0, |state| state.faults)
    }

    /// The first key by `state`.
    pub fn key(state: &StateMessage) -> KeyState {
        state.keys.as_slice().iter().find(|key| key.key == 0).copied().unwrap_or_default()
    }

    /// Ends force and damping: stop, and after the fade clear and stop. Forgets the states.
    pub fn rest(&mut self) -> Result<(), CertifyError> {
        self.next();
        self.send(&Message::Stop(self.seq));
        self.wait(0.04)?;
        self.send(&Message::Clear(self.seq));
        self.send(&Message::Stop(self.seq));
        self.wait(0.04)?;
        Ok(())
    }

    /// The next sequence number.
    pub fn next(&mut self) -> u16 {
        self.seq = self.seq.wrapping_add(1).max(1);
        self.seq
    }

    /// Configures, clears and waits for the mode *ready*.
    pub fn ready(&mut self, config: &Config) -> Result<(), CertifyError> {
        self.send(&Message::Config(*config));
        self.next();
        self.send(&Message::Clear(self.seq));
        self.wait(0.02)?;
        Ok(())
    }

    /// A command for the first key: `force`, N, up, and `impedance`, N·s/m, played `LEAD_US` after the newest state.
    pub fn command(&mut self, force: f64, impedance: f64) -> Play {
        let mut keys = KeyList::default();
        keys.push(KeyWave {
            key: 0,
            force: i16_of(force.clamp(0.0, 10.0 * FORCE), FORCE_UNIT),
            impedance: u8_of(impedance.min(IMPEDANCE), IMPEDANCE_UNIT),
        });
        let play_us = self.last.map_or(0, |state| state.t_us).wrapping_add(LEAD_US);
        Play { seq: self.next(), play_us, keys }
    }

    /// Answers every state with a command for `seconds`. Returns the states.
    pub fn hold(
        &mut self,
        seconds: f64,
        force: f64,
        impedance: f64,
    ) -> Result<Vec<(f64, StateMessage)>, CertifyError> {
        self.turn()?;
        let until = self.now + seconds;
        let mut seen = Vec::new();
        while self.now < until {
            let has_new = !self.states.is_empty();
            seen.extend(self.states.drain(..));
            if has_new {
                let play = self.command(force, impedance);
                self.send(&Message::Wave(play));
            }
            self.turn()?;
        }
        seen.extend(self.states.drain(..));
        Ok(seen)
    }
}

/// Time between two states by the keyboard's clock, s.
pub fn between(a: &StateMessage, b: &StateMessage) -> f64 {
    f64::from(since(b.t_us, a.t_us)) * 1e-6
}

const NO_HELLO: Hello = Hello {
    version: 0,
    keys: 0,
    first_key: 0,
    abilities: 0,
    rate_hz: 0,
    report_us: 0,
    force_max: 0,
    force_held: 0,
    step_nm: 0,
    name: [0; 16],
};
