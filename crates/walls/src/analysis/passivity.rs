//! Colgate's condition: the damping that makes a sampled impedance passive at its port.
//!
//! b > (T/2)/(1 − cos ωT) · Re{(1 − e^{−jωT}) H(e^{jωT})} for all ω up to π/T
//! [Colgate and Schenkel 1997; Gillespie 1996, §6.2]. For H = K + B(z − 1)/(Tz) that is
//! b > KT/2 + |B|; with an additional delay t_d, b > K(T/2 + t_d).

use nalgebra::Complex;

use touchback_core::math::complex::polar;

/// Number of frequencies at which the condition is evaluated.
const POINTS: u32 = 20_000;

/// Response of a sampled spring and damper with backward difference, N per m, at `angle` = ωT, with the force
/// delayed by `delay` s.
#[must_use]
pub fn wall(stiffness: f64, damping: f64, period: f64, delay: f64, angle: f64) -> Complex<f64> {
    let back = polar(1.0, -angle);
    let late = polar(1.0, -angle * delay / period);
    (Complex::from(stiffness) + (Complex::from(1.0) - back) * (damping / period)) * late
}

/// Least damping for passivity, N·s/m, of the sampled impedance `response`(ωT) with the period `period` s: the
/// maximum of the condition's right side over frequency.
#[must_use]
pub fn damping(period: f64, response: impl Fn(f64) -> Complex<f64>) -> f64 {
    // (1 − e^{−jω})/(1 − cos ω) = j e^{−jω/2}/sin(ω/2), without cancellation.
    let at = |angle: f64| {
        let turn = Complex::new(0.0, 1.0) * polar(1.0, -0.5 * angle);
        0.5 * period * (turn * response(angle)).re / libm::sin(0.5 * angle)
    };
    (1..=POINTS)
        .map(|i| at(std::f64::consts::PI * f64::from(i) / f64::from(POINTS)))
        .fold(f64::NEG_INFINITY, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_condition_gives_the_known_closed_forms() {
        let t = 1e-3;
        let need = |k, b, delay| damping(t, |angle| wall(k, b, t, delay, angle));
        assert!((need(1000.0, 0.0, 0.0) - 0.5).abs() < 1e-12);
        assert!((need(1000.0, 1.0, 0.0) - 1.5).abs() < 1e-12);
        assert!((need(1000.0, -1.0, 0.0) - 1.5).abs() < 1e-6);
        assert!((need(1000.0, 0.0, t) - 1.5).abs() < 1e-6);
        assert!((need(1000.0, 0.0, 5.0 * t) - 5.5).abs() < 1e-5);
    }
}
