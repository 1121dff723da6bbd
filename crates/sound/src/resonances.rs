//! Force on the board of the strings that were not struck: a whole block at its beginning, at a slower
//! sample rate. The whole force on the bridge drives the damped strings, the force near them the undamped
//! top strings. Audio thread, except `new`.

use crate::bank::BLOCK;
use crate::bridge::ZONES;
use crate::note::Note;
use crate::slow_rate::{Decimator, Interpolator, SlowRate};
use touchback_core::math::cast::single;
use touchback_core::math::compass::{KeyNumber, log_linear};

/// Share of the force on the bridge at a key that reaches the undamped strings, by key number: all of it
/// within a wavelength of the board, which is shorter than the bridge at their frequencies. Fitted to the
/// ringing of three recorded grands at 1–3 kHz after single notes (`touchback lab recorded`).
const NEAR_TOP: [(f64, f64); 3] = [(40.0, 0.03), (64.0, 0.4), (72.0, 0.7)];

/// Share of the force on the bridge at `key` that reaches the undamped strings.
#[must_use]
pub fn near_top(key: KeyNumber) -> f32 {
    single(log_linear(&NEAR_TOP, f64::from(key.number())))
}

/// Path from the bridge to the resonating strings, and from these to the board.
pub struct Resonances {
    decimator: Decimator,
    interpolators: [Interpolator; ZONES],
    /// Force of the struck notes on the bridge in the last block, N.
    bridge: Vec<f32>,
    /// That force is large enough to drive the strings.
    driven: bool,
    /// One note's force, N.
    force: Vec<f32>,
    /// Blocks since a string moved.
    quiet: usize,
    /// Blocks after which both filters hold only zeros.
    memory: usize,
}

impl Resonances {
    /// Silence.
    #[must_use]
    pub fn new(rate: &SlowRate) -> Self {
        Self {
            decimator: Decimator::new(rate.clone()),
            interpolators: std::array::from_fn(|_| Interpolator::new(rate.clone())),
            bridge: vec![0.0; rate.block()],
            driven: false,
            force: vec![0.0; rate.block()],
            quiet: rate.tail(),
            memory: rate.tail(),
        }
    }

    /// Sets both filters to 0.
    pub fn reset(&mut self) {
        self.decimator.reset();
        self.interpolators.iter_mut().for_each(Interpolator::reset);
        self.quiet = self.memory;
    }

    /// Whether both filters hold only zeros.
    #[must_use]
    pub const fn is_silent(&self) -> bool {
        self.quiet >= self.memory
    }

    /// Begins a block. `bridge`: force of the struck notes on the bridge in the last block, N; `driven`:
    /// that force is large enough to drive the strings.
    pub fn begin_block(&mut self, bridge: &[f32; BLOCK], driven: bool) {
        self.driven = driven;
        if bridge.iter().any(|force| *force != 0.0) {
            self.quiet = 0;
        } else if self.is_silent() {
            return;
        } else {
            self.quiet += 1;
        }
        self.decimator.process(bridge, &mut self.bridge);
        for interpolator in &mut self.interpolators {
            interpolator.begin();
        }
    }

    /// Adds a note at the zone `first` and the next with their `weights`.
    pub fn add(&mut self, note: &mut Note, first: usize, weights: [f32; 2]) {
        self.force.fill(0.0);
        if note.resound(self.driven.then_some(&self.bridge), &mut self.force) {
            self.quiet = 0;
            for (interpolator, weight) in
                self.interpolators[first..first + 2].iter_mut().zip(weights)
            {
                let sums = interpolator.present().iter_mut();
                sums.zip(&self.force).for_each(|(sum, force)| *sum += weight * force);
            }
        }
    }

    /// Adds the block to the board's `inputs`.
    pub fn add_to(&self, inputs: &mut [[f32; BLOCK]; ZONES]) {
        if self.is_silent() {
            return;
        }
        for (interpolator, input) in self.interpolators.iter().zip(inputs) {
            let mut force = [0.0; BLOCK];
            interpolator.process(&mut force);
            input.iter_mut().zip(force).for_each(|(sum, force)| *sum += force);
        }
    }
}
