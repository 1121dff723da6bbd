//! Convolution of the board's inputs with its responses, without delay.
//!
//! The first [`BLOCK`] taps are applied directly. The rest is cut into two stages of equal
//! partitions, each convolved by overlap-save in the frequency domain: partitions of one block up
//! to tap 1024, then of eight blocks. A stage of P samples needs its input only P samples (short
//! stage) or 2 P samples (long stage) before its output is due, so the long stage spreads its work
//! over eight blocks. Everything counts blocks since reset. Audio thread; allocates only in `new`.

mod spectrum;

use std::sync::Arc;

use touchback_fft::num_complex::Complex32;
use touchback_fft::{ComplexToReal, RealToComplex};

use crate::math::cast::single;
use crate::math::kernel::Kernel;
use crate::sound::bank::BLOCK;

/// Number of output channels.
pub const CHANNELS: usize = 2;

/// Blocks in a partition of the long stage.
const LONG: usize = 8;

/// Taps before the long stage: two of its partitions.
pub const EARLY: usize = 2 * LONG * BLOCK;

/// Impulse responses: `[input][channel][tap]`.
pub type Responses = Vec<[Vec<f32>; CHANNELS]>;

/// A set of inputs convolved into [`CHANNELS`] outputs.
pub struct Convolver {
    kernel: Kernel,
    /// Direct taps, newest last: `[input][channel]`.
    head: Vec<[[f32; BLOCK]; CHANNELS]>,
    /// Previous and present block of each input.
    recent: Vec<[f32; 2 * BLOCK]>,
    short: PartitionStage,
    long: PartitionStage,
    /// Blocks since the last input that was not zero.
    quiet: usize,
    /// Blocks after which all history is zero.
    memory: usize,
}

impl Convolver {
    /// Prepares `responses`, all of equal length.
    #[must_use]
    pub fn new(responses: &Responses, kernel: Kernel) -> Self {
        let taps = responses.first().map_or(0, |r| r[0].len());
        let cut = |from: usize, to: usize| -> Responses {
            let part = |r: &Vec<f32>| r.get(from.min(taps)..to.min(taps)).unwrap_or(&[]).to_vec();
            responses.iter().map(|r| [part(&r[0]), part(&r[1])]).collect()
        };
        let head = responses.iter().map(|r| {
            std::array::from_fn(|c| {
                std::array::from_fn(|i| r[c].get(BLOCK - 1 - i).copied().unwrap_or(0.0))
            })
        });
        let memory = taps.div_ceil(BLOCK) + 4 * LONG;
        Self {
            kernel,
            head: head.collect(),
            recent: vec![[0.0; 2 * BLOCK]; responses.len()],
            short: PartitionStage::new(&cut(BLOCK, EARLY), 1, kernel),
            long: PartitionStage::new(&cut(EARLY, taps), LONG, kernel),
            quiet: memory,
            memory,
        }
    }

    /// Clears all history.
    pub fn reset(&mut self) {
        self.recent.fill([0.0; 2 * BLOCK]);
        self.short.reset();
        self.long.reset();
        self.quiet = self.memory;
    }

    /// All history is zero.
    #[must_use]
    pub const fn is_silent(&self) -> bool {
        self.quiet >= self.memory
    }

    /// Adds to `early` what the first [`EARLY`] taps, and to `late` what the others make of the
    /// samples `at`… of the present block; `inputs` holds them at the same place.
    pub fn process(
        &mut self,
        inputs: &[[f32; BLOCK]],
        at: usize,
        early: [&mut [f32]; CHANNELS],
        late: [&mut [f32]; CHANNELS],
    ) {
        let len = early[0].len();
        let fed = inputs.iter().any(|i| i[at..at + len].iter().any(|&x| x != 0.0));
        if fed {
            self.quiet = 0;
        } else if self.is_silent() {
            return;
        }
        for (recent, input) in self.recent.iter_mut().zip(inputs) {
            recent[BLOCK + at..BLOCK + at + len].copy_from_slice(&input[at..at + len]);
        }
        let late_from = self.long.place * BLOCK + at;
        for (c, (early, late)) in early.into_iter().zip(late).enumerate() {
            early.copy_from_slice(&self.short.output[c][at..at + len]);
            late.copy_from_slice(&self.long.output[c][late_from..late_from + len]);
            for (head, recent) in self.head.iter().zip(&self.recent) {
                spectrum::add_direct(self.kernel, &head[c], &recent[at + 1..], early);
            }
        }
    }

    /// Ends the present block.
    pub fn end_block(&mut self) {
        if self.is_silent() {
            // Zero in, zero history: only the block count advances.
            self.long.tick();
            return;
        }
        self.quiet += 1;
        self.short.feed(&self.recent);
        self.long.feed(&self.recent);
        for recent in &mut self.recent {
            recent.copy_within(BLOCK.., 0);
        }
        if self.is_silent() {
            self.recent.fill([0.0; 2 * BLOCK]);
            self.short.clear();
            self.long.clear();
        }
    }
}

