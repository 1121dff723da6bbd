//! The hammer of one note at its strings: how the strings respond to it, the present blow and its forces.

use super::note_poles::NotePoles;
use crate::strings::bank::{self, BLOCK, ContactCoupling, LANES, Lane, ModeState};
use crate::strings::contact::MovingHammer;
use crate::strings::hammer::Shifted;
use crate::strings::poles;
use crate::strings::unison::MOST;
use touchback_core::math::cast::single;
use touchback_core::math::kernel::Kernel;
use touchback_core::math::power::square;
use touchback_core::mech::hammer::Hammer;

/// Time after a strike at which its hammer is removed at the latest, s.
const HAMMER_CAUGHT: f64 = 0.06;

/// Input gains of sixteen modes for a constant hammer force over one contact step.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct HammerInput {
    /// w per force of a hammer that meets all strings, m/N.
    pub(super) all_re: Lane,
    pub(super) all_im: Lane,
    /// The part of w per force that comes through the string an una corda misses, m/N.
    pub(super) missed_re: Lane,
    pub(super) missed_im: Lane,
    /// Displacement under the hammer per Re w.
    pub(super) shape: Lane,
}

/// A hammer at its strings, inside the engine.
#[derive(Clone, Copy, Debug)]
struct Strike {
    hammer: MovingHammer,
    /// Time clear of the string, s.
    clear: f64,
    /// Time since the strike began, s.
    age: f64,
}

/// Forces of the samples with a hammer at the strings, until [`Hammering::process`] outputs them.
#[derive(Debug)]
struct ContactForces {
    /// Force on the bridge, N.
    bridge: [f32; BLOCK],
    /// Force of the hammer on the strings, N.
    blow: [f32; BLOCK],
    /// Number of samples.
    len: usize,
}

/// Shift of the hammer by the left pedal, 0…1.
#[derive(Clone, Copy, Debug)]
struct Shift {
    /// For the next strike.
    wanted: f64,
    /// In the contact couplings.
    applied: f64,
}

/// The hammer of one note at its strings.
#[derive(Debug)]
pub(super) struct Hammering {
    kernel: Kernel,
    /// Number of strings.
    strings: usize,
    /// The hammer shifted as far as it goes.
    shifted: Shifted,
    /// Contact steps a sample.
    steps: usize,
    inputs: Vec<HammerInput>,
    couplings: Vec<ContactCoupling>,
    /// The contact couplings agree with poles and hammer inputs.
    are_couplings_current: bool,
    /// Displacement under the hammer per force over one step, m/N, of as many leading groups of lanes.
    compliances: Vec<f64>,
    /// Ratio of the blow on each string to their mean.
    blows: [f64; MOST],
    shift: Shift,
    /// Hammer of the next strike; its strike point is in `inputs` once they are loaded.
    hammer: Hammer,
    /// Time clear of the strings after which a hammer does not return, s.
    separation_time: f64,
    strike: Option<Strike>,
    forces: ContactForces,
    /// Samples of the last [`Self::process`] with a hammer in contact.
    contact_samples: usize,
}

impl Hammering {
    /// A `hammer` off `strings` strings of `groups` groups of lanes, with `steps` contact steps a sample, which does
    /// not return after `separation_time` seconds; shifted as far as it goes, it is as `shifted` says. Allocates.
    pub(super) fn new(
        groups: usize,
        [strings, steps]: [usize; 2],
        shifted: Shifted,
        hammer: &Hammer,
        separation_time: f64,
        kernel: Kernel,
    ) -> Self {
        Self {
            kernel,
            strings,
            shifted,
            steps,
            inputs: vec![HammerInput::default(); groups],
            couplings: vec![ContactCoupling::default(); groups],
            are_couplings_current: false,
            compliances: vec![0.0; groups + 1],
            blows: [1.0; MOST],
            shift: Shift { wanted: 0.0, applied: 0.0 },
            hammer: *hammer,
            separation_time,
            strike: None,
            forces: ContactForces { bridge: [0.0; BLOCK], blow: [0.0; BLOCK], len: 0 },
            contact_samples: 0,
        }
    }

