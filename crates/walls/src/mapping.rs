//! Mappings from s to z, and whether they preserve passivity [Tsai 1996, ch. 5].
//!
//! A sampled impedance Z(z) is passive if Re Z(e^{jω}) ≥ 0 for all ω. An A-stable mapping takes the circle
//! |z| = 1 to Re s ≥ 0, where a passive Z(s) has Re Z ≥ 0, and so preserves passivity.

use nalgebra::Complex;

use touchback_core::math::complex::polar;

/// The mapping from z to s.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mapping {
    /// s = (2/T)(z − 1)/(z + 1): A-stable, the circle to the axis.
    Bilinear,
    /// s = (z − 1)/(Tz): A-stable.
    BackwardEuler,
    /// s = (z − 1)/T: not A-stable.
    ForwardEuler,
}

impl Mapping {
    /// All mappings.
    pub const ALL: [Self; 3] = [Self::Bilinear, Self::BackwardEuler, Self::ForwardEuler];

    /// s, 1/s, at `z` for steps of `period` s.
    #[must_use]
    pub fn s(self, z: Complex<f64>, period: f64) -> Complex<f64> {
        let one = Complex::new(1.0, 0.0);
        match self {
            Self::Bilinear => (z - one) / (z + one) * (2.0 / period),
            Self::BackwardEuler => (z - one) / z / period,
            Self::ForwardEuler => (z - one) / period,
        }
    }

    /// Smallest and largest real part of `impedance`(s), N·s/m, on the circle |z| = 1 without z = ±1.
    #[must_use]
    pub fn resistance(
        self,
        period: f64,
        impedance: impl Fn(Complex<f64>) -> Complex<f64>,
    ) -> [f64; 2] {
        const POINTS: u32 = 20_000;
        let mut span = [f64::INFINITY, f64::NEG_INFINITY];
        for i in 1..POINTS {
            let angle = std::f64::consts::PI * f64::from(i) / f64::from(POINTS);
            let re = impedance(self.s(polar(1.0, angle), period)).re;
            span = [span[0].min(re), span[1].max(re)];
        }
        span
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_stable_mappings_keep_mass_and_spring_passive() {
        let (m, k, t) = (0.2, 1000.0, 1e-3);
        let mass = |s: Complex<f64>| s * m;
        let spring = |s: Complex<f64>| Complex::new(k, 0.0) / s;
        let [low, high] = Mapping::Bilinear.resistance(t, mass);
        // To rounding of the largest |Z| on the grid, beside z = −1.
        let size = 2.0 * m / t * 2.0 * 20_000.0 / std::f64::consts::PI;
        assert!(low.abs() < 1e-9 * size && high.abs() < 1e-9 * size, "{low} {high}");
        let [low, high] = Mapping::Bilinear.resistance(t, spring);
        let size = k * t * 20_000.0 / std::f64::consts::PI;
        assert!(low.abs() < 1e-9 * size && high.abs() < 1e-9 * size, "{low} {high}");
        let [low, _] = Mapping::BackwardEuler.resistance(t, mass);
        assert!(low >= 0.0);
        let [low, high] = Mapping::BackwardEuler.resistance(t, spring);
        assert!((low - 0.5 * k * t).abs() < 1e-8 && (high - 0.5 * k * t).abs() < 1e-8);
        let [low, _] = Mapping::ForwardEuler.resistance(t, mass);
        assert!((low + 2.0 * m / t).abs() < 1e-4, "{low}");
        let [low, high] = Mapping::ForwardEuler.resistance(t, spring);
        assert!((low + 0.5 * k * t).abs() < 1e-8 && (high + 0.5 * k * t).abs() < 1e-8);
    }
}
