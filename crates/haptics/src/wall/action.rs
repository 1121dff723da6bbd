//! The walls of [`crate::wall::sampled::controller`] as haptic actions: a lever and a sampled wall.
//!
//! The wall is sampled once per action step, or in a whole number of them, and its force held until the next, as a
//! keyboard without a wave junction would render it. [`BenchLoad::WALL`] is the same wall in continuous time. The controllers are
//! designed for the lever alone, because finger and line are unknown here. The learning wall is left out,
//! because the log of a twin has no room for its memory.

use crate::keyboard::bench_load::{BenchLoad, force_and_impedance};
use crate::keyboard::plant::Stop;
use crate::wall::sampled::controller::{
    Bed, Controller, Deadbeat, Hysteresis, Measurement, Placement, Prediction, Standard,
};
use crate::wall::sampled::plant::Plant;
use touchback_action::interface::key::{DynamicsCompensation, Key, LIGHTEST, OnEvent, SavedState};
use touchback_action::interface::pose::Pose;
use touchback_action::{Drive, Readout, STEP};
use touchback_core::math::cast::count;

/// Depth, m, of [`BenchLoad::WALL`].
const DEPTH: f64 = BenchLoad::WALL.bed.depth;
/// Share by which hysteresis reduces the force on the way out; chosen.
const LOSS: f64 = 0.3;

/// Kind of a sampled wall.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WallKind {
    /// A sampled spring.
    Standard,
    /// A sampled spring and damper.
    Damped,
    /// A sampled spring, softer on the way out.
    Hysteresis,
    /// A sampled spring whose force is predicted half a sample ahead.
    Prediction,
    /// Poles placed in the digital domain, damped.
    Placement,
    /// Compensation of threshold crossings between samples.
    Deadbeat,
}

impl WallKind {
    /// All kinds.
    pub const ALL: [Self; 6] = [
        Self::Standard,
        Self::Damped,
        Self::Hysteresis,
        Self::Prediction,
        Self::Placement,
        Self::Deadbeat,
    ];

    /// Name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Standard => "wall-standard",
            Self::Damped => "wall-damped",
            Self::Hysteresis => "wall-hysteresis",
            Self::Prediction => "wall-prediction",
            Self::Placement => "wall-placed",
            Self::Deadbeat => "wall-deadbeat",
        }
    }
}

/// Stiffness, damping and sample period of a sampled wall.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WallNumbers {
    /// N/m.
    stiffness: u32,
    /// Damping of the walls that have one, mN·s/m.
    damping: u32,
    /// Sample period in action steps.
    steps: u32,
}

impl Default for WallNumbers {
    fn default() -> Self {
        Self::USUAL
    }
}

impl std::fmt::Display for WallNumbers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "k={},b={},t={}", self.k(), self.b(), self.period())
    }
}

impl std::str::FromStr for WallNumbers {
    type Err = String;

    /// Reads `k=2000,b=0,t=0.001`, each of them optional.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut numbers = Self::default();
        for word in text.split(',') {
            let wrong = || format!("`{word}`: a wall has k=N/m, b=N·s/m and t=s");
            let (id, value) = word.split_once('=').ok_or_else(wrong)?;
            let value: f64 = value.trim().parse().map_err(|_| wrong())?;
            let within = |least: f64, most: f64, unit: f64| {
                let is_in = (least..=most).contains(&value);
                is_in
                    .then(|| count((value / unit).round()))
                    .ok_or_else(|| format!("{} = {value}: between {least} and {most}", id.trim()))
            };
            match id.trim() {
                "k" => numbers.stiffness = within(1.0, 1e5, 1.0)?,
                "b" => numbers.damping = within(0.0, 100.0, 1e-3)?,
                "t" => numbers.steps = within(STEP, 0.05, STEP)?,
                _ => return Err(wrong()),
            }
        }
        Ok(numbers)
    }
}

impl WallNumbers {
    /// Those of [`BenchLoad::WALL`], sampled at every action step.
    pub const USUAL: Self = Self { stiffness: 20_000, damping: 10_000, steps: 1 };

    /// Stiffness, N/m.
    fn k(self) -> f64 {
        f64::from(self.stiffness)
    }

    /// Damping, N·s/m.
    fn b(self) -> f64 {
        f64::from(self.damping) * 1e-3
    }

    /// Sample period, s.
    fn period(self) -> f64 {
        f64::from(self.steps) * STEP
    }
}

/// A wall of one kind.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::large_enum_variant, reason = "one per key, and a copy must not allocate")]
enum Wall {
    Standard(Standard),
    Hysteresis(Hysteresis),
    Prediction(Prediction),
    Placement(Placement),
    Deadbeat(Deadbeat),
}

