//! The device's state machine: when force is allowed at all.
//!
//! | mode | force | left by |
//! | --- | --- | --- |
//! | idle | none | clear → ready |
//! | ready | none | command → live; stop → idle |
//! | live | full | no command for the timeout, or stop → fading |
//! | fading | runs out in 10 ms, damping comes in | time → damping |
//! | damping | safe damping, and the rendered key bed | clear → ready |
//! | fault | none | clear → ready |
//!
//! An implausible sensor leads to fault from anywhere: damping by a wrong speed would push.

use crate::message::fault;

/// How long force takes to fade, µs.
pub const FADE_US: u32 = 10_000;

/// What force is allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum DeviceMode {
    /// Not cleared since power-up or since it was stopped.
    #[default]
    Idle = 0,
    /// Cleared, waiting for the first command.
    Ready = 1,
    /// Follows commands.
    Live = 2,
    /// Force runs out.
    Fading = 3,
    /// Safe damping of 2 to 5 N·s/m, until cleared; a rendered key bed keeps acting.
    Damping = 4,
    /// No force, until cleared.
    Fault = 5,
}

impl DeviceMode {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Idle, Self::Ready, Self::Live, Self::Fading, Self::Damping, Self::Fault];

    /// The mode of a state message's number; `None` for no mode.
    #[must_use]
    pub fn of(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|m| m.number() == number)
    }

    /// Number of the mode in a state message.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// Name of the mode, as docs/protocol.md and the window have it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Ready => "ready",
            Self::Live => "live",
            Self::Fading => "fading",
            Self::Damping => "damping",
            Self::Fault => "fault",
        }
    }
}

/// State machine of a keyboard, all its keys together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Safety {
    mode: DeviceMode,
    /// Bits of [`fault`], kept until cleared.
    faults: u16,
    /// Time without a command, µs.
    quiet_us: u32,
    /// Time since fading began, µs.
    faded_us: u32,
    /// Longest time without a command, µs.
    pub timeout_us: u32,
}

impl Safety {
    /// A machine in [`DeviceMode::Idle`] whose watchdog waits `timeout_us` µs.
    #[must_use]
    pub const fn new(timeout_us: u32) -> Self {
        Self { mode: DeviceMode::Idle, faults: 0, quiet_us: 0, faded_us: 0, timeout_us }
    }

    /// The mode.
    #[must_use]
    pub const fn mode(&self) -> DeviceMode {
        self.mode
    }

    /// What went wrong since the last clear: bits of [`fault`].
    #[must_use]
    pub const fn faults(&self) -> u16 {
        self.faults
    }

    /// Notes a fault that does not change the mode.
    pub const fn note(&mut self, bits: u16) {
        self.faults |= bits;
    }

    /// The host clears faults and allows force. A force running out runs out first.
    pub const fn clear(&mut self) {
        if matches!(self.mode, DeviceMode::Fading) {
            return;
        }
        self.faults = 0;
        if !matches!(self.mode, DeviceMode::Live) {
            self.mode = DeviceMode::Ready;
        }
        self.quiet_us = 0;
    }

    /// A wave or torque message arrived; whether it may be played.
    pub const fn command(&mut self) -> bool {
        match self.mode {
            DeviceMode::Ready | DeviceMode::Live => {
                self.mode = DeviceMode::Live;
                self.quiet_us = 0;
                true
            }
            _ => false,
        }
    }

    /// The host stops force.
    pub const fn stop(&mut self) {
        self.faults |= fault::STOPPED;
        match self.mode {
            DeviceMode::Ready => self.mode = DeviceMode::Idle,
            DeviceMode::Live => self.fade(),
            _ => {}
        }
    }

    /// A sensor is implausible: to [`DeviceMode::Fault`] from any mode.
    pub const fn sensor(&mut self) {
        self.faults |= fault::SENSOR;
        self.mode = DeviceMode::Fault;
    }

    /// Lets `us` µs pass: watchdog while live, end of the fade while fading.
    pub const fn tick(&mut self, us: u32) {
        match self.mode {
            DeviceMode::Live => {
                self.quiet_us = self.quiet_us.saturating_add(us);
                if self.quiet_us > self.timeout_us {
                    self.faults |= fault::TIMEOUT;
                    self.fade();
                }
            }
            DeviceMode::Fading => {
                self.faded_us = self.faded_us.saturating_add(us);
                if self.faded_us >= FADE_US {
                    self.mode = DeviceMode::Damping;
                }
            }
            _ => {}
        }
    }

