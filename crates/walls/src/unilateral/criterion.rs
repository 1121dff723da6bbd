//! Oscillations that a frequency response excludes.
//!
//! f = K max(x, 0) at every sample and x = c − P f, P the plant's response from force to position
//! (unit gain), G = K P. An oscillation of N samples has harmonics F_m of f at ω_m = 2πm/N. For
//! every shift d (`docs/unilateral.md`)
//!
//! Σ_{m≠0} |F_m|² Re[(1 + G_m)(1 − e^{jω_m d})] ≤ 0  and  Σ_{m≠0} |F_m|² Re(1 + G_m) ≤ 0
//!
//! so that weights h ≥ 0 for which Σ_d h_d Re[(1 + G)(1 − e^{jωd})] + h₀ Re(1 + G) > 0 at all its
//! harmonics exclude the oscillation. h₀ alone is the circle criterion. Weights for a grid of all frequencies
//! exclude oscillations of every length.

use nalgebra::Complex;

use super::game;
use touchback_core::math::complex::{modulus, polar};
use touchback_haptics::wall::sampled::plant::Plant;

/// Longest excluded period, samples.
pub const LONGEST: u32 = 64;

/// A frequency response as a function of ωT.
pub type Response<'a> = &'a dyn Fn(f64) -> Complex<f64>;

/// Response of `plant` behind a zero-order hold of `period` s and `delay` whole periods, position
/// in m for a force in N, at `angle` = ωT.
#[must_use]
pub fn sampled(plant: &Plant, period: f64, delay: u32, angle: f64) -> Complex<f64> {
    let d = plant.discrete(period);
    let z = polar(1.0, angle);
    let [a, b, c, e] = [d.phi[(0, 0)], d.phi[(0, 1)], d.phi[(1, 0)], d.phi[(1, 1)]];
    let det = (z - a) * (z - e) - b * c;
    let late = polar(1.0, -angle * f64::from(delay));
    ((z - e) * d.gamma[0] + d.gamma[1] * b) / det * late
}

/// Response of `plant` with a lag of `late` s, position in m for a force in N, at `rate` rad/s: the loop in continuous time.
#[must_use]
pub fn lagging(plant: &Plant, late: f64, rate: f64) -> Complex<f64> {
    let Plant { mass, damping, stiffness, .. } = plant;
    polar(1.0, -rate * late) / Complex::new(stiffness - mass * rate * rate, damping * rate)
}

/// The frequencies ω_m, m = 1…N/2, of oscillations of `n` samples; the rest are their conjugates.
#[must_use]
pub fn harmonics(n: u32) -> Vec<f64> {
    (1..=n / 2).map(|m| std::f64::consts::TAU * f64::from(m) / f64::from(n)).collect()
}

/// A grid from 10⁻⁴ to π rad per sample, finer at its ends.
#[must_use]
pub fn all_frequencies() -> Vec<f64> {
    let pi = std::f64::consts::PI;
    let low = (0..600).map(|i| 1e-4 * libm::pow(0.5 * 1e4, f64::from(i) / 600.0));
    low.chain((0..=200).map(|i| 0.5 + (pi - 0.5) * f64::from(i) / 200.0)).collect()
}

/// A stability criterion, by its multipliers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Criterion {
    /// Re(1 + G) > 0.
    Circle,
    /// Re[1 + (1 + jωq)G] > 0 for a q ≥ 0, in continuous time.
    Popov,
    /// Re[1 + (1 + q(1 − e^{−jω}))G] > 0 for a q ≥ 0: a monotone nonlinearity.
    Tsypkin,
    /// Shifts of one sample, backward and forward, and the circle's weight: a wedge in the Nyquist plane.
    Wedge,
    /// Shifts up to [`SHIFTS`] samples, backward and forward.
    Shifts,
}

/// Longest shift, samples.
pub const SHIFTS: u32 = 24;

impl Criterion {
    /// The criteria for a sampled loop, each including the previous one.
    pub const ALL: [Self; 4] = [Self::Circle, Self::Tsypkin, Self::Wedge, Self::Shifts];

    /// Real parts of the multipliers at the frequency `angle`, rad per sample, for G = `g`: one column per
    /// weight.
    fn columns(self, g: Complex<f64>, angle: f64) -> Vec<f64> {
        let one = Complex::new(1.0, 0.0);
        let loops = one + g;
        let turn = |d: f64| one - polar(1.0, angle * d);
        let mut columns = vec![loops.re];
        match self {
            Self::Circle => {}
            Self::Popov => columns.push((Complex::new(0.0, angle) * g).re),
            Self::Tsypkin => columns.push((turn(-1.0) * g).re),
            Self::Wedge => columns.extend([1.0, -1.0].map(|d| (turn(d) * loops).re)),
            Self::Shifts => {
                for d in (1..=SHIFTS).map(f64::from) {
                    columns.extend([d, -d].map(|d| (turn(d) * loops).re));
                }
            }
        }
        // Only signs matter: normalized, so that an integrator does not dominate.
        let size = 1.0 + modulus(g);
        columns.iter().map(|x| x / size).collect()
    }

