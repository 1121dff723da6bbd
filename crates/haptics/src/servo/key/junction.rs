//! The simulated key's end of the line: what a slot pushes it with, and its answer.

use std::ops::Range;

use super::super::seconds;
use super::super::slot::Slot;
use super::HapticKey;
use crate::log::{Entry, Log, damper_moved};
use touchback_action::{Drive, TimedEvent};
use touchback_device::device::key_impedance::LEAST_IMPEDANCE;
use touchback_device::port::Port;

/// A spring and damper between the keyboard's position and the simulated key's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coupling {
    /// N/m.
    stiffness: f64,
    /// N·s/m.
    damping: f64,
}

/// Of a key that is followed without force.
pub(super) const FOLLOW: Coupling = Coupling { stiffness: 4000.0, damping: 12.0 };
/// Of a device that takes forces only, at 1 kHz.
pub(super) const COUPLE: Coupling = Coupling { stiffness: 800.0, damping: 2.0 };

/// Pull toward the keyboard's own position, N/m, and its most, N: mends what rounding and held
/// samples let drift.
const MEND: [f64; 2] = [100.0, 0.1];
/// Speed below which it acts, m/s.
const SLOW: f64 = 5e-3;

impl HapticKey {
    /// Through the wave junction of impedance `z` N·s/m, `wave` √W arriving and the player's `finger`
    /// pressing with N; the answer as a force, N.
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
        let time = slot.time();
        let mut back = port.leaving(wave, moved / time);
        self.work += Port::energy(wave, back, time);
        // Only where it makes the wave smaller may the drift be mended, and only near standstill: in
        // motion the simulated key is ahead by the line's delay.
        let [place, speed] = self.simulated.key().front();
        let off = port.wave((MEND[0] * (place - slot.depth())).clamp(-MEND[1], MEND[1]));
        if speed.abs() < SLOW && (back + off).abs() < back.abs() {
            back += off;
        }
        -port.drive(back)
    }

    /// By a coupling to the keyboard's position, `from` m at the slot's beginning, the player's
    /// `finger` pressing with N; the force to be commanded, N.
    pub(super) fn by_coupling(
        &mut self,
        slot: &Slot,
        from: f64,
        Coupling { stiffness, damping }: Coupling,
        finger: f64,
        log: &mut impl Log,
    ) -> f64 {
        let time = slot.time();
        let speed = (slot.depth() - from) / time;
        let mut sum = 0.0;
        for i in 0..slot.steps() {
            let ahead = from + speed * (seconds(i) + 0.5 * seconds(1));
            let force = stiffness * (ahead - self.simulated.key().front()[0]) + damping * speed;
            let step = slot.before + i;
            let moved = self.steps(slot, step..step + 1, [force + finger, damping], log);
            sum += force - damping * moved / seconds(1);
        }
        sum * seconds(1) / time
    }

    /// The simulated key through some steps of a slot under one force, N, and impedance, N·s/m,
    /// logged; how far it moved, m.
    fn steps(
        &mut self,
        slot: &Slot,
        steps: Range<u64>,
        [force, impedance]: [f64; 2],
        log: &mut impl Log,
    ) -> f64 {
        let (key, step) = (self.key, steps.start);
        let count = u16::try_from(steps.end - step).unwrap_or(u16::MAX);
        self.is_placed &= log.put(&Entry::Slot { step, key, steps: count, force, impedance });
        let drive = Drive::Wave { force, impedance };
        let strings = &mut self.strings;
        let mut moved = 0.0;
        for step in steps {
            let [from, _] = self.simulated.key().front();
            self.simulated.step(slot.settings, step, drive, &mut |offset, event| {
                strings.hear(key, event);
                log.heard(&TimedEvent { key, step, offset, event });
            });
            moved += self.simulated.key().front()[0] - from;
        }
        damper_moved(&mut self.is_clear, self.simulated.key());
        moved
    }
}
