//! A keyboard under test: commands of the first key, states, modes.

use std::ops::{Deref, DerefMut};

use super::{CertifyError, FORCE, IMPEDANCE};
use crate::line::conversation::{Conversation, Line};
use touchback_device::device::safety::DeviceMode;
use touchback_device::fixed::{i16_of, since, u8_of};
use touchback_device::message::{
    Config, FORCE as FORCE_UNIT, Hello, IMPEDANCE as IMPEDANCE_UNIT, KeyList, KeyState, KeyWave,
    Message, Play, StateMessage,
};

/// Time from a state to the play-out of its answer, µs: long enough for every wire that is served.
pub(crate) const LEAD_US: u32 = 6000;

/// A keyboard under test.
#[derive(Debug)]
pub struct Exchange<L> {
    talk: Conversation<L>,
    /// Description of the keyboard, as it was at first.
    pub description: Hello,
}

impl<L> Deref for Exchange<L> {
    type Target = Conversation<L>;
    fn deref(&self) -> &Self::Target {
        &self.talk
    }
}

impl<L> DerefMut for Exchange<L> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.talk
    }
}

impl<L: Line> Exchange<L> {
    /// Asks until hello and facts have come, at most 1 s.
    pub(super) fn begin(line: L) -> Result<Self, CertifyError> {
        let mut talk = Conversation::new(line);
        let description = talk.ask()?.ok_or(CertifyError::Silent)?;
        Ok(Self { talk, description })
    }

    /// Receives for `seconds` without commands. Returns the states.
    pub fn collect(&mut self, seconds: f64) -> Result<Vec<(f64, StateMessage)>, CertifyError> {
        self.wait(seconds)?;
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

    /// Ends force and damping. Forgets the states.
    pub fn rest(&mut self) -> Result<(), CertifyError> {
        self.end_force()?;
        self.states.clear();
        Ok(())
    }

    /// Configures, clears and waits for the mode *ready*.
    pub fn ready(&mut self, config: &Config) -> Result<(), CertifyError> {
        self.send(&Message::Config(*config));
        let seq = self.next();
        self.send(&Message::Clear(seq));
        self.collect(0.02)?;
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
