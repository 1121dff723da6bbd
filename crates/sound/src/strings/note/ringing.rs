//! The modes of a note's strings while they ring: those at the full sample rate and, of these, the low ones at a slower
//! rate.

use super::slow_ring::SlowRing;
use crate::signal::slow_rate::SlowRate;
use crate::strings::bank::{self, ModeState};
use crate::strings::overtones::Overtones;
use crate::strings::poles::{self, Pole};
use touchback_core::math::kernel::Kernel;
use touchback_core::math::power::square;

/// Ratio of the level to the gate below which the last of `active` groups of lanes is silenced.
pub(super) const fn gate_ratio(active: usize) -> f32 {
    if active == 1 { 1.0 } else { 0.03 }
}

/// The modes of one note.
pub(super) struct Ringing {
    kernel: Kernel,
    modes: Vec<ModeState>,
    /// Leading groups of lanes that still ring at the full rate.
    active: usize,
    /// The low partials while no hammer touches them.
    slow: SlowRing,
}

impl Ringing {
    /// `groups` silent groups of lanes, of which the first `low` can ring at the slow `rate`. Allocates.
    pub(super) fn new(groups: usize, low: usize, rate: &SlowRate, kernel: Kernel) -> Self {
        Self {
            kernel,
            modes: vec![ModeState::default(); groups],
            active: 0,
            slow: SlowRing::new(low, rate, kernel),
        }
    }

    /// Silences all modes.
    pub(super) fn reset(&mut self) {
        bank::clear(&mut self.modes);
        self.slow.reset();
        self.active = 0;
    }

    /// Whether a group rings.
    pub(super) const fn is_ringing(&self) -> bool {
        self.active > 0 || self.slow.is_ringing()
    }

    /// Number of all groups.
    pub(super) const fn groups(&self) -> usize {
        self.modes.len()
    }

    /// Leading groups that ring at the full rate.
    #[inline]
    pub(super) const fn active(&self) -> usize {
        self.active
    }

    /// All modes at the full rate.
    pub(super) fn modes(&self) -> &[ModeState] {
        &self.modes
    }

    /// The modes that ring at the full rate.
    #[inline]
    pub(super) fn sounding(&mut self) -> &mut [ModeState] {
        &mut self.modes[..self.active]
    }

    /// The modes of group `c` at the full rate; its poles and modes at the slow rate, where it can ring there.
    pub(super) fn group(
        &mut self,
        c: usize,
    ) -> (&mut ModeState, Option<(&mut Pole, &mut ModeState)>) {
        (&mut self.modes[c], self.slow.group(c))
    }

    /// Samples per slow sample.
    pub(super) const fn slow_factor(&self) -> f64 {
        self.slow.factor()
    }

    /// The first `groups` ring at the full rate from now on.
    pub(super) fn excite(&mut self, groups: usize) {
        self.active = self.active.max(groups);
    }

    /// Returns the modes of the slow rate to the full rate.
    pub(super) fn return_modes(&mut self) {
        let groups = self.slow.return_modes(&mut self.modes);
        self.active = self.active.max(groups);
    }

    /// Applies the pitch ratio `ratio` and the ratio `rest` of the resting damper to the poles.
    pub(super) fn apply_poles(&mut self, poles: &[Pole], rest: f32, ratio: f32) {
        poles::set_ringing(self.kernel, &mut self.modes, poles, rest, ratio);
        self.slow.apply_poles(rest, ratio);
    }

    /// Begins a block of strings that are `free` of hammer and plectrum or not.
    pub(super) fn begin_block(&mut self, free: bool) {
        self.slow.begin_block(&mut self.modes, self.active, free);
    }

    /// Adds the force on the bridge, N, over the samples from `at` in the block on.
    pub(super) fn process(&mut self, at: usize, out: &mut [f32]) {
        self.slow.process(&mut self.modes[..self.active], at, out);
    }

    /// Sum of squared bridge-force amplitudes, N².
    pub(super) fn level(&self) -> f32 {
        bank::level(&self.modes[..self.active]) + self.slow.level()
    }

    pub(super) fn flush_denormals(&mut self) {
        bank::flush_denormals(&mut self.modes[..self.active]);
    }

    /// Silences groups below `gate` N; the last one that rings has the `overtones`.
    pub(super) fn silence_below(&mut self, gate: f32, overtones: &Overtones) {
        let least = |active| square(gate_ratio(active) * gate);
        self.slow.silence_below(least);
        // The last groups hold the highest partials, which decay first.
        while self.active > 0 {
            let last = self.active - 1..self.active;
            let alone = self.active == 1 && !self.slow.is_ringing();
            let beside = if alone { overtones.level() } else { 0.0 };
            if bank::level(&self.modes[last.clone()]) + beside >= least(self.active) {
                break;
            }
            bank::clear(&mut self.modes[last]);
            self.active -= 1;
        }
    }
}
