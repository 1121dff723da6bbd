//! moteus controllers (mjbots) at an fdcanusb or its successors, as keys.
//!
//! Position mode at the present position with velocity 0: τ = kd·kd_scale·(0 − v) + τ_ff, at the controller's PWM rate.
//! The stored kp and ki are 0, so that no command can make the motor hold a position; kd_scale is sent without kp_scale,
//! because the controller limits it to that. Every command has a watchdog of 20 ms, after which the controller shorts
//! the windings (`servo.timeout_mode` 15) until it is stopped. Registers, modes and settings are those of the maker's
//! reference (register map 5); frames are the maker's package.
//!
//! Two frames a tick and key: the command, which asks for no answer, and the question.

use moteus_protocol::command::{PositionCommand, PositionFormat, StopCommand};
use moteus_protocol::fdcanusb::{
    EncodeOptions, Line, MAX_LINE_LENGTH, encode_can_send, parse_line, strip_checksum,
};
use moteus_protocol::query::{QueryFormat, QueryResult};
use moteus_protocol::{CanFdFrame, Mode, NOP, Resolution, calculate_arbitration_id, diagnostic};

use super::requirement::{self, DAMPING, Demand, INNER, OUTER, Requirement, SPEED, short};
use super::wire::{ControllerWire, DROP_US, FrameLine, Lines};
use super::{BridgeError, Controller, ControllerLimits, KeyCommand, KeyReading, WATCHDOG};
use touchback_core::math::cast::single;
use touchback_device::message::fault;

/// Number of this computer on the bus.
const HOST: i8 = 0;
/// Channel of the text settings.
const CHANNEL: u8 = 1;
/// Longest wait for an answer to a setting, µs, and number of questions: a lost answer is not sent again.
const ANSWER_US: u64 = 100_000;
/// See [`ANSWER_US`].
const TRIES: u32 = 6;
/// Torque constant times Kv, N·m·rpm/(A·V), as the controller computes it: 3/2 · 1/√3 · 60/2π.
pub(super) const TORQUE_KV: f64 = 8.269_933_431_326_881;
/// Least supply for force, V: below it the controller faults.
const SUPPLY: f32 = 10.0;
/// Largest step that the register of the position has, turns.
const REGISTER_STEP: f64 = 1.0 / 65_536.0;

/// Setting of the damping.
const KD: &str = "servo.pid_position.kd";

/// `data` is a well-formed answer with registers that fit into it: the maker's reader expects no less.
fn is_answer(mut data: &[u8]) -> bool {
    let mut registers = 0u8;
    while let [head, rest @ ..] = data {
        let (count, rest) = match (head & 0xf0, head & 3, rest) {
            _ if *head == NOP => {
                data = rest;
                continue;
            }
            (0x20, 0, [count, rest @ ..]) => (*count, rest),
            (0x20, 1.., _) => (head & 3, rest),
            _ => return false,
        };
        let size = [1, 2, 4, 4][usize::from((head >> 2) & 3)] * usize::from(count);
        registers = registers.saturating_add(count);
        match rest {
            [first, values @ ..] if *first < 0x80 && registers <= 16 && values.len() >= size => {
                data = &values[size..];
            }
            _ => return false,
        }
    }
    true
}