    /// Removes the hammer from strings that were in tune or not, and shifts it back under all of them.
    pub(super) fn reset(&mut self, was_in_tune: bool) {
        self.strike = None;
        self.forces.len = 0;
        self.contact_samples = 0;
        self.are_couplings_current &= was_in_tune && self.shift.applied == 0.0;
        self.shift.wanted = 0.0;
    }

    /// The hammer of the next strike.
    pub(super) const fn hammer(&self) -> &Hammer {
        &self.hammer
    }

    /// Sets the hammer of the next strike.
    pub(super) const fn set_hammer(&mut self, hammer: &Hammer) {
        self.hammer = *hammer;
    }

    /// The hammer shifts for the next strike: 0 under all strings … 1 clear of one of them.
    pub(super) const fn shift(&mut self, amount: f64) {
        self.shift.wanted = amount;
    }

    /// The gains of group `c`, to be changed.
    pub(super) fn change(&mut self, c: usize) -> &mut HammerInput {
        self.are_couplings_current = false;
        &mut self.inputs[c]
    }

    /// Sets the ratio of the blow on each string to their mean.
    pub(super) const fn set_blows(&mut self, blows: &[f64; MOST]) {
        self.blows = *blows;
    }

    /// The poles have changed.
    pub(super) const fn outdate(&mut self) {
        self.are_couplings_current = false;
    }

    /// The hammer meets the strings, whose modes are `modes`, at `speed` m/s, `gap` m from it.
    pub(super) fn strike(&mut self, poles: &NotePoles, modes: &[ModeState], speed: f64, gap: f64) {
        self.are_couplings_current &= self.shift.wanted == self.shift.applied;
        self.shift.applied = self.shift.wanted;
        self.refresh(poles);
        let string = f64::from(bank::displacement(modes, &self.couplings));
        let hammer = self.shifted.hammer(&self.hammer, self.shift.applied);
        let hammer = MovingHammer::new(&hammer, string, gap, speed);
        self.strike = Some(Strike { hammer, clear: 0.0, age: 0.0 });
    }

    /// Control work at a block's beginning: a hammer out of reach of the strings, whose modes are all of `modes`,
    /// is removed.
    pub(super) fn control(&mut self, poles: &NotePoles, modes: &[ModeState]) {
        if let Some(strike) = &self.strike {
            // Bound of the strings' displacement toward the hammer: all modes in phase, no loss.
            let reach = bank::reach(modes, &self.couplings);
            if strike.hammer.is_out_of(f64::from(reach)) {
                self.strike = None;
            } else {
                self.refresh(poles);
            }
        }
    }

    /// Updates the contact couplings to the present poles, bend and hammer.
    ///
    /// A hammer shifted by `a` misses that part of the first string: the blows on the strings
    /// become h' = (h − a h₁ e₁) N/(N − a h₁), and the hammer receives the strings' displacement in the
    /// same proportion, Σ h'²/N over Σ h²/N times their mean where they start from rest.
    pub(super) fn refresh(&mut self, poles: &NotePoles) {
        if self.are_couplings_current {
            return;
        }
        self.are_couplings_current = true;
        let (ratio, poles) = (poles.ratio(), poles.groups());
        let shift = self.shifted.missed * self.shift.applied;
        let (count, h) = (self.strings as f64, &self.blows);
        let scale = count / (count - shift * h[0]);
        let squares: f64 = h[..self.strings].iter().map(|h| h * h).sum();
        let left = squares - h[0] * h[0] * (1.0 - square(1.0 - shift));
        let received = single(left * scale * scale / squares);
        let (scale, shift) = (single(scale), single(shift));
        let step = single(1.0 / self.steps as f64);
        let mut compliance = 0.0;
        let groups = self.couplings.iter_mut().zip(&self.inputs).zip(poles);
        for (((coupling, blow), pole), sum) in groups.zip(&mut self.compliances[1..]) {
            for l in 0..LANES {
                let re = scale * (blow.all_re[l] - shift * blow.missed_re[l]);
                let im = scale * (blow.all_im[l] - shift * blow.missed_im[l]);
                let bend = poles::bent_blow(pole.angle[l], step, ratio);
                let (by_re, by_im) = (single(bend.re), single(bend.im));
                coupling.push_re[l] = re * by_re - im * by_im;
                coupling.push_im[l] = re * by_im + im * by_re;
                coupling.shape[l] = received * blow.shape[l];
                compliance += f64::from(coupling.shape[l]) * f64::from(coupling.push_re[l]);
            }
            *sum = compliance;
        }
        poles::set_contact(self.kernel, &mut self.couplings, poles, step, ratio);
    }

