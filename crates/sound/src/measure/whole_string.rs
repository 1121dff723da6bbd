//! An independent solution of the contact of hammer and string, for comparison only.
//!
//! Finite differences of the stiff string, hinged at both ends [Chaigne 1994]:
//!
//! y_tt = c² y_xx − κ² y_xxxx + F g(x)/ρ,  c = 2 L f0,  κ² = B c² L²/π²,
//!
//! with g the weighting over the felt's width and ρ the mass per length of all strings, kg/m. Hammer, felt
//! and string take explicit central steps on the finest stable grid. Unlike the engine, this solver has no
//! modes, no implicit steps, and no limit of 20 kHz.

use std::f64::consts::PI;

use crate::strings::contact::gone;
use crate::tuning::scale::StringSpec;
use touchback_core::math::cast::floor_index;
use touchback_core::math::power::square;
use touchback_core::mech::hammer::{Hammer, HammerFelt};

/// Length, m, from which the first rate applies; steps per second for long strings, and for short ones
/// with their hard felt.
const RATES: (f64, [f64; 2]) = (0.1, [1_536_000.0, 6_144_000.0]);

/// Most grid intervals: 2 mm on A0, a seventh of its felt's width.
const MOST: usize = 1000;

/// Longest simulated contact, s.
const LONGEST: f64 = 0.06;

/// One strike of a resting string.
pub struct Strike {
    /// Time from the first to the last contact, s, gaps included.
    pub contact_time: f64,
    /// Force at each step from the first to the last contact, N.
    pub forces: Vec<f64>,
    /// Steps per second.
    pub rate: f64,
}

/// The string on its grid.
struct Grid {
    /// Displacements, m, ends included: present, previous, and the step being computed.
    now: Vec<f64>,
    before: Vec<f64>,
    next: Vec<f64>,
    /// Coefficients of tension and stiffness in a step.
    tension: f64,
    stiffness: f64,
    /// Weights of the felt on the grid points from `first` on; their sum is 1.
    first: usize,
    shares: Vec<f64>,
    /// Displacement per step and force on a point, m/N.
    per_force: f64,
}

impl Grid {
    fn new(hammer: &Hammer, string: &StringSpec, h: f64) -> Self {
        let length = string.length;
        let speed = 2.0 * length * string.ideal_hz;
        let stiff = string.inharmonicity * square(speed * length / PI);
        // Stability requires dx² ≥ (c²h² + √(c⁴h⁴ + 16 κ²h²))/2.
        let travel = square(speed * h);
        let least = (0.5 * (travel + (travel * travel + 16.0 * stiff * h * h).sqrt())).sqrt();
        let count = floor_index(0.98 * length / least).min(MOST);
        let dx = length / count as f64;
        let (at, half) = (hammer.strike_point * length, 0.5 * hammer.felt.width);
        // Weight of a point: the overlap of its hat function with the felt.
        let below = |x: f64| match x {
            x if x <= -1.0 => 0.0,
            x if x <= 0.0 => 0.5 * square(1.0 + x),
            x if x <= 1.0 => 1.0 - 0.5 * square(1.0 - x),
            _ => 1.0,
        };
        let share = |i: usize| {
            let i = i as f64;
            (below((at + half) / dx - i) - below((at - half) / dx - i)) * dx / (2.0 * half)
        };
        let (first, last) = ((at - half) / dx, (at + half) / dx);
        let (first, last) = (floor_index(first), floor_index(last.ceil()));
        Self {
            now: vec![0.0; count + 1],
            before: vec![0.0; count + 1],
            next: vec![0.0; count + 1],
            tension: travel / (dx * dx),
            stiffness: stiff * h * h / square(dx * dx),
            first,
            shares: (first..=last).map(share).collect(),
            per_force: h * h / (string.density * string.strings as f64 * dx),
        }
    }

    /// Displacement under the felt, m.
    fn under_felt(&self) -> f64 {
        self.shares.iter().zip(&self.now[self.first..]).map(|(share, y)| share * y).sum()
    }

    /// One step under the force `force`, N.
    fn step(&mut self, force: f64) {
        let (y, last) = (&self.now, self.now.len() - 1);
        for i in 1..last {
            // Hinged ends: odd continuation.
            let left = if i == 1 { -y[1] } else { y[i - 2] };
            let right = if i == last - 1 { -y[last - 1] } else { y[i + 2] };
            let bend = y[i + 1] - 2.0 * y[i] + y[i - 1];
            let fourth = right - 4.0 * (y[i + 1] + y[i - 1]) + 6.0 * y[i] + left;
            self.next[i] =
                2.0 * y[i] - self.before[i] + self.tension * bend - self.stiffness * fourth;
        }
        for (y, share) in self.next[self.first..].iter_mut().zip(&self.shares) {
            *y += self.per_force * share * force;
        }
        std::mem::swap(&mut self.before, &mut self.now);
        std::mem::swap(&mut self.now, &mut self.next);
    }
}

/// Strikes a string at rest once with a felt of finite width, at `speed` m/s.
#[must_use]
pub fn strike(hammer: &Hammer, string: &StringSpec, speed: f64) -> Strike {
    let rate = RATES.1[usize::from(string.length < RATES.0)];
    let h = 1.0 / rate;
    let mut grid = Grid::new(hammer, string, h);
    let HammerFelt { stiffness, exponent, relaxation, .. } = hammer.felt;
    let (mut now, mut before, mut squeezed) = (0.0, -speed * h, -speed * h);
    let (mut forces, mut last, mut clear) = (Vec::new(), 0, 0.0);
    while clear < gone(hammer, string) && forces.len() as f64 * h < LONGEST {
        let depth: f64 = now - grid.under_felt();
        let force = if depth > 0.0 {
            let rise = exponent * libm::pow(depth, exponent - 1.0) * (depth - squeezed) / h;
            (stiffness * (libm::pow(depth, exponent) + relaxation * rise)).max(0.0)
        } else {
            0.0
        };
        squeezed = depth;
        grid.step(force);
        let next = 2.0 * now - before - h * h * force / hammer.mass;
        (before, now) = (now, next);
        forces.push(force);
        if force > 0.0 {
            last = forces.len();
            clear = 0.0;
        } else if depth <= 0.0 {
            clear += h;
        }
    }
    let first = forces.iter().position(|force| *force > 0.0).unwrap_or(last);
    let forces = forces[first..last].to_vec();
    Strike { contact_time: forces.len() as f64 * h, forces, rate }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SoundSettings;
    use touchback_core::math::compass::KeyNumber;

    #[test]
    fn a_free_string_oscillates_at_its_pitch() {
        let key = KeyNumber::from_index(51).unwrap();
        let (hammer, string) =
            (Hammer::concert(key), StringSpec::of(key, &SoundSettings::default()));
        let h = 1.0 / RATES.1[0];
        let mut grid = Grid::new(&hammer, &string, h);
        assert!((grid.shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        let last = grid.now.len() - 1;
        for i in 0..=last {
            grid.now[i] = (PI * i as f64 / last as f64).sin();
        }
        grid.before.clone_from(&grid.now);
        let mut crossings = Vec::new();
        for n in 0..floor_index(0.02 / h) {
            let before = grid.now[last / 2];
            grid.step(0.0);
            if before > 0.0 && grid.now[last / 2] <= 0.0 {
                crossings.push(n as f64 * h);
            }
        }
        let periods = (crossings.len() - 1) as f64;
        let hz = periods / (crossings[crossings.len() - 1] - crossings[0]);
        assert!((hz / string.partial_hz(1) - 1.0).abs() < 1e-3, "{hz}");
    }
}
