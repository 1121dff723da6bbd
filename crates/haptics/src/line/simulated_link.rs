//! A simulated line in virtual time, with a delay and random faults.

use std::collections::VecDeque;

use touchback_core::math::random::Random;

/// How a line collects frames before it delivers them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Collected {
    /// Every frame is delivered at once.
    #[default]
    Not,
    /// Frames are delivered together every so many µs, as by the latency timer of a USB serial chip.
    Time(u32),
    /// Frames are delivered together when this many bytes have come.
    Bytes(usize),
}

/// Faults of a line; the shares are probabilities per frame, 0…1.
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
    /// Further delay of every frame, µs.
    pub late_us: u32,
    /// Collection of frames.
    pub collected: Collected,
}

/// Length of a tick, µs.
const TICK_US: u32 = 125;

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
    /// Frames at the head of the queue that are delivered together.
    collected: usize,
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
                late_us: 0,
                collected: Collected::Not,
            },
            is_cut: false,
            random: Random::new(seed),
            frames: VecDeque::new(),
            partial: Vec::new(),
            collected: 0,
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
        let mut arrives = now + self.delay + u64::from(self.faults.late_us / TICK_US);
        if let Collected::Time(us) = self.faults.collected {
            arrives = arrives.next_multiple_of(u64::from(us / TICK_US).max(1));
        }
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
        if let Collected::Bytes(bytes) = self.faults.collected {
            if self.collected == 0
                && self.frames.iter().map(|(_, f)| f.len()).sum::<usize>() >= bytes
            {
                self.collected = self.frames.len();
            }
            self.collected = self.collected.checked_sub(1)?;
        }
        let index = self.frames.iter().position(|(arrives, _)| *arrives <= now)?;
        self.frames.remove(index).map(|(_, frame)| frame)
    }
}
