//! Defects of a keyboard around a correct device: motors, sensors, arithmetic, clock; and their names.

use std::collections::VecDeque;

use touchback_device::frame::{FrameReceiver, MAX_FRAME};
use touchback_device::message::{KEYS, KeyList, Message, StateMessage, fault};

use super::KeyboardDesign;
use crate::line::simulated_link::{Collected, LinkFaults};
use touchback_core::math::cast::rounded_i32;
use touchback_core::math::random::Random;

/// Defect of the position sensors.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum SensorDefect {
    /// Right positions.
    #[default]
    None,
    /// Always 0, in the states alone.
    Zero,
    /// Random positions within ±16 mm, in the states alone.
    Random,
    /// The position at which the defect begins, for ever.
    Frozen,
    /// Normal noise of this root mean square, m.
    Noise(f64),
    /// An offset, m.
    Offset(f64),
    /// A drift, m/s.
    Drift(f64),
    /// This share of the readings is anywhere within ±16 mm.
    Wild(f64),
    /// Downward motion reads as upward.
    Reversed,
}

/// Errors of a keyboard's motors, sensors, arithmetic and clock.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Defects {
    /// Time at which they begin, s from power-up.
    pub begin: f64,
    /// Motor constant: newtons given for one commanded; negative for a reversed motor.
    pub motor: f64,
    /// Delay of the motor, ticks of 125 µs.
    pub motor_delay: usize,
    /// Factor of the reported wave integral.
    pub wave: f64,
    /// Factor of the reported impedance.
    pub impedance: f64,
    /// Factor of the reported force.
    pub force: f64,
    /// Rate of the keyboard's clock; 1 is right.
    pub clock: f64,
    /// Defect of the sensors.
    pub sensor: SensorDefect,
    /// Faults of the hardware, as the firmware sees them.
    pub hardware: u16,
}

impl Default for Defects {
    fn default() -> Self {
        Self {
            begin: 0.0,
            motor: 1.0,
            motor_delay: 0,
            wave: 1.0,
            impedance: 1.0,
            force: 1.0,
            clock: 1.0,
            sensor: SensorDefect::None,
            hardware: 0,
        }
    }
}

impl Defects {
    /// The motor gives `motor` newtons for one commanded from 3 s on, when it has proved itself.
    const fn change_motor(&mut self, motor: f64) {
        (self.motor, self.begin) = (motor, 3.0);
    }

    /// The defects change the reports of the device.
    fn are_in_reports(&self) -> bool {
        let is_scaled = [self.wave, self.impedance, self.force].iter().any(|factor| *factor != 1.0);
        is_scaled || matches!(self.sensor, SensorDefect::Zero | SensorDefect::Random)
    }
}

/// What a named defect changes.
pub type Change = fn(&mut KeyboardDesign, &mut Defects, &mut LinkFaults);

/// A defect with a name, for `touchback keyboard emulate --defect NAME` and for tests.
#[derive(Clone, Copy, Debug)]
pub struct NamedDefect {
    /// Name on the command line.
    pub name: &'static str,
    /// What is wrong.
    pub about: &'static str,
    /// Makes it so.
    pub change: Change,
}

const fn named(name: &'static str, about: &'static str, change: Change) -> NamedDefect {
    NamedDefect { name, about, change }
}

