//! A simulated line in virtual time, with a delay and random faults.

use std::collections::VecDeque;

use touchback_core::math::random::Random;

/// Faults of a line, as probabilities per frame, 0…1.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct LinkFaults {
    /// Loss of a frame.
    pub loss: f64,
    /// Inversion of a bit of a frame.
    pub corruption: f64,
    /// Delivery of a frame twice.
    pub duplication: f64,
    /// Delivery of a frame late by 1 to `late_ticks` ticks.
    pub lateness: f64,
    /// Largest delay of a late frame, ticks.
    pub late_ticks: u32,
}

/// One direction of a line.
#[derive(Clone, Debug)]
pub struct SimulatedLink {
    /// Delay of every frame, ticks.
    pub delay: u64,
    /// Faults.
    pub faults: LinkFaults,
    /// The line is unplugged: all frames are lost.
    pub is_cut: bool,
    random: Random,
    /// Frames in transmission, with the tick of their arrival.
    frames: VecDeque<(u64, Vec<u8>)>,
    /// Bytes of an incomplete frame.
    partial: Vec<u8>,
}

impl SimulatedLink {
    /// A line without faults and with a delay of `delay` ticks.
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
            partial: Vec::new(),
        }
    }

    /// Sends `bytes` at tick `now`.
    pub fn send(&mut self, now: u64, bytes: &[u8]) {
        for byte in bytes {
            self.partial.push(*byte);
            if *byte == 0 {
                let frame = std::mem::take(&mut self.partial);
                self.transmit(now, frame);
            }
        }
    }

    /// Transmits a frame, with the faults.
    fn transmit(&mut self, now: u64, mut frame: Vec<u8>) {
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

    /// The next frame that has arrived by tick `now`.
    pub fn receive(&mut self, now: u64) -> Option<Vec<u8>> {
        let index = self.frames.iter().position(|(arrives, _)| *arrives <= now)?;
        self.frames.remove(index).map(|(_, frame)| frame)
    }
}
