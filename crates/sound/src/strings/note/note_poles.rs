//! The poles of a note's modes with the bend and the damper that act on them.

use super::resonance::Resonance;
use super::ringing::Ringing;
use crate::strings::bank::{self, ModeState};
use crate::strings::poles::Pole;
use touchback_core::math::cast::single;
use touchback_core::math::power::square;

/// Loss of the damper over that of a damper at rest.
#[derive(Clone, Copy, Debug)]
struct Damper {
    wanted: f32,
    /// In the poles of the modes; no number where bend or poles have changed.
    applied: f32,
}

/// Poles, bend and damper of one note.
#[derive(Debug)]
pub(super) struct NotePoles {
    poles: Vec<Pole>,
    /// Frequencies over those in tune.
    ratio: f32,
    damper: Damper,
}

impl NotePoles {
    /// The poles of `groups` groups of lanes. Allocates.
    pub(super) fn new(groups: usize) -> Self {
        let damper = Damper { wanted: 0.0, applied: 0.0 };
        Self { poles: vec![Pole::default(); groups], ratio: 1.0, damper }
    }

    /// In tune, the damper, if the note has one, at rest.
    pub(super) const fn reset(&mut self, has_damper: bool) {
        self.ratio = 1.0;
        self.damper = Damper { wanted: if has_damper { 1.0 } else { 0.0 }, applied: f32::NAN };
    }

    /// The poles in tune, by groups of lanes.
    pub(super) fn groups(&self) -> &[Pole] {
        &self.poles
    }

    /// The poles of group `c`, to be changed; they are applied at the next block.
    pub(super) fn change(&mut self, c: usize) -> &mut Pole {
        self.damper.applied = f32::NAN;
        &mut self.poles[c]
    }

    /// Frequencies over those in tune.
    pub(super) const fn ratio(&self) -> f32 {
        self.ratio
    }

    /// Bends all frequencies by `cents`. Returns whether that changes them.
    pub(super) fn bend(&mut self, cents: f64) -> bool {
        let ratio = single(libm::exp2(cents / 1200.0));
        let is_new = ratio != self.ratio;
        if is_new {
            self.ratio = ratio;
            self.damper.applied = f32::NAN;
        }
        is_new
    }

    /// Sets the damper's lift x, 0 resting … 1 clear. The loss under the felt goes with (1 − x)²
    /// (chosen: half pedal lets a note ring several times as long).
    pub(super) fn lift_damper(&mut self, lift: f64) {
        self.damper.wanted = single(square(1.0 - lift.clamp(0.0, 1.0)));
    }

    /// The damper is off the strings, at least in part.
    pub(super) const fn is_lifted(&self) -> bool {
        self.damper.wanted < 1.0
    }

    /// The damper as applied is off the strings, at least in part.
    pub(super) const fn lets_ring(&self) -> bool {
        self.damper.applied < 1.0
    }

    /// Applies what has changed to the modes.
    pub(super) fn apply(&mut self, ringing: &mut Ringing, resonance: &mut Resonance) {
        let Damper { wanted, applied } = self.damper;
        if wanted.to_bits() != applied.to_bits() {
            ringing.apply_poles(&self.poles, wanted, self.ratio);
            resonance.apply_poles(wanted, self.ratio);
            self.damper.applied = wanted;
        }
    }

    /// The damper's loss over a sample of contact with the hammer.
    #[inline]
    pub(super) fn damp(&self, modes: &mut [ModeState]) {
        let (rest, poles) = (self.damper.applied, &self.poles);
        if rest > 0.0 {
            bank::scale(modes, |c, l| 1.0 - rest * poles[c].damp[l]);
        }
    }
}
