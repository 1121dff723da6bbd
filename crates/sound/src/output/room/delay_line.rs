//! A delay of at least a block, and an all-pass made of one.

use crate::strings::bank::BLOCK;
use touchback_core::math::pages;

/// The last samples of a signal.
pub(super) struct DelayLine {
    /// A ring, and its first block once more behind its end, so that every block of it is one piece.
    samples: Vec<f32>,
    write: usize,
}

impl DelayLine {
    /// Silent, for delays of up to `longest` samples. Allocates.
    pub(super) fn new(longest: usize) -> Self {
        Self { samples: pages::filled(0.0, longest + 2 * BLOCK), write: 0 }
    }

    /// Length of the ring.
    const fn length(&self) -> usize {
        self.samples.len() - BLOCK
    }

    /// Clears all samples.
    pub(super) fn clear(&mut self) {
        self.samples.fill(0.0);
    }

    /// The next `count` samples of the signal of `delay` samples ago, before others are pushed; `count` is at most
    /// `delay` and at most a block.
    #[inline(always)]
    pub(super) fn read(&self, delay: usize, count: usize) -> &[f32] {
        let length = self.length();
        &self.samples[(self.write + length - delay) % length..][..count]
    }

    /// Copies [`DelayLine::read`] at the second of two delays, with `shares` of the first.
    #[inline(always)]
    pub(super) fn read_faded(&self, delays: [usize; 2], shares: Option<&[f32]>, out: &mut [f32]) {
        let [old, new] = delays.map(|delay| self.read(delay, out.len()));
        out.copy_from_slice(new);
        if let Some(shares) = shares.filter(|_| delays[0] != delays[1]) {
            for ((x, old), share) in out.iter_mut().zip(old).zip(shares) {
                *x += share * (*old - *x);
            }
        }
    }

    /// Adds samples, at most a block.
    #[inline(always)]
    pub(super) fn push(&mut self, input: &[f32]) {
        let length = self.length();
        let first = input.len().min(length - self.write);
        let (before, after) = input.split_at(first);
        self.samples[self.write..][..first].copy_from_slice(before);
        self.samples[..after.len()].copy_from_slice(after);
        if self.write < BLOCK || !after.is_empty() {
            self.samples.copy_within(..BLOCK, length);
        }
        self.write = (self.write + input.len()) % length;
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
    #[inline(always)]
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
