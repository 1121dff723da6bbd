//! Emulated ODrive controllers behind an SLCAN adapter: *CAN Simple*, and settings by their numbers.

use super::{Bus, EmulatedControllers, Front, LEVER, MotorMode, MotorSettings};
use crate::bridge::KeyCommand;
use crate::bridge::odrive::{CLOSED_LOOP, Frame, IDLE, TORQUE_CONSTANT, message, requirements};
use crate::bridge::requirement::Demand;
use crate::keyboard::plant::{EmulatedFinger, KeyPlant};
use crate::keyboard::script::Script;
use touchback_core::math::cast::single;

/// Torque constant, N·m/A (chosen: as that of the emulated moteus).
const TORQUE: f64 = 0.051_7;
/// Counts of the sensor per turn.
pub const COUNTS: f64 = 65_536.0;
/// Number of the first setting (chosen).
const FIRST: u16 = 100;
/// Ticks between heartbeats: 5 ms.
const HEARTBEAT_TICKS: u64 = 40;
/// Bandwidth of the speed, as the corner of the common loop, Hz (chosen).
const FILTER_HZ: f64 = 400.0;
/// Firmware.
const VERSION: [u8; 3] = [0, 6, 11];

/// ODrive controllers with the nodes 0, 1, ….
#[derive(Clone, Debug)]
pub struct OdriveFront {
    settings: Vec<(&'static str, f64)>,
    /// Damping, N·s/m, and whether the axis is in its closed loop, of every controller.
    axes: Vec<(f64, bool)>,
    ticks: u64,
}

/// Emulated ODrive controllers, set for keys with the emulated lever and `force` N.
#[must_use]
pub fn emulated(
    keys: usize,
    plant: KeyPlant,
    finger: EmulatedFinger,
    script: Script,
    force: f64,
) -> EmulatedControllers<OdriveFront> {
    let demand = Demand { force, lever: LEVER };
    let required = requirements(&demand, TORQUE / LEVER);
    let settings = required.iter().map(|r| (r.name, r.set)).chain([(TORQUE_CONSTANT, TORQUE)]);
    let front =
        OdriveFront { settings: settings.collect(), axes: vec![(0.0, false); keys], ticks: 0 };
    EmulatedControllers::new(front, keys, plant, finger, script)
}

impl OdriveFront {
    /// The maker's list of settings for this firmware.
    #[must_use]
    pub fn endpoints(&self) -> String {
        let all: serde_json::Map<String, serde_json::Value> = (FIRST..)
            .zip(&self.settings)
            .map(|(id, (name, _))| {
                ((*name).to_owned(), serde_json::json!({ "id": id, "type": "float" }))
            })
            .collect();
        let [major, minor, patch] = VERSION;
        let version = format!("{major}.{minor}.{patch}-1");
        serde_json::json!({ "fw_version": version, "endpoints": all }).to_string()
    }

    /// Changes a setting.
    pub fn set(&mut self, name: &str, value: f64) {
        self.settings.iter_mut().filter(|(own, _)| *own == name).for_each(|own| own.1 = value);
    }

    fn get(&self, name: &str) -> f64 {
        self.settings.iter().find(|(own, _)| *own == name).map_or(f64::NAN, |(_, value)| *value)
    }
}

fn answer(bus: &mut Bus, node: u8, message: u16, data: [u8; 8]) {
    let mut text = Vec::new();
    Frame { node, message, data, length: 8, is_question: false }.write(&mut text);
    bus.answer(String::from_utf8_lossy(&text).into_owned());
}

impl Front for OdriveFront {
    fn settings(&self, _index: usize) -> MotorSettings {
        let force = self.get("axis0.config.motor.current_soft_max") * TORQUE;
        let turn = std::f64::consts::TAU * LEVER;
        let speed = self.get("axis0.controller.config.vel_limit") * turn;
        MotorSettings {
            force: force.min(self.get("axis0.config.torque_soft_max")) / LEVER,
            bounds: [f64::NEG_INFINITY, f64::INFINITY],
            derate: 1.0,
            speed: [speed, 0.2 * speed],
            filter_hz: FILTER_HZ,
            step: turn / COUNTS,
            brake: 0.0,
        }
    }

    fn line(&mut self, line: &[u8], bus: &mut Bus) {
        let Some(frame) = Frame::read(line) else {
            bus.say("\r");
            return;
        };
        let node = frame.node;
        let Some(axis) = self.axes.get_mut(usize::from(node)) else { return };
        let number = |at| f64::from(f32::from_le_bytes(frame.four(at)));
        match (frame.is_question, frame.message) {
            (true, message::VERSION) => {
                let [major, minor, patch] = VERSION;
                answer(bus, node, message::VERSION, [2, 5, 2, 0, major, minor, patch, 0]);
            }
            (true, message::ESTIMATES) => {
                let turn = std::f64::consts::TAU * LEVER;
                let step = turn / COUNTS;
                let x = bus.motors.get(usize::from(node)).map_or(0.0, |motor| motor.key.x);
                let [a, b, c, d] = single(libm::round(x / step) * step / turn).to_le_bytes();
                answer(bus, node, message::ESTIMATES, [a, b, c, d, 0, 0, 0, 0]);
            }
            (true, message::TORQUES) => {
                let force = bus.motors.get(usize::from(node)).map_or(0.0, |motor| motor.force);
                let [a, b, c, d] = single(-force * LEVER).to_le_bytes();
                answer(bus, node, message::TORQUES, [0, 0, 0, 0, a, b, c, d]);
            }
            (false, message::ASK_SETTING) => {
                let [_, low, high, ..] = frame.data;
                let number = u16::from_le_bytes([low, high]).wrapping_sub(FIRST);
                let value = self.settings.get(usize::from(number)).map_or(0.0, |(_, v)| *v);
                let [a, b, c, d] = single(value).to_le_bytes();
                answer(bus, node, message::SETTING, [0, low, high, 0, a, b, c, d]);
            }
            (false, message::GAINS) => {
                axis.0 = number(0) / (std::f64::consts::TAU * LEVER * LEVER);
            }
            (false, message::STATE) => {
                axis.1 = frame.data[0] == CLOSED_LOOP;
                if !axis.1 {
                    bus.command(usize::from(node), KeyCommand::default(), f64::INFINITY);
                }
            }
            (false, message::VELOCITY) if axis.1 => {
                let (damping, feed_forward) = (axis.0, -number(4) / LEVER);
                let largest = f64::INFINITY;
                let command = KeyCommand { is_on: true, damping, feed_forward, largest };
                let timeout = self.get("axis0.config.watchdog_timeout");
                bus.command(usize::from(node), command, timeout);
            }
            _ => {}
        }
    }

    fn tick(&mut self, bus: &mut Bus) {
        self.ticks += 1;
        if !self.ticks.is_multiple_of(HEARTBEAT_TICKS) {
            return;
        }
        for (node, (_, is_closed)) in (0u8..).zip(&mut self.axes) {
            let errors: u32 = match bus.motors.get(usize::from(node)).map(|motor| motor.mode) {
                Some(MotorMode::TimedOut) => 0x0100_0000,
                Some(MotorMode::Fault(40)) => 0x0200,
                Some(MotorMode::Fault(38)) => 0x2000,
                Some(MotorMode::Fault(_)) => 0x20,
                _ => 0,
            };
            *is_closed &= errors == 0;
            let state = if *is_closed { CLOSED_LOOP } else { IDLE };
            let [a, b, c, d] = errors.to_le_bytes();
            answer(bus, node, message::HEARTBEAT, [a, b, c, d, state, 0, 0, 0]);
        }
    }
}
