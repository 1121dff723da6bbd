//! The host's state machine: whether a keyboard is present, and whether it may be given force.
//!
//! | state | force | hello | user arms | user disarms | device ready or live | device stopped by itself | no state for 20 ms | own tick 20 ms late | implausible |
//! | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
//! | seeking | none | present (refused where unfit) | – | – | – | – | – | – | – |
//! | refused | none | present (refused where unfit) | – | – | – | – | seeking | – | – |
//! | present | none | refused where unfit | arming | – | – | – | seeking | – | – |
//! | arming | none | refused where unfit | – | present | live | – (halted after 0.5 s) | seeking | halted | halted |
//! | live | full | refused where unfit | – | present | – | halted | seeking | halted | halted |
//! | halted | none | refused where unfit | arming | present | – | – | seeking | – | – |
//!
//! Arming does not outlast a lost keyboard: the user must arm again.

use serde::{Deserialize, Serialize};

use crate::keyboard::symptom::Symptom;
use touchback_device::device::safety::DeviceMode;

/// Longest silence of the keyboard, and longest pause of the host's own ticks, s.
pub const SILENCE: f64 = 0.020;
/// Longest wait for a keyboard to become ready, s.
pub(crate) const READY_TIMEOUT: f64 = 0.5;

/// State of the connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ConnectionState {
    /// No keyboard answers.
    #[default]
    Seeking,
    /// The keyboard that answers is unusable.
    Refused,
    /// A usable keyboard answers. It gets no force.
    Present,
    /// A clear was sent; the keyboard is to become ready. It gets no force.
    Arming,
    /// Waves or forces are commanded.
    Live,
    /// Device or host has ended force; the user must arm again.
    Halted,
}

impl ConnectionState {
    /// All states.
    pub const ALL: [Self; 6] =
        [Self::Seeking, Self::Refused, Self::Present, Self::Arming, Self::Live, Self::Halted];

    /// Name of the state, as in the window and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Seeking => "no keyboard",
            Self::Refused => "unfit keyboard",
            Self::Present => "present, not armed",
            Self::Arming => "arming",
            Self::Live => "live",
            Self::Halted => "halted",
        }
    }
}

/// Reason of a refusal or halt.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum HaltReason {
    /// No refusal or halt.
    #[default]
    Nothing,
    /// The keyboard speaks this other version of the protocol.
    Version(u8),
    /// The keyboard accepts neither waves nor plain forces.
    Unable,
    /// The keyboard reports this number of keys: 0 or more than 88.
    KeyCount(u8),
    /// First key and number of keys exceed the 88 keys of a piano.
    FirstKey(u8, u8),
    /// The keyboard reports a sensor step of 0.
    SensorStep,
    /// Reports are implausible: the symptom, and the number of the piano key, 0 for the whole keyboard.
    Implausible(Symptom, u8),
    /// The keyboard ended force by itself: its mode and faults.
    Device(DeviceMode, u16),
    /// The keyboard did not become ready within 0.5 s of arming.
    NotReady,
    /// The host's own tick was more than 20 ms late.
    Late,
    /// Reports were implausible shortly after the host's own thread woke late.
    Busy,
    /// A round trip on the wire takes too long for force, 0.1 ms.
    SlowWire(u16),
    /// The sensor step, µm, is too coarse for force.
    CoarseSensor(u32),
    /// States come in chunks that cover up to this time, ms.
    Chunked(u16),
}

/// The state machine of one connection.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Session {
    state: ConnectionState,
    halt_reason: HaltReason,
    armed_at: f64,
}

impl Session {
    /// The present state.
    #[must_use]
    pub const fn state(&self) -> ConnectionState {
        self.state
    }

    /// Reason of a refusal or halt.
    #[must_use]
    pub const fn halt_reason(&self) -> HaltReason {
        self.halt_reason
    }

    /// Force may be commanded.
    #[must_use]
    pub const fn is_live(&self) -> bool {
        matches!(self.state, ConnectionState::Live)
    }

    /// A hello was received; `refusal` is the reason for which the keyboard is unusable, if any.
    pub const fn hello(&mut self, refusal: Option<HaltReason>) {
        match refusal {
            Some(reason) => {
                self.halt_reason = reason;
                self.state = ConnectionState::Refused;
            }
            None if matches!(self.state, ConnectionState::Seeking | ConnectionState::Refused) => {
                self.halt_reason = HaltReason::Nothing;
                self.state = ConnectionState::Present;
            }
            None => {}
        }
    }

    /// The user arms at `now`, s.
    pub const fn arm(&mut self, now: f64) {
        if matches!(self.state, ConnectionState::Present | ConnectionState::Halted) {
            self.state = ConnectionState::Arming;
            self.halt_reason = HaltReason::Nothing;
            self.armed_at = now;
        }
    }

