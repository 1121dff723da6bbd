//! Convolution of the inputs with one filter.

use std::sync::Arc;

use crate::signal::fourier::ComplexToReal;
use num_complex::Complex32;

use super::input::InputStage;
use super::{CHANNELS, Filter, Input, PARTITIONS, SCHEDULES, STAGES, Schedule, spectrum};
use crate::strings::bank::BLOCK;
use touchback_core::math::kernel::Kernel;
use touchback_core::math::pages;

/// Buffers of the transforms, which all outputs use in turn.
pub struct Workspace([StageWorkspace; STAGES]);

struct StageWorkspace {
    inverse: Arc<dyn ComplexToReal<f32>>,
    time: Vec<f32>,
    bins: Vec<Complex32>,
    scratch: Vec<Complex32>,
}

impl Workspace {
    /// Allocates.
    #[must_use]
    pub fn new() -> Self {
        Self(PARTITIONS.map(|blocks| {
            let size = blocks * BLOCK;
            let inverse = crate::signal::fourier::inverse(2 * size);
            StageWorkspace {
                time: pages::filled(0.0, 2 * size),
                bins: pages::filled(Complex32::ZERO, size + 1),
                scratch: pages::filled(Complex32::ZERO, inverse.get_scratch_len()),
                inverse,
            }
        }))
    }
}

/// The output of one [`Filter`].
pub struct Output {
    kernel: Kernel,
    stages: [OutputStage; STAGES],
    is_on: bool,
    /// The last stage is computed.
    has_tail: bool,
}

impl Output {
    /// Silent and off. Allocates.
    #[must_use]
    pub fn new(kernel: Kernel) -> Self {
        Self { kernel, stages: std::array::from_fn(OutputStage::new), is_on: false, has_tail: true }
    }

    /// Switches the output on, at any time: after [`super::COMPLETE`] blocks it contains all of the input's
    /// history, at once where that is zero.
    pub fn start(&mut self, input: &Input) {
        if !self.is_on {
            self.is_on = true;
            for (s, stage) in self.stages.iter_mut().enumerate() {
                stage.waits = !input.is_at_beginning(s);
            }
        }
    }

    /// Computes the last stage or leaves it out, from the present block on; it is complete after
    /// [`super::COMPLETE`] blocks.
    pub(crate) fn set_tail(&mut self, has_tail: bool, input: &Input) {
        if std::mem::replace(&mut self.has_tail, has_tail) != has_tail {
            let last = &mut self.stages[STAGES - 1];
            last.clear();
            last.waits = !input.is_at_beginning(STAGES - 1);
        }
    }

    /// Switches the output off.
    pub fn stop(&mut self) {
        if self.is_on {
            self.is_on = false;
            self.clear();
        }
    }

    /// Whether the output is switched on.
    #[must_use]
    pub const fn is_on(&self) -> bool {
        self.is_on
    }

    /// Sets all history to 0.
    pub fn clear(&mut self) {
        self.stages.iter_mut().for_each(OutputStage::clear);
    }

    /// Writes the samples `at`… of the present block, which `input` (not silent) has taken: to `early` the
    /// convolution with the first [`super::EARLY`] taps of `filter`, to `late` that with the others. `tail`:
    /// share of the last stage at the beginning of the block and at the end.
    pub fn process(
        &self,
        filter: &Filter,
        input: &Input,
        at: usize,
        tail: [f32; 2],
        early: [&mut [f32]; CHANNELS],
        late: [&mut [f32]; CHANNELS],
    ) {
        let len = early[0].len();
        let [short, middle, last] = &self.stages;
        let [_, middle_from, last_from] = input.stages.each_ref().map(|s| s.index * BLOCK + at);
        for (c, (early, late)) in early.into_iter().zip(late).enumerate() {
            early.copy_from_slice(&short.output[c][at..at + len]);
            late.copy_from_slice(&middle.output[c][middle_from..middle_from + len]);
            if tail != [0.0; 2] {
                let output = &last.output[c][last_from..last_from + len];
                for (i, (late, output)) in late.iter_mut().zip(output).enumerate() {
                    let passed = (at + i + 1) as f32 / BLOCK as f32;
                    *late += (tail[0] + passed * (tail[1] - tail[0])) * output;
                }
            }
            for (head, recent) in filter.head.iter().zip(&input.recent) {
                spectrum::add_direct(self.kernel, &head[c], &recent[at + 1..], early);
            }
        }
    }

