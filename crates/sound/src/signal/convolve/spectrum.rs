//! Spectra in the layout of the products: real parts, then imaginary parts, each in whole lanes.
#![allow(
    clippy::needless_range_loop,
    reason = "one lane index over several arrays is what becomes a register"
)]

use num_complex::Complex32;

use crate::strings::bank::{BLOCK, LANES, kernels};
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

/// Products added at a time: as many as the registers hold the addresses of.
const TOGETHER: usize = 4;

kernels! {
    /// Adds the products of the spectra in `a` with those in `b` to `sum`, one after the other; all spectra
    /// are as long as `sum`, a [`length`].
    add_products, add_products_body, add_products_avx2, add_products_avx512,
    (sum: &mut [f32], a: &[f32], b: &[f32])
}

#[inline(always)]
fn add_products_body(sum: &mut [f32], a: &[f32], b: &[f32]) {
    let length = sum.len();
    let (four_a, rest_a) = a.split_at(a.len() - a.len() % (TOGETHER * length));
    let (four_b, rest_b) = b.split_at(four_a.len());
    let four = four_a.chunks_exact(TOGETHER * length);
    for (a, b) in four.zip(four_b.chunks_exact(TOGETHER * length)) {
        add_few::<TOGETHER>(sum, a, b);
    }
    for (a, b) in rest_a.chunks_exact(length).zip(rest_b.chunks_exact(length)) {
        add_few::<1>(sum, a, b);
    }
}

#[inline(always)]
fn add_few<const N: usize>(sum: &mut [f32], a: &[f32], b: &[f32]) {
    let half = sum.len() / 2;
    let [a, b] = [a, b].map(|planes| -> [_; N] {
        std::array::from_fn(|n| planes[2 * n * half..2 * (n + 1) * half].split_at(half))
    });
    let (sum_re, sum_im) = sum.split_at_mut(half);
    let sums = sum_re.chunks_exact_mut(LANES).zip(sum_im.chunks_exact_mut(LANES));
    for (g, (sum_re, sum_im)) in sums.enumerate() {
        let bins = g * LANES..(g + 1) * LANES;
        for n in 0..N {
            let (a_re, a_im) = (&a[n].0[bins.clone()], &a[n].1[bins.clone()]);
            let (b_re, b_im) = (&b[n].0[bins.clone()], &b[n].1[bins.clone()]);
            for l in 0..LANES {
                sum_re[l] += a_re[l] * b_re[l] - a_im[l] * b_im[l];
                sum_im[l] += a_re[l] * b_im[l] + a_im[l] * b_re[l];
            }
        }
    }
}

/// Outputs of [`add_direct`] computed side by side.
const OUTPUTS: usize = 2 * LANES;

kernels! {
    /// Adds to `out` the convolution of `taps`, newest last, with `input`, which begins [`BLOCK`] − 1
    /// samples before `out` and may be read for [`REACH`] samples beyond its end.
    add_direct, add_direct_body, add_direct_avx2, add_direct_avx512,
    (taps: &[f32; BLOCK], input: &[f32], out: &mut [f32])
}

/// Samples beyond the last input that [`add_direct`] reads, for outputs that are discarded.
pub const REACH: usize = OUTPUTS - 1;

/// Every sum adds the taps in their order, whichever outputs are computed with it.
#[inline(always)]
fn add_direct_body(taps: &[f32; BLOCK], input: &[f32], out: &mut [f32]) {
    for (part, out) in out.chunks_mut(OUTPUTS).enumerate() {
        let input = &input[part * OUTPUTS..part * OUTPUTS + BLOCK + REACH];
        let mut sums = [0.0f32; OUTPUTS];
        for (tap, input) in taps.iter().zip(input.windows(OUTPUTS)) {
            for l in 0..OUTPUTS {
                sums[l] += tap * input[l];
            }
        }
        out.iter_mut().zip(sums).for_each(|(out, sum)| *out += sum);
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
            for n in 1..7 {
                let mut sum = planes(&a);
                add_products(kernel, &mut sum, &planes(&a).repeat(n), &planes(&b).repeat(n));
                let mut back = vec![Complex32::ZERO; 65];
                join(&sum, &mut back);
                for i in 0..65 {
                    assert_eq!(back[i], a[i] + a[i] * b[i] * n as f32);
                }
            }
        }
    }

    #[test]
    fn direct_taps_are_the_sum_of_products_in_every_kernel() {
        let taps: [f32; BLOCK] = std::array::from_fn(|i| i as f32);
        let input: Vec<f32> = (0..2 * BLOCK + REACH).map(|i| (i % 7) as f32).collect();
        for kernel in Kernel::available() {
            for len in [1, 3, OUTPUTS, BLOCK - 1, BLOCK] {
                let mut out = vec![1.0; len];
                add_direct(kernel, &taps, &input, &mut out);
                for (i, out) in out.iter().enumerate() {
                    let sum: f32 = taps.iter().zip(&input[i..]).map(|(a, b)| a * b).sum();
                    assert_eq!(*out, 1.0 + sum);
                }
            }
        }
    }
}
