//! The manipulandum, with or without a finger: M ẍ + B ẋ + k x = F₀ − f.
//!
//! [Gillespie 1996, eqs. 5.3–5.11, 6.8, 6.9]. The finger is glued to the manipulandum, so that the system
//! remains of second order. f is the force of the wall against +x, held or absent; F₀ is a constant bias.

use nalgebra::{Matrix2, Vector2};
use touchback_core::episode::exact::Discrete;
use touchback_core::episode::locate::first_nonpositive;

/// Relative accuracy of a located crossing, a few rounding errors.
const TOLERANCE: f64 = 1e-15;

/// Position, m, and velocity, m/s.
pub type Motion = [f64; 2];

/// A finger or hand as a second-order impedance [Gillespie 1996, eq. 6.8].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FingerImpedance {
    /// m*, kg.
    pub mass: f64,
    /// b*, N·s/m.
    pub damping: f64,
    /// k*, N/m.
    pub stiffness: f64,
}

/// The finger of [Gillespie 1996, table of fig. 6.7].
pub const FINGER: FingerImpedance = FingerImpedance { mass: 0.02, damping: 3.75, stiffness: 257.0 };

/// A second-order system under a constant bias.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Plant {
    /// M, kg.
    pub mass: f64,
    /// B, N·s/m.
    pub damping: f64,
    /// k, N/m.
    pub stiffness: f64,
    /// F₀ along +x, N.
    pub bias: f64,
}

impl Plant {
    /// A free mass, kg, whose weight at the gravity `g`, m/s², pulls it to the wall.
    #[must_use]
    pub const fn ball(mass: f64, g: f64) -> Self {
        Self { mass, damping: 0.0, stiffness: 0.0, bias: mass * g }
    }

    /// The system with `finger` glued on, whose spring is relaxed at x = 0.
    #[must_use]
    pub const fn with(self, finger: FingerImpedance) -> Self {
        Self {
            mass: self.mass + finger.mass,
            damping: self.damping + finger.damping,
            stiffness: self.stiffness + finger.stiffness,
            bias: self.bias,
        }
    }

    /// The system attached to a wall of `stiffness`, N/m, and `damping`, N·s/m.
    #[must_use]
    pub const fn on(self, stiffness: f64, damping: f64) -> Self {
        Self { stiffness: self.stiffness + stiffness, damping: self.damping + damping, ..self }
    }

    /// Exact discretization over `t`, s, for a held force, N, along +x: [`Discrete`] of
    /// x' = [0 1; −k/M −B/M] x + [0; 1/M] u.
    #[must_use]
    pub fn discrete(&self, t: f64) -> Discrete<2, 1> {
        let a = Matrix2::new(0.0, 1.0, -self.stiffness / self.mass, -self.damping / self.mass);
        Discrete::new(&a, &Vector2::new(0.0, 1.0 / self.mass), t)
    }

    /// Rest position under the bias, m; needs a spring.
    fn rest(&self) -> f64 {
        self.bias / self.stiffness
    }

    /// e^{−σt}cos ωt and e^{−σt}sin(ωt)/ω with σ = B/2M, ω² = k/M − σ², also for ω² ≤ 0.
    fn modes(&self, t: f64) -> [f64; 2] {
        let sigma = 0.5 * self.damping / self.mass;
        let square = self.stiffness / self.mass - sigma * sigma;
        let decay = libm::exp(-sigma * t);
        let w = square.abs().sqrt();
        let (c, s) = if square > 0.0 {
            let (s, c) = libm::sincos(w * t);
            (c, s / w)
        } else if w * t > 1e-9 {
            (libm::cosh(w * t), libm::sinh(w * t) / w)
        } else {
            (1.0, t)
        };
        [decay * c, decay * s]
    }

    /// Free motion under the bias: the state `t`, s, after `from` (eqs. 5.6, 5.10, 6.37).
    #[must_use]
    pub fn after(&self, from: Motion, t: f64) -> Motion {
        let [x, v] = from;
        if self.stiffness == 0.0 {
            if self.damping == 0.0 {
                let a = self.bias / self.mass;
                return [x + v * t + 0.5 * a * t * t, v + a * t];
            }
            let (terminal, rate) = (self.bias / self.damping, self.damping / self.mass);
            let gone = -libm::expm1(-rate * t);
            return [
                x + terminal * t + (v - terminal) * gone / rate,
                terminal + (v - terminal) * (1.0 - gone),
            ];
        }
        let rest = self.rest();
        let sigma = 0.5 * self.damping / self.mass;
        let [c, s] = self.modes(t);
        let d = x - rest;
        [
            rest + d * (c + sigma * s) + v * s,
            v * (c - sigma * s) - d * self.stiffness / self.mass * s,
        ]
    }

    /// Kinetic energy plus potential energy of spring and bias, J.
    #[must_use]
    pub fn energy(&self, [x, v]: Motion) -> f64 {
        0.5 * (self.mass * v * v + self.stiffness * x * x) - self.bias * x
    }

    /// Time in (0, `within`] at which x, negative at `from`, is first not negative, s.
    ///
    /// A parabola is solved in closed form (eq. 5.7 with its sign corrected). Otherwise the crossing is located
    /// on the exact solution; `None` if x is negative at `within`.
    #[must_use]
    pub fn lands(&self, from: Motion, within: f64) -> Option<f64> {
        let [x, v] = from;
        if self.stiffness == 0.0 && self.damping == 0.0 {
            let g = self.bias / self.mass;
            let root = (v * v - 2.0 * g * x).max(0.0).sqrt();
            // The form without cancellation.
            let t = if v < 0.0 { (root - v) / g } else { -2.0 * x / (root + v) };
            return (t.is_finite() && t > 0.0 && t <= within).then_some(t);
        }
        let end = self.after(from, within)[0];
        if end < 0.0 {
            return None;
        }
        let gap = |s: f64| -self.after(from, s * within)[0];
        let share = first_nonpositive(gap, -x, -end, TOLERANCE);
        Some(share * within)
    }

