//! Exact discretization of linear submodels: x⁺ = Φ x + Γ u for x' = A x + B u with u held constant
//! [Gillespie 1994, eqs. 7–10]. Unlike Runge–Kutta, it is exact for any step length.

use nalgebra::SMatrix;

/// Φ = e^{A T} (N × N) and Γ = ∫₀ᵀ e^{A τ} dτ B (N × M).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Discrete<const N: usize, const M: usize> {
    /// State transition over one step.
    pub phi: SMatrix<f64, N, N>,
    /// Effect of an input held over one step.
    pub gamma: SMatrix<f64, N, M>,
}

impl<const N: usize, const M: usize> Discrete<N, M> {
    /// Discretizes `a`, `b` for the step `t` s.
    ///
    /// Both matrices come from one Taylor series with scaling and doubling,
    /// Γ(2t) = (Φ(t) + 1) Γ(t), so that a singular `a` (free flight) needs no special case.
    #[must_use]
    pub fn new(a: &SMatrix<f64, N, N>, b: &SMatrix<f64, N, M>, t: f64) -> Self {
        let mut doublings = 0;
        let mut h = t;
        while a.amax() * h.abs() > 0.1 {
            h *= 0.5;
            doublings += 1;
        }
        let one = SMatrix::<f64, N, N>::identity();
        let (mut phi, mut integral, mut term) = (one, one * h, one);
        for k in 1..16 {
            term = term * a * (h / f64::from(k));
            phi += term;
            integral += term * (h / f64::from(k + 1));
        }
        for _ in 0..doublings {
            integral = phi * integral + integral;
            phi *= phi;
        }
        Self { phi, gamma: integral * b }
    }

    /// The state one step after `x`, with the input `u` held constant.
    #[must_use]
    pub fn step(&self, x: &SMatrix<f64, N, 1>, u: &SMatrix<f64, M, 1>) -> SMatrix<f64, N, 1> {
        self.phi * x + self.gamma * u
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Matrix2, Vector1, Vector2};

    #[test]
    fn an_oscillator_advances_by_exactly_its_phase_angle() {
        let (w, t) = (37.0f64, 0.013f64);
        let d = Discrete::new(&Matrix2::new(0.0, 1.0, -w * w, 0.0), &Vector2::new(0.0, 1.0), t);
        let x = d.step(&Vector2::new(1.0, 0.0), &Vector1::new(w * w * 0.25));
        let expected = 0.25 + 0.75 * (w * t).cos();
        assert!((x[0] - expected).abs() < 1e-13, "{} {expected}", x[0]);
    }

    #[test]
    fn free_flight_is_a_parabola() {
        let d = Discrete::new(&Matrix2::new(0.0, 1.0, 0.0, 0.0), &Vector2::new(0.0, 1.0), 0.3);
        let x = d.step(&Vector2::new(1.0, 2.0), &Vector1::new(-9.81));
        assert!((x[0] - (1.0 + 0.6 - 0.5 * 9.81 * 0.09)).abs() < 1e-14);
        assert!((x[1] - (2.0 - 9.81 * 0.3)).abs() < 1e-14);
    }
}