/// The settings that a key needs, for a motor with `newtons` N/A at the front.
#[must_use]
pub fn requirements(demand: &Demand, newtons: f64) -> [Requirement; 17] {
    let of = |depth: f64| depth / demand.turn();
    let current = demand.force / newtons;
    let gain = demand.gain(DAMPING);
    let bound = |name, outer: f64, inner: f64| {
        let range = [of(outer.min(inner)), of(outer.max(inner))];
        Requirement::within(
            name,
            range,
            of(0.5 * (outer + inner)),
            "ends force beyond the key's way",
        )
    };
    [
        Requirement::within(
            "servo.max_current_A",
            [0.1 * current, current],
            current,
            "the largest force at the front",
        ),
        Requirement::exactly("servo.timeout_mode", 15.0, "shorts the windings where commands end"),
        Requirement::within(
            "servo.default_timeout_s",
            [0.005, WATCHDOG],
            WATCHDOG,
            "the time after which commands have ended",
        ),
        bound("servopos.position_min", OUTER[0], INNER[0]),
        bound("servopos.position_max", OUTER[1], INNER[1]),
        Requirement::within(
            "servo.position_derate",
            [0.0, of(2e-3)],
            of(1e-3),
            "ends force within 2 mm beyond the bounds",
        ),
        Requirement::within(
            "servo.max_velocity",
            [of(0.5 * SPEED), of(SPEED)],
            of(SPEED),
            "reduces force that drives a key faster than a hand does",
        ),
        Requirement::within(
            "servo.max_velocity_derate",
            [of(0.01), of(0.5)],
            of(0.25),
            "ends that force soon",
        ),
        Requirement::exactly("servo.pid_position.kp", 0.0, "the motor must never hold a position"),
        Requirement::exactly("servo.pid_position.ki", 0.0, "the motor must never hold a position"),
        Requirement::within(
            KD,
            [gain, 4.0 * gain],
            gain,
            "the junction's damper, 25 N·s/m at the front",
        ),
        Requirement::exactly("servo.velocity_threshold", 0.0, "the damper acts at every speed"),
        Requirement::exactly("servo.default_velocity_limit", f64::NAN, "no trajectory"),
        Requirement::exactly("servo.default_accel_limit", f64::NAN, "no trajectory"),
        Requirement::exactly("servo.fixed_voltage_mode", 0.0, "limits act on the current"),
        Requirement::exactly("servo.voltage_mode_control", 0.0, "limits act on the current"),
        Requirement::within(
            "motor_position.sources.0.pll_filter_hz",
            [100.0, 2000.0],
            400.0,
            "the delay of the damper's speed",
        ),
    ]
}

/// moteus controllers on one bus.
#[derive(Debug)]
pub struct Moteus<W> {
    /// The line to the adapter.
    pub wire: W,
    ids: Vec<u8>,
    demand: Demand,
    lines: Lines,
    line: Vec<u8>,
    text: Vec<u8>,
    /// Stored kd, N·m per turn a second, of every controller.
    gains: Vec<f64>,
    question: QueryFormat,
    /// Controllers at a UART check their lines; then commands are checked too.
    has_checksum: bool,
}

impl<W: ControllerWire> Moteus<W> {
    /// Controllers with these `ids`, one for each key from the lowest on.
    #[must_use]
    pub fn new(wire: W, ids: &[u8], demand: Demand) -> Self {
        let mut question = QueryFormat::minimal();
        question.velocity = Resolution::Ignore;
        question.voltage = Resolution::Int16;
        question.fault = Resolution::Int8;
        Self {
            wire,
            ids: ids.to_vec(),
            demand,
            lines: Lines::default(),
            line: Vec::new(),
            text: Vec::new(),
            gains: vec![demand.gain(DAMPING); ids.len()],
            question,
            has_checksum: false,
        }
    }

    /// Queues a frame to `id` that `write` fills.
    fn frame(&mut self, id: u8, is_answered: bool, write: impl FnOnce(&mut CanFdFrame)) {
        let mut frame = CanFdFrame::new();
        let to = i8::try_from(id).unwrap_or(i8::MAX);
        frame.arbitration_id = calculate_arbitration_id(HOST, to, 0, is_answered);
        write(&mut frame);
        let options = EncodeOptions { checksum: self.has_checksum, ..EncodeOptions::default() };
        let mut line = [0; MAX_LINE_LENGTH];
        let length = encode_can_send(&frame, &options, &mut line).unwrap_or(0);
        self.text.extend_from_slice(&line[..length]);
    }

