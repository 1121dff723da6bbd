//! Hammers at the strings of several notes, side by side.
//!
//! Each note's modes advance by themselves; the felts' forces are solved for as many notes at once as
//! the kernel has lanes. No lane reads another, so a note sounds the same beside any others.
//! Audio thread.

use arrayvec::ArrayVec;

use super::Note;
use crate::bank::{self, BLOCK};
use crate::contact::MovingHammer;
use touchback_core::math::cast::single;
use touchback_core::math::kernel::Kernel;
use touchback_core::math::lane_work::Work;
use touchback_core::math::real::{MOST_LANES, Mask, Real};

/// Time after a strike at which its hammer is removed at the latest, s.
const HAMMER_CAUGHT: f64 = 0.06;

/// Distance from the string from which a hammer cannot reach it within a sample, m: strings and hammers
/// move at less than 10 m/s.
const WELL_CLEAR: f64 = 2.5e-4;

/// A hammer at its strings, inside the engine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strike {
    pub(super) hammer: MovingHammer,
    /// Time clear of the string, s.
    pub(super) clear: f64,
    /// Time since the strike began, s.
    pub(super) age: f64,
}

/// Forces of the samples with a hammer at the strings, until [`Note::process`] outputs them.
#[derive(Debug)]
pub(super) struct ContactForces {
    /// Force on the bridge, N.
    pub(super) force: [f32; BLOCK],
    /// Force of the hammer on the strings, N.
    pub(super) blow: [f32; BLOCK],
    /// Number of samples.
    pub(super) len: usize,
}

impl Default for ContactForces {
    fn default() -> Self {
        Self { force: [0.0; BLOCK], blow: [0.0; BLOCK], len: 0 }
    }
}

/// Advances the hammers of `group`, at most [`Kernel::lanes`] indices of `notes` that are
/// [in contact](Note::is_in_contact), and their strings by `len` samples, or until the hammers have left.
pub fn advance(kernel: Kernel, notes: &mut [Note], group: &[usize], len: usize) {
    if !group.is_empty() {
        kernel.run(Contacts { notes, group, len });
    }
}

struct Contacts<'a> {
    notes: &'a mut [Note],
    group: &'a [usize],
    len: usize,
}

