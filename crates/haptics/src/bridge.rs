//! A motor controller that one can buy, as a keyboard: the device half of the protocol in this computer.
//!
//! [`Bridge`] runs [`Device`] (limits, slew, energy guard, state machine, waves) once per tick of its own and drives a
//! [`Controller`] per key with the result. The junction's damper Z is the controller's own damping, which it computes
//! at its own rate from its own speed; the rest of the force, f, is its feed-forward torque:
//! F = Z·v + f, limited by the controller to the force that the device allows at present. A host finds an ordinary
//! keyboard at the other end.
//!
//! What is weaker than firmware: see [`WEAKER`]. Slew limit, energy guard and the plausibility of the sensor act once
//! per tick in a computer that may stall, and the last command stands until the controller's watchdog ends it.
//!
//! A tick: the commands of the last tick leave at once; at the time of the tick the controllers are asked for their
//! positions; these give the next commands. From a position to the force that follows from it, one exchange on the
//! bus passes.

pub mod emulated;
pub mod moteus;
pub mod odrive;
pub mod requirement;
pub mod run;
mod torque_watch;
pub mod virtual_time;
pub mod wire;

use crate::keyboard::emulator::{self, KeyboardDesign};
use crate::keyboard::plant::KeyPlant;
use torque_watch::TorqueWatch;
use touchback_core::math::cast;
use touchback_device::device::Device;
use touchback_device::device::safety::DeviceMode;
use touchback_device::fixed::u16_of;
use touchback_device::frame::MAX_FRAME;
use touchback_device::message::{KEYS, ability, fault, reset_cause};

/// Largest number of keys of a bridge: those of which every state reports all.
pub const MOST_KEYS: usize = 10;
/// Largest force of a key's front without a request for more, N: with it a wrong torque that stands until the watchdog
/// acts moves a finger, and injures none.
pub const FORCE: f64 = 5.0;
/// Largest force that can be requested, N: that of the designs in docs/build-a-key.md.
pub const FORCE_MOST: f64 = 20.0;
/// Longest time without commands after which a controller must end force by itself, s: that of the protocol.
pub const WATCHDOG: f64 = 0.02;
/// Time without a position of a key after which force ends, µs (chosen: half the time of the controllers' watchdogs; a
/// few lost answers are no fault).
const SILENT_US: u32 = 10_000;
/// Largest distance of a key at rest from its zero at the start, m.
const REST: f64 = 1e-3;
/// Ticks per second that a bridge may have.
pub const RATES: std::ops::RangeInclusive<u16> = 1000..=4000;

/// What a keyboard behind a bridge cannot promise, for the terminal and docs/build-a-key.md.
pub const WEAKER: [&str; 4] = [
    "slew limit, energy guard and sensor check run in this computer, once per tick: where it stalls, the last torque \
     stands until the controller's watchdog ends it",
    "a command acts when it arrives, without a play-out time: jitter of the bus is felt as noise",
    "the damper's speed is the controller's filtered one: light keys need less impedance",
    "never attended by a program alone: keep a hand on the switch in the motor supply",
];

/// Command of one key.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct KeyCommand {
    /// The controller is on; off, it is stopped, which also resets its faults.
    pub is_on: bool,
    /// Damping, N·s/m at the front.
    pub damping: f64,
    /// Force beside the damping, N at the front, positive against downward motion.
    pub feed_forward: f64,
    /// Largest force, N.
    pub largest: f64,
}

/// What a controller reports of a key.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct KeyReading {
    /// Depth of the front, m.
    pub position: f64,
    /// Present faults: bits of [`fault`] that end force.
    pub faults: u16,
    /// Force of the motor as the controller measures it, N at the front, positive against downward motion; none where
    /// it was not asked for.
    pub force: Option<f64>,
}

/// What the stored settings of the controllers allow.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ControllerLimits {
    /// Largest force at the front, N.
    pub force: f64,
    /// Step of the position at the front, m.
    pub step: f64,
}

/// Why a bridge does not start or has ended.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum BridgeError {
    /// The line to the controllers has ended.
    #[error("{0}")]
    Line(String),
    /// A controller does not answer.
    #[error("controller or key {0} does not answer; check its supply, its id and the bus")]
    Silent(u8),
    /// Settings are not as required; one line each, then the commands that set them.
    #[error("{0}")]
    Unsafe(String),
    /// An exchange with all controllers takes too long for the rate, µs and µs.
    #[error(
        "an exchange with all controllers takes {0} µs, a tick {1} µs; use fewer keys on a bus, a lower --rate-hz, or a computer with less to do"
    )]
    Slow(u64, u64),
}

/// One or several motor controllers on a bus, one for each key. Positions, speeds and forces are those of the front.
pub trait Controller {
    /// Reads the stored settings of every controller and compares them with what is required.
    ///
    /// # Errors
    /// A controller does not answer, or a setting is not as required: with the commands that set it.
    fn limits(&mut self) -> Result<ControllerLimits, BridgeError>;

