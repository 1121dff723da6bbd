//! The sampled loop: plant in continuous time, encoder, controller, delay, zero-order hold.
//!
//! [Gillespie 1996, fig. 5.1, 5.7]. Between samples the plant moves exactly under the held force.

use nalgebra::{Vector1, Vector2};
use touchback_core::exchange::cancel;

use touchback_core::math::power::square;
use touchback_haptics::wall::sampled::controller::{Controller, Measurement};
use touchback_haptics::wall::sampled::plant::{Motion, Plant};

/// Source of the controller's velocity.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Speed {
    /// The plant's true velocity.
    True,
    /// Backward difference of the measured positions.
    Difference,
    /// Backward difference through a first-order low-pass of this corner frequency, Hz.
    Filtered(f64),
}

/// A plant in a sampled loop.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SampledLoop {
    /// Manipulandum, finger and bias.
    pub plant: Plant,
    /// T, s.
    pub period: f64,
    /// Delay of the force, whole periods.
    pub delay: usize,
    /// Encoder count, m; 0 without an encoder.
    pub count: f64,
    /// Source of the velocity.
    pub speed: Speed,
}

/// One sample period.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LoopStep {
    /// Number of the period, from 0.
    pub index: usize,
    /// State of the plant at the period's start.
    pub state: Motion,
    /// State of the plant at the period's end.
    pub end: Motion,
    /// Force against +x, held over the period, N.
    pub force: f64,
}

impl LoopStep {
    /// Work of the plant on the wall, J; exact for a held force.
    #[must_use]
    pub fn work(&self) -> f64 {
        self.force * (self.end[0] - self.state[0])
    }
}

impl SampledLoop {
    /// A bench without delay, encoder or velocity estimate.
    #[must_use]
    pub const fn ideal(plant: Plant, period: f64) -> Self {
        Self { plant, period, delay: 0, count: 0.0, speed: Speed::True }
    }

    /// Runs `samples` periods from `start`; the first force is 0 unless `start` is inside the wall. `see` gets
    /// every period and ends the run by returning `false`.
    pub fn run(
        &self,
        wall: &mut dyn Controller,
        start: Motion,
        samples: usize,
        mut see: impl FnMut(&LoopStep) -> bool,
    ) {
        let step = self.plant.discrete(self.period);
        let measure = |x: f64| {
            if self.count > 0.0 { (x / self.count).ceil() * self.count } else { x }
        };
        let mut state = start;
        let mut last = measure(start[0]);
        let mut filtered = 0.0;
        let mut late = vec![0.0; self.delay];
        for index in 0..samples {
            cancel::check();
            let position = measure(state[0]);
            let difference = (position - last) / self.period;
            last = position;
            let velocity = match self.speed {
                Speed::True => state[1],
                Speed::Difference => difference,
                Speed::Filtered(corner) => {
                    let share = -libm::expm1(-std::f64::consts::TAU * corner * self.period);
                    filtered += share * (difference - filtered);
                    filtered
                }
            };
            let asked = wall.force(Measurement { position, velocity });
            let force = if late.is_empty() {
                asked
            } else {
                std::mem::replace(&mut late[index % self.delay], asked)
            };
            let x = step.step(&Vector2::from(state), &Vector1::new(self.plant.bias - force));
            let end = [x[0], x[1]];
            if !see(&LoopStep { index, state, end, force }) {
                return;
            }
            state = end;
        }
    }

    /// Peak-to-peak motion, m, in the last fifth of `samples` periods from `start` (infinite if the plant moved
    /// 1 m away), and the final state.
    pub fn swing(&self, wall: &mut dyn Controller, start: Motion, samples: usize) -> (f64, Motion) {
        let (mut span, mut end) = ((f64::MAX, f64::MIN), start);
        self.run(wall, start, samples, |tick| {
            end = tick.end;
            if tick.index >= samples - samples / 5 {
                span = (span.0.min(end[0]), span.1.max(end[0]));
            }
            end[0].abs() < 1.0
        });
        (if end[0].abs() < 1.0 { span.1 - span.0 } else { f64::INFINITY }, end)
    }

    /// Largest distances from the wall between contacts in a run of `samples` periods, m, in closed form from
    /// the energy of the free flights (for a [`Plant::ball`] only).
    pub fn apexes(&self, wall: &mut dyn Controller, start: Motion, samples: usize) -> Vec<f64> {
        let g = self.plant.bias / self.plant.mass;
        let mut found = Vec::new();
        self.run(wall, start, samples, |tick| {
            if tick.force == 0.0 && tick.state[1] < 0.0 && tick.end[1] >= 0.0 {
                found.push(square(tick.state[1]) / (2.0 * g) - tick.state[0]);
            }
            true
        });
        found
    }

