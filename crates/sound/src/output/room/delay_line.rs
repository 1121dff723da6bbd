//! A delay of at least a block, and an all-pass made of one.

use crate::strings::bank::BLOCK;
use touchback_core::math::pages;

/// The last samples of a signal.
pub(super) struct DelayLine {
    samples: Vec<f32>,
    write: usize,
}

impl DelayLine {
    /// Silent, for delays of up to `longest` samples. Allocates.
    pub(super) fn new(longest: usize) -> Self {
        Self { samples: pages::filled(0.0, longest + BLOCK), write: 0 }
    }

    /// Clears all samples.
    pub(super) fn clear(&mut self) {
        self.samples.fill(0.0);
    }

    /// The signal of `delay` samples ago, before the next samples are pushed; `out` is at most `delay` long.
    pub(super) fn read(&self, delay: usize, out: &mut [f32]) {
        let length = self.samples.len();
        let begin = (self.write + length - delay) % length;
        let first = out.len().min(length - begin);
        let (before, after) = out.split_at_mut(first);
        before.copy_from_slice(&self.samples[begin..][..first]);
        after.copy_from_slice(&self.samples[..after.len()]);
    }

    /// [`DelayLine::read`] at the second of two delays, with `shares` of the first.
    pub(super) fn read_faded(&self, delays: [usize; 2], shares: Option<&[f32]>, out: &mut [f32]) {
        self.read(delays[1], out);
        if let Some(shares) = shares.filter(|_| delays[0] != delays[1]) {
            let mut old = [0.0; BLOCK];
            let old = &mut old[..out.len()];
            self.read(delays[0], old);
            for ((x, old), share) in out.iter_mut().zip(old).zip(shares) {
                *x += share * (*old - *x);
            }
        }
    }

    /// Adds samples, at most a block.
    pub(super) fn push(&mut self, input: &[f32]) {
        let first = input.len().min(self.samples.len() - self.write);
        let (before, after) = input.split_at(first);
        self.samples[self.write..][..first].copy_from_slice(before);
        self.samples[..after.len()].copy_from_slice(after);
        self.write = (self.write + input.len()) % self.samples.len();
    }
}

/// Passes every frequency at the same level, each with a delay of its own.
pub(super) struct AllPass(DelayLine);

/// Share of the delayed signal that an all-pass feeds back (chosen: the largest at which a click through five of
/// them does not ring).
const FEEDBACK: f32 = 0.6;

impl AllPass {
    /// Silent, for delays of up to `longest` samples. Allocates.
    pub(super) fn new(longest: usize) -> Self {
        Self(DelayLine::new(longest))
    }

    /// Clears the signal.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Replaces `signal`; delays and shares as in [`DelayLine::read_faded`].
    pub(super) fn pass(&mut self, delays: [usize; 2], shares: Option<&[f32]>, signal: &mut [f32]) {
        let mut delayed = [0.0; BLOCK];
        let delayed = &mut delayed[..signal.len()];
        self.0.read_faded(delays, shares, delayed);
        for (x, delayed) in signal.iter_mut().zip(&mut *delayed) {
            let into = *x + FEEDBACK * *delayed;
            (*x, *delayed) = (*delayed - FEEDBACK * into, into);
        }
        self.0.push(delayed);
    }
}