    /// Time until x, not negative at `from`, returns to zero from inside, s; `None` if x stays inside.
    ///
    /// Undamped: eq. 5.11 as [π + 2 atan2(…)]/ω₀ for an entry at x = 0. Damped: the outermost point follows the
    /// deepest one by half a period, and the crossing lies between both.
    #[must_use]
    pub fn leaves(&self, from: Motion) -> Option<f64> {
        // Positive away from the wall, as in the equation.
        let [y, v] = from.map(|q| -q);
        let sigma = 0.5 * self.damping / self.mass;
        let square = self.stiffness / self.mass - sigma * sigma;
        if square <= 0.0 {
            return None;
        }
        let w = square.sqrt();
        let rest = -self.rest();
        let d = y - rest;
        if self.damping == 0.0 {
            let (a, b) = (-rest, v / w);
            let radius = libm::hypot(d, b);
            if a.abs() > radius {
                return None;
            }
            // y = rest + R cos(ωt − φ) rises through zero at ωt = φ − acos(a/R) + 2π.
            let angle = libm::atan2(b, d) - libm::acos(a / radius);
            let turn = std::f64::consts::TAU;
            let t = angle.rem_euclid(turn) / w;
            return Some(if t * w < 1e-12 { t + turn / w } else { t });
        }
        // v = 0 where tan ωt = v ω/(σ v + ω₀² d).
        let low = libm::atan2(v * w, sigma * v + self.stiffness / self.mass * d);
        let mut low = low.rem_euclid(std::f64::consts::PI) / w;
        let half = std::f64::consts::PI / w;
        if v > 0.0 {
            // Moving out already: the first turning point is the outermost.
            if self.after(from, low)[0] < 0.0 {
                return Some(self.rises(from, 0.0, low));
            }
            low += half;
        }
        (self.after(from, low + half)[0] < 0.0).then(|| self.rises(from, low, low + half))
    }

    /// Zero of x on the way out between the times `a`, inside, and `b`, outside, s after `from`.
    fn rises(&self, from: Motion, a: f64, b: f64) -> f64 {
        // Time is reversed, so that the bracket ends at the early time.
        let at = |s: f64| -self.after(from, b + s * (a - b))[0];
        b + first_nonpositive(at, at(0.0), at(1.0), TOLERANCE) * (a - b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_duration_of_a_visit_is_that_of_the_closed_form() {
        for (g, speed) in [(0.05, 0.3), (1.0, 1.4), (9.81, 0.01)] {
            let inside = Plant::ball(0.3, g).on(20.0, 0.0);
            let w = (20.0f64 / 0.3).sqrt();
            let expected = (std::f64::consts::PI + 2.0 * (g / (w * w)).atan2(speed / w)) / w;
            let got = inside.leaves([0.0, speed]).unwrap();
            assert!((got - expected).abs() < 1e-13 * expected, "{got} {expected}");
            let end = inside.after([0.0, speed], got);
            assert!(end[0].abs() < 1e-13 && (end[1] + speed).abs() < 1e-13, "{end:?}");
        }
    }

    #[test]
    fn a_damped_visit_ends_at_its_first_rise_or_never() {
        let plant = Plant { mass: 0.1, damping: 0.5, stiffness: 0.0, bias: 0.2 }.on(800.0, 1.0);
        for from in [[0.0, 0.4], [1e-4, 0.3], [2e-3, -0.1], [1e-4, -0.2], [3e-3, 0.0]] {
            let t = plant.leaves(from).unwrap();
            // Inside before, outside just after.
            for i in 1..1000 {
                assert!(plant.after(from, t * f64::from(i) / 1000.0)[0] > 0.0, "{from:?}");
            }
            assert!(plant.after(from, t * 1.000_001)[0] < 0.0);
        }
        assert!(plant.leaves([0.0, 1e-4]).is_none());
        assert!(plant.on(0.0, 40.0).leaves([0.0, 0.4]).is_none());
    }

    #[test]
    fn closed_forms_and_exact_discretization_agree() {
        let free = Plant { mass: 0.1, damping: 0.0, stiffness: 0.0, bias: 0.7 };
        for plant in [
            free,
            free.on(0.0, 0.5),
            free.on(300.0, 0.0),
            free.on(300.0, 2.0),
            free.on(300.0, 40.0),
            free.with(FINGER),
        ] {
            let t = 0.013;
            let [y, v] = plant.after([-0.02, 0.3], t);
            let d = plant.discrete(t);
            let x = d.phi * Vector2::new(-0.02, 0.3) + d.gamma * plant.bias;
            assert!((x[0] - y).abs() < 1e-14 && (x[1] - v).abs() < 1e-12, "{plant:?}");
        }
    }

    #[test]
    fn a_falling_mass_lands_at_the_computed_time() {
        let plant = Plant::ball(1.0, 0.05);
        let t = plant.lands([-1.0, -0.3], 100.0).unwrap();
        assert!((t - (0.3 + (0.09f64 + 0.1).sqrt()) / 0.05).abs() < 1e-13);
        let t = plant.with(FINGER).lands([-0.01, 0.2], 1.0).unwrap();
        assert!(plant.with(FINGER).after([-0.01, 0.2], t)[0].abs() < 1e-15);
        assert!(plant.with(FINGER).lands([-0.01, -0.2], 1e-3).is_none());
    }
}
