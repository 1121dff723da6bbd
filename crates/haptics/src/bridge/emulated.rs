//! Emulated motor controllers with the keys and fingers of the emulated keyboard, in virtual time.
//!
//! [`EmulatedMotor`] is the motor and its control loop, which runs at the keys' integration rate of 48 kHz (controllers:
//! 15 to 60 kHz): a position in steps, a phase-locked loop for the speed, damping and feed-forward, limits, a watchdog,
//! and a current that follows with a lag. [`moteus`] and [`odrive`] are the text and frames in front of it.

pub mod moteus;
pub mod odrive;

use std::collections::VecDeque;

use super::KeyCommand;
use crate::keyboard::plant::{EmulatedFinger, EmulatedKey, H, KeyPlant};
use crate::keyboard::script::{Script, ScriptedFinger};
use touchback_core::math::random::Random;

/// Length of a tick, µs.
pub const TICK_US: u64 = 125;
/// Time from a question to its answer on the bus, µs (chosen: a frame each way on USB at full speed).
const ANSWER_US: u64 = 125;
/// Lag of the motor's current, s (chosen: inductance over resistance of a gimbal motor).
const CURRENT_LAG: f64 = 0.2e-3;
/// Damping of shorted windings, N·s/m at the front (chosen).
const BRAKE: f64 = 3.0;
/// Supply, V, and at a brown-out.
const SUPPLY: [f64; 2] = [24.0, 6.0];
/// Lever of the emulated motors, m.
pub const LEVER: f64 = 0.1;

/// Misbehaviours of emulated controllers.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ControllerDefects {
    /// Time at which they begin, s.
    pub begin: f64,
    /// No answer comes any more.
    pub is_silent: bool,
    /// The first controller faults with this code once, 0: none.
    pub fault: u8,
    /// The supply falls for half a second.
    pub browns_out: bool,
    /// Share of the answers that are lost.
    pub loss: f64,
    /// Time from the receipt of a command to its effect, µs.
    pub command_us: u64,
    /// Further time to an answer, µs.
    pub answer_us: u64,
    /// Corner of the speed filter, Hz; 0: as set.
    pub filter_hz: f64,
}

/// A misbehaviour with a name, for `touchback keyboard emulate --controller … --defect NAME`.
#[derive(Clone, Copy, Debug)]
pub struct NamedControllerDefect {
    /// Name on the command line.
    pub name: &'static str,
    /// What is wrong.
    pub about: &'static str,
    /// Makes it so.
    pub change: fn(&mut ControllerDefects),
}

const fn named(
    name: &'static str,
    about: &'static str,
    change: fn(&mut ControllerDefects),
) -> NamedControllerDefect {
    NamedControllerDefect { name, about, change }
}

/// All named misbehaviours of controllers.
pub const NAMED: [NamedControllerDefect; 14] = [
    named("controller-silent", "a controller answers nothing from 3 s on", |d| {
        (d.is_silent, d.begin) = (true, 3.0);
    }),
    named("controller-fault", "a controller faults at 3 s: encoder (35)", |d| {
        (d.fault, d.begin) = (35, 3.0);
    }),
    named("controller-hot", "a controller faults at 3 s: temperature (38)", |d| {
        (d.fault, d.begin) = (38, 3.0);
    }),
    named("controller-brown-out", "the supply falls to 6 V from 3 to 3.5 s", |d| {
        (d.browns_out, d.begin) = (true, 3.0);
    }),
    named("controller-loss-10", "a tenth of the answers is lost", |d| d.loss = 0.1),
    named("controller-loss-30", "30 % of the answers are lost", |d| d.loss = 0.3),
    named("controller-late-1ms", "commands act 1 ms late", |d| d.command_us = 1000),
    named("controller-late-2ms", "commands act 2 ms late", |d| d.command_us = 2000),
    named("controller-late-4ms", "commands act 4 ms late", |d| d.command_us = 4000),
    named("controller-answers-0.5ms", "answers come 0.5 ms later", |d| d.answer_us = 500),
    named("controller-answers-2ms", "answers come 2 ms later", |d| d.answer_us = 2000),
    named("controller-filter-100hz", "a speed filter of 100 Hz", |d| d.filter_hz = 100.0),
    named("controller-filter-200hz", "a speed filter of 200 Hz", |d| d.filter_hz = 200.0),
    named("controller-filter-1khz", "a speed filter of 1 kHz", |d| d.filter_hz = 1000.0),
];

/// Mode of a motor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MotorMode {
    /// Off.
    #[default]
    Stopped,
    /// Obeys commands.
    Running,
    /// The watchdog has ended force, until a stop.
    TimedOut,
    /// A fault has ended force, until a stop.
    Fault(u8),
}

