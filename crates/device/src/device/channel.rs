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
