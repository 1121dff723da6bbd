//! What the strings that only resound give the board: all of a block at its beginning, at a slower
//! sample rate. Damped strings hear the whole bridge, the undamped top ones what is near them. Audio
//! thread, except `new`.

use crate::bank::BLOCK;
use crate::bridge::ZONES;
use crate::note::Note;
use crate::slow_rate::{Decimator, Interpolator, SlowRate};
use touchback_core::math::cast::single;
use touchback_core::math::compass::{KeyNumber, log_linear};

/// How much of what acts on the bridge at a key the undamped strings hear, by key number: all within a
/// wavelength of the board, which is shorter than the bridge where they sound. Fitted to how three
/// recorded grands ring on at 1–3 kHz after single notes (`touchback lab recorded`).
const NEAR_TOP: [(f64, f64); 3] = [(40.0, 0.03), (64.0, 0.5), (72.0, 1.0)];

/// Share that the undamped strings hear of what acts on the bridge at `key`.
#[must_use]
pub fn near_top(key: KeyNumber) -> f32 {
    single(log_linear(&NEAR_TOP, f64::from(key.number())))
}

/// The way from the bridge to the strings that resound, and from these to the board.
pub struct Resonances {
    there: Decimator,
    back: [Interpolator; ZONES],
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
            there: Decimator::new(rate.clone()),
            back: std::array::from_fn(|_| Interpolator::new(rate.clone())),
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
        self.back.iter_mut().for_each(Interpolator::reset);
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

    /// Adds the block to the board's `inputs`.
    pub fn spread(&self, inputs: &mut [[f32; BLOCK]; ZONES]) {
        if self.is_silent() {
            return;
        }
        for (back, input) in self.back.iter().zip(inputs) {
            let mut force = [0.0; BLOCK];
            back.spread(&mut force);
            input.iter_mut().zip(force).for_each(|(sum, force)| *sum += force);
        }
    }
}