/// What the stored settings of a controller come to, at the front.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MotorSettings {
    /// Largest force, N.
    pub force: f64,
    /// Bounds of the depth, m, and the way beyond them in which the force falls to 0, m.
    pub bounds: [f64; 2],
    /// See [`MotorSettings::bounds`].
    pub derate: f64,
    /// Speed from which driving force falls, m/s, and the speed from there at which it is 0, m/s.
    pub speed: [f64; 2],
    /// Corner of the speed filter, Hz.
    pub filter_hz: f64,
    /// Step of the position, m.
    pub step: f64,
    /// Damping after the watchdog, N·s/m: of shorted windings, or 0.
    pub brake: f64,
}

/// A motor with its control loop, a key on its lever and a finger on the key.
#[derive(Clone, Debug)]
pub struct EmulatedMotor {
    /// The key.
    pub key: EmulatedKey,
    finger: ScriptedFinger,
    /// Mode of the motor.
    pub mode: MotorMode,
    /// The force that acts, N at the front, positive against downward motion.
    pub force: f64,
    command: KeyCommand,
    /// Time until the watchdog acts, s; infinite without one.
    left: f64,
    /// Commands on the way: when they act, µs, and their watchdog, s.
    coming: VecDeque<(u64, KeyCommand, f64)>,
    /// Depth and integral of the phase-locked loop, m and m/s.
    depth: f64,
    integral: f64,
}

impl EmulatedMotor {
    fn new(plant: KeyPlant, finger: EmulatedFinger) -> Self {
        Self {
            key: EmulatedKey::new(plant, finger),
            finger: ScriptedFinger::new(finger),
            mode: MotorMode::Stopped,
            force: 0.0,
            command: KeyCommand::default(),
            left: f64::INFINITY,
            coming: VecDeque::new(),
            depth: 0.0,
            integral: 0.0,
        }
    }

    /// A command that acts at `at_us`, with a watchdog of `timeout` s.
    fn send(&mut self, at_us: u64, command: KeyCommand, timeout: f64) {
        self.coming.push_back((at_us, command, timeout));
    }

    fn obey(&mut self, now_us: u64) {
        while let Some((_, command, timeout)) = self.coming.pop_front_if(|(at, ..)| *at <= now_us) {
            match (command.is_on, self.mode) {
                (false, _) => self.mode = MotorMode::Stopped,
                (true, MotorMode::Stopped | MotorMode::Running) => {
                    self.mode = MotorMode::Running;
                    (self.command, self.left) = (command, timeout);
                }
                // Latched until a stop.
                (true, _) => {}
            }
        }
    }

    /// The force that the controller wants at the speed `v`, m/s, as it measures it.
    fn wanted(&self, v: f64, settings: &MotorSettings) -> f64 {
        let command = &self.command;
        match self.mode {
            MotorMode::Stopped | MotorMode::Fault(_) => 0.0,
            MotorMode::TimedOut => settings.brake * v,
            MotorMode::Running => {
                let largest = command.largest.min(settings.force);
                let wanted = command.damping * v + command.feed_forward;
                let mut force = wanted.clamp(-largest, largest);
                // Beyond the bounds and above the speed a force that drives further falls.
                let [least, most] = settings.bounds;
                let (beyond, drives) = match self.depth {
                    x if x > most => (x - most, force < 0.0),
                    x if x < least => (least - x, force > 0.0),
                    _ => (0.0, false),
                };
                if drives {
                    force *= (1.0 - beyond / settings.derate).max(0.0);
                }
                let over = v.abs() - settings.speed[0];
                if over > 0.0 && force * v < 0.0 {
                    let left = settings.force * (1.0 - over / settings.speed[1]).max(0.0);
                    force = force.clamp(-left, left);
                }
                force
            }
        }
    }

    /// One tick that begins at `now_us`.
    fn tick(&mut self, index: usize, now_us: u64, script: &Script, settings: &MotorSettings) {
        self.obey(now_us);
        let tick = TICK_US as f64 * 1e-6;
        if self.mode == MotorMode::Running {
            self.left -= tick;
            if self.left < 0.0 {
                self.mode = MotorMode::TimedOut;
            }
        }
        let time = now_us as f64 * 1e-6;
        let touch = self.finger.touch(script, index, time, &mut self.key);
        // The maker's loop: ω = 2π·f/2.48, damped critically.
        let omega = std::f64::consts::TAU * settings.filter_hz / 2.48;
        let lag = if self.mode == MotorMode::Stopped { 0.0 } else { CURRENT_LAG };
        let mut key = self.key;
        key.tick_by(touch, |x, _| {
            let seen = libm::round(x / settings.step) * settings.step;
            let error = seen - self.depth;
            self.integral += H * omega * omega * error;
            let v = self.integral + 2.0 * omega * error;
            self.depth += H * v;
            let wanted = self.wanted(v, settings);
            self.force += (wanted - self.force) * (H / (lag + H));
            self.force
        });
        self.key = key;
    }
}

