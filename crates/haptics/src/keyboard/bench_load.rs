//! Loads with a known solution: a lever with a hammer on a spring, or a lever and a wall.
//!
//! m v̇ = f − Z·v − F(x, v) is integrated by the mid-point rule in six steps of h s per action step,
//! v⁺ = ((m − Zh/2)·v + h·(f − F)) / (m + Zh/2),  x⁺ = x + h·(v + v⁺)/2,
//! which preserves the work of the junction exactly. Positions are positive down; the hammer's motion is
//! referred to the key front.

use crate::keyboard::plant::Stop;
use touchback_action::interface::key::{DynamicsCompensation, Key, OnEvent, SavedState};
use touchback_action::interface::pose::Pose;
use touchback_action::{ActionSettings, Drive, KeyEvent, Readout};
use touchback_core::math::vec2::Vec2;
use touchback_device::port::mean_velocity;

/// Integration steps per action step.
const SUBSTEPS: u32 = 6;
/// Length of an integration step, s.
const H: f64 = 1.0 / 48_000.0;

/// Smallest mass of a compensated lever, kg; the damper is integrated implicitly.
const MIN_MASS: f64 = 5e-3;

/// Half the length of the drawn lever, m; chosen, because all quantities are referred to the front.
const ARM: f64 = 0.1;

/// Rest stop of the lever; chosen.
const REST: Stop = Stop { depth: 0.0, stiffness: 20_000.0, damping: 20.0 };

/// A lever with a hammer and their stops.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BenchLoad {
    /// Mass of the lever, kg.
    pub mass: f64,
    /// Mass of the hammer, kg; 0 without a hammer.
    pub head: f64,
    /// One-sided spring and damper between lever and hammer; the depth is 0.
    pub contact: Stop,
    /// Weight of the hammer, N.
    pub weight: f64,
    /// String, which the hammer strikes.
    pub string: Stop,
    /// Key bed or wall, which stops the lever.
    pub bed: Stop,
    /// Depth of the lever, m.
    pub x: f64,
    /// Speed of the lever, m/s.
    pub v: f64,
    /// Position of the hammer, m.
    pub hammer_x: f64,
    /// Speed of the hammer, m/s.
    pub hammer_v: f64,
    /// Dissipated energy, J.
    pub dissipated: f64,
    /// Work of the drive, J.
    pub work: f64,
    /// Compensation for the physical key.
    compensation: DynamicsCompensation,
    /// Factor on the stiffness of the bed.
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
        // At rest 0.5 N load the stop and the spring.
        x: -0.5 / 20_000.0,
        v: 0.0,
        hammer_x: -0.5 / 20_000.0 - 0.5 / 5000.0,
        hammer_v: 0.0,
        dissipated: 0.0,
        work: 0.0,
        compensation: DynamicsCompensation {
            mass: 0.0,
            weight: 0.0,
            friction: 0.0,
            has_bed: false,
        },
        stiffness: 1.0,
    };

    /// A lever of 50 g and a wall of 20 kN/m and 10 N·s/m at 5 mm; chosen.
    pub const WALL: Self = Self {
        head: 0.0,
        weight: 0.0,
        bed: Stop { depth: 5e-3, stiffness: 20_000.0, damping: 10.0 },
        x: 0.0,
        hammer_x: 0.0,
        ..Self::BENCH
    };

    /// One integration step under the force `drive`, N.
    fn substep(&mut self, drive: f64, impedance: f64) {
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

    /// Force on the lever against downward motion, N; force on the hammer, N, positive down; dissipated
    /// power, W.
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

    /// Kinetic and potential energy, J.
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

    /// The load with its lever at `x`, m, and its hammer at `hammer_x`, m.
    #[must_use]
    pub const fn at(self, x: f64, hammer_x: f64) -> Self {
        Self { x, hammer_x, ..self }
    }

    /// The load before settings and compensation.
    const fn own(&self) -> &'static Self {
        if self.head > 0.0 { &Self::BENCH } else { &Self::WALL }
    }

    /// Applies settings and compensation to mass and bed. A wall is the rendered object and stays.
    fn refresh(&mut self) {
        let own = self.own();
        let has_no_bed = self.compensation.has_bed && self.head > 0.0;
        self.mass = (own.mass - self.compensation.mass).max(MIN_MASS);
        self.bed.stiffness = if has_no_bed { 0.0 } else { own.bed.stiffness * self.stiffness };
    }
}

impl Key for BenchLoad {
    /// Accepts a force, or a force and an impedance; other drives give no force.
    fn step(&mut self, drive: Drive, on_event: &mut OnEvent<'_>) {
        let (force, impedance) = force_and_impedance(drive);
        for substep in 0..SUBSTEPS {
            let before = self.hammer_x;
            self.substep(force, impedance);
            let string = self.string.depth;
            if self.head > 0.0 && before < string && self.hammer_x >= string {
                let share = (string - before) / (self.hammer_x - before);
                on_event(
                    (f64::from(substep) + share) * H,
                    KeyEvent::Strike { speed: self.hammer_v },
                );
            }
        }
    }

    fn readout(&self, drive: Drive) -> Readout {
        let (force, impedance) = force_and_impedance(drive);
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

    /// Stored energy plus dissipated energy, J.
    fn work(&self) -> f64 {
        self.energy() + self.dissipated
    }

    fn reset_to_rest(&mut self) {
        let rest = self.own();
        (self.x, self.v) = (rest.x, rest.v);
        (self.hammer_x, self.hammer_v) = (rest.hammer_x, rest.hammer_v);
        (self.dissipated, self.work) = (0.0, 0.0);
    }

    /// A lever without hammer has no weight and stands anywhere between its stops.
    fn shift(&mut self, depth: f64) -> bool {
        let is_free = self.head == 0.0 && (REST.depth..=self.bed.depth).contains(&self.x);
        let before = self.x;
        if is_free {
            self.x = depth.clamp(REST.depth, self.bed.depth);
        }
        self.x != before
    }

    fn save(&self) -> SavedState {
        SavedState::new(0, &[self.x, self.v, self.hammer_x, self.hammer_v, self.dissipated])
    }

    fn adopt(&mut self, saved: &SavedState) {
        [self.x, self.v, self.hammer_x, self.hammer_v, self.dissipated] = saved.states();
    }

    /// A lever of equal arms, so that the hammer's end moves as fast as the front.
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

    /// Applies the stiffness of the bed, the only setting of a load.
    fn regulate(&mut self, settings: &ActionSettings) -> f64 {
        let before = self.energy();
        self.stiffness = settings.key_bed_stiffness;
        self.refresh();
        self.energy() - before
    }

    /// Deducts the mass, and the bed of a load with a hammer.
    fn compensate(&mut self, compensation: &DynamicsCompensation) -> DynamicsCompensation {
        self.compensation = *compensation;
        self.refresh();
        DynamicsCompensation {
            mass: compensation.mass - (self.own().mass - self.mass),
            ..*compensation
        }
    }
}

/// Force, N, and impedance, N·s/m, of a drive.
pub(crate) fn force_and_impedance(drive: Drive) -> (f64, f64) {
    match drive {
        Drive::Wave { force, impedance } => (force, impedance),
        Drive::Force([a, b]) => (0.5 * (a + b), 0.0),
        Drive::Free | Drive::Finger(_) | Drive::Motion { .. } | Drive::Manipulandum(_) => {
            (0.0, 0.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_energy_balance_of_a_driven_lever_closes() {
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