    /// Share of the commanded force that may act, 0…1.
    #[must_use]
    pub fn gain(&self) -> f64 {
        match self.mode {
            DeviceMode::Live => 1.0,
            DeviceMode::Fading => 1.0 - (f64::from(self.faded_us) / f64::from(FADE_US)).min(1.0),
            _ => 0.0,
        }
    }

    /// Whether the motor is on at all.
    #[must_use]
    pub const fn is_powered(&self) -> bool {
        matches!(self.mode, DeviceMode::Live | DeviceMode::Fading | DeviceMode::Damping)
    }

    const fn fade(&mut self) {
        self.mode = DeviceMode::Fading;
        self.faded_us = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use DeviceMode::{Damping, Fading, Fault, Idle, Live, Ready};

    /// A machine that stands in `mode`.
    fn at(mode: DeviceMode) -> Safety {
        Safety { mode, ..Safety::new(20_000) }
    }

    fn after(mode: DeviceMode, act: impl Fn(&mut Safety)) -> DeviceMode {
        let mut safety = at(mode);
        act(&mut safety);
        safety.mode()
    }

    /// The table of every input in every mode, in the order of [`DeviceMode::ALL`].
    #[test]
    fn every_edge_is_as_documented() {
        type Input = (&'static str, fn(&mut Safety), [DeviceMode; 6]);
        let table: [Input; 6] = [
            ("clear", Safety::clear, [Ready, Ready, Live, Fading, Ready, Ready]),
            ("command", |s| _ = s.command(), [Idle, Live, Live, Fading, Damping, Fault]),
            ("stop", Safety::stop, [Idle, Idle, Fading, Fading, Damping, Fault]),
            ("sensor", Safety::sensor, [Fault; 6]),
            ("a tick", |s| s.tick(125), [Idle, Ready, Live, Fading, Damping, Fault]),
            ("silence", |s| s.tick(20_001), [Idle, Ready, Fading, Damping, Damping, Fault]),
        ];
        for (input, act, expected) in table {
            let got = DeviceMode::ALL.map(|mode| after(mode, act));
            assert_eq!(got, expected, "{input}");
        }
    }

    /// The table of docs/protocol.md, cell by cell, against the machine.
    #[test]
    fn the_documented_table_is_the_machines() {
        let inputs: [fn(&mut Safety); 5] = [
            Safety::clear,
            |s| _ = s.command(),
            Safety::stop,
            // Past the timeout while live, past the fade while fading.
            |s| s.tick(20_001),
            Safety::sensor,
        ];
        let text = include_str!("../../../../docs/protocol.md");
        let mut rows = 0;
        for mode in DeviceMode::ALL {
            let head = format!("| {} | {} |", mode.word(), mode.number());
            let line = text.lines().find(|l| l.starts_with(&head)).expect("a row for every mode");
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            for (cell, act) in cells[3..].iter().zip(inputs) {
                let word = cell.split(' ').next().unwrap();
                let expected =
                    DeviceMode::ALL.into_iter().find(|m| m.word() == word).unwrap_or(mode);
                assert_eq!(after(mode, act), expected, "{head} {cell}");
                assert!(expected != mode || matches!(word, "–" | "refused"), "{head} {cell}");
            }
            rows += usize::from(cells.len() == 8);
        }
        assert_eq!(rows, 6);
    }

    #[test]
    fn the_watchdog_counts_from_the_last_command_and_stays_latched() {
        let mut safety = at(Ready);
        assert!(safety.command());
        for _ in 0..10 {
            safety.tick(19_000);
            assert!(safety.command());
        }
        safety.tick(20_000);
        assert_eq!(safety.mode(), Live);
        safety.tick(125);
        assert_eq!((safety.mode(), safety.faults()), (Fading, fault::TIMEOUT));
        assert!(!safety.command() && safety.mode() == Fading);
        let mut last = safety.gain();
        for _ in 0..80 {
            safety.tick(125);
            assert!(safety.gain() <= last);
            last = safety.gain();
        }
        assert_eq!((safety.mode(), safety.gain()), (Damping, 0.0));
        assert!(!safety.command());
        safety.clear();
        assert_eq!((safety.mode(), safety.faults()), (Ready, 0));
    }

    #[test]
    fn only_live_and_fading_let_commands_act() {
        for mode in DeviceMode::ALL {
            assert_eq!(at(mode).gain() > 0.0, matches!(mode, Live | Fading));
            assert_eq!(at(mode).is_powered(), matches!(mode, Live | Fading | Damping));
            assert_eq!(DeviceMode::of(mode.number()), Some(mode));
        }
        assert_eq!(DeviceMode::of(6), None);
    }
}
