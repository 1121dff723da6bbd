//! What the strings that only resound give the board: all of a block at its beginning, at a slower
//! sample rate. Audio thread, except `new`.

use crate::sound::bank::BLOCK;
use crate::sound::board::ZONES;
use crate::sound::note::Note;
use crate::sound::slow_rate::{Gatherer, SlowRate, Spreader};

/// The way from the bridge to the strings that resound, and from these to the board.
pub struct Resonances {
    there: Gatherer,
    back: [Spreader; ZONES],
    /// Force of the struck notes on the bridge in the last block, N; and whether it is heard.
    bridge: Vec<f32>,
    driven: bool,
    /// One note's force, N.
    force: Vec<f32>,
    /// Blocks since anything moved, and after which all is zero.
    quiet: usize,
    memory: usize,
}

impl Resonances {
    /// Silence.
    #[must_use]
    pub fn new(rate: &SlowRate) -> Self {
        Self {
            there: Gatherer::new(rate.clone()),
            back: std::array::from_fn(|_| Spreader::new(rate.clone())),
            bridge: vec![0.0; rate.block()],
            driven: false,
            force: vec![0.0; rate.block()],
            quiet: rate.tail(),
            memory: rate.tail(),
        }
    }

    /// Forgets what was.
    pub fn reset(&mut self) {
        self.there.reset();
        self.back.iter_mut().for_each(Spreader::reset);
        self.quiet = self.memory;
    }

    /// All that is under way is zero.
    #[must_use]
    pub const fn is_silent(&self) -> bool {
        self.quiet >= self.memory
    }

    /// A block begins; the struck notes' force on the bridge in the last one was `bridge` N, and is
    /// `driven` enough to be heard.
    pub fn begin_block(&mut self, bridge: &[f32; BLOCK], driven: bool) {
        self.driven = driven;
        if bridge.iter().any(|force| *force != 0.0) {
            self.quiet = 0;
        } else if self.is_silent() {
            return;
        } else {
            self.quiet += 1;
        }
        self.there.process(bridge, &mut self.bridge);
        for back in &mut self.back {
            back.begin();
        }
    }

    /// Adds a note at the board place (`first`, weights).
    pub fn add(&mut self, note: &mut Note, first: usize, weights: [f32; 2]) {
        self.force.fill(0.0);
        if note.resound(self.driven.then_some(&self.bridge), &mut self.force) {
            self.quiet = 0;
            for (back, weight) in self.back[first..first + 2].iter_mut().zip(weights) {
                let sums = back.present().iter_mut();
                sums.zip(&self.force).for_each(|(sum, force)| *sum += weight * force);
            }
        }
    }

    /// Writes the block to the board's `inputs`.
    pub fn spread(&self, inputs: &mut [[f32; BLOCK]; ZONES]) {
        for (back, input) in self.back.iter().zip(inputs) {
            if self.is_silent() {
                input.fill(0.0);
            } else {
                back.spread(input);
            }
        }
    }
}
