//! The return map at high speed: a random walk of the logarithm of the speed.
//!
//! A ball leaves the floor with v; far above it gravity only decides the phase at which it comes back. With 2v/(gT)
//! periods of flight, and a change of v in each contact by a share of about (ω₀T)²/2, the phase is lost from strike to
//! strike where v ≫ g/(2ω₀²T). With τ₁ from entry to the next sample, evenly distributed over T, and τ₀ from exit to the
//! next sample, a contact multiplies the speed by
//!
//! G = √(1 + ω₀²τ₁²) cos ω₀τ₀,  τ₀ = −[π − atan(ω₀τ₁)]/ω₀ mod T
//!
//! For small θ = ω₀T the mean of ln G is −(r + 2r³ − r⁴) θ⁴/12, r the fractional part of π/θ: negative, so that almost
//! every fast ball comes down. The mean of G² may exceed 1, so that the mean energy of many balls may grow all the same:
//! few of them carry it.
//!
//! Gravity adds what does not depend on the speed. Between threshold and sample it acts along the motion on the way in and
//! against it on the way out, so that x is vτ₁ + gτ₁²/2 and vτ₀ − gτ₀²/2; with both phases evenly distributed the energies
//! ½ K x² that switching adds and takes differ by K v g T³/4 in the mean, and the speed grows by [`climb`] a strike.

use std::f64::consts::PI;

use touchback_core::math::power::square;

/// Moments of a contact at high speed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Walk {
    /// Mean of ln G.
    pub drift: f64,
    /// Variance of ln G.
    pub variance: f64,
    /// Mean of G² − 1: growth of the mean energy.
    pub energy: f64,
}

/// Intervals of a quadrature.
const PARTS: u32 = 400;

impl Walk {
    /// The moments at θ = ω₀T, below π/2.
    #[must_use]
    pub fn of(theta: f64) -> Self {
        // τ₀ jumps where the exit falls on a sample.
        let jump = libm::tan(PI - (PI / theta).floor() * theta) / theta;
        let ends = if (0.0..1.0).contains(&jump) { [0.0, jump, 1.0] } else { [0.0, 1.0, 1.0] };
        let mut moments = [0.0; 3];
        for (from, to) in [(ends[0], ends[1]), (ends[1], ends[2])] {
            let part = (to - from) / f64::from(PARTS);
            for i in 0..PARTS {
                // Gauss's two points.
                for at in [0.5 - 0.75f64.sqrt() / 3.0, 0.5 + 0.75f64.sqrt() / 3.0] {
                    let entry = theta * (from + part * (f64::from(i) + at));
                    let stay = (PI - libm::atan(entry)) / theta;
                    let exit = theta * (stay.ceil() - stay);
                    let log = 0.5 * libm::log1p(square(entry)) + libm::log(libm::cos(exit));
                    for (sum, x) in moments.iter_mut().zip([log, log * log, libm::expm1(2.0 * log)])
                    {
                        *sum += 0.5 * part * x;
                    }
                }
            }
        }
        let [drift, second, energy] = moments;
        Self { drift, variance: second - drift * drift, energy }
    }
}

/// The mean of ln G for small θ.
#[must_use]
pub fn drift(theta: f64) -> f64 {
    let r = (PI / theta).fract();
    -(r + 2.0 * r * r * r - r * r * r * r) / 12.0 * square(square(theta))
}

/// The mean growth of the speed by gravity in a strike, g (ω₀T)³/(4ω₀), m/s, for g/ω₀ of 1 m/s.
#[must_use]
pub fn climb(theta: f64) -> f64 {
    0.25 * theta * square(theta)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closed_form_is_the_limit_of_the_mean() {
        for theta in [0.004, 0.01, 0.03, 0.1, 0.3, PI / 30.5] {
            let walk = Walk::of(theta);
            let ratio = walk.drift / drift(theta);
            assert!((ratio - 1.0).abs() < 0.2 * theta + 2e-3, "{theta}: {ratio}");
            assert!(walk.drift < 0.0 && walk.variance > 0.0);
        }
        // Half a period of the spring in whole samples: no contact changes the speed.
        let still = Walk::of(PI / 32.0);
        assert!(still.drift.abs() < 1e-12 && still.variance < 1e-12, "{still:?}");
    }
}
