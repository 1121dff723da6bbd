//! ODrive controllers behind a serial CAN adapter (SLCAN text, 1 Mbit/s), as keys.
//!
//! Velocity mode with velocity 0 and no integrator: τ = vel_gain·(0 − v) + τ_ff; vel_gain is the junction's damper and
//! is sent where it changes. The watchdog disarms: the key is then limp, not damped. There are no bounds of the
//! position; the device's check of the sensor ends force beyond −5 and 16 mm. Messages are those of the maker's *CAN
//! Simple* (firmware 0.6), settings are read by their numbers in the maker's list for each firmware,
//! `flat_endpoints.json`. Two frames a tick and key: the torque, and the question for the position; the torque that acts is
//! asked of one key a tick.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::requirement::{self, Demand, Requirement, SPEED, short};
use super::wire::{ControllerWire, DROP_US, FrameLine, Lines};
use super::{BridgeError, Controller, ControllerLimits, KeyCommand, KeyReading, WATCHDOG};
use touchback_core::math::cast::single;
use touchback_device::message::fault;

/// Messages: the low five bits of an identifier.
pub(super) mod message {
    pub const VERSION: u16 = 0x00;
    pub const HEARTBEAT: u16 = 0x01;
    pub const ASK_SETTING: u16 = 0x04;
    pub const SETTING: u16 = 0x05;
    pub const STATE: u16 = 0x07;
    pub const ESTIMATES: u16 = 0x09;
    pub const MODE: u16 = 0x0b;
    pub const VELOCITY: u16 = 0x0d;
    pub const CLEAR: u16 = 0x18;
    pub const GAINS: u16 = 0x1b;
    pub const TORQUES: u16 = 0x1c;
}

/// States of an axis: idle, closed loop.
pub(super) const IDLE: u8 = 1;
/// See [`IDLE`].
pub(super) const CLOSED_LOOP: u8 = 8;
/// Error bits of an axis: the supply, and temperatures.
const SUPPLY_ERRORS: u32 = 0x0300;
/// See [`SUPPLY_ERRORS`].
const HEAT_ERRORS: u32 = 0x6000;
/// Longest wait for an answer, µs.
const ANSWER_US: u64 = 100_000;
/// Time after which an axis that is on must be in its closed loop, µs, and time between repeated orders to be off, µs.
const ENABLE_US: u64 = 300_000;
/// See [`ENABLE_US`].
const REPEAT_US: u64 = 100_000;
/// Change of the damping that is sent, N·s/m.
const DAMPING_STEP: f64 = 0.25;

/// Torque constant, N·m/A: on it the largest current depends.
pub(super) const TORQUE_CONSTANT: &str = "axis0.config.motor.torque_constant";

/// The settings that a key needs, for a motor with `newtons` N/A at the front.
#[must_use]
pub fn requirements(demand: &Demand, newtons: f64) -> [Requirement; 11] {
    let (current, torque) = (demand.force / newtons, demand.force * demand.lever);
    [
        Requirement::within(
            "axis0.config.motor.current_soft_max",
            [0.1 * current, current],
            current,
            "the largest force at the front",
        ),
        Requirement::within(
            "axis0.config.torque_soft_max",
            [0.0, torque],
            torque,
            "the same, down",
        ),
        Requirement::within(
            "axis0.config.torque_soft_min",
            [-torque, 0.0],
            -torque,
            "the same, up",
        ),
        Requirement::exactly("axis0.config.enable_watchdog", 1.0, "ends force without commands"),
        Requirement::within(
            "axis0.config.watchdog_timeout",
            [0.005, WATCHDOG],
            WATCHDOG,
            "the time after which commands have ended",
        ),
        Requirement::exactly("axis0.controller.config.control_mode", 2.0, "damping: velocity mode"),
        Requirement::exactly("axis0.controller.config.input_mode", 1.0, "no ramp"),
        Requirement::exactly(
            "axis0.controller.config.vel_integrator_gain",
            0.0,
            "the motor must never hold a position",
        ),
        Requirement::within(
            "axis0.controller.config.vel_limit",
            [0.5 * SPEED / demand.turn(), SPEED / demand.turn()],
            SPEED / demand.turn(),
            "ends force on a key that is faster than a hand",
        ),
        Requirement::exactly("axis0.controller.config.enable_vel_limit", 1.0, "the same"),
        Requirement::within(
            "axis0.config.can.heartbeat_msg_rate_ms",
            [1.0, 10.0],
            5.0,
            "errors are seen within 10 ms",
        ),
    ]
}