    /// Weights (h₀, then per shift) that exclude every oscillation whose harmonics are among `angles`, and
    /// their margin; `None` if there are none.
    #[must_use]
    pub fn excludes(
        self,
        response: Response,
        stiffness: f64,
        angles: &[f64],
    ) -> Option<(Vec<f64>, f64)> {
        let rows: Vec<_> =
            angles.iter().map(|w| self.columns(response(*w) * stiffness, *w)).collect();
        game::best(&rows).filter(|(_, margin)| *margin > 1e-10)
    }

    /// The largest stiffness, N/m, to 0.1 %, at which every oscillation with harmonics in any one of `sets` is
    /// excluded. These stiffnesses form an interval from 0: if G passes, so does any fraction of G, because
    /// Re(1 − e^{jωd}) ≥ 0.
    #[must_use]
    pub fn limit(self, response: Response, sets: &[Vec<f64>]) -> f64 {
        let holds = |k: f64| sets.iter().all(|w| self.excludes(response, k, w).is_some());
        let (mut low, mut high) = (0.0, 1.0);
        while holds(high) {
            (low, high) = (high, 2.0 * high);
            if high > 1e9 {
                return f64::INFINITY;
            }
        }
        while high - low > 1e-3 * high {
            let middle = 0.5 * (low + high);
            if holds(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unilateral::orbits;

    const T: f64 = 1e-3;
    /// A device of 0.1 kg and 0.5 N·s/m pressed by 1 N.
    const DEVICE: Plant = Plant { mass: 0.1, damping: 0.5, stiffness: 0.0, bias: 1.0 };

    #[test]
    fn the_response_is_that_of_the_plant() {
        // Against eq. 5.13 for a free mass.
        let free = Plant { damping: 0.0, bias: 0.0, ..DEVICE };
        let angle = 0.7;
        let z = Complex::from_polar(1.0, angle);
        let one = Complex::new(1.0, 0.0);
        let expected = (z + one) * (T * T / 2.0 / 0.1) / ((z - one) * (z - one));
        assert!((sampled(&free, T, 0, angle) - expected).norm() < 1e-12 * expected.norm());
    }

    #[test]
    #[ignore = "long: `.ci/run` runs it"]
    fn each_criterion_includes_the_previous_and_none_excludes_an_orbit() {
        for (mass, damping, delay) in [(0.1, 0.5, 0), (0.1, 0.5, 2), (0.05, 5.0, 0), (0.2, 1.0, 1)]
        {
            let plant = Plant { mass, damping, ..DEVICE };
            let response = |angle: f64| sampled(&plant, T, delay, angle);
            let all = [all_frequencies()];
            let limits = Criterion::ALL.map(|c| c.limit(&response, &all));
            let d = usize::try_from(delay).unwrap();
            let found = orbits::limit(&plant, T, d);
            // The integrator's low frequencies limit the circle criterion: K (m/b² + T(½ + n)/b) < 1.
            let lag = T * (0.5 + f64::from(delay));
            let circle = 1.0 / (mass / damping / damping + lag / damping);
            assert!((limits[0] / circle - 1.0).abs() < 0.01, "{limits:?} {circle}");
            assert!(limits[3] > 1.2 * limits[0], "{limits:?}");
            assert!(limits.windows(2).all(|w| w[1] >= 0.999 * w[0]), "{limits:?}");
            assert!(limits[3] <= 1.003 * found, "{limits:?} {found}");
        }
    }

    #[test]
    #[ignore = "long: `.ci/run` runs it"]
    fn no_existing_orbit_is_excluded_at_its_own_harmonics() {
        let t = 4e-3;
        let mut orbits = 0;
        for (damping, stiffness, delay) in
            [(0.5, 0.0, 0), (0.5, 0.0, 2), (2.0, 0.0, 1), (3.75, 257.0, 1), (3.75, 257.0, 4)]
        {
            let plant = Plant { damping, stiffness, ..DEVICE };
            let response = |angle: f64| sampled(&plant, t, delay, angle);
            for i in 0..60 {
                let k = 50.0 * 1.12f64.powi(i);
                let d = usize::try_from(delay).unwrap();
                let Some([n, _]) = orbits::single_visit(&plant, k, t, d) else { continue };
                orbits += 1;
                let own = harmonics(u32::try_from(n).unwrap());
                let excluded = Criterion::Shifts.excludes(&response, k, &own);
                assert!(excluded.is_none(), "{damping} {delay} {k} {n}: {excluded:?}");
            }
        }
        assert!(orbits > 30, "{orbits}");
    }
}
