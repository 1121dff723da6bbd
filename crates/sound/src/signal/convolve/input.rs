//! The history of the inputs, transformed once for all filters.

use std::sync::Arc;

use crate::signal::fourier::RealToComplex;
use num_complex::Complex32;

use super::{Filter, PARTITIONS, SCHEDULES, STAGES, partitions, spectrum, stages};
use crate::strings::bank::BLOCK;
use crate::strings::bridge::ZONES;
use touchback_core::math::pages;

/// Previous and present block of an input, and room for what [`spectrum::add_direct`] reads beyond.
pub(super) type Recent = [f32; 2 * BLOCK + spectrum::REACH];

const SILENCE: Recent = [0.0; 2 * BLOCK + spectrum::REACH];

/// History of the inputs.
pub struct Input {
    /// Previous and present block of each input.
    pub(super) recent: Vec<Recent>,
    pub(super) stages: [InputStage; STAGES],
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
        let memory = filter.taps.div_ceil(BLOCK) + 4 * PARTITIONS[STAGES - 1];
        let taps = stages(filter.taps).map(|stage| stage.len());
        let stage = |s: usize| InputStage::new(filter.inputs(), taps[s], s);
        Self {
            recent: pages::filled(SILENCE, filter.inputs()),
            stages: std::array::from_fn(stage),
            quiet: memory,
            memory,
            was_silent: true,
        }
    }

    /// Clears all history.
    pub fn reset(&mut self) {
        self.recent.fill(SILENCE);
        self.stages.iter_mut().for_each(InputStage::reset);
        (self.quiet, self.was_silent) = (self.memory, true);
    }

    /// Whether all history is zero.
    #[must_use]
    pub const fn is_silent(&self) -> bool {
        self.quiet >= self.memory
    }

    /// Whether an output that is switched on now has missed nothing of a partition of `stage`.
    pub(super) const fn is_at_beginning(&self, stage: usize) -> bool {
        self.was_silent || self.stages[stage].index == 0
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
        if self.quiet >= self.memory {
            // Zero in, zero history: only the block count advances.
            self.stages.iter_mut().for_each(InputStage::advance);
            return false;
        }
        self.quiet += 1;
        for stage in &mut self.stages {
            stage.take(&self.recent);
        }
        outputs(self);
        self.stages.iter_mut().for_each(InputStage::advance);
        for recent in &mut self.recent {
            recent.copy_within(BLOCK..2 * BLOCK, 0);
        }
        self.was_silent = self.is_silent();
        if self.was_silent {
            self.recent.fill(SILENCE);
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
    /// `[slot][input]`: a ring of spectra, flattened.
    history: Vec<f32>,
    newest: usize,
    /// `[input]`: a ring of [`KEPT`] partitions.
    inputs: Vec<Vec<f32>>,
    /// Place of the present partition in the ring.
    present: usize,
    /// Blocks of a partition in which the partition before is transformed, for each input.
    transforms: [usize; ZONES],
    forward: Arc<dyn RealToComplex<f32>>,
    time: Vec<f32>,
    bins: Vec<Complex32>,
    scratch: Vec<Complex32>,
}

/// Partitions of the inputs kept: the present one, and two that are complete.
const KEPT: usize = 3;

impl InputStage {
    fn new(inputs: usize, taps: usize, stage: usize) -> Self {
        let (blocks, transforms) = (PARTITIONS[stage], SCHEDULES[stage].transforms);
        debug_assert!(inputs <= ZONES, "each input has its block to be transformed in");
        let size = blocks * BLOCK;
        let forward = crate::signal::fourier::forward(2 * size);
        let partitions = partitions(taps, blocks);
        Self {
            blocks,
            index: 0,
            partitions,
            history: pages::filled(0.0, inputs * partitions * spectrum::length(size + 1)),
            newest: 0,
            inputs: vec![pages::filled(0.0, KEPT * size); inputs],
            present: 0,
            transforms,
            time: pages::filled(0.0, 2 * size),
            bins: pages::filled(Complex32::ZERO, size + 1),
            scratch: pages::filled(Complex32::ZERO, forward.get_scratch_len()),
            forward,
        }
    }

    fn reset(&mut self) {
        (self.index, self.newest, self.present) = (0, 0, 0);
        self.clear();
    }

    fn clear(&mut self) {
        self.history.fill(0.0);
        self.inputs.iter_mut().for_each(|input| input.fill(0.0));
    }

    /// Advances to the next block of a partition.
    fn advance(&mut self) {
        self.index += 1;
        if self.index == self.blocks {
            self.index = 0;
            if self.blocks > 1 {
                self.turn_over();
            }
        }
    }

    /// Takes the block just ended, and does this block's share of the transforms.
    fn take(&mut self, recent: &[Recent]) {
        if self.partitions == 0 {
            return;
        }
        let at = (self.present * self.blocks + self.index) * BLOCK;
        for (input, recent) in self.inputs.iter_mut().zip(recent) {
            input[at..at + BLOCK].copy_from_slice(&recent[BLOCK..2 * BLOCK]);
        }
        if self.blocks == 1 {
            // The next block needs the block just ended.
            self.turn_over();
        }
        for i in 0..self.inputs.len() {
            if self.transforms[i] == self.index {
                self.transform(i);
            }
        }
    }

    /// Begins the next partition.
    fn turn_over(&mut self) {
        self.present = (self.present + 1) % KEPT;
        self.newest = (self.newest + self.partitions.max(1) - 1) % self.partitions.max(1);
    }

    /// Transforms the partition of `input` before the present one into the newest history slot.
    fn transform(&mut self, input: usize) {
        let size = self.blocks * BLOCK;
        let ends = self.time.chunks_exact_mut(size).zip([KEPT - 2, KEPT - 1]);
        for (time, later) in ends {
            let at = (self.present + later) % KEPT * size;
            time.copy_from_slice(&self.inputs[input][at..at + size]);
        }
        let (time, bins) = (&mut self.time, &mut self.bins);
        let done = self.forward.process_with_scratch(time, bins, &mut self.scratch);
        debug_assert!(done.is_ok(), "lengths are fixed in new");
        let length = spectrum::length(size + 1);
        let at = (self.newest * self.inputs.len() + input) * length;
        spectrum::split(&self.bins, &mut self.history[at..at + length]);
    }

    /// Spectra of all inputs `age` partitions ago.
    pub(super) fn earlier(&self, age: usize) -> &[f32] {
        let all = self.inputs.len() * spectrum::length(self.blocks * BLOCK + 1);
        let at = (self.newest + age) % self.partitions * all;
        &self.history[at..at + all]
    }
}
