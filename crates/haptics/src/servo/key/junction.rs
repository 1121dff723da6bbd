//! The simulated key's end of the line: the forces of a slot and the answer.

use std::ops::Range;

use super::super::coupling::Coupling;
use super::super::seconds;
use super::super::slot::Slot;
use super::HapticKey;
use crate::record::log::{Entry, Log};
use touchback_action::{Drive, TimedEvent};
use touchback_device::device::key_impedance::LEAST_IMPEDANCE;
use touchback_device::message::IMPEDANCE;
use touchback_device::port::Port;

/// Pull toward the keyboard's position, N/m. It corrects the drift that rounding and held samples cause.
const DRIFT_PULL: f64 = 100.0;
/// Largest force of that pull, N.
const DRIFT_FORCE: f64 = 0.1;
/// Speed below which the pull acts, m/s.
const DRIFT_SPEED: f64 = 5e-3;

impl HapticKey {
    /// Moves the simulated key through the wave junction of the impedance `z`, N·s/m, under the arriving
    /// `wave`, √W, and the virtual `finger`, N. Returns the answer −√(2Z)·w, N.
    pub(super) fn by_wave(
        &mut self,
        slot: &Slot,
        z: f64,
        wave: f64,
        finger: f64,
        log: &mut impl Log,
    ) -> f64 {
        let port = Port::new(z.max(LEAST_IMPEDANCE));
        let force = port.drive(wave) + finger;
        let moved = self.steps(slot, slot.before..slot.after, [force, z], log);
        self.finger_work = finger * moved;
        let mut back = port.leaving(wave, moved / slot.time());
        // Drift is corrected only where that makes the wave smaller, which keeps the junction passive, and
        // only near standstill, because in motion the simulated key is ahead by the delay of the line.
        let [depth, speed] = self.simulated.key().front();
        let pull = DRIFT_PULL * (depth - slot.depth());
        let off = port.wave(pull.clamp(-DRIFT_FORCE, DRIFT_FORCE));
        if speed.abs() < DRIFT_SPEED && (back + off).abs() < back.abs() {
            back += off;
        }
        -port.drive(back)
    }

    /// Moves the simulated key by a coupling to the keyboard's position, which was `from`, m, at the
    /// beginning of the slot, and by the virtual `finger`, N. Returns the force to command, N.
    pub(super) fn by_coupling(
        &mut self,
        slot: &Slot,
        from: f64,
        Coupling { stiffness, damping, .. }: Coupling,
        finger: f64,
        log: &mut impl Log,
    ) -> f64 {
        let time = slot.time();
        let speed = (slot.depth() - from) / time;
        let mut sum = 0.0;
        for i in 0..slot.steps() {
            let target = from + speed * (seconds(i) + 0.5 * seconds(1));
            let force = stiffness * (target - self.simulated.key().front()[0]) + damping * speed;
            let step = slot.before + i;
            let moved = self.steps(slot, step..step + 1, [force + finger, damping], log);
            self.finger_work += finger * moved;
            sum += force - damping * moved / seconds(1);
        }
        sum * seconds(1) / time
    }

    /// As [`HapticKey::by_coupling`], for the interval of the same length that begins `lead` steps after the report: real
    /// and simulated key move together through it.
    pub(super) fn by_coupling_ahead(
        &mut self,
        slot: &Slot,
        from: f64,
        Coupling { stiffness, damping, .. }: Coupling,
        [finger, gain]: [f64; 2],
        lead: u64,
        log: &mut impl Log,
    ) -> f64 {
        let mechanics = self.mechanics;
        let local = f64::from(slot.report.impedance) * IMPEDANCE;
        let way = [slot.depth(), slot.depth() - from];
        let mut real =
            self.outlook.observe(slot.before..slot.after, way, slot.speed(), local, &mechanics);
        for step in slot.after..slot.after + lead {
            real.step(self.outlook.force(step));
        }
        // The spring's mean force over a step has half a step's closing speed in it.
        let impedance = 0.5 * stiffness * seconds(1) + damping;
        let mut held = self.force;
        let mut sum = 0.0;
        for step in slot.before..slot.after {
            let way = real.x - self.simulated.key().front()[0];
            let force = stiffness * way + impedance * real.mean_speed(gain * held);
            let moved = self.steps(slot, step..step + 1, [force + finger, impedance], log);
            self.finger_work += finger * moved;
            held = force - impedance * moved / seconds(1);
            real.step(gain * held);
            sum += held;
        }
        sum * seconds(1) / slot.time()
    }

    /// Steps the simulated key through `steps` of a slot under one force, N, and impedance, N·s/m, and
    /// logs it. Returns its motion, m.
    fn steps(
        &mut self,
        slot: &Slot,
        steps: Range<u64>,
        [force, impedance]: [f64; 2],
        log: &mut impl Log,
    ) -> f64 {
        let (key, step) = (self.key, steps.start);
        let count = u16::try_from(steps.end - step).unwrap_or(u16::MAX);
        self.logged.slot(&Entry::Slot { step, key, steps: count, force, impedance }, log);
        let drive = Drive::Wave { force, impedance };
        let strings = &mut self.strings;
        let mut moved = 0.0;
        for step in steps.clone() {
            let [from, _] = self.simulated.key().front();
            self.simulated.step(slot.settings, step, drive, &mut |offset, event| {
                strings.on_event(key, event);
                log.on_event(&TimedEvent { key, step, offset, event });
            });
            moved += self.simulated.key().front()[0] - from;
            log.on_step(key, step, drive, self.simulated.key());
        }
        self.logged.note_damper(self.simulated.key());
        log.on_slot(key, steps, self.simulated.key());
        moved
    }
}
