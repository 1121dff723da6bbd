//! Sums over the lanes, sixteen samples at once.
//!
//! The sum of the lanes of one sample moves each value through five instructions that wait for
//! each other; sixteen samples folded into each other take a third of the instructions. The order
//! of additions is that of [`total`].

use super::{LANES, Lane, total};
use touchback_core::math::kernel::Kernel;

/// Samples folded at once.
const FOLDED: usize = 16;

/// Samples of a block at a slow rate.
const HALF: usize = FOLDED / 2;

/// Adds the totals of sixteen samples.
type Fold = fn(&[Lane; FOLDED], &mut [f32; FOLDED]);

/// Adds the [`total`] of each of `sums` to the same index of `out`.
pub fn add(kernel: Kernel, sums: &[Lane], out: &mut [f32]) {
    #[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables, reason = "one way there"))]
    let fold: Option<Fold> = match kernel {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the kernel says that the machine has the instructions.
        Kernel::Avx512(_) => Some(|sums, out| unsafe { x86::add_avx512(sums, out) }),
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Kernel::Avx2(_) => Some(|sums, out| unsafe { x86::add_avx2(sums, out) }),
        _ => None,
    };
    let (mut sums, mut out) = (sums, out);
    if let Some(fold) = fold {
        let (folded, rest) = sums.as_chunks();
        let (folded_out, rest_out) = out.as_chunks_mut();
        folded.iter().zip(folded_out).for_each(|(sums, out)| fold(sums, out));
        (sums, out) = (rest, rest_out);
        // Half as many fit into one fold too.
        if sums.len() >= HALF {
            let (half, rest) = sums.split_at(HALF);
            let (half_out, rest_out) = out.split_at_mut(HALF);
            let (mut padded, mut padded_out) = ([[0.0; LANES]; FOLDED], [0.0; FOLDED]);
            padded[..HALF].copy_from_slice(half);
            padded_out[..HALF].copy_from_slice(half_out);
            fold(&padded, &mut padded_out);
            half_out.copy_from_slice(&padded_out[..HALF]);
            (sums, out) = (rest, rest_out);
        }
    }
    out.iter_mut().zip(sums).for_each(|(out, sum)| *out += total(sum));
}

/// Each fold adds halves, quarters, … of the lanes of two samples and leaves both in one register.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __m256, __m512, _mm256_add_ps, _mm256_loadu_ps, _mm256_permute2f128_ps,
        _mm256_permutevar8x32_ps, _mm256_setr_epi32, _mm256_shuffle_ps, _mm256_storeu_ps,
        _mm512_add_ps, _mm512_loadu_ps, _mm512_permutexvar_ps, _mm512_setr_epi32,
        _mm512_shuffle_f32x4, _mm512_shuffle_ps, _mm512_storeu_ps,
    };

    use super::{FOLDED, Lane};

    #[target_feature(enable = "avx512f")]
    pub(crate) fn add_avx512(sums: &[Lane; FOLDED], out: &mut [f32; FOLDED]) {
        // SAFETY: a lane is sixteen numbers long.
        let load = |i: usize| -> __m512 { unsafe { _mm512_loadu_ps(sums[i].as_ptr()) } };
        let halves = |i| {
            let (a, b) = (load(i), load(i + 1));
            _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x44), _mm512_shuffle_f32x4(a, b, 0xEE))
        };
        let quarters = |i| {
            let (a, b) = (halves(i), halves(i + 2));
            _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x88), _mm512_shuffle_f32x4(a, b, 0xDD))
        };
        let eighths = |i| {
            let (a, b) = (quarters(i), quarters(i + 4));
            _mm512_add_ps(_mm512_shuffle_ps(a, b, 0x44), _mm512_shuffle_ps(a, b, 0xEE))
        };
        let (a, b) = (eighths(0), eighths(8));
        let sum = _mm512_add_ps(_mm512_shuffle_ps(a, b, 0x88), _mm512_shuffle_ps(a, b, 0xDD));
        // Here samples 0, 4, 8, 12, 1, 5, …
        let order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
        let sum = _mm512_permutexvar_ps(order, sum);
        // SAFETY: `out` is sixteen numbers long.
        unsafe {
            _mm512_storeu_ps(out.as_mut_ptr(), _mm512_add_ps(_mm512_loadu_ps(out.as_ptr()), sum));
        }
    }

    #[target_feature(enable = "avx2")]
    pub(crate) fn add_avx2(sums: &[Lane; FOLDED], out: &mut [f32; FOLDED]) {
        let (sums, _) = sums.as_chunks::<8>();
        let (out, _) = out.as_chunks_mut::<8>();
        sums.iter().zip(out).for_each(|(sums, out)| add_eight(sums, out));
    }

    #[target_feature(enable = "avx2")]
    fn add_eight(sums: &[Lane; 8], out: &mut [f32; 8]) {
        let halves = |i: usize| -> __m256 {
            // SAFETY: a lane is sixteen numbers long.
            let part = |at: usize| unsafe { _mm256_loadu_ps(sums[i][at..at + 8].as_ptr()) };
            _mm256_add_ps(part(0), part(8))
        };
        let quarters = |i| {
            let (a, b) = (halves(i), halves(i + 1));
            _mm256_add_ps(_mm256_permute2f128_ps(a, b, 0x20), _mm256_permute2f128_ps(a, b, 0x31))
        };
        let eighths = |i| {
            let (a, b) = (quarters(i), quarters(i + 2));
            _mm256_add_ps(_mm256_shuffle_ps(a, b, 0x44), _mm256_shuffle_ps(a, b, 0xEE))
        };
        let (a, b) = (eighths(0), eighths(4));
        let sum = _mm256_add_ps(_mm256_shuffle_ps(a, b, 0x88), _mm256_shuffle_ps(a, b, 0xDD));
        // Here samples 0, 2, 4, 6, 1, 3, 5, 7.
        let sum = _mm256_permutevar8x32_ps(sum, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
        // SAFETY: `out` is eight numbers long.
        unsafe {
            _mm256_storeu_ps(out.as_mut_ptr(), _mm256_add_ps(_mm256_loadu_ps(out.as_ptr()), sum));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_adds_in_the_same_order() {
        let sums: Vec<Lane> = (0..37)
            .map(|i| {
                std::array::from_fn(|l| ((i * 16 + l) as f32 * 0.7).sin() * ((l % 7) as f32).exp())
            })
            .collect();
        for kernel in Kernel::available() {
            let mut out: Vec<f32> = (0..37).map(|i| i as f32).collect();
            add(kernel, &sums, &mut out);
            for (i, (out, sum)) in out.iter().zip(&sums).enumerate() {
                assert_eq!(
                    out.to_bits(),
                    (i as f32 + total(sum)).to_bits(),
                    "{kernel:?}, sample {i}"
                );
            }
        }
    }
}
