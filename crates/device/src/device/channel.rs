//! One key of a keyboard: plausibility of its sensor, age of its command, its law.

use super::key_impedance::{KeyImpedance, KeyOrder, TickConstants, TickResult};
use crate::message::{FORCE, IMPEDANCE, KeyWave};
use crate::real::Real;

/// Range of plausible positions, m.
const REACH: [f64; 2] = [-5e-3, 16e-3];
/// Largest plausible key speed, m/s; a hard blow moves a key at 1 m/s.
const FASTEST: f64 = 4.0;
/// Weight of an implausible reading in the leaky count; a plausible one subtracts 1.
const IMPLAUSIBLE_WEIGHT: u8 = 4;
/// Count at which the sensor is broken: two implausible readings of three, or lastingly more than one
/// of five.
const BROKEN_COUNT: u8 = 7;
/// Largest impedance rendered, N·s/m; every key tried is stable up to 160.
const IMPEDANCE_MAX: f64 = 60.0;
/// Time constant with which a commanded force decays that is not renewed, s.
const DECAY_TIME: f64 = 5e-3;
/// Distance that counts as motion, m; at least [`MOTION_STEPS`] sensor steps.
const MOTION: f64 = 5e-6;
const MOTION_STEPS: f64 = 1.5;

/// State of one key.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Channel<F> {
    pub law: KeyImpedance<F>,
    /// Commanded impedance, N·s/m.
    impedance: F,
    /// Time since a command named the key, µs.
    command_age_us: u32,
    /// Leaky count of implausible readings.
    implausible: u8,
    /// The last reading was implausible, so that the position before it was held.
    is_held: bool,
    /// Position after the last motion, m, and the time since then, µs.
    moved_to: F,
    rest_us: u32,
}

impl<F: Real> Channel<F> {
    /// Begins a new session: no command, `energy` J in the guard, no implausible readings counted.
    pub fn reset(&mut self, energy: F) {
        self.impedance = F::of(0.0);
        self.implausible = 0;
        self.law.reset(energy);
    }

    /// Accepts a command for the key.
    pub fn command(&mut self, wave: &KeyWave) {
        self.command_age_us = 0;
        self.law.wave = F::from_count(i32::from(wave.force)) * F::of(FORCE);
        let impedance = F::from_count(i32::from(wave.impedance)) * F::of(IMPEDANCE);
        self.impedance = impedance.min(F::of(IMPEDANCE_MAX));
    }

    /// Sets the position to `x` m.
    pub fn set_position(&mut self, x: F) {
        self.law.set_position(x);
        self.moved_to = x;
    }

    /// The position to calculate with, m, where the sensor reads `x` m `t` s after the last reading, and
    /// whether the sensor is broken. An implausible reading leaves the last position.
    pub(crate) fn plausible_position(&mut self, x: F, t: F) -> (F, bool) {
        let last = self.law.position();
        let is_within = x >= F::of(REACH[0]) && x <= F::of(REACH[1]);
        if is_within && (x - last).abs() <= F::of(FASTEST) * t {
            self.implausible = self.implausible.saturating_sub(1);
            if core::mem::take(&mut self.is_held) {
                self.law.restart_speed();
            }
            return (x, false);
        }
        self.is_held = true;
        self.implausible = self.implausible.saturating_add(IMPLAUSIBLE_WEIGHT);
        let is_broken = self.implausible >= BROKEN_COUNT;
        if is_broken {
            // The count stops here, so that a repaired sensor is accepted again soon.
            self.implausible = BROKEN_COUNT;
            if is_within {
                // Readings continue from this position.
                self.set_position(x);
            }
        }
        (self.law.position(), is_broken)
    }

    /// One tick with the key at `x` m, `passed_us` µs after the last. A command holds for `hold_us` µs;
    /// then its force decays. `step` is the sensor step, m.
    pub fn tick(
        &mut self,
        tick: &TickConstants<F>,
        x: F,
        order: &KeyOrder<F>,
        [passed_us, hold_us]: [u32; 2],
        step: F,
    ) -> TickResult<F> {
        self.command_age_us = self.command_age_us.saturating_add(passed_us);
        if self.command_age_us > hold_us {
            let none = F::of(0.0);
            self.law.wave *= (F::of(1.0) - tick.t / F::of(DECAY_TIME)).max(none);
            // Ends before the wave is denormal, so that the key counts as one at rest.
            if self.law.wave.abs() < F::of(1e-6) {
                self.law.wave = none;
            }
        }
        self.rest_us = self.rest_us.saturating_add(passed_us);
        let motion = F::of(MOTION).max(step * F::of(MOTION_STEPS));
        if (x - self.moved_to).abs() >= motion {
            self.moved_to = x;
            self.rest_us = 0;
        }
        if self.law.wave != F::of(0.0) {
            self.rest_us = 0;
        }
        self.law.tick(tick, x, order)
    }

