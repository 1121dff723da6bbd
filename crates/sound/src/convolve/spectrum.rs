//! Spectra in the layout of the products: real parts, then imaginary parts, each in whole lanes.

use num_complex::Complex32;

use crate::bank::{BLOCK, LANES, kernels, total};
use touchback_core::math::kernel::Kernel;

/// Length of a spectrum of `bins`, numbers.
pub const fn length(bins: usize) -> usize {
    2 * bins.next_multiple_of(LANES)
}

/// Writes `bins` to `planes`.
pub fn split(bins: &[Complex32], planes: &mut [f32]) {
    let (re, im) = planes.split_at_mut(planes.len() / 2);
    for ((bin, re), im) in bins.iter().zip(re).zip(im) {
        (*re, *im) = (bin.re, bin.im);
    }
}

/// Writes `planes` to `bins`.
pub fn join(planes: &[f32], bins: &mut [Complex32]) {
    let (re, im) = planes.split_at(planes.len() / 2);
    for ((bin, re), im) in bins.iter_mut().zip(re).zip(im) {
        *bin = Complex32::new(*re, *im);
    }
}

kernels! {
    /// Adds the product of two spectra to `sum`, all of one [`length`].
    add_product, add_product_body, add_product_avx2, add_product_avx512,
    (sum: &mut [f32], a: &[f32], b: &[f32])
}

#[inline(always)]
fn add_product_body(sum: &mut [f32], a: &[f32], b: &[f32]) {
    let half = sum.len() / 2;
    let (sum_re, sum_im) = sum.split_at_mut(half);
    let (a, b) = (a.split_at(half), b.split_at(half));
    let sums = sum_re.chunks_exact_mut(LANES).zip(sum_im.chunks_exact_mut(LANES));
    let a = a.0.chunks_exact(LANES).zip(a.1.chunks_exact(LANES));
    let b = b.0.chunks_exact(LANES).zip(b.1.chunks_exact(LANES));
    for ((sum, a), b) in sums.zip(a).zip(b) {
        for l in 0..LANES {
            sum.0[l] += a.0[l] * b.0[l] - a.1[l] * b.1[l];
            sum.1[l] += a.0[l] * b.1[l] + a.1[l] * b.0[l];
        }
    }
}

kernels! {
    /// Adds to `out` the convolution of `taps`, newest last, with `input`, which begins [`BLOCK`] − 1
    /// samples before `out`.
    add_direct, add_direct_body, add_direct_avx2, add_direct_avx512,
    (taps: &[f32; BLOCK], input: &[f32], out: &mut [f32])
}

#[inline(always)]
fn add_direct_body(taps: &[f32; BLOCK], input: &[f32], out: &mut [f32]) {
    for (out, input) in out.iter_mut().zip(input.windows(BLOCK)) {
        let mut sum = [0.0f32; LANES];
        for (a, b) in taps.chunks_exact(LANES).zip(input.chunks_exact(LANES)) {
            for l in 0..LANES {
                sum[l] += a[l] * b[l];
            }
        }
        *out += total(&sum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_those_of_complex_numbers_in_every_kernel() {
        let bins = |seed: usize| -> Vec<Complex32> {
            (0..65).map(|i| Complex32::new((seed * i) as f32 - 9.0, (seed + i) as f32)).collect()
        };
        let (a, b) = (bins(2), bins(5));
        let planes = |bins: &[Complex32]| {
            let mut planes = vec![0.0; length(bins.len())];
            split(bins, &mut planes);
            planes
        };
        for kernel in Kernel::available() {
            let mut sum = planes(&a);
            add_product(kernel, &mut sum, &planes(&a), &planes(&b));
            let mut back = vec![Complex32::ZERO; 65];
            join(&sum, &mut back);
            for i in 0..65 {
                assert_eq!(back[i], a[i] + a[i] * b[i]);
            }
        }
    }

    #[test]
    fn direct_taps_are_the_sum_of_products_in_every_kernel() {
        let taps: [f32; BLOCK] = std::array::from_fn(|i| i as f32);
        let input: Vec<f32> = (0..BLOCK + 2).map(|i| (i % 7) as f32).collect();
        for kernel in Kernel::available() {
            let mut out = [1.0; 3];
            add_direct(kernel, &taps, &input, &mut out);
            for (i, out) in out.iter().enumerate() {
                let sum: f32 = taps.iter().zip(&input[i..]).map(|(a, b)| a * b).sum();
                assert_eq!(*out, 1.0 + sum);
            }
        }
    }
}
