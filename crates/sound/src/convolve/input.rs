//! The history of the inputs, transformed once for all filters.

use std::sync::Arc;

use crate::fourier::RealToComplex;
use num_complex::Complex32;

use super::{Filter, PARTITIONS, partitions, spectrum, stages};
use crate::bank::BLOCK;
use touchback_core::math::pages;

/// History of the inputs.
pub struct Input {
    /// Previous and present block of each input.
    pub(super) recent: Vec<[f32; 2 * BLOCK]>,
    /// Short and long stage.
    pub(super) stages: [InputStage; 2],
    /// Blocks since the last input that was not zero.
    quiet: usize,
    /// Blocks after which all history is zero.
    memory: usize,
    /// All history was zero when the present block began.
    was_silent: bool,
}

impl Input {
    /// Space for the history that `filter`, and others of its size, need. Allocates.
    #[must_use]
    pub fn new(filter: &Filter) -> Self {
        let memory = filter.taps.div_ceil(BLOCK) + 4 * PARTITIONS[1];
        let taps = stages(filter.taps).map(|stage| stage.len());
        let stage = |s: usize| InputStage::new(filter.inputs(), taps[s], PARTITIONS[s]);
        Self {
            recent: pages::filled([0.0; 2 * BLOCK], filter.inputs()),
            stages: [stage(0), stage(1)],
            quiet: memory,
            memory,
            was_silent: true,
        }
    }

    /// Clears all history.
    pub fn reset(&mut self) {
        self.recent.fill([0.0; 2 * BLOCK]);
        for stage in &mut self.stages {
            (stage.index, stage.newest) = (0, 0);
            stage.clear();
        }
        (self.quiet, self.was_silent) = (self.memory, true);
    }

    /// Whether all history is zero.
    #[must_use]
    pub const fn is_silent(&self) -> bool {
        self.quiet >= self.memory
    }

    /// Whether an output that is switched on now has missed nothing of a partition of the long stage.
    pub(super) const fn is_at_beginning(&self) -> bool {
        self.was_silent || self.stages[1].index == 0
    }

    /// Takes the `len` samples from `at` of the present block out of `inputs`, at the same indices.
    pub fn take(&mut self, inputs: &[[f32; BLOCK]], at: usize, len: usize) {
        if inputs.iter().any(|i| i[at..at + len].iter().any(|&x| x != 0.0)) {
            self.quiet = 0;
        } else if self.is_silent() {
            return;
        }
        for (recent, input) in self.recent.iter_mut().zip(inputs) {
            recent[BLOCK + at..BLOCK + at + len].copy_from_slice(&input[at..at + len]);
        }
    }

    /// Ends the present block: transforms complete partitions, calls `outputs` for their share of the work
    /// unless all history is zero, and begins the next block. Returns whether all history has become zero.
    pub fn end_block(&mut self, outputs: impl FnOnce(&Self)) -> bool {
        let [short, long] = &mut self.stages;
        if self.quiet >= self.memory {
            // Zero in, zero history: only the block count advances.
            long.advance();
            return false;
        }
        self.quiet += 1;
        short.take(&self.recent);
        long.take(&self.recent);
        outputs(self);
        self.stages[1].advance();
        for recent in &mut self.recent {
            recent.copy_within(BLOCK.., 0);
        }
        self.was_silent = self.is_silent();
        if self.was_silent {
            self.recent.fill([0.0; 2 * BLOCK]);
            self.stages.iter_mut().for_each(InputStage::clear);
        }
        self.was_silent
    }
}

/// The inputs of one stage of equal partitions.
pub(super) struct InputStage {
    /// Blocks in a partition.
    blocks: usize,
    /// Index of the present block in its partition.
    pub(super) index: usize,
    pub(super) partitions: usize,
    /// `[input][slot]`: a ring of spectra, flattened.
    history: Vec<f32>,
    newest: usize,
    /// `[input]`: previous and present partition.
    inputs: Vec<Vec<f32>>,
    forward: Arc<dyn RealToComplex<f32>>,
    time: Vec<f32>,
    bins: Vec<Complex32>,
    scratch: Vec<Complex32>,
}

impl InputStage {
    fn new(inputs: usize, taps: usize, blocks: usize) -> Self {
        let size = blocks * BLOCK;
        let forward = crate::fourier::forward(2 * size);
        let partitions = partitions(taps, blocks);
        Self {
            blocks,
            index: 0,
            partitions,
            history: pages::filled(0.0, inputs * partitions * spectrum::length(size + 1)),
            newest: 0,
            inputs: vec![pages::filled(0.0, 2 * size); inputs],
            time: pages::filled(0.0, 2 * size),
            bins: pages::filled(Complex32::ZERO, size + 1),
            scratch: pages::filled(Complex32::ZERO, forward.get_scratch_len()),
            forward,
        }
    }

    fn clear(&mut self) {
        self.history.fill(0.0);
        self.inputs.iter_mut().for_each(|input| input.fill(0.0));
    }

    /// Advances to the next block of a partition.
    fn advance(&mut self) {
        self.index = (self.index + 1) % self.blocks;
    }

    /// Takes the block just ended, and transforms the partition that it completes.
    fn take(&mut self, recent: &[[f32; 2 * BLOCK]]) {
        if self.partitions == 0 {
            return;
        }
        let size = self.blocks * BLOCK;
        let at = size + self.index * BLOCK;
        for (input, recent) in self.inputs.iter_mut().zip(recent) {
            input[at..at + BLOCK].copy_from_slice(&recent[BLOCK..]);
        }
        if self.index + 1 == self.blocks {
            self.turn_over();
        }
    }

    /// Transforms the partition of input just complete into the newest history slot.
    fn turn_over(&mut self) {
        let length = spectrum::length(self.blocks * BLOCK + 1);
        self.newest = (self.newest + self.partitions - 1) % self.partitions;
        for i in 0..self.inputs.len() {
            let at = (i * self.partitions + self.newest) * length;
            self.time.copy_from_slice(&self.inputs[i]);
            let (time, bins) = (&mut self.time, &mut self.bins);
            let done = self.forward.process_with_scratch(time, bins, &mut self.scratch);
            debug_assert!(done.is_ok(), "lengths are fixed in new");
            spectrum::split(&self.bins, &mut self.history[at..at + length]);
            self.inputs[i].copy_within(self.blocks * BLOCK.., 0);
        }
    }

    /// Spectrum of `input` `age` partitions ago.
    pub(super) fn earlier(&self, input: usize, age: usize) -> &[f32] {
        let length = spectrum::length(self.blocks * BLOCK + 1);
        let slot = (self.newest + age) % self.partitions;
        let at = (input * self.partitions + slot) * length;
        &self.history[at..at + length]
    }
}
