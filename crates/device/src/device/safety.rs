//! The device's state machine: it decides whether motors may give force.
//!
//! | mode | force | transitions |
//! | --- | --- | --- |
//! | idle | none | clear → ready |
//! | ready | none | command → live; stop → idle |
//! | live | full | stop, or no command for the timeout → fading |
//! | fading | falls to 0 within 10 ms while the safe damping takes over | after 10 ms → damping |
//! | damping | safe damping | clear → ready; all keys at rest for 1 s → idle |
//! | fault | none | clear → ready |
//!
//! A broken sensor leads from every mode to fault: damping computed from a wrong speed could push. A fault of
//! the hardware leads from every mode but idle to fault, and a clear leads to fault while it persists.

use crate::message::fault;
use crate::real::Real;

/// Duration of the fade, µs.
pub(crate) const FADE_US: u32 = 10_000;
/// Rest of all keys after which damping ends, µs (chosen): no motor stays on for a host that has died.
pub(crate) const REST_US: u32 = 1_000_000;

/// Mode of the state machine: the force that is allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum DeviceMode {
    /// No force. Not cleared since power-up, or stopped while ready.
    #[default]
    Idle = 0,
    /// No force. Cleared; the first command makes the device live.
    Ready = 1,
    /// Commands act.
    Live = 2,
    /// The force falls to 0 within [`FADE_US`].
    Fading = 3,
    /// Safe damping of 2 to 5 N·s/m alone, until cleared or all keys have been at rest for [`REST_US`].
    Damping = 4,
    /// No force, motors off, until cleared.
    Fault = 5,
}

impl DeviceMode {
    /// All modes, by number.
    pub const ALL: [Self; 6] =
        [Self::Idle, Self::Ready, Self::Live, Self::Fading, Self::Damping, Self::Fault];

    /// The mode with this number; `None` for other numbers.
    #[must_use]
    pub fn of(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|m| m.number() == number)
    }

    /// Number of the mode in a state message.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// Name of the mode, as in docs/protocol.md and the window.
    #[must_use]
    pub const fn name(self) -> &'static str {
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

/// State machine of a keyboard, common to all keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Safety {
    mode: DeviceMode,
    /// Bits of [`fault`] since the last clear.
    faults: u16,
    /// Time since the last accepted command while live, µs.
    quiet_us: u32,
    /// Time since fading began, µs.
    faded_us: u32,
    /// Time for which all keys have been at rest while damping, µs.
    rest_us: u32,
    /// Bits of [`fault::HARDWARE`] that persist.
    hardware: u16,
    /// Timeout: longest time without an accepted command while live, µs.
    pub timeout_us: u32,
}

impl Safety {
    /// A machine in [`DeviceMode::Idle`] with a timeout of `timeout_us` µs.
    #[must_use]
    pub const fn new(timeout_us: u32) -> Self {
        Self {
            mode: DeviceMode::Idle,
            faults: 0,
            quiet_us: 0,
            faded_us: 0,
            rest_us: 0,
            hardware: 0,
            timeout_us,
        }
    }

    /// The present mode.
    #[must_use]
    pub const fn mode(&self) -> DeviceMode {
        self.mode
    }

    /// Faults since the last clear: bits of [`fault`].
    #[must_use]
    pub const fn faults(&self) -> u16 {
        self.faults
    }

    /// Records faults that do not change the mode.
    pub const fn note(&mut self, bits: u16) {
        self.faults |= bits;
    }

    /// A clear from the host: resets the faults and makes the device ready, or faulty where a fault of the
    /// hardware persists. Ignored while live or fading. Returns whether it took effect.
    pub const fn clear(&mut self) -> bool {
        if matches!(self.mode, DeviceMode::Live | DeviceMode::Fading) {
            return false;
        }
        self.faults = self.hardware;
        self.mode = if self.hardware == 0 { DeviceMode::Ready } else { DeviceMode::Fault };
        true
    }

