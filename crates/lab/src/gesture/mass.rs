//! A mass that meets the key through a one-sided spring and damper and moves by its own inertia.
//!
//! Contact: f = max(0, k·(x − s) + b·(ẋ − ṡ)) for x > s, else 0, with x the mass's depth, s the
//! key's, both downward, m. The force is linear over a step between its values at start and end,
//! and the mass moves by exactly that force, so key and mass exchange the same impulse. The key is
//! carried on at its present speed within a step (error of second order in the step).

use super::KeyView;
use touchback::action::STEP;

/// Rounds of the end force against the position it leads to; the contraction a round is below
/// 0.3 at the stiffest admitted contact, so the rest is below 1e-4 of the force.
const ROUNDS: usize = 8;

/// The mass and its tip.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct DroppedMass {
    pub(super) mass: f64,
    pub(super) stiffness: f64,
    pub(super) damping: f64,
    /// Downward acceleration without contact, m/s².
    pub(super) gravity: f64,
    /// Depth, m.
    pub(super) x: f64,
    /// Downward speed, m/s.
    pub(super) v: f64,
}

impl DroppedMass {
    fn force(&self, x: f64, v: f64, key: KeyView) -> f64 {
        let sunk = x - key.depth;
        if sunk > 0.0 {
            (self.stiffness * sunk + self.damping * (v - key.speed)).max(0.0)
        } else {
            0.0
        }
    }

    /// Moves on by one step; the force on the key at the step's start and end, N.
    pub(super) fn step(&mut self, key: KeyView) -> [f64; 2] {
        let later = KeyView { depth: key.depth + key.speed * STEP, speed: key.speed };
        let first = self.force(self.x, self.v, key);
        let mut last = first;
        let (mut x, mut v) = (self.x, self.v);
        for _ in 0..ROUNDS {
            // Response to a force that is linear in time.
            v = self.v + STEP * (self.gravity - 0.5 * (first + last) / self.mass);
            x = self.x
                + STEP * self.v
                + STEP * STEP * (0.5 * self.gravity - (2.0 * first + last) / (6.0 * self.mass));
            last = self.force(x, v, later);
        }
        (self.x, self.v) = (x, v);
        [first, last]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback::action::grand::spec::GRAVITY;

    const TIP: DroppedMass =
        DroppedMass { mass: 0.3, stiffness: 3000.0, damping: 0.0, gravity: 0.0, x: 0.0, v: 1.0 };

    #[test]
    fn an_undamped_mass_comes_back_from_a_fixed_key_as_fast_as_it_came() {
        let mut mass = TIP;
        let mut contact = 0.0;
        for _ in 0..400 {
            let [a, b] = mass.step(KeyView::default());
            contact += if a + b > 0.0 { STEP } else { 0.0 };
        }
        assert!((mass.v + 1.0).abs() < 1e-3, "{}", mass.v);
        // Half a period of √(k/m).
        assert!((contact - std::f64::consts::PI / 100.0).abs() < 2.0 * STEP, "{contact}");
    }

    #[test]
    fn the_key_receives_the_momentum_the_mass_loses() {
        let mut mass = DroppedMass { damping: 5.0, ..TIP };
        let (mut key, mut impulse) = (KeyView::default(), 0.0);
        for _ in 0..400 {
            let [a, b] = mass.step(key);
            impulse += 0.5 * (a + b) * STEP;
            key.speed += 0.5 * (a + b) * STEP / 0.25;
            key.depth += key.speed * STEP;
        }
        assert!((impulse - 0.3 * (1.0 - mass.v)).abs() < 1e-12);
        assert!(mass.v < key.speed, "they part");
    }

    #[test]
    fn a_weight_comes_to_rest_with_its_own_weight_on_the_key() {
        let mut mass = DroppedMass {
            mass: 0.05,
            stiffness: 20_000.0,
            damping: 20.0,
            gravity: GRAVITY,
            x: -0.002,
            v: 0.0,
        };
        let mut last = 0.0;
        for _ in 0..8000 {
            last = mass.step(KeyView::default())[1];
        }
        assert!((last - 0.05 * GRAVITY).abs() < 1e-9, "{last}");
        assert!((mass.x - 0.05 * GRAVITY / 20_000.0).abs() < 1e-12);
    }
}