    /// Sends the commands at once, asks for the readings at the begin of `window`, and waits for them until its end; a
    /// reading that did not come in time is none. Returns the time of the question. Times are those of the line, µs.
    ///
    /// # Errors
    /// The line has ended.
    fn exchange(
        &mut self,
        commands: &[KeyCommand],
        window: [u64; 2],
        readings: &mut [Option<KeyReading>],
    ) -> Result<u64, BridgeError>;

    /// Switches every motor off.
    ///
    /// # Errors
    /// The line has ended.
    fn stop(&mut self) -> Result<(), BridgeError>;

    /// Time of the line, µs.
    fn now_us(&mut self) -> u64;
}

/// The host's end of a bridge: bytes that have come, without waiting, and frames to be sent.
pub trait HostEnd {
    /// Takes received bytes. Returns their number, 0 where none have come.
    fn read(&mut self, into: &mut [u8]) -> usize;
    /// Sends a frame; it is lost where nobody reads.
    fn write(&mut self, frame: &[u8]);
}

/// What a user states of the keys behind a bridge.
#[derive(Clone, PartialEq, Debug)]
pub struct BridgeDesign {
    /// Number of keys, 1…[`MOST_KEYS`].
    pub keys: u8,
    /// Piano number of the first key.
    pub first_key: u8,
    /// Mechanics of every key, as declared to the host; its sensor step is the controller's.
    pub plant: KeyPlant,
    /// Force that may be held for minutes, N.
    pub held: f64,
    /// Ticks per second, in [`RATES`].
    pub rate_hz: u16,
}

/// A keyboard made of motor controllers.
#[derive(Debug)]
pub struct Bridge<C> {
    controller: C,
    device: Box<Device<KEYS>>,
    /// Length of a tick and time of the next one, µs of the line.
    tick_us: u64,
    next_us: u64,
    step: f64,
    counts: Box<[i32; KEYS]>,
    forces: Box<[f64; KEYS]>,
    commands: Vec<KeyCommand>,
    readings: Vec<Option<KeyReading>>,
    /// Time without a reading, µs, and the faults of the last one, for every key.
    silence: Vec<(u32, u16)>,
    watches: Vec<TorqueWatch>,
    last_us: u64,
    /// Time that an exchange takes, µs.
    exchange_us: u64,
}

impl<C: Controller> Bridge<C> {
    /// Checks the controllers and measures an exchange. The motors are off.
    ///
    /// # Errors
    /// A controller that does not answer or is not set as required, or a bus that is too slow.
    pub fn new(mut controller: C, design: &BridgeDesign) -> Result<Self, BridgeError> {
        let limits = controller.limits()?;
        let number = usize::from(design.keys).min(MOST_KEYS);
        let tick_us = 1_000_000 / u64::from(design.rate_hz.max(1));
        let commands = vec![KeyCommand::default(); number];
        controller.stop()?;
        let (took_us, readings) = measured(&mut controller, &commands)?;
        // A tenth of the tick is left for the law and the host's bytes.
        if took_us > tick_us - tick_us / 10 {
            return Err(BridgeError::Slow(took_us, tick_us));
        }
        for (key, reading) in (1u8..).zip(&readings) {
            let depth = reading.map_or(0.0, |reading| reading.position);
            if !(-REST..=REST).contains(&depth) {
                return Err(BridgeError::Unsafe(format!(
                    "key {key} stands at {:.2} mm: let it rest, and set the zero of its controller there",
                    depth * 1e3
                )));
            }
        }
        let next_us = controller.now_us() + tick_us;
        let device = Device::new(build(design, &limits), wrapped(next_us));
        Ok(Self {
            controller,
            device: Box::new(device),
            tick_us,
            next_us,
            step: limits.step,
            counts: Box::new([0; KEYS]),
            forces: Box::new([0.0; KEYS]),
            commands,
            readings,
            silence: vec![(0, 0); number],
            watches: vec![TorqueWatch::default(); number],
            last_us: next_us,
            exchange_us: took_us,
        })
    }

    /// The device.
    #[must_use]
    pub const fn device(&self) -> &Device<KEYS> {
        &self.device
    }

    /// The controllers.
    pub const fn controller(&mut self) -> &mut C {
        &mut self.controller
    }

    /// Time that nine of ten exchanges with all controllers take, µs.
    #[must_use]
    pub const fn exchange_us(&self) -> u64 {
        self.exchange_us
    }

    /// Commands of the next tick.
    #[must_use]
    pub fn commands(&self) -> &[KeyCommand] {
        &self.commands
    }

    /// One tick: waits until it is due, exchanges, calculates, and serves the host. After a pause the missed ticks are
    /// skipped.
    ///
    /// # Errors
    /// The line to the controllers has ended.
    pub fn turn(&mut self, host: &mut impl HostEnd) -> Result<(), BridgeError> {
        let at_us = self.next_us;
        let window = [at_us, at_us + self.tick_us - self.tick_us / 10];
        self.readings.fill(None);
        let asked_us = self.controller.exchange(&self.commands, window, &mut self.readings)?;
        // The usual jitter stays out of the device's clock, on which states are due.
        let asked_us =
            if asked_us.saturating_sub(at_us) < self.tick_us / 4 { at_us } else { asked_us };
        self.next_us += self.tick_us;
        let late_us = self.controller.now_us();
        if late_us > self.next_us {
            self.next_us = late_us;
        }
        let mut bytes = [0; 4096];
        loop {
            let got = host.read(&mut bytes);
            bytes.iter().take(got).for_each(|byte| self.device.receive(*byte));
            if got < bytes.len() {
                break;
            }
        }
        // A position is that of the middle of an exchange. The device's clock never goes back.
        self.tick((asked_us + self.exchange_us / 2).max(self.last_us + 1));
        let mut frame = [0; MAX_FRAME];
        loop {
            let length = self.device.report(&mut frame);
            if length == 0 {
                return Ok(());
            }
            host.write(&frame[..length]);
        }
    }

