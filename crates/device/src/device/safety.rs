//! The device's state machine: when force is allowed at all.
//!
//! | mode | force | left by |
//! | --- | --- | --- |
//! | idle | none | clear → ready |
//! | ready | none | command → live; stop → idle |
//! | live | full | no command for the timeout, or stop → fading |
//! | fading | runs out in 10 ms, damping comes in | time → damping |
//! | damping | safe damping | clear → ready |
//! | fault | none | clear → ready |
//!
//! An implausible sensor leads to fault from anywhere: damping by a wrong speed would push.

use crate::message::fault;
use crate::real::Real;

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
    /// Safe damping of 2 to 5 N·s/m, until cleared.
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

    /// The host clears faults and allows force; whether it was heard. A force that acts or runs
    /// out is not cleared.
    pub const fn clear(&mut self) -> bool {
        if matches!(self.mode, DeviceMode::Live | DeviceMode::Fading) {
            return false;
        }
        self.faults = 0;
        self.mode = DeviceMode::Ready;
        true
    }

    /// Whether commands are heard: when cleared, and while live.
    #[must_use]
    pub const fn hears(&self) -> bool {
        matches!(self.mode, DeviceMode::Ready | DeviceMode::Live)
    }

    /// A command was taken.
    pub const fn command(&mut self) {
        if self.hears() {
            self.mode = DeviceMode::Live;
            self.quiet_us = 0;
        }
    }

    /// The host stops force.
    pub const fn stop(&mut self) {
        self.faults |= fault::STOPPED;
        match self.mode {
            DeviceMode::Ready => self.mode = DeviceMode::Idle,
            DeviceMode::Live => self.fade(0),
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
                    self.fade(self.quiet_us - self.timeout_us);
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
    pub fn gain<F: Real>(&self) -> F {
        let left = match self.mode {
            DeviceMode::Live => FADE_US,
            DeviceMode::Fading => FADE_US.saturating_sub(self.faded_us),
            _ => 0,
        };
        F::from_count(left.cast_signed()) / F::from_count(FADE_US.cast_signed())
    }

    /// Whether the motor is on at all.
    #[must_use]
    pub const fn is_powered(&self) -> bool {
        matches!(self.mode, DeviceMode::Live | DeviceMode::Fading | DeviceMode::Damping)
    }

    /// Force runs out since `ago_us` µs.
    const fn fade(&mut self, ago_us: u32) {
        self.faded_us = ago_us;
        self.mode = if ago_us >= FADE_US { DeviceMode::Damping } else { DeviceMode::Fading };
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
            ("clear", |s| _ = s.clear(), [Ready, Ready, Live, Fading, Ready, Ready]),
            ("command", Safety::command, [Idle, Live, Live, Fading, Damping, Fault]),
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
            |s| _ = s.clear(),
            Safety::command,
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
        safety.command();
        for _ in 0..10 {
            safety.tick(19_000);
            safety.command();
        }
        safety.tick(20_000);
        assert_eq!(safety.mode(), Live);
        safety.tick(125);
        assert_eq!((safety.mode(), safety.faults()), (Fading, fault::TIMEOUT));
        safety.command();
        assert!(!safety.hears() && safety.mode() == Fading);
        let mut last: f64 = safety.gain();
        for _ in 0..80 {
            safety.tick(125);
            assert!(safety.gain::<f64>() <= last);
            last = safety.gain();
        }
        assert_eq!((safety.mode(), safety.gain::<f64>()), (Damping, 0.0));
        assert!(!safety.hears() && safety.clear());
        assert_eq!((safety.mode(), safety.faults()), (Ready, 0));
    }

    /// However late the tick that sees it, force ends when it had to.
    #[test]
    fn a_late_tick_makes_up_for_the_time() {
        let after = |us: u32| after(Live, |s| s.tick(us));
        assert_eq!(
            [20_000, 20_125, 29_999, 30_000, u32::MAX].map(after),
            [Live, Fading, Fading, Damping, Damping]
        );
    }

    #[test]
    fn a_clear_while_force_acts_is_not_heard() {
        for mode in [Live, Fading] {
            let mut safety = at(mode);
            safety.note(fault::THERMAL);
            safety.tick(9_000);
            let before = safety;
            assert!(!safety.clear());
            assert_eq!(safety, before);
        }
    }

    #[test]
    fn only_live_and_fading_let_commands_act() {
        for mode in DeviceMode::ALL {
            assert_eq!(at(mode).gain::<f64>() > 0.0, matches!(mode, Live | Fading));
            assert_eq!(at(mode).is_powered(), matches!(mode, Live | Fading | Damping));
            assert_eq!(DeviceMode::of(mode.number()), Some(mode));
        }
        assert_eq!(DeviceMode::of(6), None);
    }
}
