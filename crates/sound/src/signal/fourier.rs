//! Fourier transforms of real single-precision signals of any length.
//!
//! The planner is generic: every crate that calls it compiles all butterflies. Calling it only here keeps
//! that out of the other crates.

use std::sync::Arc;

pub use realfft::{ComplexToReal, FftError, RealToComplex, num_complex};

/// From `length` samples to `length / 2 + 1` bins, not normalised. Allocates.
#[must_use]
pub fn forward(length: usize) -> Arc<dyn RealToComplex<f32>> {
    realfft::RealFftPlanner::new().plan_fft_forward(length)
}

/// From `length / 2 + 1` bins to `length` samples, not normalised: both transforms multiply by
/// `length`. Allocates.
#[must_use]
pub fn inverse(length: usize) -> Arc<dyn ComplexToReal<f32>> {
    realfft::RealFftPlanner::new().plan_fft_inverse(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The transforms take their factors from the system's sine, whose last bits differ between systems.
    /// For lengths that are powers of two, no factor is so close to the middle between two numbers of
    /// single precision that those bits decide its rounding.
    #[test]
    #[allow(clippy::disallowed_methods, reason = "as the transforms do")]
    #[allow(clippy::cast_possible_truncation, reason = "as the transforms round")]
    fn factors_have_the_same_bits_on_every_system() {
        const LENGTH: u32 = 1 << 17;
        for i in 0..LENGTH {
            let angle = -2.0 * std::f64::consts::PI / f64::from(LENGTH) * f64::from(i);
            for factor in [angle.cos(), angle.sin()] {
                let [less, more] = [-4.0, 4.0].map(|ulp| factor * (1.0 + ulp * f64::EPSILON));
                assert_eq!((less as f32).to_bits(), (more as f32).to_bits(), "{i}");
            }
        }
    }

    #[test]
    fn both_transforms_multiply_by_the_length() {
        let length = 96;
        let signal: Vec<f32> = (0..length).map(|i| (i * i % 17) as f32).collect();
        let (mut time, mut back) = (signal.clone(), vec![0.0; length]);
        let mut bins = forward(length).make_output_vec();
        forward(length).process(&mut time, &mut bins).unwrap();
        inverse(length).process(&mut bins, &mut back).unwrap();
        let scale = length as f32;
        assert!(signal.iter().zip(&back).all(|(a, b)| (a * scale - b).abs() < 1e-3 * scale));
    }
}
