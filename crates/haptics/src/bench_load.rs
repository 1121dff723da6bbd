//! Loads with a known solution: a lever with a hammer on a spring, or with a wall.
//!
//! m v̇ = f − Z·v − F(x, v), taken by the mid-point step, six to an action step:
//! v⁺ = ((m − Zh/2)·v + h·(f − F)) / (m + Zh/2),  x⁺ = x + h·(v + v⁺)/2,
//! which keeps the junction's work exactly. Positive down; the hammer is written at the key front.

use crate::plant::Stop;
use touchback_action::interface::key::{DynamicsCompensation, Key, OnEvent, Saved};
use touchback_action::interface::pose::Pose;
use touchback_action::{ActionSettings, Drive, KeyEvent, Readout};
use touchback_core::math::vec2::Vec2;
use touchback_device::port::mean_velocity;

/// Steps in an action step: 1/48000 s.
const PARTS: u32 = 6;
/// Length of a step, s.
const H: f64 = 1.0 / 48_000.0;

/// Least mass left to the lever, kg: its damper is taken implicitly.
const FLOOR: f64 = 5e-3;

/// Half of the lever as it is drawn, m; chosen: everything is written at its front.
const ARM: f64 = 0.1;

/// Rest stop of the lever; chosen.
const REST: Stop = Stop { depth: 0.0, stiffness: 20_000.0, damping: 20.0 };

/// A lever with a hammer and their stops.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BenchLoad {
    /// Mass of the lever, kg.
    pub mass: f64,
    /// Mass of the hammer, kg; 0: there is none.
    pub head: f64,
    /// Spring and damper between lever and hammer, one-sided; its depth is 0.
    pub contact: Stop,
    /// Weight of the hammer, N.
    pub weight: f64,
    /// String, met by the hammer.
    pub string: Stop,
    /// Key bed or wall, met by the lever.
    pub bed: Stop,
    /// Depth of the lever, m.
    pub x: f64,
    /// Speed of the lever, m/s.
    pub v: f64,
    /// Position of the hammer, m.
    pub hammer_x: f64,
    /// Speed of the hammer, m/s.
    pub hammer_v: f64,
    /// Turned into heat so far, J.
    pub dissipated: f64,
    /// Work of the drive so far, J.
    pub work: f64,
    /// What a haptic keyboard's own key brings.
    brought: DynamicsCompensation,
    /// How many times as stiff the bed is set.
    stiffness: f64,
}

impl BenchLoad {
    /// The bench load of the acceptance measurements: 0.05 kg and 0.15 kg on 5 kN/m and 2 N·s/m,
    /// 0.5 N of weight, string at 9 mm (chosen: 20 kN/m, 20 N·s/m), bed 20 kN/m, 20 N·s/m at 10 mm.
    pub const BENCH: Self = Self {
        mass: 0.05,
        head: 0.15,
        contact: Stop { depth: 0.0, stiffness: 5000.0, damping: 2.0 },
        weight: 0.5,
        string: Stop { depth: 9e-3, stiffness: 20_000.0, damping: 20.0 },
        bed: Stop { depth: 10e-3, stiffness: 20_000.0, damping: 20.0 },
        // At rest: 0.5 N on stop and spring.
        x: -0.5 / 20_000.0,
        v: 0.0,
        hammer_x: -0.5 / 20_000.0 - 0.5 / 5000.0,
        hammer_v: 0.0,
        dissipated: 0.0,
        work: 0.0,
        brought: DynamicsCompensation { mass: 0.0, weight: 0.0, friction: 0.0, has_bed: false },
        stiffness: 1.0,
    };

    /// A wall of 20 kN/m and 10 N·s/m at 5 mm before a lever of 50 g; chosen.
    pub const WALL: Self = Self {
        head: 0.0,
        weight: 0.0,
        bed: Stop { depth: 5e-3, stiffness: 20_000.0, damping: 10.0 },
        x: 0.0,
        hammer_x: 0.0,
        ..Self::BENCH
    };

    fn part(&mut self, drive: f64, impedance: f64) {
        let (lever, hammer, loss) = self.forces();
        let mean = mean_velocity(impedance, drive - lever, self.mass, self.v, H);
        self.x += H * mean;
        self.v = 2.0 * mean - self.v;
        self.work += (drive - impedance * mean) * mean * H;
        if self.head > 0.0 {
            self.hammer_v += H * hammer / self.head;
            self.hammer_x += H * self.hammer_v;
        }
        self.dissipated += loss * H;
        for value in [&mut self.v, &mut self.hammer_v] {
            if value.abs() < 1e-15 {
                *value = 0.0;
            }
        }
    }

    /// Force on the lever against its motion down, force on the hammer downward, N; power lost, W.
    fn forces(&self) -> (f64, f64, f64) {
        let (mut lever, mut hammer, mut loss) = (0.0, -self.weight, 0.0);
        if self.head > 0.0 {
            let (force, lost) = self.contact.push(self.x - self.hammer_x, self.v - self.hammer_v);
            lever += force;
            hammer += force;
            loss += lost;
            let (force, lost) = self.string.push(self.hammer_x, self.hammer_v);
            hammer -= force;
            loss += lost;
        }
        let (force, lost) = REST.push(-self.x, -self.v);
        lever -= force;
        loss += lost;
        let (force, lost) = self.bed.push(self.x, self.v);
        lever += force;
        loss += lost;
        (lever, hammer, loss)
    }