impl Wall {
    fn new(kind: WallKind, numbers: WallNumbers, mass: f64) -> Self {
        let plant = Plant { mass, damping: 0.0, stiffness: 0.0, bias: 0.0 };
        let (stiffness, damping, period) = (numbers.k(), numbers.b(), numbers.period());
        let spring = Self::Standard(Standard { stiffness, damping: 0.0 });
        match kind {
            WallKind::Standard => spring,
            WallKind::Damped => Self::Standard(Standard { stiffness, damping }),
            WallKind::Hysteresis => Self::Hysteresis(Hysteresis { stiffness, loss: LOSS }),
            WallKind::Prediction => {
                Self::Prediction(Prediction::new(&plant, stiffness, 0.0, period, 0.0))
            }
            // Gains that cannot be computed for this period leave the spring.
            WallKind::Placement => {
                Placement::new(&plant, stiffness, damping, period).map_or(spring, Self::Placement)
            }
            WallKind::Deadbeat => {
                Deadbeat::new(&plant, stiffness, 0.0, period).map_or(spring, Self::Deadbeat)
            }
        }
    }
}

impl Controller for Wall {
    fn force(&mut self, now: Measurement) -> f64 {
        match self {
            Self::Standard(wall) => wall.force(now),
            Self::Hysteresis(wall) => wall.force(now),
            Self::Prediction(wall) => wall.force(now),
            Self::Placement(wall) => wall.force(now),
            Self::Deadbeat(wall) => wall.force(now),
        }
    }

    fn reset(&mut self) {
        if let Self::Deadbeat(wall) = self {
            wall.reset();
        }
    }
}

/// A lever and a sampled wall.
#[derive(Clone, Copy, Debug)]
pub struct Walled {
    kind: WallKind,
    numbers: WallNumbers,
    lever: BenchLoad,
    wall: Bed<Wall>,
    /// Force of the wall over the last step, N, positive against downward motion.
    force: f64,
    /// Steps for which it is still held.
    left: u32,
    /// Work that the wall has taken from the lever since the start, J.
    work: f64,
}

impl Walled {
    /// A lever at rest and a wall of `kind`.
    #[must_use]
    pub fn new(kind: WallKind, numbers: WallNumbers) -> Self {
        let mut lever = BenchLoad::WALL;
        lever.bed = Stop::default();
        let wall = Bed { wall: Wall::new(kind, numbers, lever.mass), depth: DEPTH };
        Self { kind, numbers, lever, wall, force: 0.0, left: 0, work: 0.0 }
    }
}

impl Key for Walled {
    fn step(&mut self, drive: Drive, on_event: &mut OnEvent<'_>) {
        let now = Measurement { position: self.lever.x, velocity: self.lever.v };
        if self.left == 0 {
            self.force = self.wall.force(now);
            self.left = self.numbers.steps;
        }
        self.left -= 1;
        let (force, impedance) = force_and_impedance(drive);
        self.lever.step(Drive::Wave { force: force - self.force, impedance }, on_event);
        // The drive of the lever includes the force of the wall, whose work is counted apart.
        self.work += self.force * (self.lever.x - now.position);
    }

    fn readout(&self, drive: Drive) -> Readout {
        Readout {
            phase: if self.lever.x > DEPTH { "wall" } else { "air" },
            contact_force: self.force,
            work: self.work(),
            dissipated: f64::NAN,
            ..self.lever.readout(drive)
        }
    }

    fn front(&self) -> [f64; 2] {
        self.lever.front()
    }

    fn fastest(&self) -> f64 {
        self.lever.fastest()
    }

    fn work(&self) -> f64 {
        self.lever.work + self.work
    }

    fn reset_to_rest(&mut self) {
        self.lever.reset_to_rest();
        self.wall.reset();
        (self.force, self.left, self.work) = (0.0, 0, 0.0);
    }

    /// The lever's own bed is the wall, which it may touch in its surface.
    fn shift(&mut self, depth: f64) -> bool {
        let mut free = BenchLoad::WALL.at(self.lever.x, 0.0);
        let has_moved = free.shift(depth);
        if has_moved {
            self.lever.x = free.x;
            self.wall.reset();
        }
        has_moved
    }

    fn save(&self) -> SavedState {
        let mut saved = SavedState::default();
        [saved.x[0], saved.x[1]] = [self.lever.x, self.lever.v];
        [saved.x[10], saved.x[11]] = [self.force, f64::from(self.left)];
        if let Wall::Deadbeat(wall) = &self.wall.wall {
            let (kind, memory) = wall.memory();
            saved.phase = kind;
            saved.x[2..2 + memory.len()].copy_from_slice(&memory);
        }
        saved
    }

