//! Emulated keyboard: the code of [`touchback_device::device`] with emulated keys and fingers, in virtual time.
//!
//! Keys and fingers are stepped six times per tick of 125 µs.

pub mod defect;

use crate::keyboard::plant::{EmulatedFinger, EmulatedKey, KeyPlant};
use crate::keyboard::script::{Script, ScriptedFinger};
use defect::{DefectState, Defects};
use touchback_device::device::key_impedance::RenderedBed;
use touchback_device::device::safety::DeviceMode;
use touchback_device::device::{Build, Device};
use touchback_device::fixed::{count, i16_of, u16_of};
use touchback_device::frame::{self, FrameReceiver, MAX_FRAME};
use touchback_device::message::{Hello, KEYS, KeyFacts, Message, VERSION, ability, reset_cause};

/// Version of the emulator's firmware.
const FIRMWARE: [u8; 3] = [0, 2, 0];
/// Length of a device tick, µs.
pub(crate) const TICK_US: u32 = 125;

/// Design of an emulated keyboard.
#[derive(Clone, Debug)]
pub struct KeyboardDesign {
    /// Number of keys, 1…88.
    pub keys: u8,
    /// Piano number of the first key.
    pub first_key: u8,
    /// Mechanics of every key.
    pub plant: KeyPlant,
    /// The finger on every key.
    pub finger: EmulatedFinger,
    /// Time between states, µs.
    pub report_us: u16,
    /// Largest number of keys in a state.
    pub state_keys: u8,
    /// The device has a wave junction; without it accepts plain forces only.
    pub has_junction: bool,
    /// The keys have motors; without them the device only reports positions.
    pub has_motors: bool,
    /// The device can render a key bed.
    pub renders_bed: bool,
    /// Largest force of a motor, N.
    pub force: f64,
    /// Share by which the device's clock is fast.
    pub drift: f64,
    /// The keys have sensors of speed.
    pub has_speeds: bool,
    /// Version of the protocol: 2 emulates firmware that was built for it.
    pub protocol: u8,
}

impl Default for KeyboardDesign {
    fn default() -> Self {
        Self {
            keys: 1,
            first_key: 40,
            plant: KeyPlant::THREE[1],
            finger: EmulatedFinger::default(),
            report_us: 1000,
            state_keys: count(KEYS),
            has_junction: true,
            has_motors: true,
            renders_bed: true,
            force: 20.0,
            drift: 0.0,
            has_speeds: false,
            protocol: VERSION,
        }
    }
}

/// An emulated keyboard.
#[derive(Clone, Debug)]
pub struct Emulator {
    device: Box<Device<KEYS>>,
    keys: Vec<EmulatedKey>,
    fingers: Vec<ScriptedFinger>,
    script: Script,
    finger: EmulatedFinger,
    counts: Box<[i32; KEYS]>,
    forces: Box<[f64; KEYS]>,
    /// Time by the emulator's clock, µs, and by the device's clock, which may drift and jump.
    now_us: u64,
    device_us: u32,
    /// Part of the drift below 1 µs, µs.
    ahead: f64,
    drift: f64,
    /// Counts added to every sensor.
    sensor_offset: i32,
    /// The keys have sensors of speed.
    has_speeds: bool,
    /// Firmware of version 2 drops longer messages than it knows.
    filter: Option<FrameReceiver>,
    defects: DefectState,
    /// Largest force of any motor so far, N.
    peak: f64,
}

/// The build of a device with this `design`.
#[must_use]
pub fn build(design: &KeyboardDesign) -> Build<KEYS> {
    let plant = &design.plant;
    let unit = |v: f64, u: f64| u16_of(v, u);
    let has_bed = plant.bed.stiffness > 0.0;
    let mut abilities = ability::TORQUE;
    abilities |= if design.renders_bed { ability::KEYBED } else { 0 };
    abilities |= if design.has_junction { ability::WAVE } else { 0 };
    abilities |= if has_bed { ability::PHYSICAL_BED } else { 0 };
    abilities |= if design.has_speeds { ability::SPEED } else { 0 };
    if !design.has_motors {
        abilities = ability::POSITIONS | (abilities & (ability::PHYSICAL_BED | ability::SPEED));
    }
    let fact = |key: usize| KeyFacts {
        key: count(key),
        mass: unit(plant.mass, 1e-4),
        weight: i16_of(plant.weight, 1e-3),
        friction: unit(plant.friction, 1e-3),
        damping: unit(plant.damping, 1e-3),
        bed: if has_bed { unit(plant.bed.depth, 10e-6) } else { 0 },
    };
    Build {
        hello: Hello {
            version: VERSION,
            keys: design.keys.clamp(1, 88),
            first_key: design.first_key.clamp(1, 89 - design.keys.clamp(1, 88)),
            abilities,
            rate_hz: 8000,
            report_us: design.report_us,
            force_max: unit(design.force, 10e-3),
            force_held: unit(0.3 * design.force, 10e-3),
            step_nm: step_nm(plant.step),
            name: *b"touchback emu\0\0\0",
            serial: 0x0E0F_0000_0000_0001,
            firmware: FIRMWARE,
            reset_cause: reset_cause::POWER,
        },
        facts: std::array::from_fn(fact),
        slew: 40_000.0,
        thermal_time: 2.0,
        timeout_us: 20_000,
        bed: RenderedBed { stiffness: 40e3, damping: 20.0, depth: 5e-3 },
        guard: 10e-3,
        state_keys: design.state_keys,
    }
}

fn step_nm(step: f64) -> u32 {
    touchback_core::math::cast::count((step * 1e9).round()).max(1)
}