    /// Does this block's share of the work, after `input` has taken the block that ends.
    pub fn end_block(&mut self, filter: &Filter, input: &Input, work: &mut Workspace) {
        let stages =
            self.stages.iter_mut().zip(&mut work.0).zip(&filter.spectra).zip(&input.stages);
        let computed = if self.has_tail { STAGES } else { STAGES - 1 };
        for (((stage, work), spectra), input) in stages.take(computed) {
            stage.end_block(self.kernel, spectra, input, work);
        }
    }
}

/// One stage of equal partitions.
struct OutputStage {
    /// Blocks in a partition.
    blocks: usize,
    schedule: &'static Schedule,
    /// The output was switched on inside a partition: no work before the next one begins.
    waits: bool,
    /// `[channel]`: spectra of the sums in progress.
    sums: [Vec<f32>; CHANNELS],
    /// `[channel]`: output of the next partition.
    next: [Vec<f32>; CHANNELS],
    /// `[channel]`: output of the present partition.
    output: [Vec<f32>; CHANNELS],
}

impl OutputStage {
    fn new(stage: usize) -> Self {
        let blocks = PARTITIONS[stage];
        let size = blocks * BLOCK;
        Self {
            blocks,
            schedule: &SCHEDULES[stage],
            waits: false,
            sums: std::array::from_fn(|_| pages::filled(0.0, spectrum::length(size + 1))),
            next: std::array::from_fn(|_| pages::filled(0.0, size)),
            output: std::array::from_fn(|_| pages::filled(0.0, size)),
        }
    }

    fn clear(&mut self) {
        self.waits = false;
        for c in 0..CHANNELS {
            self.sums[c].fill(0.0);
            self.next[c].fill(0.0);
            self.output[c].fill(0.0);
        }
    }

    /// Does this block's share of the work.
    fn end_block(
        &mut self,
        kernel: Kernel,
        spectra: &[f32],
        input: &InputStage,
        work: &mut StageWorkspace,
    ) {
        let partitions = input.partitions;
        if partitions == 0 {
            return;
        }
        self.waits &= input.index > 0;
        if self.waits {
            return;
        }
        let Schedule { older, newest, deliver, .. } = self.schedule;
        if let Some(slot) = older.iter().position(|block| *block == input.index) {
            let products = (partitions - 1) * CHANNELS;
            for product in slot * products / older.len()..(slot + 1) * products / older.len() {
                let (age, c) = (1 + product / CHANNELS, product % CHANNELS);
                self.multiply(kernel, spectra, input, age, c);
            }
        }
        for c in 0..CHANNELS {
            if newest[c] == input.index {
                self.multiply(kernel, spectra, input, 0, c);
            }
            if deliver[c] == input.index {
                self.deliver(c, work);
            }
        }
        if input.index + 1 == self.blocks {
            self.turn_over();
        }
    }

    /// The next output becomes the present one.
    fn turn_over(&mut self) {
        for c in 0..CHANNELS {
            std::mem::swap(&mut self.output[c], &mut self.next[c]);
        }
    }

    /// Adds the products of all inputs `age` partitions ago to the sums of channel `c`.
    fn multiply(
        &mut self,
        kernel: Kernel,
        spectra: &[f32],
        input: &InputStage,
        age: usize,
        c: usize,
    ) {
        let inputs = input.earlier(age);
        let at = (c * input.partitions + age) * inputs.len();
        let responses = &spectra[at..at + inputs.len()];
        spectrum::add_products(kernel, &mut self.sums[c], inputs, responses);
    }

    /// Transforms the sums of channel `c` to its next output.
    fn deliver(&mut self, c: usize, work: &mut StageWorkspace) {
        let size = self.blocks * BLOCK;
        let StageWorkspace { inverse, time, bins, scratch } = work;
        spectrum::join(&self.sums[c], bins);
        self.sums[c].fill(0.0);
        // The inverse transform of a real signal requires real end bins; rounding may leave
        // them slightly off.
        bins[0].im = 0.0;
        bins[size].im = 0.0;
        let done = inverse.process_with_scratch(bins, time, scratch);
        debug_assert!(done.is_ok(), "lengths are fixed in new");
        self.next[c].copy_from_slice(&time[size..]);
    }
}
