//! Emulator and servo in one virtual time: each tick of 125 µs runs the keyboard, the line and the host.

use touchback_core::exchange::cancel;
use touchback_haptics::keyboard::emulator::{Emulator, KeyboardDesign};
use touchback_haptics::keyboard::script::Script;
use touchback_haptics::line::simulated_link::SimulatedLink;
use touchback_haptics::record::log::Log;
use touchback_haptics::servo::{Servo, ServoOptions};
use touchback_haptics::session::ConnectionState;

/// The line between keyboard and host.
pub trait HostLine {
    /// Sends bytes from the keyboard at tick `now`.
    fn up(&mut self, now: u64, bytes: &[u8]);
    /// Sends bytes from the host at tick `now`.
    fn down(&mut self, now: u64, bytes: &[u8]);
    /// Appends the bytes that the host has received by `now`.
    fn at_host(&mut self, now: u64, into: &mut Vec<u8>);
    /// Appends the bytes that the keyboard has received by `now`.
    fn at_keyboard(&mut self, now: u64, into: &mut Vec<u8>);
}

/// A line in memory.
#[derive(Clone, Debug)]
pub struct MemoryLine {
    /// From keyboard to host.
    pub up: SimulatedLink,
    /// From host to keyboard.
    pub down: SimulatedLink,
}

impl MemoryLine {
    /// A line of `delay` ticks each way.
    #[must_use]
    pub const fn new(delay: u64, seed: u64) -> Self {
        Self { up: SimulatedLink::new(delay, seed), down: SimulatedLink::new(delay, seed ^ 0x55AA) }
    }
}

impl HostLine for MemoryLine {
    fn up(&mut self, now: u64, bytes: &[u8]) {
        self.up.send(now, bytes);
    }
    fn down(&mut self, now: u64, bytes: &[u8]) {
        self.down.send(now, bytes);
    }
    fn at_host(&mut self, now: u64, into: &mut Vec<u8>) {
        while let Some(frame) = self.up.receive(now) {
            into.extend(frame);
        }
    }
    fn at_keyboard(&mut self, now: u64, into: &mut Vec<u8>) {
        while let Some(frame) = self.down.receive(now) {
            into.extend(frame);
        }
    }
}

/// Keyboard, line and host.
#[derive(Debug)]
pub struct CoSimulation<L> {
    /// The keyboard.
    pub emulator: Emulator,
    /// The host.
    pub servo: Servo,
    /// The line.
    pub line: L,
    /// Remaining ticks in which the host does nothing.
    pub frozen: u64,
    /// Remaining ticks in which the keyboard does nothing; it makes up for them at once, as an emulator does whose
    /// computer stood still.
    pub stalled: u64,
    now: u64,
    up: Vec<u8>,
    down: Vec<u8>,
}

impl<L: HostLine> CoSimulation<L> {
    /// Both ends powered up, before the first message.
    #[must_use]
    pub fn new(design: &KeyboardDesign, script: Script, options: ServoOptions, line: L) -> Self {
        Self {
            emulator: Emulator::new(design, script),
            servo: Servo::new(options, 0.0),
            line,
            frozen: 0,
            stalled: 0,
            now: 0,
            up: Vec::new(),
            down: Vec::new(),
        }
    }

    /// Passes `bytes` to the host that the keyboard did not send.
    pub fn noise(&mut self, bytes: &[u8]) {
        let time = self.time();
        self.down.clear();
        self.servo.receive(time, bytes, &mut self.down, &mut ());
    }

    /// Virtual time, s.
    #[must_use]
    pub fn time(&self) -> f64 {
        std::time::Duration::from_micros(125 * self.now).as_secs_f64()
    }

    /// Runs one tick.
    pub fn tick(&mut self, log: &mut impl Log) {
        self.now += 1;
        if self.stalled > 0 {
            self.stalled -= 1;
        } else {
            self.down.clear();
            self.line.at_keyboard(self.now, &mut self.down);
            self.emulator.receive(&self.down);
            while self.emulator.ticks() < self.now {
                self.up.clear();
                self.emulator.tick(&mut self.up);
                self.line.up(self.now, &self.up);
            }
        }
        if self.frozen > 0 {
            self.frozen -= 1;
            return;
        }
        let time = self.time();
        self.up.clear();
        self.line.at_host(self.now, &mut self.up);
        self.down.clear();
        self.servo.receive(time, &self.up, &mut self.down, log);
        self.servo.tick(time, &mut self.down);
        self.line.down(self.now, &self.down);
    }

    /// Runs for `seconds` s and calls `observe` after every tick.
    pub fn run(&mut self, seconds: f64, log: &mut impl Log, mut observe: impl FnMut(&Self)) {
        let end = self.time() + seconds;
        while self.time() < end - 1e-9 {
            cancel::check();
            self.tick(log);
            observe(self);
        }
    }

    /// Arms and waits for force; `false` if that takes longer than 1 s.
    pub fn arm(&mut self, log: &mut impl Log) -> bool {
        let end = self.time() + 1.0;
        while self.time() < end {
            cancel::check();
            match self.servo.status().state {
                ConnectionState::Live => return true,
                ConnectionState::Present | ConnectionState::Halted => {
                    self.down.clear();
                    let time = self.time();
                    self.servo.arm(true, time, &mut self.down);
                    let bytes = std::mem::take(&mut self.down);
                    self.line.down(self.now, &bytes);
                    self.down = bytes;
                }
                _ => {}
            }
            self.tick(log);
        }
        false
    }
}