    /// Kinetic and stored energy, J.
    #[must_use]
    pub fn energy(&self) -> f64 {
        let (y, w) = (self.hammer_x, self.hammer_v);
        let mut sum = 0.5 * self.mass * self.v * self.v + self.bed.energy(self.x);
        sum += REST.energy(-self.x);
        if self.head > 0.0 {
            sum += 0.5 * self.head * w * w + self.weight * y;
            sum += self.contact.energy(self.x - y) + self.string.energy(y);
        }
        sum
    }

    /// It with its lever at depth `x` m and its hammer at `hammer_x` m.
    #[must_use]
    pub const fn standing(self, x: f64, hammer_x: f64) -> Self {
        Self { x, hammer_x, ..self }
    }

    /// As it was before anything was set or taken off.
    const fn own(&self) -> &'static Self {
        if self.head > 0.0 { &Self::BENCH } else { &Self::WALL }
    }

    /// Mass and bed by what is set and brought. A wall is what is to be felt, not a bed.
    fn refresh(&mut self) {
        let own = self.own();
        let is_bare = self.brought.has_bed && self.head > 0.0;
        self.mass = (own.mass - self.brought.mass).max(FLOOR);
        self.bed.stiffness = if is_bare { 0.0 } else { own.bed.stiffness * self.stiffness };
    }
}

impl Key for BenchLoad {
    /// Under a force, or a force and an impedance; other drives leave it alone.
    fn step(&mut self, drive: Drive, hear: &mut OnEvent<'_>) {
        let (force, impedance) = pushed(drive);
        for part in 0..PARTS {
            let was = self.hammer_x;
            self.part(force, impedance);
            let string = self.string.depth;
            if self.head > 0.0 && was < string && self.hammer_x >= string {
                let share = (string - was) / (self.hammer_x - was);
                hear((f64::from(part) + share) * H, KeyEvent::Strike { speed: self.hammer_v });
            }
        }
    }

    fn readout(&self, drive: Drive) -> Readout {
        let (force, impedance) = pushed(drive);
        Readout {
            key: self.x,
            key_speed: self.v,
            key_force: force - impedance * self.v,
            hammer: if self.head > 0.0 { self.hammer_x - self.string.depth } else { f64::NAN },
            hammer_speed: if self.head > 0.0 { self.hammer_v } else { f64::NAN },
            work: self.work,
            dissipated: self.dissipated,
            ..Readout::NONE
        }
    }

    fn front(&self) -> [f64; 2] {
        [self.x, self.v]
    }

    fn fastest(&self) -> f64 {
        self.v.abs().max(self.hammer_v.abs())
    }

    /// By what it holds and what it turned into heat.
    fn work(&self) -> f64 {
        self.energy() + self.dissipated
    }

    fn reset_to_rest(&mut self) {
        let rest = self.own();
        (self.x, self.v) = (rest.x, rest.v);
        (self.hammer_x, self.hammer_v) = (rest.hammer_x, rest.hammer_v);
        (self.dissipated, self.work) = (0.0, 0.0);
    }

    fn save(&self) -> Saved {
        Saved::new(0, &[self.x, self.v, self.hammer_x, self.hammer_v, self.dissipated])
    }

    fn adopt(&mut self, saved: &Saved) {
        [self.x, self.v, self.hammer_x, self.hammer_v, self.dissipated] = saved.states();
    }

    /// A lever of equal arms: at its end the hammer has the speed of the front.
    fn pose(&self) -> Pose {
        let front = Vec2::new(-(ARM * ARM - self.x * self.x).max(0.0).sqrt(), -self.x);
        let level = |y: f64| [Vec2::new(0.4 * ARM, y), Vec2::new(1.4 * ARM, y)];
        let stop = [Vec2::new(-ARM, -self.bed.depth)];
        let pose = Pose::default().with("key", [front, Vec2::default() - front]);
        if self.head > 0.0 {
            let hammer = [Vec2::new(ARM, self.hammer_x)];
            pose.with("bed", stop).with("hammer", hammer).with("string", level(self.string.depth))
        } else {
            pose.with("wall", stop)
        }
    }

    fn duplicate(&self) -> Box<dyn Key> {
        Box::new(*self)
    }

    /// Its bed's stiffness alone.
    fn regulate(&mut self, settings: &ActionSettings) -> f64 {
        let before = self.energy();
        self.stiffness = settings.key_bed_stiffness;
        self.refresh();
        self.energy() - before
    }

    /// Its mass, and the bed of one that has a hammer.
    fn compensate(&mut self, brought: &DynamicsCompensation) -> DynamicsCompensation {
        self.brought = *brought;
        self.refresh();
        DynamicsCompensation { mass: brought.mass - (self.own().mass - self.mass), ..*brought }
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
        let mut lever = BenchLoad::BENCH;
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
