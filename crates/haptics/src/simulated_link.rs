//! A line between two ends in virtual time: a delay, and faults on demand.

use std::collections::VecDeque;

use touchback_core::math::random::Random;

/// Faults of a line: probability 0…1 for each frame.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct LinkFaults {
    /// Swallows a frame.
    pub loss: f64,
    /// Inverts a bit of a frame.
    pub corruption: f64,
    /// Delivers a frame twice.
    pub duplication: f64,
    /// Delivers a frame late, by up to `late_ticks`.
    pub lateness: f64,
    /// Largest delay of a late frame, ticks.
    pub late_ticks: u32,
}

/// One direction of a line.
#[derive(Clone, Debug)]
pub struct SimulatedLink {
    /// Ticks a frame takes.
    pub delay: u64,
    /// Faults from now on.
    pub faults: LinkFaults,
    /// Pulled out: everything is swallowed.
    pub is_cut: bool,
    random: Random,
    /// Frames under way, by arrival.
    frames: VecDeque<(u64, Vec<u8>)>,
    /// A frame begun.
    begun: Vec<u8>,
}

impl SimulatedLink {
    /// A faultless line of `delay` ticks.
    #[must_use]
    pub const fn new(delay: u64, seed: u64) -> Self {
        Self {
            delay,
            faults: LinkFaults {
                loss: 0.0,
                corruption: 0.0,
                duplication: 0.0,
                lateness: 0.0,
                late_ticks: 0,
            },
            is_cut: false,
            random: Random::new(seed),
            frames: VecDeque::new(),
            begun: Vec::new(),
        }
    }

    /// Sends `bytes` at tick `now`.
    pub fn send(&mut self, now: u64, bytes: &[u8]) {
        for byte in bytes {
            self.begun.push(*byte);
            if *byte == 0 {
                let frame = std::mem::take(&mut self.begun);
                self.carry(now, frame);
            }
        }
    }

    fn carry(&mut self, now: u64, mut frame: Vec<u8>) {
        if self.is_cut || self.random.share() < self.faults.loss {
            return;
        }
        if self.random.share() < self.faults.corruption {
            let at = self.random.below(frame.len() as u64);
            let bit = self.random.below(8);
            if let Some(byte) = usize::try_from(at).ok().and_then(|at| frame.get_mut(at)) {
                *byte ^= 1 << bit;
            }
        }
        let mut arrives = now + self.delay;
        if self.random.share() < self.faults.lateness {
            arrives += 1 + self.random.below(u64::from(self.faults.late_ticks));
        }
        if self.random.share() < self.faults.duplication {
            self.frames.push_back((arrives, frame.clone()));
        }
        self.frames.push_back((arrives, frame));
    }

    /// What has arrived by tick `now`, one frame after another.
    pub fn receive(&mut self, now: u64) -> Option<Vec<u8>> {
        let place = self.frames.iter().position(|(arrives, _)| *arrives <= now)?;
        self.frames.remove(place).map(|(_, frame)| frame)
    }
}