impl Work for Contacts<'_> {
    type Out = ();

    #[inline(always)]
    fn run<R: Real>(self) {
        let Self { notes, group, len } = self;
        let strikes = || group.iter().filter_map(|&note| Some(notes[note].strike?.hammer));
        let mut hammers: ArrayVec<MovingHammer, MOST_LANES> = strikes().collect();
        let mut moving = MovingHammer::<R>::beside(&hammers);
        let note = |lane: usize| &notes[group[lane.min(group.len() - 1)]];
        let sample = 1.0 / notes[group[0]].sample_rate;
        let steps: [usize; MOST_LANES] = std::array::from_fn(|lane| note(lane).steps);
        let most = steps[..group.len()].iter().copied().max().unwrap_or(0);
        let compliance = R::from_lanes(|lane| note(lane).compliances[note(lane).active]);
        let h = R::from_lanes(|lane| sample / steps[lane] as f64);
        // Lanes whose hammers have not left, as bits.
        let mut present = (0..group.len()).fold(0, |bits, lane| bits | 1 << lane);
        for at in 0..len.min(BLOCK) {
            let mut values = [0.0; MOST_LANES];
            moving.compression().store(&mut values);
            let is_clear = |lane: &usize| values[*lane] < -WELL_CLEAR;
            let coasting = lanes(present).filter(is_clear).fold(0, |bits, lane| bits | 1 << lane);
            for lane in lanes(coasting) {
                let note = &mut notes[group[lane]];
                let modes = &mut note.modes[..note.active];
                let (bridge, displacement) =
                    bank::coast(note.kernel, modes, &note.contact_couplings);
                values[lane] = f64::from(displacement);
                note.contact_forces.force[at] = bridge;
                note.contact_forces.blow[at] = 0.0;
                note.mark_clear(sample);
            }
            if coasting != 0 {
                moving.coast(R::load(&values), R::of(sample), R::Mask::from_bits(coasting));
            }
            let touching = present & !coasting;
            let mut force = [0.0; MOST_LANES];
            for step in 0..most {
                let stepping = |lane: &usize| step < steps[*lane];
                let which = lanes(touching).filter(stepping).fold(0, |bits, lane| bits | 1 << lane);
                if which == 0 {
                    break;
                }
                for lane in lanes(which) {
                    let note = &mut notes[group[lane]];
                    let pushed = single(force[lane]);
                    let modes = &mut note.modes[..note.active];
                    let displacement =
                        bank::advance(note.kernel, modes, &note.contact_couplings, pushed);
                    values[lane] = f64::from(displacement);
                }
                let which_lanes = R::Mask::from_bits(which);
                moving.step(R::load(&values), compliance, h, which_lanes).store(&mut values);
                lanes(which).for_each(|lane| force[lane] = values[lane]);
                moving.compression().store(&mut values);
                for lane in lanes(which) {
                    let note = &mut notes[group[lane]];
                    if values[lane] > 0.0 {
                        note.mark_contact();
                    } else {
                        note.mark_clear(sample / steps[lane] as f64);
                    }
                }
            }
            for lane in lanes(touching) {
                let note = &mut notes[group[lane]];
                let blow = single(force[lane]);
                note.contact_forces.force[at] = note.end_contact(blow);
                note.contact_forces.blow[at] = blow;
            }
            for lane in lanes(present) {
                let note = &mut notes[group[lane]];
                note.contact_forces.len = at + 1;
                if note.age_strike(sample) {
                    present &= !(1 << lane);
                }
            }
            if present == 0 {
                break;
            }
        }
        moving.store(&mut hammers);
        for (&note, hammer) in group.iter().zip(&hammers) {
            if let Some(strike) = &mut notes[note].strike {
                strike.hammer = *hammer;
            }
        }
    }
}

/// The lanes whose bits are set.
fn lanes(bits: u8) -> impl Iterator<Item = usize> {
    (0..MOST_LANES).filter(move |lane| bits & (1 << lane) != 0)
}

impl Note {
    /// [`Note::process`] of a note by itself, the hammer at its strings included.
    pub fn process_alone(&mut self, at: usize, out: &mut [f32]) {
        if self.is_in_contact() {
            let kernel = self.kernel;
            advance(kernel, std::slice::from_mut(self), &[0], out.len());
        }
        self.process(at, out);
    }

    /// Ends a sample of contact with the `force` of its last step. Returns the force on the bridge, N.
    fn end_contact(&mut self, force: f32) -> f32 {
        let modes = &mut self.modes[..self.active];
        let bridge = bank::end_contact(self.kernel, modes, &self.contact_couplings, force);
        if self.rest.1 > 0.0 {
            let (rest, poles) = (self.rest.1, &self.poles);
            bank::scale(&mut self.modes[..self.active], |c, l| 1.0 - rest * poles[c].damp[l]);
        }
        bridge
    }

    /// The felt was clear of the strings for `h` more seconds.
    fn mark_clear(&mut self, h: f64) {
        if let Some(strike) = &mut self.strike {
            strike.clear += h;
        }
    }

    /// The felt is in contact with the strings.
    fn mark_contact(&mut self) {
        if let Some(strike) = &mut self.strike {
            strike.clear = 0.0;
        }
    }

    /// A sample of the strike has passed. Returns whether its hammer has left for good.
    fn age_strike(&mut self, sample: f64) -> bool {
        let has_left = self.strike.as_mut().is_none_or(|strike| {
            strike.age += sample;
            strike.clear > self.separation_time || strike.age > HAMMER_CAUGHT
        });
        if has_left {
            self.strike = None;
        }
        has_left
    }
}
