//! Compensation of threshold crossings between samples by deadbeat control at the end of a visit.
//!
//! [Gillespie 1996, §5.4.3]. At t_m, the first sample inside, the time of entry follows from the last sample
//! outside and the free motion. The motion on a real wall gives the exit, and the state x_d at t_n, the first
//! sample after the exit. Two forces, at t_{n−2} and t_{n−1}, bring the sampled plant to x_d:
//! [u_{n−1}; u_{n−2}] = C⁻¹(x_d − Φ²x), C = [Γ ΦΓ] (the thesis prints the forces in the other order). Earlier
//! samples use placed poles.
//!
//! A visit too short for two samples (n < m + 2) has one force for two states. As a fallback the two forces
//! begin at t_m and reach the real motion at t_{m+2}, after the flight from the exit (and the next visit, if the
//! flight is short, too). Where the real motion stays inside, or switches more than `SWITCHES` times before
//! t_{m+2}, placed poles are used. Each fallback is counted.

use nalgebra::{Matrix2, RowVector2, Vector1, Vector2};

use super::{Controller, Measurement, Placement};
use crate::wall::sampled::plant::{Motion, Plant};
use touchback_core::episode::exact::Discrete;
use touchback_core::math::cast::floor_index;
use touchback_core::math::power::square;

/// Numbers of visits by treatment since reset.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Visits {
    /// Led to the state of the real wall by two forces.
    pub exact: u32,
    /// Too short; led to the real motion one period later.
    pub short: u32,
    /// Entered without a preceding sample outside, or with one that contradicts the model.
    pub unseen: u32,
    /// Controlled by placed poles: no end was found, or the plant deviated from the plan.
    pub placed: u32,
}

/// The present visit.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Visit {
    Outside,
    Planned(Plan),
    Placed,
}

/// Plan of a visit's end.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Plan {
    /// Samples until t_n.
    left: u32,
    /// State x_d at t_n.
    desired: Motion,
    /// State expected at t_{n−2}.
    expected: Motion,
    /// M v² + K x² at t_m, J.
    size: f64,
}

/// Largest number of switches of the real motion in the plan of a short visit.
const SWITCHES: u32 = 8;

/// A wall that compensates switching between samples.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Deadbeat {
    plant: Plant,
    target: Plant,
    period: f64,
    step: Discrete<2, 1>,
    twice: Matrix2<f64>,
    /// Inverse of the controllability matrix over two samples, which maps a state error to the last two forces.
    reach: Matrix2<f64>,
    placed: Placement,
    before: Option<Motion>,
    visit: Visit,
    visits: Visits,
}

/// Longest planned visit, samples; longer ones are controlled by placed poles.
const MAX_SAMPLES: f64 = 1e6;

/// Deviation from the plan, as a share of the visit's amplitude, beyond which the last two forces are not used,
/// because they would throw a finger that has moved by itself. Chosen.
const MAX_DEVIATION: f64 = 0.25;

impl Deadbeat {
    /// A wall of `stiffness`, N/m, and `damping`, N·s/m, for `plant` at the sample period `period`, s; `None` if the
    /// plant is not controllable at this period.
    #[must_use]
    pub fn new(plant: &Plant, stiffness: f64, damping: f64, period: f64) -> Option<Self> {
        let step = plant.discrete(period);
        let reach = Matrix2::from_columns(&[step.gamma, step.phi * step.gamma]).try_inverse()?;
        let placed = Placement::new(plant, stiffness, damping, period)?;
        Some(Self {
            plant: *plant,
            target: plant.on(stiffness, damping),
            period,
            step,
            twice: step.phi * step.phi,
            reach,
            placed: placed.about_rest(plant, stiffness),
            before: None,
            visit: Visit::Outside,
            visits: Visits::default(),
        })
    }

    /// State between samples, without the counts: a code of the visit and of the last sample's side, and finite
    /// numbers.
    #[must_use]
    pub fn memory(&self) -> (u8, [f64; 8]) {
        let mut memory = [0.0; 8];
        let kind = match &self.visit {
            Visit::Outside => 0,
            Visit::Placed => 1,
            Visit::Planned(plan) => {
                memory[2] = f64::from(plan.left);
                memory[3..5].copy_from_slice(&plan.desired);
                memory[5..7].copy_from_slice(&plan.expected);
                memory[7] = plan.size;
                2
            }
        };
        if let Some(before) = self.before {
            memory[..2].copy_from_slice(&before);
        }
        (kind + 4 * u8::from(self.before.is_some()), memory)
    }

    /// Restores a state from [`Deadbeat::memory`]; an invalid code gives a plant outside.
    pub fn recall(&mut self, kind: u8, memory: [f64; 8]) {
        let [x, v, left, d0, d1, e0, e1, size] = memory;
        self.before = (kind & 4 != 0).then_some([x, v]);
        self.visit = match kind & 3 {
            1 => Visit::Placed,
            2 => Visit::Planned(Plan {
                left: u32::try_from(floor_index(left)).unwrap_or(0),
                desired: [d0, d1],
                expected: [e0, e1],
                size,
            }),
            _ => Visit::Outside,
        };
    }

    /// Numbers of visits by treatment since reset.
    #[must_use]
    pub const fn visits(&self) -> Visits {
        self.visits
    }