/// Numbers and types of the settings of a firmware.
#[derive(Clone, PartialEq, Debug)]
pub struct Endpoints {
    version: String,
    numbers: BTreeMap<String, (u16, String)>,
}

impl Endpoints {
    /// Reads the maker's `flat_endpoints.json`.
    ///
    /// # Errors
    /// Not such a file.
    pub fn read(text: &str) -> Result<Self, String> {
        let file: serde_json::Value = serde_json::from_str(text).map_err(|e| e.to_string())?;
        let all = file["endpoints"].as_object().ok_or("has no `endpoints`")?;
        let number = |value: &serde_json::Value| {
            let id = u16::try_from(value["id"].as_u64()?).ok()?;
            Some((id, value["type"].as_str()?.to_owned()))
        };
        let numbers = all.iter().filter_map(|(name, value)| Some((name.clone(), number(value)?)));
        Ok(Self {
            version: file["fw_version"].as_str().unwrap_or_default().to_owned(),
            numbers: numbers.collect(),
        })
    }
}

/// A CAN frame with a standard identifier.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Frame {
    /// Node, message and data.
    pub node: u8,
    pub message: u16,
    pub data: [u8; 8],
    pub length: usize,
    /// The frame asks for this message.
    pub is_question: bool,
}

impl Frame {
    /// A frame of one or two numbers of four bytes.
    fn of(node: u8, message: u16, numbers: &[[u8; 4]]) -> Self {
        let mut data = [0; 8];
        data.iter_mut().zip(numbers.as_flattened()).for_each(|(to, from)| *to = *from);
        Self { node, message, data, length: 4 * numbers.len(), is_question: false }
    }

    /// Appends the line of the frame.
    pub fn write(&self, text: &mut Vec<u8>) {
        let kind = if self.is_question { 'r' } else { 't' };
        let id = (u16::from(self.node) << 5) | self.message;
        let mut line = format!("{kind}{id:03x}{}", self.length);
        for byte in self.data.iter().take(if self.is_question { 0 } else { self.length }) {
            // Writing to a `String` cannot fail.
            let _ = write!(line, "{byte:02X}");
        }
        text.extend_from_slice(line.as_bytes());
        text.push(b'\r');
    }

    /// The frame of a line; none for other lines. A time at the end is ignored.
    pub fn read(line: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(line).ok()?;
        let is_question = match text.get(..1)? {
            "t" => false,
            "r" => true,
            _ => return None,
        };
        let id = u16::from_str_radix(text.get(1..4)?, 16).ok()?;
        let length: usize = text.get(4..5)?.parse().ok().filter(|length| *length <= 8)?;
        let mut data = [0; 8];
        for (index, byte) in data.iter_mut().enumerate().take(if is_question { 0 } else { length })
        {
            *byte = u8::from_str_radix(text.get(5 + 2 * index..7 + 2 * index)?, 16).ok()?;
        }
        let node = u8::try_from(id >> 5).ok()?;
        Some(Self { node, message: id & 31, data, length, is_question })
    }

    /// The four bytes from `at` on.
    pub fn four(&self, at: usize) -> [u8; 4] {
        self.data.get(at..at + 4).and_then(|four| four.try_into().ok()).unwrap_or_default()
    }
}

/// What a node has reported, and what it was last told.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Node {
    id: u8,
    errors: u32,
    state: u8,
    /// The node is on since this time, µs; none where it is off.
    on_us: Option<u64>,
    /// Time of the last order to be off, µs.
    off_us: u64,
    /// Damping that it was told, N·s/m.
    damping: Option<f64>,
}

/// ODrive controllers on one bus.
#[derive(Debug)]
pub struct Odrive<W> {
    /// The line to the adapter.
    pub wire: W,
    nodes: Vec<Node>,
    demand: Demand,
    /// Counts of the position sensors per turn.
    counts: f64,
    endpoints: Endpoints,
    lines: Lines,
    line: Vec<u8>,
    text: Vec<u8>,
    /// The key whose torque is asked for next.
    asked: usize,
}

impl<W: ControllerWire> Odrive<W> {
    /// Controllers with these node `ids`, one for each key from the lowest on, whose sensors have `counts` per turn.
    /// Opens the adapter's channel.
    ///
    /// # Errors
    /// The line has ended.
    pub fn new(
        mut wire: W,
        ids: &[u8],
        demand: Demand,
        counts: f64,
        endpoints: Endpoints,
    ) -> Result<Self, BridgeError> {
        // Closed first, because the rate can be set only then.
        wire.send(b"\rC\rS8\rO\r").map_err(BridgeError::Line)?;
        let nodes = ids.iter().map(|id| Node { id: *id, ..Node::default() }).collect();
        let (lines, line, text) = (Lines::default(), Vec::new(), Vec::new());
        Ok(Self { wire, nodes, demand, counts, endpoints, lines, line, text, asked: 0 })
    }

