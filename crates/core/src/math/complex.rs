//! Functions of complex numbers that give the same bits on every machine.

use nalgebra::Complex;

/// The complex number of a modulus and an angle, rad.
#[must_use]
pub fn polar(modulus: f64, angle: f64) -> Complex<f64> {
    let (sin, cos) = libm::sincos(angle);
    Complex::new(modulus * cos, modulus * sin)
}

/// Exponential function eᶻ.
#[must_use]
pub fn exp(z: Complex<f64>) -> Complex<f64> {
    polar(libm::exp(z.re), z.im)
}

/// Modulus |z|.
#[must_use]
pub fn modulus(z: Complex<f64>) -> f64 {
    libm::hypot(z.re, z.im)
}
