//! Responses in the layout of the convolution: read only.

use num_complex::Complex32;

use super::{CHANNELS, PARTITIONS, Responses, STAGES, partitions, spectrum, stages};
use crate::strings::bank::BLOCK;
use touchback_core::math::cast::single;

/// Responses from a set of inputs to [`CHANNELS`] outputs.
pub struct Filter {
    /// Direct taps, newest last: `[input][channel]`.
    pub(super) head: Vec<[[f32; BLOCK]; CHANNELS]>,
    /// `[channel][partition][input]` of each stage: spectra, flattened.
    pub(super) spectra: [Vec<f32>; STAGES],
    /// Length of the responses.
    pub(super) taps: usize,
}

impl Filter {
    /// Prepares `responses`, all of equal length. Allocates.
    #[must_use]
    pub fn new(responses: &Responses) -> Self {
        let taps = responses.first().map_or(0, |r| r[0].len());
        let head = responses.iter().map(|r| {
            std::array::from_fn(|c| {
                std::array::from_fn(|i| r[c].get(BLOCK - 1 - i).copied().unwrap_or(0.0))
            })
        });
        let ranges = stages(taps);
        let stage = |s: usize| spectra(responses, ranges[s].clone(), PARTITIONS[s]);
        Self { head: head.collect(), spectra: std::array::from_fn(stage), taps }
    }

    /// Number of inputs.
    pub(super) const fn inputs(&self) -> usize {
        self.head.len()
    }
}

/// Spectra of the taps `range` in partitions of `blocks` blocks.
fn spectra(responses: &Responses, range: std::ops::Range<usize>, blocks: usize) -> Vec<f32> {
    let size = blocks * BLOCK;
    let forward = crate::signal::fourier::forward(2 * size);
    let length = spectrum::length(size + 1);
    let partitions = partitions(range.len(), blocks);
    let mut spectra = vec![0.0; responses.len() * CHANNELS * partitions * length];
    let mut time = vec![0.0; 2 * size];
    let mut bins = vec![Complex32::ZERO; size + 1];
    let mut scratch = vec![Complex32::ZERO; forward.get_scratch_len()];
    // The inverse transform is not normalised; its factor goes into the spectra.
    let scale = single(1.0 / (2 * size) as f64);
    for (i, response) in responses.iter().enumerate() {
        for (c, taps) in response.iter().enumerate() {
            for (p, part) in taps[range.clone()].chunks(size).enumerate() {
                time.fill(0.0);
                for (t, x) in time.iter_mut().zip(part) {
                    *t = x * scale;
                }
                let at = ((c * partitions + p) * responses.len() + i) * length;
                let done = forward.process_with_scratch(&mut time, &mut bins, &mut scratch);
                debug_assert!(done.is_ok(), "lengths are fixed above");
                spectrum::split(&bins, &mut spectra[at..at + length]);
            }
        }
    }
    spectra
}