    fn queue(&mut self, frame: &Frame) {
        frame.write(&mut self.text);
    }

    /// Sends `frame` until the node `key` answers with a frame that `is_answer` accepts, at most three times.
    fn ask(
        &mut self,
        key: usize,
        frame: &Frame,
        is_answer: impl Fn(&Frame) -> bool,
    ) -> Result<Frame, BridgeError> {
        for _ in 0..3 {
            self.drop_late()?;
            self.queue(frame);
            self.flush()?;
            let until_us = self.wire.now_us() + ANSWER_US;
            while let Some((from, answer)) = self.wait_frame(until_us)? {
                if from == key && is_answer(&answer) {
                    return Ok(answer);
                }
            }
        }
        Err(BridgeError::Silent(self.nodes[key].id))
    }

    /// A stored setting.
    fn setting(&mut self, key: usize, name: &str) -> Result<f64, BridgeError> {
        let Some((number, kind)) = self.endpoints.numbers.get(name).cloned() else {
            let why = format!("flat_endpoints.json of {} has no {name}", self.endpoints.version);
            return Err(BridgeError::Unsafe(why));
        };
        let [low, high] = number.to_le_bytes();
        let mut frame = Frame::of(self.nodes[key].id, message::ASK_SETTING, &[[0, low, high, 0]]);
        frame.length = 4;
        let is_answer =
            |answer: &Frame| answer.message == message::SETTING && answer.data[1..3] == [low, high];
        let four = self.ask(key, &frame, is_answer)?.four(4);
        Ok(match kind.as_str() {
            "float" => f64::from(f32::from_le_bytes(four)),
            "bool" | "uint8" => f64::from(four[0]),
            "uint16" => f64::from(u16::from_le_bytes([four[0], four[1]])),
            _ => f64::from(u32::from_le_bytes(four)),
        })
    }

    /// Checks one controller. Returns its largest force, N.
    fn check(&mut self, key: usize) -> Result<f64, BridgeError> {
        let id = self.nodes[key].id;
        let question = Frame {
            node: id,
            message: message::VERSION,
            length: 8,
            is_question: true,
            ..Frame::default()
        };
        let answer = self.ask(key, &question, |answer| answer.message == message::VERSION)?;
        let version = format!("{}.{}.{}", answer.data[4], answer.data[5], answer.data[6]);
        if self.endpoints.version.split('-').next() != Some(&version) {
            return Err(BridgeError::Unsafe(format!(
                "controller {id} has firmware {version}, flat_endpoints.json is for {}",
                self.endpoints.version
            )));
        }
        let newtons = self.setting(key, TORQUE_CONSTANT)? / self.demand.lever;
        if newtons.is_nan() || newtons <= 0.0 {
            return Err(BridgeError::Unsafe(format!(
                "controller {id}: its motor is not calibrated"
            )));
        }
        let required = requirements(&self.demand, newtons);
        let command = |r: &Requirement| format!("odrv0.{} = {}", r.name, short(r.set));
        let save = "odrv0.save_configuration()";
        let values =
            requirement::check(id, &required, |name| self.setting(key, name), command, save)?;
        Ok((values[0] * newtons).min(values[1] / self.demand.lever))
    }

    /// Queues the frames that make the node `key` obey `command`.
    fn command(&mut self, key: usize, command: &KeyCommand, now_us: u64) {
        let node = self.nodes[key];
        let word = |value: u8| [value, 0, 0, 0];
        let number = |value: f64| single(value).to_le_bytes();
        let mut frames: Vec<Frame> = Vec::new();
        let mut add =
            |message, numbers: &[[u8; 4]]| frames.push(Frame::of(node.id, message, numbers));
        let own = &mut self.nodes[key];
        if command.is_on {
            if node.on_us.is_none() {
                own.on_us = Some(now_us);
                own.damping = None;
                add(message::MODE, &[word(2), word(1)]);
            }
            let is_far = |damping: f64| (command.damping - damping).abs() >= DAMPING_STEP;
            if own.damping.is_none_or(is_far) {
                own.damping = Some(command.damping);
                add(message::GAINS, &[number(self.demand.gain(command.damping)), number(0.0)]);
            }
            let force = command.feed_forward.clamp(-command.largest, command.largest);
            add(message::VELOCITY, &[number(0.0), number(-force * self.demand.lever)]);
            if node.on_us.is_none() {
                add(message::STATE, &[word(CLOSED_LOOP)]);
            }
        } else if node.on_us.is_some() || now_us >= node.off_us + REPEAT_US {
            (own.on_us, own.off_us) = (None, now_us);
            add(message::STATE, &[word(IDLE)]);
            add(message::CLEAR, &[word(0)]);
        }
        frames.iter().for_each(|frame| self.queue(frame));
    }

