//! One key of a keyboard: its sensor's plausibility, its command's age, its law.

use super::key_impedance::{Done, KeyImpedance, KeyOrder, TickConstants};
use crate::message::{FORCE, IMPEDANCE, KeyWave};
use crate::real::Real;

/// Positions a key can have, m.
const REACH: [f64; 2] = [-5e-3, 16e-3];
/// Largest plausible key speed, m/s: a hard blow moves a key at 1.
const FASTEST: f64 = 4.0;
/// What an implausible reading adds to the count of them; a plausible one takes 1.
const WILD: u8 = 4;
/// Count that is a fault: two implausible readings of three, or more than one of five for long.
const TOO_WILD: u8 = 7;
/// Largest impedance it renders, N·s/m: stable with every key tried up to 160.
const IMPEDANCE_MAX: f64 = 60.0;
/// Time constant of a wave that is told no more, s.
const RUN_OUT: f64 = 5e-3;
/// Way that is motion, m, where it is at least [`MOTION_STEPS`] of the sensor.
const MOTION: f64 = 5e-6;
const MOTION_STEPS: f64 = 1.5;

/// A key's state from tick to tick.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Channel<F> {
    pub law: KeyImpedance<F>,
    /// Impedance commanded, N·s/m.
    wanted: F,
    /// Time since a command named the key, µs.
    told_us: u32,
    /// Leaky count of implausible readings.
    wild: u8,
    /// Position of the last motion, m, and the time since, µs.
    moved_to: F,
    still_us: u32,
}

impl<F: Real> Channel<F> {
    /// A new session: nothing is commanded, the guard holds `energy` J, the sensor is believed.
    pub fn settle(&mut self, energy: F) {
        self.wanted = F::of(0.0);
        self.wild = 0;
        self.law.settle(energy);
    }

    /// A command names the key.
    pub fn told(&mut self, wave: &KeyWave) {
        self.told_us = 0;
        self.law.wave = F::from_count(i32::from(wave.force)) * F::of(FORCE);
        let impedance = F::from_count(i32::from(wave.impedance)) * F::of(IMPEDANCE);
        self.wanted = impedance.min(F::of(IMPEDANCE_MAX));
    }

    /// Sets the position to `x` m.
    pub fn place(&mut self, x: F) {
        self.law.place(x);
        self.moved_to = x;
    }

    /// The position to go on with where the sensor says `x` m after `t` s: an implausible one is
    /// bridged. And whether the sensor is broken.
    pub fn believed(&mut self, x: F, t: F) -> (F, bool) {
        let last = self.law.position();
        let is_within = x >= F::of(REACH[0]) && x <= F::of(REACH[1]);
        if is_within && (x - last).abs() <= F::of(FASTEST) * t {
            self.wild = self.wild.saturating_sub(1);
            return (x, false);
        }
        self.wild = self.wild.saturating_add(WILD);
        let is_broken = self.wild >= TOO_WILD;
        if is_broken {
            // Not beyond: mended, it is believed again after a while.
            self.wild = TOO_WILD;
            if is_within {
                // The key is followed again from where it says it is.
                self.place(x);
            }
        }
        (self.law.position(), is_broken)
    }

    /// One tick with the key at `x` m. `passed_us` µs have passed since the last; a wave holds for
    /// `hold_us` µs. `order` is for the impedance the host commands.
    pub fn tick(
        &mut self,
        tick: &TickConstants<F>,
        x: F,
        order: &KeyOrder<F>,
        [passed_us, hold_us]: [u32; 2],
        step: F,
    ) -> Done<F> {
        self.told_us = self.told_us.saturating_add(passed_us);
        if self.told_us > hold_us {
            let none = F::of(0.0);
            self.law.wave *= (F::of(1.0) - tick.t / F::of(RUN_OUT)).max(none);
        }
        self.still_us = self.still_us.saturating_add(passed_us);
        let way = F::of(MOTION).max(step * F::of(MOTION_STEPS));
        if (x - self.moved_to).abs() >= way {
            self.moved_to = x;
            self.still_us = 0;
        }
        if self.law.wave != F::of(0.0) {
            self.still_us = 0;
        }
        self.law.tick(tick, x, order)
    }

    /// Impedance commanded, N·s/m.
    pub const fn wanted(&self) -> F {
        self.wanted
    }

    /// It moved, or was pushed, within the last `us` µs.
    pub const fn moved_within(&self, us: u32) -> bool {
        self.still_us <= us
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

    /// Ticks `key` at `x` m after `us` µs, its wave holding for 3 ms, its sensor of `step` m.
    fn tick_after(us: u32, key: &mut Channel<f64>, x: f64, step: f64) {
        let order = KeyOrder {
            impedance: key.wanted(),
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
    fn only_what_a_key_can_reach_in_the_time_is_believed() {
        for (last, reading, is_believed) in [
            (0.0, 0.49e-3, true),
            (0.0, -0.49e-3, true),
            (0.0, 0.51e-3, false),
            (0.0, -0.51e-3, false),
            // Slowly beyond where a key can be.
            (15.9e-3, 16e-3, true),
            (15.9e-3, 16.1e-3, false),
            (-4.9e-3, -5e-3, true),
            (-4.9e-3, -5.1e-3, false),
            (0.0, f64::NAN, false),
        ] {
            let mut key = Channel::default();
            key.place(last);
            let expected = if is_believed { reading } else { last };
            assert_eq!(key.believed(reading, T), (expected, false), "{last} m, {reading} m");
            assert_eq!(key.wild, if is_believed { 0 } else { WILD });
        }
    }

    /// Held until it is too old, then e^(−t/5 ms) as the ticks have it.
    #[test]
    fn a_wave_that_is_told_no_more_runs_out() {
        let mut key = Channel::default();
        key.told(&KeyWave { key: 0, force: -500, impedance: 255 });
        assert_eq!((key.law.wave, key.wanted()), (-2.0, IMPEDANCE_MAX));
        for ticks in 1..=200i32 {
            tick(&mut key, 0.0);
            let over = (ticks - 24).max(0);
            let expected = -2.0 * (1.0 - T / 5e-3).powi(over);
            assert!((key.law.wave - expected).abs() < 1e-12, "{ticks}: {}", key.law.wave);
        }
        key.told(&KeyWave { key: 0, force: 250, impedance: 20 });
        assert_eq!((key.law.wave, key.wanted()), (1.0, 10.0));
        tick(&mut key, 0.0);
        assert_eq!(key.law.wave, 1.0);
        // Later than its time constant it is gone, not turned round.
        tick_after(10_000, &mut key, 0.0, STEP);
        assert_eq!(key.law.wave, 0.0);
    }

    #[test]
    fn a_new_session_knows_of_no_command_and_believes_the_sensor() {
        let mut key = Channel::default();
        key.told(&KeyWave { key: 0, force: 250, impedance: 20 });
        (0..100).for_each(|_| tick(&mut key, 0.0));
        key.believed(1.0, T);
        key.settle(1e-3);
        assert_eq!((key.law.wave, key.wanted(), key.law.impedance(), key.wild), (0.0, 0.0, 0.0, 0));
    }

    #[test]
    fn motion_is_5_micrometres_or_one_and_a_half_steps_of_the_sensor() {
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
        // A key that is pushed is told of too.
        let mut pushed = Channel::default();
        pushed.told(&KeyWave { key: 0, force: 1, impedance: 0 });
        tick(&mut pushed, 0.0);
        assert!(pushed.moved_within(0));
    }
}
