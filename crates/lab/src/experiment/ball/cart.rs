//! A pendulum on a cart that collides with walls, an object of the simulator of 1993 [Gillespie and Cutkosky 1993, §3].
//!
//! Cart of mass M at x, on it a pendulum of mass m and length l at the angle q from below; the walls are springs k at
//! x = ± a, each a submodel:
//!
//! (M + m) ẍ + m l (q̈ cos q − q̇² sin q) = F(x),   l q̈ + ẍ cos q + g sin q = 0

use std::f64::consts::{PI, TAU};

use touchback_action::GRAVITY;
use touchback_core::episode::{Model, Observer, State, Stepper};
use touchback_core::math::power::square;
use touchback_offline::bench::{Report, TargetBand};

/// Masses, kg, length, m, distance of the walls from the middle, m, and their stiffness, N/m (chosen: by hand on a table).
struct Cart {
    mass: f64,
    bob: f64,
    length: f64,
    walls: f64,
    stiffness: f64,
}

const CART: Cart = Cart { mass: 0.5, bob: 0.2, length: 0.3, walls: 0.1, stiffness: 2000.0 };

/// States: position and speed of the cart, angle and angular speed of the pendulum.
const STATES: usize = 4;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Between,
    Left,
    Right,
}

impl Cart {
    /// Force of the wall on the cart, N.
    fn push(&self, phase: Phase, x: f64) -> f64 {
        match phase {
            Phase::Between => 0.0,
            Phase::Left => -self.stiffness * (x + self.walls),
            Phase::Right => -self.stiffness * (x - self.walls),
        }
    }

    fn momentum(&self, [_, v, q, w]: [f64; STATES]) -> f64 {
        (self.mass + self.bob) * v + self.bob * self.length * w * libm::cos(q)
    }

    fn energy(&self, phase: Phase, [x, v, q, w]: [f64; STATES]) -> f64 {
        let (sin, cos) = libm::sincos(q);
        let turning = self.length * w;
        let bob = square(v + turning * cos) + square(turning * sin);
        0.5 * (self.mass * v * v + self.bob * bob + square(self.push(phase, x)) / self.stiffness)
            - self.bob * GRAVITY * self.length * cos
    }
}

impl Model<STATES, 2, 1> for Cart {
    type Input = ();
    type Phase = Phase;
    type Held = ();

    fn rates(&self, phase: Phase, (): &(), (): &(), x: &[f64; STATES]) -> [f64; STATES] {
        let [at, v, q, w] = *x;
        let (sin, cos) = libm::sincos(q);
        let swing = self.bob * sin * (self.length * w * w + GRAVITY * cos);
        let a = (self.push(phase, at) + swing) / (self.mass + self.bob * sin * sin);
        [v, a, w, -(a * cos + GRAVITY * sin) / self.length]
    }

    fn event_functions(&self, phase: Phase, (): &(), x: &[f64; STATES]) -> ([f64; 2], [f64; 1]) {
        let (left, right) = (self.walls + x[0], self.walls - x[0]);
        let indicators = match phase {
            Phase::Between => [left, right],
            Phase::Left => [-left, f64::INFINITY],
            Phase::Right => [-right, f64::INFINITY],
        };
        (indicators, [x[2]])
    }

    fn transition(&self, phase: Phase, index: usize, (): &(), _: &mut [f64; STATES]) -> Phase {
        match (phase, index) {
            (Phase::Between, 0) => Phase::Left,
            (Phase::Between, _) => Phase::Right,
            _ => Phase::Between,
        }
    }

    fn hold(&self, _: Phase, (): &(), _: &[f64; STATES], _: f64) {}
}

/// Times of the collisions' begins, and of the pendulum's rises through the vertical, s.
#[derive(Default)]
struct Times {
    now: f64,
    collisions: Vec<f64>,
    rises: Vec<f64>,
}

impl Observer<Phase, STATES> for Times {
    fn transition(&mut self, t: f64, _: Phase, to: Phase, _: &[f64; STATES], _: &[f64; STATES]) {
        if to != Phase::Between {
            self.collisions.push(self.now + t);
        }
    }
    fn guard(&mut self, t: f64, _: usize, rising: bool, _: &[f64; STATES]) {
        if rising {
            self.rises.push(self.now + t);
        }
    }
}

/// Runs `cart` from `x` for 10 s; the times, and the largest errors of energy, relative, and of momentum between the
/// walls, kg·m/s.
fn run(cart: &Cart, x: [f64; STATES]) -> (Times, [f64; 2]) {
    const STEP: f64 = 5e-4;
    let stepper = Stepper { exact_events: true, ..Stepper::new(STEP) };
    let (mut state, mut times) = (State { phase: Phase::Between, x }, Times::default());
    let (energy, mut errors) = (cart.energy(state.phase, x), [0.0f64; 2]);
    let mut momentum = (0, cart.momentum(x));
    for step in 0..20_000u32 {
        times.now = f64::from(step) * STEP;
        stepper.advance(cart, &mut state, &[(); 2], &mut times);
        let off = cart.energy(state.phase, state.x) / energy - 1.0;
        errors[0] = errors[0].max(off.abs());
        let now = (times.collisions.len(), cart.momentum(state.x));
        if state.phase == Phase::Between && now.0 == momentum.0 {
            errors[1] = errors[1].max((now.1 - momentum.1).abs());
        } else {
            momentum = if state.phase == Phase::Between { now } else { (usize::MAX, 0.0) };
        }
    }
    (times, errors)
}

/// Adds the rows.
pub(super) fn check(report: &mut Report) {
    report.source("003 §3 (pendulum on a cart, colliding with walls)");
    let error = |times: &[f64], period: f64| {
        let apart = times.windows(2).map(|pair| (pair[1] - pair[0] - period).abs());
        apart.fold(0.0, f64::max)
    };
    let swing = run(&CART, [0.0, 0.0, 1e-4, 0.0]).0;
    let share = CART.mass / (CART.mass + CART.bob);
    let period = TAU * (CART.length / GRAVITY * share).sqrt();
    let quantity = "cart: period of a small swing on a free cart less 2π √(l M/((M + m) g)), s";
    report.check(quantity, "0", TargetBand::AtMost(1e-8), error(&swing.rises, period));
    // A bob that hangs straight on a cart without its weight in the motion: flights and half oscillations.
    let speed = 0.4;
    let (alone, _) = run(&Cart { bob: 0.0, ..CART }, [0.0, speed, 0.0, 0.0]);
    let half = 2.0 * CART.walls / speed + PI * (CART.mass / CART.stiffness).sqrt();
    let quantity = "cart alone: time between collisions less 2a/v + π √(M/k), s";
    report.check(quantity, "0", TargetBand::AtMost(1e-8), error(&alone.collisions, half));
    let (times, [energy, momentum]) = run(&CART, [0.0, speed, 1.0, 0.0]);
    let collisions = times.collisions.len() as f64;
    report.check("cart: collisions in 10 s", "many", TargetBand::AtLeast(10.0), collisions);
    report.check("cart: relative error of the energy", "0", TargetBand::AtMost(1e-7), energy);
    let quantity = "cart: change of the horizontal momentum between the walls, kg·m/s";
    report.check(quantity, "0", TargetBand::AtMost(1e-9), momentum);
}