    /// The user disarms.
    pub(crate) const fn disarm(&mut self) {
        if matches!(
            self.state,
            ConnectionState::Arming | ConnectionState::Live | ConnectionState::Halted
        ) {
            self.state = ConnectionState::Present;
            self.halt_reason = HaltReason::Nothing;
        }
    }

    /// The keyboard reports its mode and faults at `now` s.
    pub fn device(&mut self, mode: DeviceMode, faults: u16, now: f64) {
        match self.state {
            ConnectionState::Arming if matches!(mode, DeviceMode::Ready | DeviceMode::Live) => {
                self.state = ConnectionState::Live;
            }
            ConnectionState::Arming if now - self.armed_at > READY_TIMEOUT => {
                // A fault that a clear does not end is the reason.
                let is_faulty = mode == DeviceMode::Fault && faults != 0;
                let device = HaltReason::Device(mode, faults);
                self.halt(if is_faulty { device } else { HaltReason::NotReady });
            }
            ConnectionState::Live if !matches!(mode, DeviceMode::Ready | DeviceMode::Live) => {
                self.halt(HaltReason::Device(mode, faults));
            }
            _ => {}
        }
    }

    /// The keyboard was silent for [`SILENCE`].
    pub const fn silence(&mut self) {
        self.state = ConnectionState::Seeking;
    }

    /// The host's own tick was more than [`SILENCE`] late: halts an arming or live session.
    pub const fn late(&mut self) {
        if matches!(self.state, ConnectionState::Arming | ConnectionState::Live) {
            self.halt(HaltReason::Late);
        }
    }

    /// Reports are implausible: halts an arming or live session.
    pub const fn implausible(&mut self, reason: HaltReason) {
        if matches!(self.state, ConnectionState::Arming | ConnectionState::Live) {
            self.halt(reason);
        }
    }

    const fn halt(&mut self, reason: HaltReason) {
        self.state = ConnectionState::Halted;
        self.halt_reason = reason;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ConnectionState::{Arming, Halted, Live, Refused};

    fn after(state: ConnectionState, act: impl Fn(&mut Session)) -> ConnectionState {
        let mut session = Session { state, ..Session::default() };
        act(&mut session);
        session.state()
    }

    /// Compares the table of docs/haptics.md with the machine cell by cell.
    #[test]
    fn the_table_of_the_documentation_is_that_of_the_machine() {
        let inputs: [fn(&mut Session); 8] = [
            |s| s.hello(None),
            |s| s.arm(0.0),
            Session::disarm,
            |s| s.device(DeviceMode::Ready, 0, 0.0),
            |s| s.device(DeviceMode::Damping, 0, 0.1),
            Session::silence,
            Session::late,
            |s| s.implausible(HaltReason::Implausible(Symptom::Wave, 40)),
        ];
        let text = include_str!("../../../docs/haptics.md");
        let names = ["seeking", "refused", "present", "arming", "live", "halted"];
        for (state, name) in ConnectionState::ALL.into_iter().zip(names) {
            let head = format!("| {name} | ");
            let line = text.lines().find(|l| l.starts_with(&head)).expect("a row for every state");
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            assert_eq!(cells.len(), 10);
            for (cell, act) in cells[2..].iter().zip(inputs) {
                let word = cell.split(' ').next().unwrap();
                // "refused where unfit" applies to another hello.
                let index = names.iter().position(|n| *n == word && !cell.contains("where unfit"));
                let index = index.or(cell.starts_with("present (").then_some(2));
                let expected = index.map_or(state, |i| ConnectionState::ALL[i]);
                assert_eq!(after(state, act), expected, "{head} {cell}");
            }
            let live = after(state, |s| s.device(DeviceMode::Live, 0, 0.0));
            assert_eq!(live, after(state, inputs[3]), "{head} keyboard live");
            let stopped = after(state, |s| s.device(DeviceMode::Fault, 2, 0.6));
            let is_late = cells[6].contains("halted after 0.5 s");
            assert_eq!(stopped, if is_late { Halted } else { after(state, inputs[4]) });
            let unfit = after(state, |s| s.hello(Some(HaltReason::Unable)));
            assert_eq!((unfit, cells[2].contains("refused where unfit")), (Refused, true));
        }
    }

    #[test]
    fn only_a_live_session_gives_force_and_the_halt_reason_stays() {
        for state in ConnectionState::ALL {
            let session = Session { state, ..Session::default() };
            assert_eq!(session.is_live(), state == Live);
        }
        let mut session = Session { state: Live, ..Session::default() };
        session.device(DeviceMode::Fading, 1, 3.0);
        assert_eq!(session.halt_reason(), HaltReason::Device(DeviceMode::Fading, 1));
        session.arm(4.0);
        assert_eq!((session.state(), session.halt_reason()), (Arming, HaltReason::Nothing));
    }
}
