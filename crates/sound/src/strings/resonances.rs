//! Strings that the bridge moves: a whole block at its beginning, at a slower sample rate.
//!
//! | strings | driven by | drive |
//! | --- | --- | --- |
//! | with dampers, not struck | all struck strings and knocks, each other | the board, each other, struck strings |
//! | with dampers, struck | resonating strings | the same |
//! | undamped | struck strings near them | the board |
//!
//! Forces arrive a constant delay after they act, which a turn of each mode's response makes up for. The
//! mobility between two strings is passive ([`bridge::wave`](crate::strings::bridge::wave)): what one takes, the other
//! loses. Audio thread, except `new`.

use crate::signal::slow_rate::{Decimator, Interpolator, SlowRate};
use crate::strings::bank::BLOCK;
use crate::strings::bridge::ZONES;
use crate::strings::bridge_delay::BridgeDelay;
use crate::strings::note::Note;
use touchback_core::math::cast::single;
use touchback_core::math::compass::{KeyNumber, log_linear};

/// Share of the force on the bridge at a key that reaches the undamped strings, by key number: all of it
/// within a wavelength of the board, which is shorter than the bridge at their frequencies. Fitted to the
/// ringing of three recorded grands at 1–3 kHz after single notes (`touchback lab recorded`).
const NEAR_TOP: [(f64, f64); 3] = [(40.0, 0.03), (64.0, 0.4), (72.0, 0.7)];

/// Share at the highest keys.
pub const NEAREST: f64 = NEAR_TOP[2].1;

/// Share of the force on the bridge at `key` that reaches the undamped strings.
#[must_use]
pub(crate) fn near_top(key: KeyNumber) -> f32 {
    single(log_linear(&NEAR_TOP, f64::from(key.number())))
}

/// Forces on the bridge on one path to the resonating strings.
struct Path {
    decimator: Decimator,
    /// Force of the struck notes on the bridge in the last block, N.
    struck: Vec<f32>,
    /// Force of all resonating strings on the bridge, N, up to the last block; `None` where it drives no others.
    sent: Option<BridgeDelay>,
    /// That force as it arrives at the strings in the present block, N.
    returned: Vec<f32>,
}

/// Paths from the bridge to the resonating strings, and from these to each other and to the board.
pub struct Resonances {
    paths: Vec<Path>,
    interpolators: [Interpolator; ZONES],
    /// The struck notes' force is large enough to drive the strings.
    driven: bool,
    /// Largest force of resonating strings that arrives in the present block, N.
    loudest_returned: f32,
    /// Force that drives one note, N.
    drive: Vec<f32>,
    /// One note's force, N.
    force: Vec<f32>,
    /// Blocks since a string moved.
    quiet: usize,
    /// Blocks after which both filters hold only zeros.
    memory: usize,
}

impl Resonances {
    /// Silence, with so many `paths`; `is_mutual` strings drive each other too.
    #[must_use]
    pub fn new(rate: &SlowRate, paths: usize, is_mutual: bool) -> Self {
        let path = || Path {
            decimator: Decimator::new(rate.clone()),
            struck: vec![0.0; rate.block()],
            sent: is_mutual.then(|| BridgeDelay::new(rate)),
            returned: vec![0.0; rate.block()],
        };
        Self {
            paths: std::iter::repeat_with(path).take(paths).collect(),
            interpolators: std::array::from_fn(|_| Interpolator::new(rate.clone())),
            driven: false,
            loudest_returned: 0.0,
            drive: vec![0.0; rate.block()],
            force: vec![0.0; rate.block()],
            quiet: rate.tail() + 3,
            // A force on its way to other strings is up to three blocks old.
            memory: rate.tail() + 3,
        }
    }

    /// Sets both filters to 0.
    pub fn reset(&mut self) {
        for path in &mut self.paths {
            path.decimator.reset();
            path.sent.iter_mut().for_each(BridgeDelay::reset);
        }
        self.interpolators.iter_mut().for_each(Interpolator::reset);
        self.loudest_returned = 0.0;
        self.quiet = self.memory;
    }

    /// Whether both filters hold only zeros.
    #[must_use]
    pub const fn is_silent(&self) -> bool {
        self.quiet >= self.memory
    }

    /// Begins a block. `bridge`: force of the struck notes on each path in the last block, N; `driven`:
    /// that force is large enough to drive the strings.
    pub fn begin_block(&mut self, bridge: &[[f32; BLOCK]], driven: bool) {
        self.driven = driven;
        self.loudest_returned = 0.0;
        if bridge.iter().flatten().any(|force| *force != 0.0) {
            self.quiet = 0;
        } else if self.is_silent() {
            return;
        } else {
            self.quiet += 1;
        }
        for (path, bridge) in self.paths.iter_mut().zip(bridge) {
            path.decimator.process(bridge, &mut path.struck);
            if let Some(sent) = &mut path.sent {
                sent.arrive(&mut path.returned);
                let loudest = path.returned.iter().fold(0.0f32, |m, x| m.max(x.abs()));
                self.loudest_returned = self.loudest_returned.max(loudest);
                sent.begin();
            }
        }
        for interpolator in &mut self.interpolators {
            interpolator.begin();
        }
    }

    /// Largest force of resonating strings on the bridge that arrives in the present block, N.
    #[must_use]
    pub(crate) const fn loudest_returned(&self) -> f32 {
        self.loudest_returned
    }

    /// Adds a note at the zone `first` and the next with their `weights`, and with its `shares` of the paths.
    /// It is driven by the forces of other notes: how its own strings move each other is in its modes.
    pub fn add(&mut self, note: &mut Note, shares: &[f32], first: usize, weights: [f32; 2]) {
        self.force.fill(0.0);
        self.drive.fill(0.0);
        let is_driven = self.driven && !note.is_struck();
        let returns = self.loudest_returned > 0.0;
        for (path, share) in self.paths.iter().zip(shares) {
            let forces = [is_driven.then_some(&path.struck), returns.then_some(&path.returned)];
            for force in forces.into_iter().flatten() {
                self.drive.iter_mut().zip(force).for_each(|(sum, force)| *sum += share * force);
            }
        }
        if returns && let Some(own) = note.resounded() {
            own.subtract_from(&mut self.drive);
        }
        let drive = (is_driven || returns).then_some(&self.drive[..]);
        if note.resound(drive, &mut self.force) {
            self.quiet = 0;
            for (path, share) in self.paths.iter_mut().zip(shares) {
                if let Some(sent) = &mut path.sent {
                    sent.add(*share, &self.force);
                }
            }
            for (interpolator, weight) in
                self.interpolators[first..first + 2].iter_mut().zip(weights)
            {
                let sums = interpolator.present().iter_mut();
                sums.zip(&self.force).for_each(|(sum, force)| *sum += weight * force);
            }
        }
    }

    /// Adds the block to the board's `inputs`.
    pub(crate) fn add_to(&self, inputs: &mut [[f32; BLOCK]; ZONES]) {
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