/// One stage of equal partitions.
struct PartitionStage {
    /// Blocks in a partition, and which of them is present.
    blocks: usize,
    place: usize,
    partitions: usize,
    kernel: Kernel,
    /// `[input][channel][partition]`: spectra, flattened.
    spectra: Vec<f32>,
    /// `[input][slot]`: a ring of input spectra, flattened.
    history: Vec<f32>,
    newest: usize,
    /// `[input]`: previous and present partition of input.
    inputs: Vec<Vec<f32>>,
    /// `[channel]`: spectra of the sums under way, next and present output.
    sums: [Vec<f32>; CHANNELS],
    next: [Vec<f32>; CHANNELS],
    output: [Vec<f32>; CHANNELS],
    forward: Arc<dyn RealToComplex<f32>>,
    inverse: Arc<dyn ComplexToReal<f32>>,
    time: Vec<f32>,
    bins: Vec<Complex32>,
    scratch: Vec<Complex32>,
}

impl PartitionStage {
    fn new(responses: &Responses, blocks: usize, kernel: Kernel) -> Self {
        let size = blocks * BLOCK;
        let forward = touchback_fft::forward(2 * size);
        let inverse = touchback_fft::inverse(2 * size);
        let (bins, length) = (size + 1, spectrum::length(size + 1));
        let partitions = responses.first().map_or(0, |r| r[0].len().div_ceil(size));
        let inputs = responses.len();
        let scratch = forward.get_scratch_len().max(inverse.get_scratch_len());
        let zero = Complex32::ZERO;
        let mut stage = Self {
            blocks,
            place: 0,
            partitions,
            kernel,
            spectra: vec![0.0; inputs * CHANNELS * partitions * length],
            history: vec![0.0; inputs * partitions * length],
            newest: 0,
            inputs: vec![vec![0.0; 2 * size]; inputs],
            sums: std::array::from_fn(|_| vec![0.0; length]),
            next: std::array::from_fn(|_| vec![0.0; size]),
            output: std::array::from_fn(|_| vec![0.0; size]),
            forward,
            inverse,
            time: vec![0.0; 2 * size],
            bins: vec![zero; bins],
            scratch: vec![zero; scratch],
        };
        // The inverse transform is not normalised; its factor goes into the spectra.
        let scale = single(1.0 / (2 * size) as f64);
        for (i, response) in responses.iter().enumerate() {
            for (c, taps) in response.iter().enumerate() {
                for (p, part) in taps.chunks(size).enumerate() {
                    stage.time.fill(0.0);
                    for (t, x) in stage.time.iter_mut().zip(part) {
                        *t = x * scale;
                    }
                    let at = ((i * CHANNELS + c) * partitions + p) * length;
                    stage.transform();
                    spectrum::part(&stage.bins, &mut stage.spectra[at..at + length]);
                }
            }
        }
        stage
    }

    fn reset(&mut self) {
        self.place = 0;
        self.newest = 0;
        self.clear();
    }

    fn clear(&mut self) {
        self.history.fill(0.0);
        for x in &mut self.inputs {
            x.fill(0.0);
        }
        for c in 0..CHANNELS {
            self.sums[c].fill(0.0);
            self.next[c].fill(0.0);
            self.output[c].fill(0.0);
        }
    }

    /// Advances the block count without work, for zero input and zero history.
    fn tick(&mut self) {
        self.place = (self.place + 1) % self.blocks;
    }

    /// Takes in the block just ended and does this block's share of the work.
    fn feed(&mut self, recent: &[[f32; 2 * BLOCK]]) {
        if self.partitions == 0 {
            self.tick();
            return;
        }
        let size = self.blocks * BLOCK;
        let at = size + self.place * BLOCK;
        for (input, recent) in self.inputs.iter_mut().zip(recent) {
            input[at..at + BLOCK].copy_from_slice(&recent[BLOCK..]);
        }
        if self.blocks == 1 {
            self.turn_over();
            self.multiply(0, self.partitions);
            self.deliver();
            for c in 0..CHANNELS {
                std::mem::swap(&mut self.output[c], &mut self.next[c]);
            }
            return;
        }
        // Long stage. Products in the first seven blocks of a partition, sums ready in the
        // seventh; at the end of the eighth the outputs change and the new input is transformed.
        let slices = self.blocks - 1;
        if self.place < slices {
            let share = self.partitions.div_ceil(slices);
            let from = (self.place * share).min(self.partitions);
            self.multiply(from, (from + share).min(self.partitions));
            if self.place + 1 == slices {
                self.deliver();
            }
        } else {
            for c in 0..CHANNELS {
                std::mem::swap(&mut self.output[c], &mut self.next[c]);
            }
            self.turn_over();
        }
        self.tick();
    }

    /// Numbers in one spectrum.
    const fn length(&self) -> usize {
        spectrum::length(self.blocks * BLOCK + 1)
    }

