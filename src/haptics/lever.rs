//! Loads whose behaviour is known beforehand: a lever with a hammer on a spring, or with a wall.
//!
//! m v̇ = f − Z·v − F(x, v), taken by the mid-point step, six to an action step:
//! v⁺ = ((m − Zh/2)·v + h·(f − F)) / (m + Zh/2),  x⁺ = x + h·(v + v⁺)/2,
//! which keeps the junction's work exactly. Positive down; the hammer is written at the key front.

use crate::action::mechanism::{SAVED, Saved};
use crate::action::{Drive, KeyEvent, Readout};
use touchback_device::port::mean_velocity;

/// Steps in an action step: 1/48000 s.
const PARTS: u32 = 6;
/// Length of one, s.
const H: f64 = 1.0 / 48_000.0;

/// Rest stop of the lever at depth 0, N/m and N·s/m; chosen.
const REST: [f64; 2] = [20_000.0, 20.0];

/// A lever and what it meets.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Lever {
    /// Its mass, kg.
    pub mass: f64,
    /// Hammer's mass, kg; 0: none.
    pub head: f64,
    /// Spring between lever and hammer, one-sided: N/m and N·s/m.
    pub contact: [f64; 2],
    /// Weight of the hammer, N.
    pub weight: f64,
    /// Where the hammer meets the string, m, and the string's N/m and N·s/m.
    pub string: [f64; 3],
    /// Key bed or wall: N/m; 0: none.
    pub bed: f64,
    /// Its damping, N·s/m, and depth, m.
    pub bed_law: [f64; 2],
    /// Lever's position, m, and speed, m/s.
    pub x: f64,
    /// See `x`.
    pub v: f64,
    /// Hammer's.
    pub hammer: [f64; 2],
    /// Turned into heat so far, J.
    pub dissipated: f64,
    /// Work of the drive so far, J.
    pub work: f64,
}

impl Lever {
    /// The bench load of the acceptance measurements: 0.05 kg and 0.15 kg on 5 kN/m and 2 N·s/m,
    /// 0.5 N of weight, string at 9 mm (chosen: 20 kN/m, 20 N·s/m), bed 20 kN/m, 20 N·s/m at 10 mm.
    pub const BENCH: Self = Self {
        mass: 0.05,
        head: 0.15,
        contact: [5000.0, 2.0],
        weight: 0.5,
        string: [9e-3, 20_000.0, 20.0],
        bed: 20_000.0,
        bed_law: [20.0, 10e-3],
        // At rest: 0.5 N on stop and spring.
        x: -0.5 / 20_000.0,
        v: 0.0,
        hammer: [-0.5 / 20_000.0 - 0.5 / 5000.0, 0.0],
        dissipated: 0.0,
        work: 0.0,
    };

    /// A wall of 20 kN/m and 10 N·s/m at 5 mm before a lever of 50 g; chosen.
    pub const WALL: Self = Self {
        head: 0.0,
        weight: 0.0,
        bed_law: [10.0, 5e-3],
        x: 0.0,
        hammer: [0.0, 0.0],
        ..Self::BENCH
    };

    /// One action step under a force, or a force and an impedance; other drives leave it alone.
    pub fn step(&mut self, drive: Drive, hear: &mut impl FnMut(f64, KeyEvent)) {
        let (force, impedance) = pushed(drive);
        for part in 0..PARTS {
            let was = self.hammer[0];
            self.part(force, impedance);
            if self.head > 0.0 && was < self.string[0] && self.hammer[0] >= self.string[0] {
                let share = (self.string[0] - was) / (self.hammer[0] - was);
                hear((f64::from(part) + share) * H, KeyEvent::Strike { speed: self.hammer[1] });
            }
        }
    }

    fn part(&mut self, drive: f64, impedance: f64) {
        let (lever, hammer, loss) = self.forces();
        let mean = mean_velocity(impedance, drive - lever, self.mass, self.v, H);
        self.x += H * mean;
        self.v = 2.0 * mean - self.v;
        self.work += (drive - impedance * mean) * mean * H;
        if self.head > 0.0 {
            let [y, w] = self.hammer;
            let next = w + H * hammer / self.head;
            self.hammer = [y + H * next, next];
        }
        self.dissipated += loss * H;
        for value in [&mut self.v, &mut self.hammer[1]] {
            if value.abs() < 1e-15 {
                *value = 0.0;
            }
        }
    }