/// All named defects.
pub const NAMED: [NamedDefect; 55] = [
    named("motor-reversed", "the motor pushes the other way", |_, d, _| d.motor = -1.0),
    named("motor-dead", "the motor gives no force", |_, d, _| d.motor = 0.0),
    named("motor-x0.3", "the motor gives 0.3 of its force", |_, d, _| d.motor = 0.3),
    named("motor-x0.5", "the motor gives half its force", |_, d, _| d.motor = 0.5),
    named("motor-x2", "the motor gives twice its force", |_, d, _| d.motor = 2.0),
    named("motor-x3", "the motor gives three times its force", |_, d, _| d.motor = 3.0),
    named(
        "motor-changes-after-proof-x0.5",
        "the motor gives half its force from 3 s on",
        |_, d, _| d.change_motor(0.5),
    ),
    named(
        "motor-changes-after-proof-x2",
        "the motor gives twice its force from 3 s on",
        |_, d, _| d.change_motor(2.0),
    ),
    named(
        "motor-changes-after-proof-x3",
        "the motor gives three times its force from 3 s on",
        |_, d, _| d.change_motor(3.0),
    ),
    named(
        "motor-changes-after-proof-reversed",
        "the motor pushes the other way from 3 s on",
        |_, d, _| d.change_motor(-1.0),
    ),
    named("motor-late-0.5ms", "the motor is 0.5 ms late", |_, d, _| d.motor_delay = 4),
    named("motor-late-1ms", "the motor is 1 ms late", |_, d, _| d.motor_delay = 8),
    named("motor-late-2ms", "the motor is 2 ms late", |_, d, _| d.motor_delay = 16),
    named("motor-late-4ms", "the motor is 4 ms late", |_, d, _| d.motor_delay = 32),
    named("integral-x0.5", "the wave integral × 0.5", |_, d, _| d.wave = 0.5),
    named("integral-x0.9", "the wave integral × 0.9", |_, d, _| d.wave = 0.9),
    named("integral-x1.1", "the wave integral × 1.1", |_, d, _| d.wave = 1.1),
    named("integral-x1.15", "the wave integral × 1.15", |_, d, _| d.wave = 1.15),
    named("integral-x1.2", "the wave integral × 1.2", |_, d, _| d.wave = 1.2),
    named("integral-x1.3", "the wave integral × 1.3", |_, d, _| d.wave = 1.3),
    named("integral-x1.5", "the wave integral × 1.5", |_, d, _| d.wave = 1.5),
    named("integral-x2", "the wave integral × 2", |_, d, _| d.wave = 2.0),
    named("integral-x1000", "the wave integral × 1000", |_, d, _| d.wave = 1000.0),
    named("integral-reversed", "the wave integral × −1", |_, d, _| d.wave = -1.0),
    named("impedance-x0.5", "the reported impedance × 0.5", |_, d, _| d.impedance = 0.5),
    named("impedance-x2", "the reported impedance × 2", |_, d, _| d.impedance = 2.0),
    named("force-reversed", "the reported force × −1", |_, d, _| d.force = -1.0),
    named("force-x0", "the reported force is 0", |_, d, _| d.force = 0.0),
    named("clock-x0.5", "the clock at half speed", |_, d, _| d.clock = 0.5),
    named("clock-x1.1", "the clock 10 % fast", |_, d, _| d.clock = 1.1),
    named("sensor-reversed", "the sensor counts the other way", |_, d, _| {
        d.sensor = SensorDefect::Reversed;
    }),
    named("sensor-zero", "states with the position 0", |_, d, _| d.sensor = SensorDefect::Zero),
    named("sensor-random", "states with random positions", |_, d, _| {
        d.sensor = SensorDefect::Random;
    }),
    named("sensor-frozen", "the sensor stands still from 3 s on", |_, d, _| {
        (d.sensor, d.begin) = (SensorDefect::Frozen, 3.0);
    }),
    named("sensor-noise-20um", "20 µm rms of sensor noise", |_, d, _| {
        d.sensor = SensorDefect::Noise(20e-6);
    }),
    named("sensor-noise-0.4mm", "0.4 mm rms of sensor noise", |_, d, _| {
        d.sensor = SensorDefect::Noise(0.4e-3);
    }),
    named("sensor-wild", "15 % of the readings anywhere", |_, d, _| {
        d.sensor = SensorDefect::Wild(0.15);
    }),
    named("sensor-offset-0.5mm", "the zero is 0.5 mm off", |_, d, _| {
        d.sensor = SensorDefect::Offset(0.5e-3);
    }),
    named("sensor-offset-2mm", "the zero is 2 mm off", |_, d, _| {
        d.sensor = SensorDefect::Offset(2e-3);
    }),
    named("sensor-drift", "the sensor drifts by 1 mm/s from 3 s on", |_, d, _| {
        (d.sensor, d.begin) = (SensorDefect::Drift(1e-3), 3.0);
    }),
    named("sensor-drift-up", "the sensor drifts upward by 1 mm/s from 3 s on", |_, d, _| {
        (d.sensor, d.begin) = (SensorDefect::Drift(-1e-3), 3.0);
    }),
    named("step-20um", "a sensor step of 20 µm", |k, _, _| k.plant.step = 20e-6),
    named("step-50um", "a sensor step of 50 µm", |k, _, _| k.plant.step = 50e-6),
    named("step-200um", "a sensor step of 200 µm", |k, _, _| k.plant.step = 200e-6),
    named("supply-off", "the motors' supply is switched off at 3 s", |_, d, _| {
        (d.hardware, d.begin) = (fault::SUPPLY, 3.0);
    }),
    named("driver-fault", "a motor driver reports a fault", |_, d, _| d.hardware = fault::DRIVER),
    named("driver-hot", "a motor driver is too hot from 3 s on", |_, d, _| {
        (d.hardware, d.begin) = (fault::TEMPERATURE, 3.0);
    }),
    named("zero-not-found", "a sensor has not found its zero", |_, d, _| {
        d.hardware = fault::NO_ZERO
    }),
    named("wire-late-1ms", "a wire 1 ms late each way", |_, _, l| l.late_us = 1000),
    named("wire-late-2ms", "a wire 2 ms late each way", |_, _, l| l.late_us = 2000),
    named("wire-late-4ms", "a wire 4 ms late each way", |_, _, l| l.late_us = 4000),
    named(
        "wire-latency-16ms",
        "states in bursts of 16 ms, as from a USB serial chip",
        |_, _, l| {
            l.collected = Collected::Time(16_000);
        },
    ),
    named("wire-chunks-4096", "states in chunks of 4096 bytes", |_, _, l| {
        l.collected = Collected::Bytes(4096);
    }),
    named("wire-loss-30", "30 % of the states lost", |_, _, l| l.loss = 0.3),
    named("wire-damage-5", "5 % of the states damaged", |_, _, l| l.corruption = 0.05),
];