    /// Notes the present faults of the hardware, bits of [`fault::HARDWARE`]: they end force at once.
    pub const fn hardware(&mut self, bits: u16) {
        self.hardware = bits & fault::HARDWARE;
        self.faults |= self.hardware;
        if self.hardware != 0 && !matches!(self.mode, DeviceMode::Idle) {
            self.mode = DeviceMode::Fault;
        }
    }

    /// Notes for `us` µs of damping whether a key moves.
    pub const fn damp(&mut self, us: u32, is_moving: bool) {
        if !matches!(self.mode, DeviceMode::Damping) {
            return;
        }
        self.rest_us = if is_moving { 0 } else { self.rest_us.saturating_add(us) };
        if self.rest_us >= REST_US {
            self.mode = DeviceMode::Idle;
        }
    }

    /// Whether commands are accepted: while ready and while live.
    #[must_use]
    pub(crate) const fn accepts_commands(&self) -> bool {
        matches!(self.mode, DeviceMode::Ready | DeviceMode::Live)
    }

    /// A command was accepted: the device is live and the timeout starts anew.
    pub const fn command(&mut self) {
        if self.accepts_commands() {
            self.mode = DeviceMode::Live;
            self.quiet_us = 0;
        }
    }

    /// A stop from the host: ready becomes idle, live becomes fading.
    pub const fn stop(&mut self) {
        self.faults |= fault::STOPPED;
        match self.mode {
            DeviceMode::Ready => self.mode = DeviceMode::Idle,
            DeviceMode::Live => self.fade(0),
            _ => {}
        }
    }

    /// A sensor is broken: [`DeviceMode::Fault`] from every mode.
    pub const fn sensor(&mut self) {
        self.faults |= fault::SENSOR;
        self.mode = DeviceMode::Fault;
    }

    /// Advances time by `us` µs: checks the timeout while live, the end of the fade while fading.
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
                    self.rest_us = 0;
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

    /// Whether the motors are on.
    #[must_use]
    pub const fn is_powered(&self) -> bool {
        matches!(self.mode, DeviceMode::Live | DeviceMode::Fading | DeviceMode::Damping)
    }