    /// Faults of a node at `now_us`.
    fn faults(node: &Node, now_us: u64) -> u16 {
        let supply = if node.errors & SUPPLY_ERRORS == 0 { 0 } else { fault::SUPPLY };
        let heat = if node.errors & HEAT_ERRORS == 0 { 0 } else { fault::TEMPERATURE };
        let has_others = node.errors & !(SUPPLY_ERRORS | HEAT_ERRORS) != 0;
        let is_off =
            node.on_us.is_some_and(|on_us| now_us > on_us + ENABLE_US) && node.state != CLOSED_LOOP;
        supply | heat | if has_others || is_off { fault::DRIVER } else { 0 }
    }
}

impl<W: ControllerWire> FrameLine for Odrive<W> {
    type Wire = W;
    type Frame = Frame;

    fn parts(&mut self) -> (&mut W, &mut Lines, &mut Vec<u8>) {
        (&mut self.wire, &mut self.lines, &mut self.text)
    }

    // Heartbeats are noted.
    fn received(&mut self) -> Option<(usize, Frame)> {
        while self.lines.next(&mut self.line) {
            let Some(frame) = Frame::read(&self.line).filter(|frame| !frame.is_question) else {
                continue;
            };
            let Some(index) = self.nodes.iter().position(|node| node.id == frame.node) else {
                continue;
            };
            if frame.message != message::HEARTBEAT {
                return Some((index, frame));
            }
            let node = &mut self.nodes[index];
            (node.errors, node.state) = (u32::from_le_bytes(frame.four(0)), frame.data[4]);
        }
        None
    }
}

impl<W: ControllerWire> Controller for Odrive<W> {
    fn limits(&mut self) -> Result<ControllerLimits, BridgeError> {
        let mut force = f64::INFINITY;
        for key in 0..self.nodes.len() {
            force = self.check(key)?.min(force);
        }
        Ok(ControllerLimits { force, step: self.demand.turn() / self.counts })
    }

    fn exchange(
        &mut self,
        commands: &[KeyCommand],
        [at_us, until_us]: [u64; 2],
        readings: &mut [Option<KeyReading>],
    ) -> Result<u64, BridgeError> {
        let now_us = self.wire.now_us();
        for (key, command) in commands.iter().enumerate() {
            self.command(key, command, now_us);
        }
        self.flush()?;
        self.wire.wait(at_us.saturating_sub(DROP_US));
        self.drop_late()?;
        self.wire.wait(at_us);
        self.asked = (self.asked + 1) % commands.len().max(1);
        // The torque first: it is there when the position is.
        let asked = [(self.asked, message::TORQUES)];
        let positions = (0..commands.len()).map(|key| (key, message::ESTIMATES));
        for (key, message) in asked.into_iter().chain(positions) {
            let node = self.nodes.get(key).map_or(0, |node| node.id);
            self.queue(&Frame { node, message, length: 8, is_question: true, ..Frame::default() });
        }
        let mut force = None;
        let sent_us = self.wire.now_us();
        self.flush()?;
        while readings.iter().any(Option::is_none)
            && let Some((key, frame)) = self.wait_frame(until_us)?
        {
            if frame.message == message::TORQUES && key == self.asked {
                let torque = f64::from(f32::from_le_bytes(frame.four(4)));
                force = torque.is_finite().then_some(-torque / self.demand.lever);
                continue;
            }
            let turns = f64::from(f32::from_le_bytes(frame.four(0)));
            if frame.message == message::ESTIMATES
                && turns.is_finite()
                && let Some(reading) = readings.get_mut(key)
            {
                let faults = Self::faults(&self.nodes[key], sent_us);
                let force = force.filter(|_| key == self.asked);
                let position = turns * self.demand.turn();
                *reading = Some(KeyReading { position, faults, force });
            }
        }
        Ok(sent_us)
    }

    fn stop(&mut self) -> Result<(), BridgeError> {
        let now_us = self.wire.now_us() + REPEAT_US;
        for key in 0..self.nodes.len() {
            self.command(key, &KeyCommand::default(), now_us);
        }
        self.flush()
    }

    fn now_us(&mut self) -> u64 {
        self.wire.now_us()
    }
}
