//! Complex numbers by size and angle, the same on every machine.

use nalgebra::Complex;

/// The number of this size and angle, rad.
#[must_use]
pub fn polar(size: f64, angle: f64) -> Complex<f64> {
    let (sin, cos) = libm::sincos(angle);
    Complex::new(size * cos, size * sin)
}

/// eᶻ.
#[must_use]
pub fn exp(z: Complex<f64>) -> Complex<f64> {
    polar(libm::exp(z.re), z.im)
}

/// Distance from zero.
#[must_use]
pub fn modulus(z: Complex<f64>) -> f64 {
    libm::hypot(z.re, z.im)
}