/// State of the defects: delayed forces of every motor, integrals, random numbers.
#[derive(Clone, Debug)]
pub(super) struct DefectState {
    pub(super) set: Defects,
    delayed: Vec<VecDeque<f64>>,
    random: Random,
    /// True and reported integral of every key, and the count at which its sensor froze.
    sums: Vec<(i32, f64)>,
    frozen: Vec<Option<i32>>,
    /// The defects have begun.
    is_begun: bool,
}

impl DefectState {
    /// No defects, for `keys` keys.
    pub(super) fn new(keys: usize) -> Self {
        Self {
            set: Defects::default(),
            delayed: vec![VecDeque::new(); keys],
            random: Random::new(7),
            sums: vec![(0, 0.0); KEYS],
            frozen: vec![None; keys],
            is_begun: false,
        }
    }

    /// Notes the time, s from power-up.
    pub(super) fn advance(&mut self, time: f64) {
        self.is_begun = time >= self.set.begin;
    }

    /// Faults of the hardware.
    pub(super) const fn hardware(&self) -> u16 {
        if self.is_begun { self.set.hardware } else { 0 }
    }

    /// Force, N, that the motor of `key` gives in a tick with the command `force`, N.
    pub(super) fn motor(&mut self, key: usize, force: f64) -> f64 {
        if !self.is_begun {
            return force;
        }
        let mut given = force;
        if let Some(delayed) = self.delayed.get_mut(key)
            && self.set.motor_delay > 0
        {
            delayed.push_back(force);
            let is_due = delayed.len() > self.set.motor_delay;
            given = if is_due { delayed.pop_front().unwrap_or(0.0) } else { 0.0 };
        }
        self.set.motor * given
    }