    /// Calculates with the readings of `now_us`.
    fn tick(&mut self, now_us: u64) {
        let passed_us = u32::try_from(now_us - self.last_us).unwrap_or(u32::MAX);
        if passed_us <= SILENT_US && self.readings.iter().all(Option::is_none) {
            // Without any position the tick would be one of standing keys: it comes late instead.
            return;
        }
        self.last_us = now_us;
        let mut faults = 0;
        for (key, (reading, silence)) in self.readings.iter().zip(&mut self.silence).enumerate() {
            match reading {
                Some(reading) => {
                    *silence = (0, reading.faults);
                    self.counts[key] = cast::rounded_i32(reading.position / self.step);
                }
                None => silence.0 = silence.0.saturating_add(passed_us),
            }
            if let Some(reading) = reading {
                let seconds = f64::from(passed_us) * 1e-6;
                let is_late = self.watches[key].note(&self.commands[key], reading, seconds);
                silence.1 |= if is_late { fault::DRIVER } else { 0 };
            }
            faults |= silence.1;
            faults |= if silence.0 > SILENT_US { fault::DRIVER } else { 0 };
        }
        self.device.hardware(faults);
        self.device.tick(wrapped(now_us), &self.counts, &mut self.forces);
        // In ready the controllers are on without torque, so that the first command finds them enabled.
        let mode = self.device.mode();
        let is_on = !matches!(mode, DeviceMode::Idle | DeviceMode::Fault);
        for (key, command) in self.commands.iter_mut().enumerate() {
            let Some(law) = self.device.key(key) else { continue };
            let is_powered = law.allowed() > 0.0;
            *command = KeyCommand {
                is_on,
                damping: if is_powered { law.impedance() } else { 0.0 },
                feed_forward: law.feed_forward(),
                largest: law.allowed(),
            };
        }
    }

    /// Switches the motors off.
    ///
    /// # Errors
    /// The line has ended.
    pub fn stop(&mut self) -> Result<(), BridgeError> {
        self.controller.stop()
    }
}

/// Readings of all keys, or of some.
type Readings = Vec<Option<KeyReading>>;

/// Exchanges with stopped motors: the time, µs, that nine of ten take, and the last readings. A bus may lose some.
fn measured(
    controller: &mut impl Controller,
    commands: &[KeyCommand],
) -> Result<(u64, Readings), BridgeError> {
    let (mut times, mut last, mut missing) = (Vec::new(), Vec::new(), 0);
    for _ in 0..20 {
        let begin_us = controller.now_us();
        let mut readings = vec![None; commands.len()];
        controller.exchange(commands, [begin_us, begin_us + 50_000], &mut readings)?;
        match readings.iter().position(Option::is_none) {
            Some(key) => missing = key,
            None => {
                times.push(controller.now_us() - begin_us);
                last = readings;
            }
        }
    }
    times.sort_unstable();
    if times.len() < 10 {
        return Err(BridgeError::Silent(cast::byte(missing + 1)));
    }
    Ok((times[times.len() * 9 / 10], last))
}

/// µs of the line as the device's own time.
fn wrapped(us: u64) -> u32 {
    (us % (1 << 32)).try_into().unwrap_or(0)
}

/// The build of a device in front of controllers with these limits.
fn build(
    design: &BridgeDesign,
    limits: &ControllerLimits,
) -> touchback_device::device::Build<KEYS> {
    let keyboard = KeyboardDesign {
        keys: design.keys.min(10),
        first_key: design.first_key,
        plant: KeyPlant { step: limits.step, ..design.plant },
        renders_bed: false,
        force: limits.force.min(FORCE_MOST),
        ..KeyboardDesign::default()
    };
    let mut build = emulator::build(&keyboard);
    build.hello.abilities &= !ability::TORQUE;
    build.hello.rate_hz = design.rate_hz;
    build.hello.force_held = u16_of(design.held.min(limits.force), 10e-3);
    build.hello.name = *b"bridge\0\0\0\0\0\0\0\0\0\0";
    build.hello.serial = 0;
    let number = |text: &str| text.parse().unwrap_or(0);
    build.hello.firmware = [
        number(env!("CARGO_PKG_VERSION_MAJOR")),
        number(env!("CARGO_PKG_VERSION_MINOR")),
        number(env!("CARGO_PKG_VERSION_PATCH")),
    ];
    build.hello.reset_cause = reset_cause::UNKNOWN;
    build
}

#[cfg(test)]
mod tests;
