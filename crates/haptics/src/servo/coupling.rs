//! The spring and damper between a simulated key and a keyboard without a wave junction, and the real key's motion ahead.
//!
//! A plain force acts from the play-out of its command, a lead after the report, until that of the next one. Without
//! compensation it is the mean of the *past* interval. With it [Gillespie 1996, ch. 5, carried over to objects that move],
//! the real key, a mass with weight and damper as the keyboard declares them, and the simulated key move together through
//! the interval in which the force *will* act, in steps of the action, whose contacts switch at their own instants; the
//! command is the mean of that interval. Until then the real key moves under the commands that are on their way. The
//! force of the finger is observed, as in [`super::virtual_finger`].

use arrayvec::ArrayVec;

use super::seconds;
use super::virtual_finger::KeyMechanics;

/// A spring and damper between the keyboard's position and the simulated key's.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Coupling {
    /// N/m.
    pub stiffness: f64,
    /// N·s/m.
    pub damping: f64,
    /// Damping that the keyboard itself adds at its own rate, N·s/m; at most that of a wave junction.
    pub local: f64,
    /// The force is that of the interval in which it acts, and not of the past one.
    pub is_compensated: bool,
}

/// Coupling of a key that follows the keyboard without force.
pub(super) const FOLLOW: Coupling =
    Coupling { stiffness: 4000.0, damping: 12.0, local: 0.0, is_compensated: false };

impl Coupling {
    /// The sampling is compensated. Chosen: on this little damping an undamped key without a finger is at rest, and a strike
    /// comes within 2 ms.
    pub const COMPENSATED: Self =
        Self { stiffness: 3200.0, damping: 2.0, local: 2.0, is_compensated: true };
    /// The mean force of the past interval, which needs a softer spring and much damping in the keyboard.
    pub const PAST: Self =
        Self { stiffness: 800.0, damping: 2.0, local: 25.0, is_compensated: false };
}

impl Default for Coupling {
    fn default() -> Self {
        Self::COMPENSATED
    }
}

/// Gain of the observer of the finger's force, 1/s; chosen: a time constant of five reports.
const GAIN: f64 = 200.0;
/// Smallest mass of the real key, kg, where the keyboard declares none.
const LEAST_MASS: f64 = 0.01;
/// Stored commands: those of the longest lead at four a millisecond.
const KEPT: usize = 64;

/// The real key as it will move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ahead<'a> {
    mechanics: &'a KeyMechanics,
    /// Force of the finger, N, positive down.
    finger: f64,
    /// Damping of key and keyboard, N·s/m.
    damping: f64,
    /// Depth, m.
    pub x: f64,
    /// Speed, m/s.
    v: f64,
}

impl Ahead<'_> {
    /// Mean speed, m/s, over an action step under the `force`, N, against downward motion.
    pub fn mean_speed(&self, force: f64) -> f64 {
        let own = self.mechanics;
        let pull = self.finger - own.weight - self.damping * self.v - force;
        self.v + 0.5 * seconds(1) * pull / own.mass.max(LEAST_MASS)
    }

    /// Moves through an action step. The bed, of which the depth alone is known, lets nothing through that was above it.
    pub fn step(&mut self, force: f64) {
        let (before, mean) = (self.x, self.mean_speed(force));
        self.x += seconds(1) * mean;
        self.v = 2.0 * mean - self.v;
        let bed = self.mechanics.bed.max(before);
        if self.x > bed {
            (self.x, self.v) = (bed, 0.0);
        }
    }
}

/// Commands on their way to a key, and the observed force of the finger on it.
#[derive(Clone, Debug, Default)]
pub(super) struct Outlook {
    /// First step and force, N, of each command.
    commands: ArrayVec<(u64, f64), KEPT>,
    /// Momentum in the observer, kg·m/s, and the estimate, N.
    momentum: f64,
    finger: f64,
    /// Force that is known without the finger's, N, in the last interval.
    known: f64,
}