    /// Net work of the wall on the plant, J, for each contact: from the last sample before a force to the
    /// first sample without one.
    pub fn visits(&self, wall: &mut dyn Controller, start: Motion, samples: usize) -> Vec<f64> {
        let mut found = Vec::new();
        let mut open: Option<f64> = None;
        self.run(wall, start, samples, |tick| {
            if tick.force != 0.0 {
                *open.get_or_insert(0.0) -= tick.work();
            } else if let Some(work) = open.take() {
                found.push(work);
            }
            true
        });
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_haptics::wall::sampled::controller::{
        Deadbeat, Hysteresis, Placement, Prediction, Standard,
    };

    /// The ball of [Gillespie 1996, table 5.2] as run here.
    const BALL: Plant = Plant::ball(1.0, 0.05);
    const T: f64 = 0.3;
    const TOP: Motion = [-1.0, 0.0];
    const K: f64 = 1.0;

    #[test]
    fn the_standard_wall_increases_the_height_at_every_bounce() {
        let bench = SampledLoop::ideal(BALL, T);
        let apexes = bench.apexes(&mut Standard { stiffness: K, damping: 0.0 }, TOP, 400);
        for (got, expected) in apexes.iter().zip([1.7723, 2.9687, 4.9569]) {
            assert!((got - expected).abs() < 5e-5, "{apexes:?}");
        }
        for work in bench.visits(&mut Standard { stiffness: K, damping: 0.0 }, TOP, 400) {
            assert!(work > 0.0);
        }
    }

    /// With the hold corrected, only late switching remains: the height varies without growing. The motion is
    /// chaotic (starts 10⁻¹³ m apart diverge within 30 bounces), so that the extremes of a long run depend on
    /// rounding; the first apexes and the bounds do not.
    #[test]
    fn prediction_and_placed_poles_leave_the_switching_error() {
        let bench = SampledLoop::ideal(BALL, T);
        let predicted = Prediction::new(&BALL, K, 0.0, T, 0.0);
        let placed = Placement::new(&BALL, K, 0.0, T).unwrap();
        let first =
            [[1.059641, 1.127675, 1.170626, 1.205569], [1.061698, 1.128764, 1.171111, 1.206155]];
        let walls: [&mut dyn Controller; 2] = [&mut { predicted }, &mut { placed }];
        for (wall, first) in walls.into_iter().zip(first) {
            for i in 0..16 {
                let start = [-(1.0 + f64::from(i) * 1e-13), 0.0];
                let apexes = bench.apexes(wall, start, 20_000);
                for (got, expected) in apexes.iter().zip(first) {
                    assert!((got - expected).abs() < 5.1e-7, "{:?}", &apexes[..4]);
                }
                assert!(apexes.len() > 200 && apexes.iter().all(|a| (0.02..5.0).contains(a)));
            }
        }
    }

    #[test]
    fn deadbeat_keeps_the_height_and_the_energy() {
        for (g, t) in [(0.05, 0.3), (1.0, 0.1)] {
            let ball = Plant::ball(1.0, g);
            let bench = SampledLoop::ideal(ball, t);
            let mut wall = Deadbeat::new(&ball, K, 0.0, t).unwrap();
            let apexes = bench.apexes(&mut wall, TOP, 20_000);
            assert!(apexes.len() > 200, "{}", apexes.len());
            let worst = apexes.iter().take(200).map(|x| (x - 1.0).abs()).fold(0.0, f64::max);
            assert!(worst < 1e-12, "{worst:e}");
            wall.reset();
            for work in bench.visits(&mut wall, TOP, 2000) {
                assert!(work.abs() < 1e-12, "{work:e}");
            }
        }
    }

    #[test]
    fn contacts_too_short_for_two_forces_keep_their_energy() {
        // Speeds and stiffnesses at which every contact lasts less than two periods.
        for stiffness in [4.0f64, 8.0, 9.5] {
            let ball = Plant::ball(1.0, 0.05);
            let bench = SampledLoop::ideal(ball, 1.0);
            let mut wall = Deadbeat::new(&ball, stiffness, 0.0, 1.0).unwrap();
            let apexes = bench.apexes(&mut wall, TOP, 5000);
            let worst = apexes.iter().map(|x| (x - 1.0).abs()).fold(0.0, f64::max);
            let visits = wall.visits();
            assert!(worst < 1e-9 && visits.short > 10, "{worst:e} {visits:?}");
        }
    }

    #[test]
    fn hysteresis_absorbs_energy_and_a_wrong_step_adds_some() {
        let bench = SampledLoop::ideal(BALL, 0.05);
        let loss = |loss| {
            let mut wall = Hysteresis { stiffness: K, loss };
            bench.visits(&mut wall, TOP, 2000)[0]
        };
        assert!(loss(0.0) > 0.0 && loss(0.5) < 0.0);
    }
}
