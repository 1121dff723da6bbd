//! Emulated moteus controllers behind an fdcanusb: its text, frames decoded by the maker's package, text settings.

use std::f64::consts::TAU;
use std::fmt::Write as _;

use moteus_protocol::fdcanusb::parse_rcv;
use moteus_protocol::{
    CLIENT_POLL_SERVER, CLIENT_TO_SERVER, CanFdFrame, Mode, REPLY_FLOAT, REPLY_INT8, Register,
    SERVER_TO_CLIENT, Subframe, SubframeType, WriteCanData, parse_frame, scaling,
};

use super::{BRAKE, Bus, EmulatedControllers, Front, LEVER, MotorMode, MotorSettings};
use crate::bridge::KeyCommand;
use crate::bridge::moteus::{TORQUE_KV, requirements};
use crate::bridge::requirement::Demand;
use crate::keyboard::plant::{EmulatedFinger, KeyPlant};
use crate::keyboard::script::Script;
use touchback_core::math::cast::single;

/// Kv of the motor, rpm/V (chosen: 5 N at the lever with 9.7 A).
const KV: f64 = 160.0;
/// Force per ampere at the lever, N/A.
const NEWTONS: f64 = TORQUE_KV / KV / LEVER;
/// Counts of the sensor per turn.
const COUNTS: f64 = 65_536.0;

/// Settings as the maker ships them, as far as a bridge reads them.
const SHIPPED: [(&str, f64); 20] = [
    ("servo.max_current_A", 20.0),
    ("servo.timeout_mode", 12.0),
    ("servo.default_timeout_s", 0.1),
    ("servopos.position_min", f64::NAN),
    ("servopos.position_max", f64::NAN),
    ("servo.position_derate", 0.02),
    ("servo.max_velocity", 500.0),
    ("servo.max_velocity_derate", 2.0),
    ("servo.pid_position.kp", 4.0),
    ("servo.pid_position.ki", 1.0),
    ("servo.pid_position.kd", 0.05),
    ("servo.velocity_threshold", 0.0),
    ("servo.default_velocity_limit", f64::NAN),
    ("servo.default_accel_limit", 50.0),
    ("servo.fixed_voltage_mode", 0.0),
    ("servo.voltage_mode_control", 0.0),
    ("motor_position.sources.0.pll_filter_hz", 400.0),
    ("motor_position.sources.0.cpr", COUNTS),
    ("motor_position.rotor_to_output_ratio", 1.0),
    ("motor.Kv", KV),
];

/// One controller: its settings, and the streams of its text.
#[derive(Clone, Debug)]
struct Controller {
    settings: Vec<(&'static str, f64)>,
    received: Vec<u8>,
    said: Vec<u8>,
}

impl Controller {
    fn get(&self, name: &str) -> Option<f64> {
        self.settings.iter().find(|(own, _)| *own == name).map(|(_, value)| *value)
    }

    /// Answers a line of text.
    fn text(&mut self, line: &str) -> String {
        let words: Vec<&str> = line.split_whitespace().collect();
        let answer = match words[..] {
            ["conf", "get", name] => self.get(name).map(|value| value.to_string().to_lowercase()),
            ["conf", "set", name, value] => {
                let own = self.settings.iter_mut().find(|(own, _)| *own == name);
                own.zip(value.parse().ok()).map(|(own, value)| {
                    own.1 = value;
                    "OK".to_owned()
                })
            }
            ["conf", "write"] | ["tel", "stop"] => Some("OK".into()),
            _ => None,
        };
        answer.unwrap_or_else(|| "ERR unknown".into())
    }
}

/// moteus controllers with the ids 1, 2, ….
#[derive(Clone, Debug)]
pub struct MoteusFront {
    controllers: Vec<Controller>,
}

/// Emulated moteus controllers as the maker ships them, or set for keys with the emulated lever and `force` N.
#[must_use]
pub fn emulated(
    keys: usize,
    plant: KeyPlant,
    finger: EmulatedFinger,
    script: Script,
    force: Option<f64>,
) -> EmulatedControllers<MoteusFront> {
    let controller =
        Controller { settings: SHIPPED.to_vec(), received: Vec::new(), said: Vec::new() };
    let mut front = MoteusFront { controllers: vec![controller; keys] };
    if let Some(force) = force {
        let demand = Demand { force, lever: LEVER };
        for required in requirements(&demand, NEWTONS) {
            front.text(&format!("conf set {} {}", required.name, required.set));
        }
    }
    EmulatedControllers::new(front, keys, plant, finger, script)
}

impl MoteusFront {
    /// Lets every controller obey a line of its text.
    pub fn text(&mut self, line: &str) {
        for controller in &mut self.controllers {
            let _ = controller.text(line);
        }
    }

    /// Handles a frame to the controller `index`. Returns its answer.
    fn frame(&mut self, index: usize, frame: &CanFdFrame, bus: &mut Bus) -> CanFdFrame {
        let mut answer = CanFdFrame::new();
        let Some(controller) = self.controllers.get_mut(index) else { return answer };
        let data = frame.payload();
        match *data {
            [CLIENT_TO_SERVER, _, length, ref text @ ..] => {
                controller.received.extend(text.iter().take(usize::from(length)));
                while let Some(end) = controller.received.iter().position(|byte| *byte == b'\n') {
                    let line: Vec<u8> = controller.received.drain(..=end).collect();
                    let said = controller.text(String::from_utf8_lossy(&line).trim());
                    controller.said.extend_from_slice(format!("{said}\r\n").as_bytes());
                }
            }
            [CLIENT_POLL_SERVER, channel, most, ..] => {
                let length = controller.said.len().min(usize::from(most)).min(60);
                let said: Vec<u8> = controller.said.drain(..length).collect();
                let mut writer = WriteCanData::new(&mut answer);
                writer.write_bytes(&[SERVER_TO_CLIENT, channel]);
                writer.write_varuint(u32::try_from(length).unwrap_or(0));
                writer.write_bytes(&said);
            }
            _ => self.registers(index, data, bus, &mut answer),
        }
        answer
    }