impl Outlook {
    /// Notes that `force`, N, acts from `step` on.
    pub fn command(&mut self, step: u64, force: f64) {
        if self.commands.is_full() {
            self.commands.remove(0);
        }
        self.commands.push((step, force));
    }

    /// Begins anew: no command is on its way.
    pub fn restart(&mut self) {
        *self = Self::default();
    }

    /// Force at `step`, N.
    pub fn force(&self, step: u64) -> f64 {
        self.commands.iter().rev().find(|(from, _)| *from <= step).map_or(0.0, |(_, f)| *f)
    }

    /// The real key at the end of the slot of `steps`, in which it has moved by `motion`, m, to the depth `x`, m. `speed`
    /// is the measured speed, m/s, and `local` the keyboard's damping, N·s/m.
    pub fn observe<'a>(
        &mut self,
        steps: std::ops::Range<u64>,
        [x, motion]: [f64; 2],
        speed: Option<f64>,
        local: f64,
        mechanics: &'a KeyMechanics,
    ) -> Ahead<'a> {
        let count = steps.end - steps.start;
        let (time, mass) = (seconds(count), mechanics.mass.max(LEAST_MASS));
        let middle = motion / time;
        let mean = steps.clone().map(|step| self.force(step)).sum::<f64>() * seconds(1) / time;
        let damping = mechanics.damping + local;
        let known = -mean - mechanics.weight - damping * middle;
        // The difference is the speed in the interval's middle, as the observer's momentum is: between two middles half of
        // either interval's force acts.
        let between = 0.5 * (std::mem::replace(&mut self.known, known) + known);
        self.momentum += time * (between + self.finger);
        self.finger = GAIN * (mass * middle - self.momentum);
        while self.commands.get(1).is_some_and(|(from, _)| *from <= steps.end) {
            self.commands.remove(0);
        }
        let v = speed.unwrap_or(middle + 0.5 * time * (known + self.finger) / mass);
        Ahead { mechanics, finger: self.finger, damping, x, v }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: KeyMechanics =
        KeyMechanics { mass: 0.05, weight: 0.3, friction: 0.0, damping: 0.2, bed: 10e-3 };

    /// A key under alternating commands and a finger of 2 N: its force is found, and its depth 2 ms ahead.
    #[test]
    fn the_finger_is_observed_and_the_motion_ahead_is_that_of_the_key() {
        let (mut outlook, mut x, mut v) = (Outlook::default(), 1e-3f64, 0.0f64);
        let command = |report: u64| if report.is_multiple_of(2) { 2.5 } else { 0.8 };
        outlook.command(0, command(0));
        outlook.command(8, command(1));
        let mut ahead: Option<(u64, f64)> = None;
        for report in 0..30u64 {
            let from = x;
            for _ in 0..80 {
                let force = 2.0 - OWN.weight - (OWN.damping + 1.0) * v - command(report);
                v += force / OWN.mass * 1.25e-5;
                x += v * 1.25e-5;
            }
            if let Some((due, depth)) = ahead
                && due == report
            {
                assert!((x - depth).abs() < 3e-6, "{report}: {x} m, {depth} m");
                return;
            }
            let steps = 8 * report..8 * (report + 1);
            let mut real = outlook.observe(steps.clone(), [x, x - from], None, 1.0, &OWN);
            outlook.command(steps.end + 8, command(report + 2));
            if report == 26 {
                assert!((real.finger - 2.0).abs() < 0.05, "{} N", real.finger);
                (steps.end..steps.end + 16).for_each(|step| real.step(outlook.force(step)));
                ahead = Some((report + 2, real.x));
            }
        }
        unreachable!("the depth ahead was never compared");
    }

    #[test]
    fn a_key_does_not_move_through_its_bed() {
        let mut real = Outlook::default().observe(0..8, [9.9e-3, 0.4e-3], None, 0.0, &OWN);
        (0..16).for_each(|_| real.step(0.0));
        assert_eq!((real.x, real.v), (OWN.bed, 0.0));
    }
}