    /// On the lever against its motion down, on the hammer downward, N; power lost, W.
    fn forces(&self) -> (f64, f64, f64) {
        let [y, w] = self.hammer;
        let (mut lever, mut hammer, mut loss) = (0.0, -self.weight, 0.0);
        if self.head > 0.0 {
            let deep = self.x - y;
            if deep > 0.0 {
                let elastic = self.contact[0] * deep;
                let force = (elastic + self.contact[1] * (self.v - w)).max(0.0);
                lever += force;
                hammer += force;
                loss += (force - elastic) * (self.v - w);
            }
            let [at, stiffness, damping] = self.string;
            if y > at {
                let elastic = stiffness * (y - at);
                let force = (elastic + damping * w).max(0.0);
                hammer -= force;
                loss += (force - elastic) * w;
            }
        }
        if self.x < 0.0 {
            let elastic = -REST[0] * self.x;
            let force = (elastic - REST[1] * self.v).max(0.0);
            lever -= force;
            loss -= (force - elastic) * self.v;
        }
        let [damping, depth] = self.bed_law;
        if self.bed > 0.0 && self.x > depth {
            let elastic = self.bed * (self.x - depth);
            let force = (elastic + damping * self.v).max(0.0);
            lever += force;
            loss += (force - elastic) * self.v;
        }
        (lever, hammer, loss)
    }

    /// Kinetic and stored, J.
    #[must_use]
    pub fn energy(&self) -> f64 {
        let [y, w] = self.hammer;
        let square = |k: f64, deep: f64| 0.5 * k * deep.max(0.0).powi(2);
        let mut sum =
            0.5 * self.mass * self.v * self.v + square(self.bed, self.x - self.bed_law[1]);
        sum += square(REST[0], -self.x);
        if self.head > 0.0 {
            sum += 0.5 * self.head * w * w + self.weight * y;
            sum += square(self.contact[0], self.x - y) + square(self.string[1], y - self.string[0]);
        }
        sum
    }

    /// Back to rest, nothing dissipated.
    pub const fn lay_to_rest(&mut self) {
        let rest = if self.head > 0.0 { Self::BENCH } else { Self::WALL };
        (self.x, self.v, self.hammer) = (rest.x, rest.v, rest.hammer);
        (self.dissipated, self.work) = (0.0, 0.0);
    }

    /// How it stands under `drive`.
    #[must_use]
    pub fn view(&self, drive: Drive) -> Readout {
        let (force, impedance) = pushed(drive);
        Readout {
            key: self.x,
            key_speed: self.v,
            key_force: force - impedance * self.v,
            work: self.work,
            dissipated: self.dissipated,
            ..Readout::NONE
        }
    }

    /// What changes.
    #[must_use]
    pub fn save(&self) -> Saved {
        let mut x = [0.0; SAVED];
        let [y, w] = self.hammer;
        x[..5].copy_from_slice(&[self.x, self.v, y, w, self.dissipated]);
        Saved { phase: 0, x }
    }

    /// Takes up what [`Lever::save`] gave.
    pub const fn adopt(&mut self, saved: &Saved) {
        [self.x, self.v, self.hammer[0], self.hammer[1], self.dissipated, ..] = saved.x;
    }
}

/// Force, N, and impedance, N·s/m, of what a keyboard drives a lever with.
pub fn pushed(drive: Drive) -> (f64, f64) {
    match drive {
        Drive::Wave { force, impedance } => (force, impedance),
        Drive::Force([a, b]) => (0.5 * (a + b), 0.0),
        Drive::Free | Drive::Finger(_) | Drive::Motion(_) | Drive::Manipulandum(_) => (0.0, 0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_driven_lever_accounts_for_all_work() {
        let mut lever = Lever::BENCH;
        let start = lever.energy();
        let mut strikes = 0;
        for i in 0..8000 {
            let force = if i < 800 { 3.0 } else { 0.2 };
            lever.step(Drive::Wave { force, impedance: 5.0 }, &mut |_, _| strikes += 1);
        }
        let work = lever.work;
        let residual = work - (lever.energy() - start) - lever.dissipated;
        assert!(residual.abs() < 0.01 * work.abs(), "{residual} J of {work}");
        assert!(strikes >= 1);
    }
}
