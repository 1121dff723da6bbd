//! Two masses on a line one step long [Tsai 1996, §6.4]: joined permanently, or during contact.

use super::wave::TransmissionLine;
use touchback_core::math::power::square;

/// Two masses on one axis, the second ahead of the first.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Pair {
    /// Masses of the two, kg.
    pub masses: [f64; 2],
    /// Positions of the two, m.
    pub positions: [f64; 2],
    /// Velocities of the two, m/s.
    pub velocities: [f64; 2],
    line: TransmissionLine<1>,
    is_joined: bool,
    is_for_good: bool,
    left: f64,
}

impl Pair {
    /// Joined permanently by a line of `impedance` N·s/m.
    #[must_use]
    pub fn joined(masses: [f64; 2], velocities: [f64; 2], impedance: f64) -> Self {
        Self {
            masses,
            positions: [0.0; 2],
            velocities,
            line: TransmissionLine::new(impedance),
            is_joined: true,
            is_for_good: true,
            left: 0.0,
        }
    }

    /// Two point-like balls, `gap` m apart: an empty line joins them when the gap has closed and they approach,
    /// and is removed before a step in which both its ends would pull.
    #[must_use]
    pub fn balls(masses: [f64; 2], velocities: [f64; 2], gap: f64, impedance: f64) -> Self {
        let positions = [0.0, gap];
        let bound = Self::joined(masses, velocities, impedance);
        Self { positions, is_joined: false, is_for_good: false, ..bound }
    }

    /// Advances one step of `h` s; forces on the two masses, N.
    pub fn step(&mut self, h: f64) -> [f64; 2] {
        let [x1, x2] = self.positions;
        let [v1, v2] = self.velocities;
        if !self.is_joined && x2 - x1 < 0.0 && v1 > v2 {
            self.is_joined = true;
            self.line.clear();
        }
        if !self.is_joined {
            self.positions = [x1 + h * v1, x2 + h * v2];
            return [0.0; 2];
        }
        let port = *self.line.port();
        let arriving = self.line.arriving();
        let means: [f64; 2] = std::array::from_fn(|i| {
            port.mean_velocity(self.masses[i], self.velocities[i], arriving[i], 0.0, h)
        });
        let forces = [0, 1].map(|i| port.force(arriving[i], means[i]));
        // Pulling: a force forward on the first mass and backward on the second.
        if !self.is_for_good && forces[0] > 0.0 && forces[1] < 0.0 {
            self.is_joined = false;
            self.left += self.line.energy(h);
            return self.step(h);
        }
        self.line.send([0, 1].map(|i| port.leaving(arriving[i], means[i])));
        for (i, mean) in means.into_iter().enumerate() {
            self.positions[i] += h * mean;
            self.velocities[i] = 2.0 * mean - self.velocities[i];
        }
        forces
    }

    /// Kinetic energy of the masses, J.
    #[must_use]
    pub fn kinetic(&self) -> f64 {
        (0..2).map(|i| 0.5 * self.masses[i] * square(self.velocities[i])).sum()
    }

    /// Energy in the line between steps of `h` s, J; 0 without a line.
    #[must_use]
    pub fn stored(&self, h: f64) -> f64 {
        if self.is_joined { self.line.energy(h) } else { 0.0 }
    }

    /// Energy in the line when it was removed, summed over all removals, J.
    #[must_use]
    pub const fn left(&self) -> f64 {
        self.left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_joined_masses_keep_energy_and_share_momentum_with_the_line() {
        let (z, h) = (50.0, 1e-3);
        let mut pair = Pair::joined([1.0; 2], [1.0, 0.0], z);
        let steps = 10_000u32;
        let (mut sum, mut last, mut crossings) = (0.0, 0.0, Vec::new());
        for k in 0..steps {
            pair.step(h);
            let energy = pair.kinetic() + pair.stored(h);
            // Rounding adds about 10⁻¹⁶ per step.
            assert!((energy - 0.5).abs() < if k < 5000 { 1e-12 } else { 1e-11 }, "{energy}");
            let [a, b] = pair.velocities;
            sum += 0.5 * (a + b);
            if last < 0.0 && a - b >= 0.0 {
                crossings.push(f64::from(k) - (a - b) / (a - b - last));
            }
            last = a - b;
        }
        let mean = sum / f64::from(steps);
        assert!((mean - 1.0 / (2.0 + z * h)).abs() < 2e-5, "{mean}");
        let n = crossings.len();
        let periods = f64::from(u32::try_from(n - 1).unwrap());
        let f = periods / (crossings[n - 1] - crossings[0]) / h;
        assert!((f - 49.9).abs() < 0.1, "{f}");
    }

    #[test]
    fn balls_exchange_speeds_and_leave_little_energy_in_the_line() {
        let run = |m2: f64, z: f64, h: f64| {
            let mut pair = Pair::balls([1.0, m2], [1.0, 0.0], 0.01, z);
            for _ in 0..20_000 {
                pair.step(h);
            }
            let energy = pair.kinetic() + pair.left();
            assert!((energy - 0.5).abs() < 1e-12, "{energy}");
            pair
        };
        let equal = run(1.0, 200.0, 1e-4);
        assert!((equal.velocities[0] - 0.0006).abs() < 5e-5, "{:?}", equal.velocities);
        assert!((equal.velocities[1] - 0.9994).abs() < 5e-5);
        assert!((equal.left() - 5.7e-4).abs() < 5e-6, "{}", equal.left());
        let heavy = run(3.0, 200.0, 1e-4);
        assert!((heavy.velocities[0] + 0.488).abs() < 5e-4, "{:?}", heavy.velocities);
        assert!((heavy.velocities[1] - 0.499).abs() < 5e-4);
        // The error is proportional to the line's mass.
        let error = |z: f64| (run(3.0, z, 1e-4).velocities[0] + 0.5).abs();
        assert!(error(20.0) < 0.2 * error(200.0), "{} {}", error(20.0), error(200.0));
    }
}