    /// The line of text with which the controller at `key` answers `command`.
    fn ask(&mut self, key: usize, command: &str) -> Result<String, BridgeError> {
        let id = self.ids.get(key).copied().unwrap_or(0);
        for _ in 0..TRIES {
            self.drop_late()?;
            let line = format!("{command}\n");
            self.frame(id, false, |f| {
                f.size = diagnostic::write_client_to_server(CHANNEL, line.as_bytes(), &mut f.data);
            });
            let (mut answer, until_us) = (Vec::new(), self.wire.now_us() + ANSWER_US);
            while self.wire.now_us() < until_us {
                self.frame(id, true, |f| {
                    f.size = diagnostic::write_client_poll(CHANNEL, 48, &mut f.data);
                });
                self.flush()?;
                let poll_us = (self.wire.now_us() + 10_000).min(until_us);
                let Some((from, frame)) = self.wait_frame(poll_us)? else { continue };
                if from != key {
                    continue;
                }
                if let Some(data) = diagnostic::parse_server_to_client(frame.payload(), CHANNEL) {
                    answer.extend_from_slice(data);
                }
                let is_end = |byte: &u8| matches!(byte, b'\r' | b'\n');
                let text: Vec<u8> = answer.iter().copied().skip_while(|b| is_end(b)).collect();
                if let Some(end) = text.iter().position(is_end) {
                    return Ok(String::from_utf8_lossy(&text[..end]).trim().to_owned());
                }
            }
        }
        Err(BridgeError::Silent(id))
    }

    /// A stored setting.
    fn setting(&mut self, key: usize, name: &str) -> Result<f64, BridgeError> {
        let answer = self.ask(key, &format!("conf get {name}"))?;
        let answer = match answer.as_str() {
            "true" => "1",
            "false" => "0",
            other => other,
        };
        answer.parse().map_err(|_| {
            let id = self.ids.get(key).copied().unwrap_or(0);
            BridgeError::Unsafe(format!(
                "controller {id} answers `{answer}` to `conf get {name}`: its firmware is too old"
            ))
        })
    }

    /// Checks one controller.
    fn check(&mut self, key: usize) -> Result<ControllerLimits, BridgeError> {
        let id = self.ids.get(key).copied().unwrap_or(0);
        // Nothing else may speak on the channel of the text.
        self.ask(key, "tel stop")?;
        let (kv, ratio) = (
            self.setting(key, "motor.Kv")?,
            self.setting(key, "motor_position.rotor_to_output_ratio")?,
        );
        let counts = self.setting(key, "motor_position.sources.0.cpr")?;
        if !(kv > 0.0 && ratio > 0.0 && counts > 0.0) {
            return Err(BridgeError::Unsafe(format!(
                "controller {id}: its motor is not calibrated; python3 -m moteus.moteus_tool -t {id} --calibrate"
            )));
        }
        let demand = self.demand;
        let newtons = TORQUE_KV / kv / ratio / demand.lever;
        let required = requirements(&demand, newtons);
        let command = |r: &Requirement| format!("conf set {} {}", r.name, short(r.set));
        let save = "conf write";
        let values =
            requirement::check(id, &required, |name| self.setting(key, name), command, save)?;
        let kd = required.iter().position(|r| r.name == KD).map(|index| values[index]);
        self.gains[key] = kd.unwrap_or_else(|| demand.gain(DAMPING));
        Ok(ControllerLimits {
            force: (values[0] * newtons).min(demand.force),
            step: demand.turn() * (ratio / counts).max(REGISTER_STEP),
        })
    }

    /// Position and faults by an answer.
    fn reading(&self, answer: &QueryResult) -> KeyReading {
        // Codes above 50 name what limits the torque in a mode without fault.
        let mut faults = match (answer.mode, answer.fault) {
            (Mode::Fault, 34 | 40) => fault::SUPPLY,
            (Mode::Fault, 38) => fault::TEMPERATURE,
            // The controller has heard no command for 20 ms, and waits to be stopped.
            (Mode::Fault | Mode::Timeout, _) => fault::DRIVER,
            _ => 0,
        };
        if answer.voltage < SUPPLY {
            faults |= fault::SUPPLY;
        }
        let force = -f64::from(answer.torque) / self.demand.lever;
        KeyReading {
            position: f64::from(answer.position) * self.demand.turn(),
            faults,
            force: force.is_finite().then_some(force),
        }
    }
}

impl<W: ControllerWire> FrameLine for Moteus<W> {
    type Wire = W;
    type Frame = CanFdFrame;

    fn parts(&mut self) -> (&mut W, &mut Lines, &mut Vec<u8>) {
        (&mut self.wire, &mut self.lines, &mut self.text)
    }

