//! Impedance display of a mass m on a spring K: position in, force out [Gillespie 1996, §4.1].
//!
//! F/X = K m s²/(m s² + K). A memoryless impedance control, C(z) = K + B(1 − z⁻¹)/T, has no state
//! for the mass: its response keeps the sign of K at all frequencies.

use nalgebra::Complex;
use touchback_core::exchange::cancel;
use touchback_core::math::complex::{modulus, polar};
use touchback_core::math::power::square;

/// Integration method of the virtual mass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// Explicit Euler: gains energy at any step size.
    Euler,
    /// Semi-implicit Euler (speed first, position from the new speed): bounded for K T²/m < 4.
    SemiImplicit,
}

/// A virtual mass behind a spring.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SprungMass {
    /// K, N/m.
    pub stiffness: f64,
    /// m, kg.
    pub mass: f64,
    /// T, s.
    pub period: f64,
    /// Integration method of the virtual mass.
    pub method: Method,
    y: f64,
    v: f64,
}

impl SprungMass {
    /// At rest at zero.
    #[must_use]
    pub const fn new(stiffness: f64, mass: f64, period: f64, method: Method) -> Self {
        Self { stiffness, mass, period, method, y: 0.0, v: 0.0 }
    }

    /// Starts it with `speed` m/s.
    pub const fn push(&mut self, speed: f64) {
        self.v = speed;
    }

    /// Position of the mass, m.
    #[must_use]
    pub const fn position(&self) -> f64 {
        self.y
    }

    /// Force against the device's motion, N, at the device position `x` m; then advances the mass by T.
    pub fn step(&mut self, x: f64) -> f64 {
        let force = self.stiffness * (x - self.y);
        let faster = self.v + force / self.mass * self.period;
        self.y += self.period
            * match self.method {
                Method::Euler => self.v,
                Method::SemiImplicit => faster,
            };
        self.v = faster;
        force
    }

    /// Largest energy in 100 000 free steps after a push of 1 m/s with the device at zero, relative to the
    /// initial energy.
    #[must_use]
    pub fn growth(mut self) -> f64 {
        self.push(1.0);
        let start = self.energy(0.0);
        let mut most = 0.0f64;
        for _ in 0..100_000 {
            cancel::check();
            self.step(0.0);
            most = most.max(self.energy(0.0) / start);
        }
        most
    }

    /// Energy with the device at `x` m, J.
    #[must_use]
    pub fn energy(&self, x: f64) -> f64 {
        0.5 * (self.mass * self.v * self.v + self.stiffness * square(x - self.y))
    }

    /// F/X at `angle` = ωT, N/m.
    #[must_use]
    pub fn response(&self, angle: f64) -> Complex<f64> {
        let z = polar(1.0, angle);
        let one = Complex::new(1.0, 0.0);
        // m (z − 1)² y = K T² (x − y)·(1 or z).
        let inertia = (z - one) * (z - one) * self.mass;
        let k = self.stiffness * self.period * self.period;
        let drive = match self.method {
            Method::Euler => one * k,
            Method::SemiImplicit => z * k,
        };
        inertia / (inertia + drive) * self.stiffness
    }

    /// The frequency below the Nyquist frequency at which |F/X| is largest, rad/s.
    #[must_use]
    pub fn resonance(&self) -> f64 {
        const POINTS: u32 = 200_000;
        let angles = (1..POINTS).map(|i| std::f64::consts::PI * f64::from(i) / f64::from(POINTS));
        let size = |w: &f64| modulus(self.response(*w));
        angles.max_by(|a, b| size(a).total_cmp(&size(b))).unwrap_or(0.0) / self.period
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const K: f64 = 300.0;
    const M: f64 = 0.05;

    #[test]
    fn the_display_agrees_with_the_sprung_mass_up_to_its_resonance() {
        let display = SprungMass::new(K, M, 1e-3, Method::SemiImplicit);
        let w = 20.0;
        let got = display.response(w * 1e-3);
        let exact = -K * M * w * w / (K - M * w * w);
        assert!((got.re / exact - 1.0).abs() < 1e-3 && got.im.abs() < 1e-3 * exact.abs());
        assert!((display.resonance() / (K / M).sqrt() - 1.0).abs() < 0.01);
    }

    #[test]
    fn the_simulated_display_has_the_computed_response() {
        for method in [Method::Euler, Method::SemiImplicit] {
            let mut display = SprungMass::new(K, M, 1e-3, method);
            let angle = 0.02f64;
            // A particular solution started exactly: compare steady parts by projection over
            // whole periods of input is spoilt by the free motion, so check the recursion.
            let h = display.response(angle);
            let z = Complex::from_polar(1.0, angle);
            let y0 = Complex::new(1.0, 0.0) - h / K;
            let v0 = y0 * (z - 1.0) / 1e-3;
            let v0 = match method {
                Method::Euler => v0,
                // The mass's speed is that of the previous step.
                Method::SemiImplicit => v0 / z,
            };
            (display.y, display.v) = (y0.re, v0.re);
            for k in 0..500u32 {
                let turn = Complex::from_polar(1.0, angle * f64::from(k));
                let force = display.step(turn.re);
                assert!((force - (h * turn).re).abs() < 1e-6 * K, "{method:?} {k}");
            }
        }
    }

    #[test]
    fn semi_implicit_energy_is_bounded_and_eulers_is_not() {
        let most = |method, t| SprungMass::new(K, M, t, method).growth();
        let limit = (4.0 * M / K).sqrt();
        assert!(most(Method::SemiImplicit, 1e-3) < 1.1);
        assert!(most(Method::SemiImplicit, 0.99 * limit) < 1e3);
        assert!(most(Method::SemiImplicit, 1.01 * limit) > 1e6);
        assert!(most(Method::Euler, 1e-3) > 1e6);
    }
}