    /// Handles a frame of registers.
    fn registers(&self, index: usize, data: &[u8], bus: &mut Bus, answer: &mut CanFdFrame) {
        let controller = &self.controllers[index];
        let gain = controller.get("servo.pid_position.kd").unwrap_or(0.0);
        let (mut mode, mut command) = (None, KeyCommand { is_on: true, ..KeyCommand::default() });
        let [mut kp, mut kd, mut most, mut timeout] = [1.0, 1.0, f64::NAN, 0.0];
        for part in parse_frame(data) {
            let Subframe::Register { subframe_type, register, value, .. } = part else { continue };
            let Some(name) = Register::from_address(register) else { continue };
            if subframe_type == SubframeType::Read {
                self.answer(index, name, bus, answer);
                continue;
            }
            let Some(value) = value else { continue };
            let of = |unit| f64::from(value.to_f32(unit));
            match name {
                Register::Mode => mode = Some(value.to_i32()),
                Register::CommandFeedforwardTorque => {
                    command.feed_forward = -of(&scaling::TORQUE) / LEVER;
                }
                Register::CommandKpScale => kp = of(&scaling::PWM),
                Register::CommandKdScale => kd = of(&scaling::PWM),
                Register::CommandPositionMaxTorque => most = of(&scaling::TORQUE),
                Register::CommandTimeout => timeout = of(&scaling::TIME),
                _ => {}
            }
        }
        let Some(mode) = mode else { return };
        if mode != i32::from(u8::from(Mode::Position)) {
            bus.command(index, KeyCommand::default(), f64::INFINITY);
            return;
        }
        // The reference: the scale of kd is at most that of kp.
        command.damping = gain * kd.min(kp) / (TAU * LEVER * LEVER);
        command.largest = if most.is_nan() { f64::INFINITY } else { most / LEVER };
        if timeout == 0.0 {
            timeout = controller.get("servo.default_timeout_s").unwrap_or(f64::NAN);
        }
        let timeout = if timeout.is_nan() { f64::INFINITY } else { timeout };
        bus.command(index, command, timeout);
    }

    /// Appends the value of a register to an answer.
    fn answer(&self, index: usize, register: Register, bus: &Bus, answer: &mut CanFdFrame) {
        let Some(motor) = bus.motors.get(index) else { return };
        let step = self.settings(index).step;
        let (mode, fault) = match motor.mode {
            MotorMode::Stopped => (Mode::Stopped, 0),
            MotorMode::Running => (Mode::Position, 0),
            MotorMode::TimedOut => (Mode::Timeout, 0),
            MotorMode::Fault(code) => (Mode::Fault, code),
        };
        let (byte, number) = match register {
            Register::Mode => (Some(i8::from(mode)), 0.0),
            Register::Fault => (Some(fault.cast_signed()), 0.0),
            Register::Voltage => (None, bus.supply()),
            Register::Position => (None, libm::round(motor.key.x / step) * step / (TAU * LEVER)),
            Register::Torque => (None, -motor.force * LEVER),
            _ => (None, 0.0),
        };
        let mut writer = WriteCanData::new(answer);
        writer.write_u8(1 | if byte.is_some() { REPLY_INT8 } else { REPLY_FLOAT });
        writer.write_varuint(u32::from(register.address()));
        match byte {
            Some(byte) => writer.write_i8(byte),
            None => writer.write_f32(single(number)),
        }
    }
}

impl Front for MoteusFront {
    fn settings(&self, index: usize) -> MotorSettings {
        let turn = TAU * LEVER;
        let of = |name| self.controllers.get(index).and_then(|c| c.get(name)).unwrap_or(f64::NAN);
        let bound = |name, none: f64| {
            let bound = of(name) * turn;
            if bound.is_nan() { none } else { bound }
        };
        MotorSettings {
            force: of("servo.max_current_A") * NEWTONS,
            bounds: [
                bound("servopos.position_min", f64::NEG_INFINITY),
                bound("servopos.position_max", f64::INFINITY),
            ],
            derate: of("servo.position_derate") * turn,
            speed: [of("servo.max_velocity") * turn, of("servo.max_velocity_derate") * turn],
            filter_hz: of("motor_position.sources.0.pll_filter_hz"),
            step: turn / COUNTS,
            brake: if of("servo.timeout_mode") == 15.0 { BRAKE } else { 0.0 },
        }
    }

    /// A line of the adapter: `can send ID DATA FLAGS`. The package reads what adapters say, which has the same fields.
    fn line(&mut self, line: &[u8], bus: &mut Bus) {
        let Some(rest) = line.strip_prefix(b"can send ") else {
            if !line.is_empty() {
                bus.say("ERR unknown command\r\n");
            }
            return;
        };
        let Some(frame) = parse_rcv(&[b"rcv ", rest].concat()) else {
            bus.say("ERR malformed\r\n");
            return;
        };
        bus.say("OK\r\n");
        let [id, flags, ..] = frame.arbitration_id.to_le_bytes();
        let index = usize::from(id).wrapping_sub(1);
        if index >= self.controllers.len() {
            return;
        }
        let mut answer = self.frame(index, &frame, bus);
        if flags & 0x80 != 0 {
            answer.pad_to_dlc();
            let mut text = format!("rcv {id:02x}00 ");
            for byte in answer.payload() {
                let _ = write!(text, "{byte:02X}");
            }
            bus.answer(text + " e B F\r\n");
        }
    }
}