    fn received(&mut self) -> Option<(usize, CanFdFrame)> {
        while self.lines.next(&mut self.line) {
            let (content, has_checksum, is_right) = strip_checksum(&self.line);
            if has_checksum && !is_right {
                continue;
            }
            self.has_checksum |= has_checksum;
            let Line::Rcv(frame) = parse_line(content) else { continue };
            let from = (frame.arbitration_id >> 8) & 0x7f;
            if let Some(key) = self.ids.iter().position(|id| u32::from(*id) == from) {
                return Some((key, frame));
            }
        }
        None
    }
}

impl<W: ControllerWire> Controller for Moteus<W> {
    fn limits(&mut self) -> Result<ControllerLimits, BridgeError> {
        // Ends what another program may have left in the adapter.
        self.text.push(b'\n');
        let mut all: Option<ControllerLimits> = None;
        for key in 0..self.ids.len() {
            let own = self.check(key)?;
            all = Some(all.map_or(own, |all| ControllerLimits {
                force: all.force.min(own.force),
                step: all.step.max(own.step),
            }));
        }
        all.ok_or_else(|| BridgeError::Unsafe("no controller is named".into()))
    }

    fn exchange(
        &mut self,
        commands: &[KeyCommand],
        [at_us, until_us]: [u64; 2],
        readings: &mut [Option<KeyReading>],
    ) -> Result<u64, BridgeError> {
        let lever = self.demand.lever;
        for (key, command) in commands.iter().enumerate() {
            let id = self.ids[key];
            if !command.is_on {
                self.frame(id, false, StopCommand::serialize);
                continue;
            }
            let scale = self.demand.gain(command.damping) / self.gains[key];
            let position = PositionCommand::new()
                .position(f32::NAN)
                .velocity(0.0)
                .feedforward_torque(single(-command.feed_forward * lever))
                .kd_scale(single(scale))
                .maximum_torque(single(command.largest * lever))
                .watchdog_timeout(single(WATCHDOG));
            self.frame(id, false, |f| position.serialize(f, &PositionFormat::default()));
        }
        self.flush()?;
        self.wire.wait(at_us.saturating_sub(DROP_US));
        self.drop_late()?;
        self.wire.wait(at_us);
        for key in 0..commands.len() {
            let (id, question) = (self.ids[key], self.question.clone());
            self.frame(id, true, |f| {
                question.serialize(f);
            });
        }
        let sent_us = self.wire.now_us();
        self.flush()?;
        while readings.iter().any(Option::is_none)
            && let Some((key, frame)) = self.wait_frame(until_us)?
        {
            if !is_answer(frame.payload()) {
                continue;
            }
            let answer = QueryResult::parse(&frame);
            if answer.position.is_finite()
                && let Some(reading) = readings.get_mut(key)
            {
                *reading = Some(self.reading(&answer));
            }
        }
        Ok(sent_us)
    }

    fn stop(&mut self) -> Result<(), BridgeError> {
        for id in self.ids.clone() {
            self.frame(id, false, StopCommand::serialize);
        }
        self.flush()
    }

    fn now_us(&mut self) -> u64 {
        self.wire.now_us()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The maker's reader overflows on some frames that are no answers; those do not reach it.
        #[test]
        fn any_bytes_are_an_answer_that_can_be_read_or_none(data in prop::collection::vec(any::<u8>(), 0..=64)) {
            if is_answer(&data) {
                let _ = QueryResult::parse_data(&data);
            }
        }
    }

    #[test]
    fn the_reference_answer_is_read() {
        // The example of the maker's reference: mode 10, 0.008 turns.
        let data = [0x24, 4, 0, 10, 0, 80, 0, 0, 1, 0x70, 0xff, 0x23, 0x0d, 0x18, 0x14, 0, 0x50];
        assert!(is_answer(&data) && !is_answer(&data[..10]));
        let answer = QueryResult::parse_data(&data);
        assert_eq!((answer.mode, answer.voltage), (Mode::Position, 12.0));
        assert!((answer.position - 0.008).abs() < 1e-6);
    }
}