    fn adopt(&mut self, saved: &SavedState) {
        [self.lever.x, self.lever.v] = [saved.x[0], saved.x[1]];
        (self.force, self.left) = (saved.x[10], count(saved.x[11]).min(self.numbers.steps));
        if let Wall::Deadbeat(wall) = &mut self.wall.wall {
            wall.recall(saved.phase, std::array::from_fn(|i| saved.x[i + 2]));
        }
    }

    fn pose(&self) -> Pose {
        BenchLoad::WALL.at(self.lever.x, 0.0).pose()
    }

    fn duplicate(&self) -> Box<dyn Key> {
        Box::new(*self)
    }

    /// Deducts the mass alone: the wall is the rendered object and not a bed.
    fn compensate(&mut self, compensation: &DynamicsCompensation) -> DynamicsCompensation {
        let own = BenchLoad::WALL.mass;
        self.lever.mass = (own - compensation.mass).max(LIGHTEST);
        self.wall.wall = Wall::new(self.kind, self.numbers, self.lever.mass);
        DynamicsCompensation { mass: compensation.mass - (own - self.lever.mass), ..*compensation }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A finger's force through a junction: 3 N with a tremor.
    fn push(i: u32) -> Drive {
        Drive::Wave { force: 3.0 + (0.11 * f64::from(i)).sin(), impedance: 2.0 }
    }

    #[test]
    fn a_key_that_adopts_a_state_continues_bit_for_bit() {
        for (kind, steps) in WallKind::ALL.into_iter().flat_map(|kind| [(kind, 1), (kind, 8)]) {
            let new = || Walled::new(kind, WallNumbers { steps, ..WallNumbers::default() });
            let mut first = new();
            let mut deepest = 0.0f64;
            for i in 0..3000 {
                first.step(push(i), &mut |_, _| {});
                deepest = deepest.max(first.lever.x);
                if i % 97 == 0 {
                    let mut second = new();
                    second.adopt(&first.save());
                    let mut copy = first;
                    for j in i + 1..i + 200 {
                        copy.step(push(j), &mut |_, _| {});
                        second.step(push(j), &mut |_, _| {});
                        assert_eq!(copy.save(), second.save(), "{kind:?} {i} {j}");
                    }
                }
            }
            assert!(deepest > DEPTH, "{kind:?} never reached the wall");
        }
    }

    /// A held finger shakes on a sampled spring where K T/2 exceeds the damping, here 30 N·s/m over 20, and not on a
    /// shorter period.
    #[test]
    fn a_long_period_shakes_a_held_lever() {
        let unrest = |t: &str| {
            let numbers = format!("k=3000,b=0,t={t}").parse().unwrap();
            let mut walled = Walled::new(WallKind::Standard, numbers);
            let (mut low, mut high) = (f64::MAX, f64::MIN);
            for i in 0..16_000 {
                walled.step(Drive::Wave { force: 3.0, impedance: 20.0 }, &mut |_, _| {});
                if i > 12_000 {
                    (low, high) = (low.min(walled.lever.x), high.max(walled.lever.x));
                }
            }
            high - low
        };
        let (short, long) = (unrest("0.002"), unrest("0.02"));
        assert!(short < 1e-6 && long > 0.5e-3, "{short} m, {long} m");
    }

    #[test]
    fn numbers_are_read_as_they_are_written_and_others_refused() {
        let numbers: WallNumbers = "k=2000,b=0.5,t=0.002".parse().unwrap();
        assert_eq!(numbers, WallNumbers { stiffness: 2000, damping: 500, steps: 16 });
        assert_eq!(numbers.to_string().parse(), Ok(numbers));
        assert_eq!("t=0.001".parse(), Ok(WallNumbers { steps: 8, ..WallNumbers::default() }));
        for (text, part) in
            [("k=0", "between 1 and"), ("t=1", "between"), ("m=3", "N/m"), ("k", "N/m")]
        {
            let error = text.parse::<WallNumbers>().unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn a_damped_lever_comes_to_rest_in_the_wall() {
        for kind in WallKind::ALL {
            let mut walled = Walled::new(kind, WallNumbers::default());
            for _ in 0..16_000 {
                walled.step(Drive::Wave { force: 3.0, impedance: 20.0 }, &mut |_, _| {});
            }
            let depth = walled.lever.x - DEPTH;
            // Controllers without model of bias and damper err, by less than a factor of 2 in stiffness.
            assert!(depth > 0.0 && depth < 2.0 * 3.0 / 20_000.0, "{kind:?}: {depth} m");
            assert!(walled.lever.v.abs() < 1e-3, "{kind:?}: {} m/s", walled.lever.v);
        }
    }
}