    /// Plans the visit whose first sample inside is `now`.
    fn plan(&mut self, now: Motion) -> Visit {
        let entry = self
            .before
            .and_then(|x| self.plant.lands(x, self.period).map(|t| (self.plant.after(x, t), t)));
        let (start, ago) = entry.map_or_else(
            || {
                self.visits.unseen += 1;
                (now, 0.0)
            },
            // The crossing is at exactly 0, so that rounding does not decide the side.
            |([_, v], t)| ([0.0, v], self.period - t),
        );
        let Some(stay) = self.target.leaves(start) else {
            self.visits.placed += 1;
            return Visit::Placed;
        };
        let exit = [0.0, self.target.after(start, stay)[1]];
        // Samples from t_m to the first after the exit.
        let samples = ((stay - ago) / self.period).ceil();
        if samples >= MAX_SAMPLES {
            self.visits.placed += 1;
            return Visit::Placed;
        }
        let size = self.target.mass * now[1] * now[1] + self.target.stiffness * now[0] * now[0];
        if samples >= 2.0 {
            self.visits.exact += 1;
            let n =
                u32::try_from(touchback_core::math::cast::floor_index(samples)).unwrap_or(u32::MAX);
            let desired = self.plant.after(exit, samples * self.period - (stay - ago));
            let expected = self.target.after(now, f64::from(n - 2) * self.period);
            return Visit::Planned(Plan { left: n, desired, expected, size });
        }
        let Some(desired) = self.real(exit, 2.0 * self.period - (stay - ago)) else {
            self.visits.placed += 1;
            return Visit::Placed;
        };
        self.visits.short += 1;
        Visit::Planned(Plan { left: 2, desired, expected: now, size })
    }

    /// The real motion `time`, s, after leaving the wall in the state `exit`; `None` if the motion switches too
    /// often.
    fn real(&self, exit: Motion, mut time: f64) -> Option<Motion> {
        let mut leaving = exit;
        for _ in 0..SWITCHES {
            // Just outside, so that the next landing is found.
            let before = [-f64::MIN_POSITIVE, leaving[1]];
            let Some(flight) = self.plant.lands(before, time) else {
                return Some(self.plant.after(leaving, time));
            };
            time -= flight;
            let entry = [0.0, self.plant.after(leaving, flight)[1]];
            match self.target.leaves(entry) {
                Some(stay) if stay < time => {
                    time -= stay;
                    leaving = [0.0, self.target.after(entry, stay)[1]];
                }
                _ => return Some(self.target.after(entry, time)),
            }
        }
        None
    }

    /// The two forces along +x, N, in the order of their use, that bring `now` to `desired`.
    fn forces(&self, now: Motion, desired: Motion) -> [f64; 2] {
        let biased = self.twice * Vector2::from(now)
            + (self.step.phi * self.step.gamma + self.step.gamma) * self.plant.bias;
        let u = self.reach * (Vector2::from(desired) - biased);
        [u[1], u[0]]
    }

    /// The force along +x, N, that brings `now` nearest to `desired` in one sample: the second force on the
    /// planned path, else (noise, an unmodelled push) the least-squares solution, with lengths weighted by the
    /// period.
    fn last(&self, now: Motion, desired: Motion) -> f64 {
        let free = self.step.step(&Vector2::from(now), &Vector1::new(self.plant.bias));
        let gain = self.step.gamma;
        let weight = RowVector2::new(gain[0] / square(self.period), gain[1]);
        (weight * (Vector2::from(desired) - free))[0] / (weight * gain)[0]
    }

    /// The deviation of the plant from the plan is too large for the two forces.
    fn is_off_plan(&self, now: Motion, plan: &Plan) -> bool {
        let size = |[x, v]: Motion| self.target.mass * v * v + self.target.stiffness * x * x;
        let off = [now[0] - plan.expected[0], now[1] - plan.expected[1]];
        size(off) > MAX_DEVIATION * MAX_DEVIATION * plan.size
    }
}

impl Controller for Deadbeat {
    fn force(&mut self, now: Measurement) -> f64 {
        let x = [now.position, now.velocity];
        let is_outside = now.position <= 0.0;
        let ended = match &self.visit {
            Visit::Outside => true,
            // Outside long before the end of the plan: the plant was pulled.
            Visit::Planned(plan) => plan.left == 0 || (is_outside && plan.left > 2),
            Visit::Placed => is_outside,
        };
        if ended {
            self.visit = if is_outside { Visit::Outside } else { self.plan(x) };
        }
        let mut force = 0.0;
        match self.visit {
            Visit::Outside => {}
            Visit::Placed => force = self.placed.inside(x),
            Visit::Planned(mut plan) => {
                let known = match plan.left {
                    1 => Some(self.last(x, plan.desired)),
                    2 => (!self.is_off_plan(x, &plan)).then(|| self.forces(x, plan.desired)[0]),
                    _ => Some(-self.placed.inside(x)),
                };
                plan.left -= 1;
                self.visit = Visit::Planned(plan);
                force = known.map_or_else(
                    || {
                        self.visits.placed += 1;
                        self.visit = Visit::Placed;
                        self.placed.inside(x)
                    },
                    |u| -u,
                );
            }
        }
        self.before = (now.position <= 0.0).then_some(x);
        force
    }

    fn reset(&mut self) {
        self.before = None;
        self.visit = Visit::Outside;
        self.visits = Visits::default();
    }
}