    /// Commanded impedance, N·s/m.
    pub const fn impedance(&self) -> F {
        self.impedance
    }

    /// The key has moved, or a force was commanded, within the last `us` µs.
    pub(crate) const fn moved_within(&self, us: u32) -> bool {
        self.rest_us <= us
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::key_impedance::RenderedBed;
    use crate::device::limit::MotorLimits;

    const T: f64 = 125e-6;
    const LIMITS: MotorLimits = MotorLimits { force: 20.0, slew: 1e9, held: 20.0, time: 0.0 };
    const STEP: f64 = 2e-6;

    /// One tick of `key` at `x` m after `us` µs; commands hold for 3 ms, the sensor step is `step` m.
    fn tick_after(us: u32, key: &mut Channel<f64>, x: f64, step: f64) {
        let order = KeyOrder {
            impedance: key.impedance(),
            gain: 1.0,
            is_powered: true,
            is_direct: false,
            bed: &RenderedBed::default(),
            limits: &LIMITS,
            guard: 0.0,
        };
        key.tick(&TickConstants::new(1e6 / f64::from(us)), x, &order, [us, 3000], step);
    }

    fn tick(key: &mut Channel<f64>, x: f64) {
        tick_after(125, key, x, STEP);
    }

    #[test]
    fn readings_beyond_reach_or_speed_of_a_key_leave_the_last_position() {
        for (last, reading, is_plausible) in [
            (0.0, 0.49e-3, true),
            (0.0, -0.49e-3, true),
            (0.0, 0.51e-3, false),
            (0.0, -0.51e-3, false),
            // Slow motion beyond the range of positions.
            (15.9e-3, 16e-3, true),
            (15.9e-3, 16.1e-3, false),
            (-4.9e-3, -5e-3, true),
            (-4.9e-3, -5.1e-3, false),
            (0.0, f64::NAN, false),
        ] {
            let mut key = Channel::default();
            key.set_position(last);
            let expected = if is_plausible { reading } else { last };
            assert_eq!(
                key.plausible_position(reading, T),
                (expected, false),
                "{last} m, {reading} m"
            );
            assert_eq!(key.implausible, if is_plausible { 0 } else { IMPLAUSIBLE_WEIGHT });
        }
    }

    /// The wave holds for 3 ms, then decays by the factor 1 − T/5 ms every tick.
    #[test]
    fn a_wave_that_is_not_renewed_decays() {
        let mut key = Channel::default();
        key.command(&KeyWave { key: 0, force: -500, impedance: 255 });
        assert_eq!((key.law.wave, key.impedance()), (-2.0, IMPEDANCE_MAX));
        for ticks in 1..=200i32 {
            tick(&mut key, 0.0);
            let over = (ticks - 24).max(0);
            let expected = -2.0 * (1.0 - T / 5e-3).powi(over);
            assert!((key.law.wave - expected).abs() < 1e-12, "{ticks}: {}", key.law.wave);
        }
        key.command(&KeyWave { key: 0, force: 250, impedance: 20 });
        assert_eq!((key.law.wave, key.impedance()), (1.0, 10.0));
        tick(&mut key, 0.0);
        assert_eq!(key.law.wave, 1.0);
        // A tick longer than the time constant ends the wave and does not reverse it.
        tick_after(10_000, &mut key, 0.0, STEP);
        assert_eq!(key.law.wave, 0.0);
    }

    #[test]
    fn a_new_session_begins_without_command_and_implausible_readings() {
        let mut key = Channel::default();
        key.command(&KeyWave { key: 0, force: 250, impedance: 20 });
        (0..100).for_each(|_| tick(&mut key, 0.0));
        key.plausible_position(1.0, T);
        key.reset(1e-3);
        assert_eq!(
            (key.law.wave, key.impedance(), key.law.impedance(), key.implausible),
            (0.0, 0.0, 0.0, 0)
        );
    }

    #[test]
    fn motion_is_at_least_5_micrometres_and_one_and_a_half_sensor_steps() {
        for (way, has_moved) in [(4e-6, false), (5e-6, true), (-4e-6, false), (-5.1e-6, true)] {
            let mut key = Channel::default();
            (0..8).for_each(|_| tick(&mut key, 0.0));
            assert!(key.moved_within(1000) && !key.moved_within(999));
            tick(&mut key, way);
            assert_eq!(key.moved_within(0), has_moved, "{way} m");
        }
        let mut coarse = Channel::default();
        for (x, has_moved) in [(10e-6, false), (20e-6, true)] {
            tick_after(125, &mut coarse, x, 10e-6);
            assert_eq!(coarse.moved_within(0), has_moved, "{x} m");
        }
        // A commanded force counts as motion.
        let mut pushed = Channel::default();
        pushed.command(&KeyWave { key: 0, force: 1, impedance: 0 });
        tick(&mut pushed, 0.0);
        assert!(pushed.moved_within(0));
    }
}