    /// Adds the forces on the bridge, N, of the first samples of `out`. Returns the hammer's forces on the strings
    /// in these.
    pub(super) fn process(&mut self, out: &mut [f32]) -> &[f32] {
        self.contact_samples = std::mem::take(&mut self.forces.len);
        let done = self.contact_samples;
        for (out, force) in out.iter_mut().zip(&self.forces.bridge[..done]) {
            *out += force;
        }
        self.blow()
    }

    /// The hammer's force on the strings, N, in the first samples of the last [`Self::process`].
    pub(super) fn blow(&self) -> &[f32] {
        &self.forces.blow[..self.contact_samples]
    }

    /// Whether a hammer is at the strings.
    pub(super) const fn is_striking(&self) -> bool {
        self.strike.is_some()
    }

    /// The hammer at the strings.
    pub(super) fn moving(&self) -> Option<MovingHammer> {
        Some(self.strike?.hammer)
    }

    /// Sets the state of the hammer, if it is still at the strings.
    pub(super) const fn set_moving(&mut self, hammer: MovingHammer) {
        if let Some(strike) = &mut self.strike {
            strike.hammer = hammer;
        }
    }

    /// Contact steps a sample.
    pub(super) const fn steps(&self) -> usize {
        self.steps
    }

    /// Displacement under the hammer per force over one step, m/N, of the first `groups` groups of lanes.
    pub(super) fn compliance(&self, groups: usize) -> f64 {
        self.compliances[groups]
    }

    /// Advances `modes` by the sample `at` of `time` seconds, in which the felt is clear of the strings. Returns their
    /// displacement under the hammer, m.
    #[inline]
    pub(super) fn coast(&mut self, modes: &mut [ModeState], at: usize, time: f64) -> f32 {
        let (bridge, displacement) = bank::coast(self.kernel, modes, &self.couplings);
        self.forces.bridge[at] = bridge;
        self.forces.blow[at] = 0.0;
        self.mark_clear(time);
        displacement
    }

    /// Advances `modes` by a contact step under `force`, N. Returns their displacement under the hammer, m.
    #[inline]
    pub(super) fn advance(&self, modes: &mut [ModeState], force: f32) -> f32 {
        bank::advance(self.kernel, modes, &self.couplings, force)
    }

    /// Ends the sample `at` of contact with the `force` of its last step, N.
    #[inline]
    pub(super) fn end_contact(&mut self, modes: &mut [ModeState], at: usize, force: f32) {
        self.forces.bridge[at] = bank::end_contact(self.kernel, modes, &self.couplings, force);
        self.forces.blow[at] = force;
    }

    /// The felt was clear of the strings for `h` more seconds.
    #[inline]
    pub(super) fn mark_clear(&mut self, h: f64) {
        if let Some(strike) = &mut self.strike {
            strike.clear += h;
        }
    }

    /// The felt is in contact with the strings.
    #[inline]
    pub(super) const fn mark_contact(&mut self) {
        if let Some(strike) = &mut self.strike {
            strike.clear = 0.0;
        }
    }

    /// The sample `at` of `time` seconds has passed. Returns whether the hammer has left for good.
    #[inline]
    pub(super) fn end_sample(&mut self, at: usize, time: f64) -> bool {
        self.forces.len = at + 1;
        let has_left = self.strike.as_mut().is_none_or(|strike| {
            strike.age += time;
            strike.clear > self.separation_time || strike.age > HAMMER_CAUGHT
        });
        if has_left {
            self.strike = None;
        }
        has_left
    }
}