/// What stands between a bus and the motors.
pub trait Front {
    /// Settings of the controller `index`.
    fn settings(&self, index: usize) -> MotorSettings;
    /// Handles a received line. Appends commands and questions.
    fn line(&mut self, line: &[u8], bus: &mut Bus);
    /// Called every tick, for what is sent without a question.
    fn tick(&mut self, _bus: &mut Bus) {}
}

/// Motors, time and what is on the way to the host.
#[derive(Clone, Debug)]
pub struct Bus {
    /// The motors, from the lowest key on.
    pub motors: Vec<EmulatedMotor>,
    /// Misbehaviours.
    pub defects: ControllerDefects,
    now_us: u64,
    /// Lines to the host, each with the time at which it leaves, µs.
    answers: VecDeque<(u64, Vec<u8>)>,
    random: Random,
}

impl Bus {
    /// Supply at present, V.
    fn supply(&self) -> f64 {
        let past = self.now_us as f64 * 1e-6 - self.defects.begin;
        SUPPLY[usize::from(self.defects.browns_out && (0.0..0.5).contains(&past))]
    }

    fn is_begun(&self) -> bool {
        self.now_us as f64 * 1e-6 >= self.defects.begin
    }

    /// Queues a command for the motor `index`, with a watchdog of `timeout` s.
    fn command(&mut self, index: usize, command: KeyCommand, timeout: f64) {
        let late_us = if self.is_begun() { self.defects.command_us } else { 0 };
        let at_us = self.now_us + late_us;
        if let Some(motor) = self.motors.get_mut(index) {
            motor.send(at_us, command, timeout);
        }
    }

    /// Queues a line of the adapter itself.
    fn say(&mut self, line: &str) {
        self.answers.push_back((self.now_us, line.as_bytes().to_vec()));
    }

    /// Queues an answer of a controller.
    fn answer(&mut self, line: String) {
        let is_lost = self.random.share() < self.defects.loss;
        if is_lost || self.defects.is_silent && self.is_begun() {
            return;
        }
        let at_us = self.now_us + ANSWER_US + self.defects.answer_us;
        self.answers.push_back((at_us, line.into_bytes()));
    }
}

/// Emulated controllers on a bus behind an adapter.
#[derive(Clone, Debug)]
pub struct EmulatedControllers<F> {
    /// Their protocol.
    pub front: F,
    /// Motors and time.
    pub bus: Bus,
    script: Script,
    received: super::wire::Lines,
    has_faulted: bool,
}

impl<F: Front> EmulatedControllers<F> {
    /// Controllers just switched on, one for each of `keys` keys.
    #[must_use]
    pub fn new(
        front: F,
        keys: usize,
        plant: KeyPlant,
        finger: EmulatedFinger,
        script: Script,
    ) -> Self {
        let bus = Bus {
            motors: vec![EmulatedMotor::new(plant, finger); keys],
            defects: ControllerDefects::default(),
            now_us: 0,
            answers: VecDeque::new(),
            random: Random::new(11),
        };
        Self { front, bus, script, received: super::wire::Lines::default(), has_faulted: false }
    }

    /// Sets the script of the fingers; times count from power-up.
    pub fn play(&mut self, script: Script) {
        self.script = script;
    }

    /// Time, µs.
    #[must_use]
    pub const fn now_us(&self) -> u64 {
        self.bus.now_us
    }

    /// Receives bytes from the host and handles whole lines.
    pub fn receive(&mut self, bytes: &[u8]) {
        self.received.buffer().extend_from_slice(bytes);
        let mut line = Vec::new();
        while self.received.next(&mut line) {
            self.front.line(&line, &mut self.bus);
        }
    }

    /// One tick of 125 µs. Appends the bytes that leave to `out`.
    pub fn tick(&mut self, out: &mut Vec<u8>) {
        self.front.tick(&mut self.bus);
        let (now_us, defects) = (self.bus.now_us, self.bus.defects);
        let fault = match (self.bus.supply() < SUPPLY[0], defects.fault) {
            (true, _) => 40,
            (_, code) if code > 0 && self.bus.is_begun() && !self.has_faulted => {
                self.has_faulted = true;
                code
            }
            _ => 0,
        };
        for (index, motor) in self.bus.motors.iter_mut().enumerate() {
            if fault > 0 && motor.mode != MotorMode::Stopped {
                motor.mode = MotorMode::Fault(fault);
            }
            let mut settings = self.front.settings(index);
            if defects.filter_hz > 0.0 {
                settings.filter_hz = defects.filter_hz;
            }
            motor.tick(index, now_us, &self.script, &settings);
        }
        self.bus.now_us += TICK_US;
        let now_us = self.bus.now_us;
        while let Some((_, line)) = self.bus.answers.pop_front_if(|(at, _)| *at < now_us) {
            out.extend_from_slice(&line);
        }
    }
}