impl Emulator {
    /// A keyboard just switched on, with all keys at rest.
    #[must_use]
    pub fn new(design: &KeyboardDesign, script: Script) -> Self {
        let keys = usize::from(design.keys.clamp(1, 88));
        Self {
            device: Box::new(Device::new(build(design), 0)),
            keys: vec![EmulatedKey::new(design.plant, design.finger); keys],
            fingers: vec![ScriptedFinger::new(design.finger); keys],
            script,
            finger: design.finger,
            counts: Box::new([0; KEYS]),
            forces: Box::new([0.0; KEYS]),
            now_us: 0,
            device_us: 0,
            ahead: 0.0,
            drift: design.drift,
            sensor_offset: 0,
            has_speeds: design.has_speeds,
            filter: (design.protocol < VERSION).then(FrameReceiver::new),
            defects: DefectState::new(keys),
            peak: 0.0,
        }
    }

    /// The default design: keys of [`KeyPlant::DESK`].
    #[must_use]
    pub fn on_a_desk() -> KeyboardDesign {
        KeyboardDesign { plant: KeyPlant::DESK, ..KeyboardDesign::default() }
    }

    /// Receives bytes from the host.
    pub fn receive(&mut self, bytes: &[u8]) {
        let Some(filter) = &mut self.filter else {
            bytes.iter().for_each(|b| self.device.receive(*b));
            return;
        };
        for byte in bytes {
            let Some(Ok(payload)) = filter.push(*byte) else { continue };
            // Of the messages of a host only the ask has grown since version 2; a damaged frame sets the fault.
            let is_known = !matches!(Message::decode(payload), Some(Message::Ask { newest, oldest }) if newest != oldest);
            let mut frame = [0; MAX_FRAME];
            let length = if is_known { frame::encode(payload, &mut frame) } else { Some(2) };
            frame[..length.unwrap_or(0)].iter().for_each(|b| self.device.receive(*b));
        }
    }

    /// One tick of 125 µs. Appends the bytes that the device sends to `out`.
    pub fn tick(&mut self, out: &mut Vec<u8>) {
        let time = self.time();
        self.now_us += u64::from(TICK_US);
        // The drift adds whole microseconds to the device's clock.
        self.defects.advance(time);
        let error = self.drift + self.defects.set.clock - 1.0;
        self.ahead += error * f64::from(TICK_US);
        let extra = self.ahead.trunc();
        self.ahead -= extra;
        let step = i64::from(TICK_US) + i64::from(touchback_core::math::cast::rounded_i32(extra));
        self.device_us = self.device_us.wrapping_add(u32::try_from(step).unwrap_or(TICK_US));
        for (i, (key, finger)) in self.keys.iter_mut().zip(&mut self.fingers).enumerate() {
            let drive = finger.touch(&self.script, i, time, key);
            let force = self.defects.motor(i, self.forces[i]);
            self.peak = self.peak.max(force.abs());
            key.tick(force, drive);
            let count = key.count() + self.sensor_offset;
            self.counts[i] = self.defects.count(i, count, key.plant().step, time);
            if self.has_speeds {
                self.device.measured_speed(i, key.v);
            }
        }
        self.device.hardware(self.defects.hardware());
        self.device.tick(self.device_us, &self.counts, &mut self.forces);
        let mut frame = [0; MAX_FRAME];
        loop {
            let length = self.device.report(&mut frame);
            if length == 0 {
                break;
            }
            self.defects.report(&frame[..length], out);
        }
    }

    /// Time by the emulator's clock, s.
    #[must_use]
    pub fn time(&self) -> f64 {
        std::time::Duration::from_micros(self.now_us).as_secs_f64()
    }

    /// Number of ticks since power-up.
    #[must_use]
    pub const fn ticks(&self) -> u64 {
        self.now_us / 125
    }

    /// State of a key.
    #[must_use]
    pub fn key(&self, key: usize) -> Option<&EmulatedKey> {
        self.keys.get(key)
    }

    /// Force of a motor, N, positive against downward motion.
    #[must_use]
    pub fn force(&self, key: usize) -> f64 {
        self.forces.get(key).copied().unwrap_or(0.0)
    }

    /// Largest force of any motor so far, N.
    #[must_use]
    pub const fn peak(&self) -> f64 {
        self.peak
    }

    /// Mode and faults of the device.
    #[must_use]
    pub fn mode(&self) -> (DeviceMode, u16) {
        (self.device.mode(), self.device.faults())
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &Device<KEYS> {
        &self.device
    }

    /// Sets the script of the fingers; times count from power-up.
    pub fn play(&mut self, script: Script) {
        self.script = script;
        self.fingers.fill(ScriptedFinger::new(self.finger));
    }

    /// Lets the device's clock jump by `us`, µs.
    pub const fn jump(&mut self, us: u32) {
        self.device_us = self.device_us.wrapping_add(us);
    }

    /// Sets the defects of the keyboard.
    pub const fn set_defects(&mut self, defects: Defects) {
        self.defects.set = defects;
    }

    /// Adds a mass of `mass`, kg, on the front of `key`.
    pub fn load(&mut self, key: usize, mass: f64) {
        if let Some(key) = self.keys.get_mut(key) {
            key.load(mass);
        }
    }

    /// Adds `counts` to every sensor reading.
    pub const fn offset_sensors(&mut self, counts: i32) {
        self.sensor_offset = counts;
    }

    /// Switches the device off and on; the keys keep their positions.
    pub fn restart(&mut self, design: &KeyboardDesign) {
        self.device_us = 0;
        *self.device = Device::new(build(design), 0);
        self.forces.fill(0.0);
    }
}