    /// Begins the fade, `ago_us` µs ago.
    const fn fade(&mut self, ago_us: u32) {
        self.faded_us = ago_us;
        self.rest_us = 0;
        self.mode = if ago_us >= FADE_US { DeviceMode::Damping } else { DeviceMode::Fading };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use DeviceMode::{Damping, Fading, Fault, Idle, Live, Ready};

    /// A machine in `mode`.
    fn at(mode: DeviceMode) -> Safety {
        Safety { mode, ..Safety::new(20_000) }
    }

    fn after(mode: DeviceMode, act: impl Fn(&mut Safety)) -> DeviceMode {
        let mut safety = at(mode);
        act(&mut safety);
        safety.mode()
    }

    /// The mode after every input in every mode, in the order of [`DeviceMode::ALL`].
    #[test]
    fn every_edge_is_as_documented() {
        type Input = (&'static str, fn(&mut Safety), [DeviceMode; 6]);
        let table: [Input; 9] = [
            ("clear", |s| _ = s.clear(), [Ready, Ready, Live, Fading, Ready, Ready]),
            ("command", Safety::command, [Idle, Live, Live, Fading, Damping, Fault]),
            ("stop", Safety::stop, [Idle, Idle, Fading, Fading, Damping, Fault]),
            ("sensor", Safety::sensor, [Fault; 6]),
            ("a tick", |s| s.tick(125), [Idle, Ready, Live, Fading, Damping, Fault]),
            ("silence", |s| s.tick(20_001), [Idle, Ready, Fading, Damping, Damping, Fault]),
            ("rest", |s| s.damp(REST_US, false), [Idle, Ready, Live, Fading, Idle, Fault]),
            ("motion", |s| s.damp(REST_US, true), [Idle, Ready, Live, Fading, Damping, Fault]),
            ("hardware", |s| s.hardware(fault::DRIVER), [Idle, Fault, Fault, Fault, Fault, Fault]),
        ];
        for (input, act, expected) in table {
            let got = DeviceMode::ALL.map(|mode| after(mode, act));
            assert_eq!(got, expected, "{input}");
        }
    }

    /// Compares the table of docs/protocol.md with the machine cell by cell.
    #[test]
    fn the_table_of_the_documentation_is_that_of_the_machine() {
        let inputs: [fn(&mut Safety); 7] = [
            |s| _ = s.clear(),
            Safety::command,
            Safety::stop,
            // Longer than the timeout and than the fade.
            |s| s.tick(20_001),
            Safety::sensor,
            |s| s.hardware(fault::SUPPLY),
            |s| s.damp(REST_US, false),
        ];
        let text = include_str!("../../../../docs/protocol.md");
        let mut rows = 0;
        for mode in DeviceMode::ALL {
            let head = format!("| {} | {} |", mode.name(), mode.number());
            let line = text.lines().find(|l| l.starts_with(&head)).expect("a row for every mode");
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            for (cell, act) in cells[3..].iter().zip(inputs) {
                let word = cell.split(' ').next().unwrap();
                let expected =
                    DeviceMode::ALL.into_iter().find(|m| m.name() == word).unwrap_or(mode);
                assert_eq!(after(mode, act), expected, "{head} {cell}");
                assert!(expected != mode || matches!(word, "–" | "refused"), "{head} {cell}");
            }
            rows += usize::from(cells.len() == 10);
        }
        assert_eq!(rows, 6);
    }

    #[test]
    fn the_timeout_counts_from_the_last_command_and_lasts_until_a_clear() {
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
        assert!(!safety.accepts_commands() && safety.mode() == Fading);
        let mut last: f64 = safety.gain();
        for _ in 0..80 {
            safety.tick(125);
            assert!(safety.gain::<f64>() <= last);
            last = safety.gain();
        }
        assert_eq!((safety.mode(), safety.gain::<f64>()), (Damping, 0.0));
        assert!(!safety.accepts_commands() && safety.clear());
        assert_eq!((safety.mode(), safety.faults()), (Ready, 0));
    }

    #[test]
    fn a_fault_of_the_hardware_ends_force_and_a_clear_waits_for_its_end() {
        let mut safety = at(Live);
        safety.hardware(fault::SUPPLY);
        assert!(safety.mode() == Fault && safety.gain::<f64>() == 0.0 && !safety.is_powered());
        assert_eq!((safety.clear(), safety.mode(), safety.faults()), (true, Fault, fault::SUPPLY));
        safety.hardware(0);
        assert_eq!((safety.mode(), safety.faults()), (Fault, fault::SUPPLY));
        assert_eq!((safety.clear(), safety.mode(), safety.faults()), (true, Ready, 0));
        // Bits that are no faults of the hardware end nothing.
        safety.hardware(fault::LATE_TICK | fault::FRAME);
        assert_eq!((safety.mode(), safety.faults()), (Ready, 0));
    }

    #[test]
    fn damping_ends_one_second_after_the_last_motion() {
        let mut safety = at(Damping);
        for (ms, is_moving) in [(900, false), (1, true), (999, false)] {
            safety.damp(1000 * ms, is_moving);
            assert_eq!(safety.mode(), Damping);
        }
        safety.damp(1000, false);
        assert_eq!(safety.mode(), Idle);
    }

    /// A late tick ends force as if it had come in time.
    #[test]
    fn a_late_tick_counts_the_time_that_has_passed() {
        let after = |us: u32| after(Live, |s| s.tick(us));
        assert_eq!(
            [20_000, 20_125, 29_999, 30_000, u32::MAX].map(after),
            [Live, Fading, Fading, Damping, Damping]
        );
    }

    #[test]
    fn a_clear_while_live_or_fading_is_ignored() {
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
    fn commanded_force_acts_only_while_live_and_fading() {
        for mode in DeviceMode::ALL {
            assert_eq!(at(mode).gain::<f64>() > 0.0, matches!(mode, Live | Fading));
            assert_eq!(at(mode).is_powered(), matches!(mode, Live | Fading | Damping));
            assert_eq!(DeviceMode::of(mode.number()), Some(mode));
        }
        assert_eq!(DeviceMode::of(6), None);
    }
}
