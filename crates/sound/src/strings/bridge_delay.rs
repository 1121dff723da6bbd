//! The way of a force from resonating strings over the bridge to other strings.

use crate::signal::slow_rate::SlowRate;

/// Force of resonating strings on the bridge on its way to other strings, at a slow rate.
///
/// It arrives after the delay of [`SlowRate::lag`], as the forces of struck strings do, so that one turn of
/// each mode's response makes up for both.
pub struct BridgeDelay {
    /// Slow samples of earlier blocks, and those of the present block, N.
    recent: Vec<f32>,
    /// Slow samples per block.
    block: usize,
    /// Full samples per slow sample: a slow force acts as long.
    factor: f32,
    /// Share of the later one of the two slow samples between which the delay lies.
    later: f32,
}

impl BridgeDelay {
    /// Silence. Allocates.
    pub fn new(rate: &SlowRate) -> Self {
        let (block, factor) = (rate.block(), rate.factor());
        let whole = rate.lag() / factor + 1;
        let later = (whole * factor - rate.lag()) as f32 / factor as f32;
        Self { recent: vec![0.0; whole + block], block, factor: factor as f32, later }
    }

    /// Silence.
    pub fn reset(&mut self) {
        self.recent.fill(0.0);
    }

    /// Begins a block of silence.
    pub fn begin(&mut self) {
        self.recent.copy_within(self.block.., 0);
        let end = self.recent.len() - self.block;
        self.recent[end..].fill(0.0);
    }

    /// Adds the `share` of `force` to the present block.
    pub fn add(&mut self, share: f32, force: &[f32]) {
        let end = self.recent.len() - self.block;
        self.recent[end..].iter_mut().zip(force).for_each(|(sum, force)| *sum += share * force);
    }

    /// The force that arrives in the block that begins next.
    fn arriving(&self) -> impl Iterator<Item = f32> {
        let pairs = self.recent[self.block..].windows(2).take(self.block);
        pairs.map(|pair| self.factor * ((1.0 - self.later) * pair[0] + self.later * pair[1]))
    }

    /// Writes the force that arrives in the block that begins next.
    pub fn arrive(&self, force: &mut [f32]) {
        force.iter_mut().zip(self.arriving()).for_each(|(slot, force)| *slot = force);
    }

    /// Subtracts that force from `force`.
    pub(crate) fn subtract_from(&self, force: &mut [f32]) {
        force.iter_mut().zip(self.arriving()).for_each(|(sum, force)| *sum -= force);
    }
}