    /// Count that the sensor of `key` gives at `time` s in place of `count`; its step is `step`, m.
    pub(super) fn count(&mut self, key: usize, count: i32, step: f64, time: f64) -> i32 {
        if !self.is_begun {
            return count;
        }
        let counts = |way: f64| rounded_i32(way / step);
        match self.set.sensor {
            SensorDefect::None | SensorDefect::Zero | SensorDefect::Random => count,
            SensorDefect::Frozen => {
                self.frozen.get_mut(key).map_or(count, |frozen| *frozen.get_or_insert(count))
            }
            SensorDefect::Noise(rms) => {
                // The sum of twelve uniform numbers has a variance of 1.
                let normal = (0..12).map(|_| self.random.share()).sum::<f64>() - 6.0;
                count + counts(rms * normal)
            }
            SensorDefect::Offset(offset) => count + counts(offset),
            SensorDefect::Drift(rate) => count + counts(rate * (time - self.set.begin)),
            SensorDefect::Wild(share) if self.random.share() < share => {
                counts(16e-3 * (2.0 * self.random.share() - 1.0))
            }
            SensorDefect::Wild(_) => count,
            SensorDefect::Reversed => -count,
        }
    }

    /// Appends a frame of the device to `out`, with the defects.
    pub(super) fn report(&mut self, frame: &[u8], out: &mut Vec<u8>) {
        let altered = self.set.are_in_reports().then(|| self.altered(frame)).flatten();
        out.extend_from_slice(altered.as_deref().unwrap_or(frame));
    }

    fn altered(&mut self, frame: &[u8]) -> Option<Vec<u8>> {
        let mut receiver = FrameReceiver::new();
        let mut message = None;
        for byte in frame {
            if let Some(Ok(payload)) = receiver.push(*byte) {
                message = Message::decode(payload);
            }
        }
        let Some(Message::State(state)) = message else { return None };
        let mut keys = KeyList::default();
        for key in state.keys.as_slice() {
            let mut key = *key;
            let factor = if self.is_begun { self.set.wave } else { 1.0 };
            if let Some((last, sum)) = self.sums.get_mut(usize::from(key.key)) {
                *sum += factor * f64::from(key.wave_sum.wrapping_sub(*last));
                *last = key.wave_sum;
                // The integral wraps at 2³².
                let wrapped = sum.round().rem_euclid(4_294_967_296.0);
                let signed =
                    if wrapped >= 2_147_483_648.0 { wrapped - 4_294_967_296.0 } else { wrapped };
                key.wave_sum = rounded_i32(signed);
            }
            if !self.is_begun {
                keys.push(key);
                continue;
            }
            let impedance = rounded_i32(f64::from(key.impedance) * self.set.impedance);
            key.impedance = u8::try_from(impedance).unwrap_or(u8::MAX);
            let force = rounded_i32(f64::from(key.force) * self.set.force);
            key.force = i16::try_from(force).unwrap_or(i16::MAX);
            key.x = match self.set.sensor {
                SensorDefect::Zero => 0,
                SensorDefect::Random => i32::try_from(self.random.below(64_000))
                    .ok()
                    .and_then(|x| i16::try_from(x - 32_000).ok())
                    .unwrap_or(0),
                _ => key.x,
            };
            keys.push(key);
        }
        let mut bytes = [0; MAX_FRAME];
        let length = Message::State(StateMessage { keys, ..state }).frame(&mut bytes)?;
        bytes.get(..length).map(<[u8]>::to_vec)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_unique_and_changes_something() {
        for (i, defect) in NAMED.iter().enumerate() {
            assert!(NAMED[..i].iter().all(|other| other.name != defect.name), "{}", defect.name);
            let design = KeyboardDesign::default();
            let (mut changed, mut defects, mut link) =
                (design.clone(), Defects::default(), LinkFaults::default());
            (defect.change)(&mut changed, &mut defects, &mut link);
            let is_changed = changed.plant != design.plant
                || defects != Defects::default()
                || link != LinkFaults::default();
            assert!(is_changed, "{}", defect.name);
        }
    }
}