    /// Transforms the partition of input just complete into the newest history slot.
    fn turn_over(&mut self) {
        let length = self.length();
        self.newest = (self.newest + self.partitions - 1) % self.partitions;
        for i in 0..self.inputs.len() {
            let at = (i * self.partitions + self.newest) * length;
            self.time.copy_from_slice(&self.inputs[i]);
            self.transform();
            spectrum::part(&self.bins, &mut self.history[at..at + length]);
            self.inputs[i].copy_within(self.blocks * BLOCK.., 0);
        }
    }

    /// Adds the products of partitions `from`…`to`.
    fn multiply(&mut self, from: usize, to: usize) {
        let length = self.length();
        for p in from..to {
            let slot = (self.newest + p) % self.partitions;
            for i in 0..self.inputs.len() {
                let at = (i * self.partitions + slot) * length;
                let input = &self.history[at..at + length];
                for c in 0..CHANNELS {
                    let at = ((i * CHANNELS + c) * self.partitions + p) * length;
                    let response = &self.spectra[at..at + length];
                    spectrum::add_product(self.kernel, &mut self.sums[c], input, response);
                }
            }
        }
    }

    /// Brings the sums back to time as the next output.
    fn deliver(&mut self) {
        let size = self.blocks * BLOCK;
        for c in 0..CHANNELS {
            spectrum::join(&self.sums[c], &mut self.bins);
            self.sums[c].fill(0.0);
            // The inverse transform of a real signal requires real end bins; rounding may leave
            // them slightly off.
            self.bins[0].im = 0.0;
            self.bins[size].im = 0.0;
            let (bins, time) = (&mut self.bins, &mut self.time);
            let done = self.inverse.process_with_scratch(bins, time, &mut self.scratch);
            debug_assert!(done.is_ok(), "lengths are fixed in new");
            self.next[c].copy_from_slice(&self.time[size..]);
        }
    }

    /// From `time`, which it spoils, to `bins`.
    fn transform(&mut self) {
        let (time, bins) = (&mut self.time, &mut self.bins);
        let done = self.forward.process_with_scratch(time, bins, &mut self.scratch);
        debug_assert!(done.is_ok(), "lengths are fixed in new");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;

    fn random(seed: u64, len: usize) -> Vec<f32> {
        let mut noise = Random::new(seed);
        (0..len).map(|_| single(noise.signed())).collect()
    }

    fn run(convolver: &mut Convolver, input: &[Vec<f32>], portion: usize) -> [Vec<f32>; 2] {
        let len = input[0].len();
        let mut out = [vec![0.0; len], vec![0.0; len]];
        let mut block = vec![[0.0; BLOCK]; input.len()];
        let (mut done, mut phase) = (0, 0);
        while done < len {
            let n = portion.min(BLOCK - phase).min(len - done);
            for (b, x) in block.iter_mut().zip(input) {
                b[phase..phase + n].copy_from_slice(&x[done..done + n]);
            }
            let (mut e, mut l) = ([[0.0; BLOCK]; 2], [[0.0; BLOCK]; 2]);
            let ([e0, e1], [l0, l1]) = (&mut e, &mut l);
            convolver.process(
                &block,
                phase,
                [&mut e0[..n], &mut e1[..n]],
                [&mut l0[..n], &mut l1[..n]],
            );
            for c in 0..2 {
                for i in 0..n {
                    out[c][done + i] = e[c][i] + l[c][i];
                }
            }
            done += n;
            phase += n;
            if phase == BLOCK {
                convolver.end_block();
                phase = 0;
            }
        }
        out
    }

    #[test]
    fn equals_the_sum_it_stands_for_from_the_first_sample_on() {
        for taps in [5, 64, 700, 1024, 3000] {
            let responses: Responses =
                (0..2).map(|i| [random(2 * i + 1, taps), random(2 * i + 2, taps)]).collect();
            let mut input = vec![random(10, 5000), random(11, 5000)];
            input[0][..300].fill(0.0);
            let out = run(&mut Convolver::new(&responses, Kernel::detect()), &input, 64);
            for c in 0..2 {
                for n in (0..5000).step_by(13) {
                    let exact: f64 = (0..2)
                        .flat_map(|i| (0..taps.min(n + 1)).map(move |t| (i, t)))
                        .map(|(i, t)| f64::from(responses[i][c][t]) * f64::from(input[i][n - t]))
                        .sum();
                    assert!((f64::from(out[c][n]) - exact).abs() < 1e-3, "{taps} taps, sample {n}");
                }
            }
        }
    }

    #[test]
    fn portions_do_not_matter_and_silence_ends() {
        let responses: Responses = vec![[random(1, 2500), random(2, 2500)]];
        let mut input = vec![random(3, 12_000)];
        input[0][700..6000].fill(0.0);
        input[0][6100..].fill(0.0);
        let mut convolver = Convolver::new(&responses, Kernel::detect());
        let whole = run(&mut convolver, &input, 64);
        assert!(convolver.is_silent());
        convolver.reset();
        for portion in [1, 7, 50] {
            let parts = run(&mut convolver, &input, portion);
            convolver.reset();
            for c in 0..2 {
                assert!(whole[c].iter().zip(&parts[c]).all(|(a, b)| a.to_bits() == b.to_bits()));
            }
        }
    }
}
