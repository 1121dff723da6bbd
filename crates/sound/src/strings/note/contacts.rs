//! Hammers at the strings of several notes, side by side.
//!
//! Each note's modes advance by themselves; the felts' forces are solved for as many notes at once as
//! the kernel has lanes. No lane reads another, so a note sounds the same beside any others.
//! Audio thread.

use arrayvec::ArrayVec;

use super::Note;
use crate::strings::bank::BLOCK;
use crate::strings::contact::MovingHammer;
use touchback_core::math::cast::single;
use touchback_core::math::kernel::Kernel;
use touchback_core::math::lane_work::Work;
use touchback_core::math::real::{MOST_LANES, Mask, Real};

/// Distance from the string from which a hammer cannot reach it within a sample, m: strings and hammers
/// move at less than 10 m/s.
const WELL_CLEAR: f64 = 2.5e-4;

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
        let strikes = || group.iter().filter_map(|&note| notes[note].hammering.moving());
        let mut hammers: ArrayVec<MovingHammer, MOST_LANES> = strikes().collect();
        let mut moving = MovingHammer::<R>::beside(&hammers);
        let note = |lane: usize| &notes[group[lane.min(group.len() - 1)]];
        let sample = 1.0 / notes[group[0]].sample_rate;
        let steps: [usize; MOST_LANES] = std::array::from_fn(|lane| note(lane).hammering.steps());
        let most = steps[..group.len()].iter().copied().max().unwrap_or(0);
        let compliance = R::from_lanes(|lane| {
            let Note { ringing, hammering, .. } = note(lane);
            hammering.compliance(ringing.active())
        });
        let h = R::from_lanes(|lane| sample / steps[lane] as f64);
        // Lanes whose hammers have not left, as bits.
        let mut present = (0..group.len()).fold(0, |bits, lane| bits | 1 << lane);
        for at in 0..len.min(BLOCK) {
            let mut values = [0.0; MOST_LANES];
            moving.compression().store(&mut values);
            let is_clear = |lane: &usize| values[*lane] < -WELL_CLEAR;
            let coasting = lanes(present).filter(is_clear).fold(0, |bits, lane| bits | 1 << lane);
            for lane in lanes(coasting) {
                let Note { ringing, hammering, .. } = &mut notes[group[lane]];
                values[lane] = f64::from(hammering.coast(ringing.sounding(), at, sample));
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
                    let Note { ringing, hammering, .. } = &mut notes[group[lane]];
                    let pushed = single(force[lane]);
                    values[lane] = f64::from(hammering.advance(ringing.sounding(), pushed));
                }
                let which_lanes = R::Mask::from_bits(which);
                moving.step(R::load(&values), compliance, h, which_lanes).store(&mut values);
                lanes(which).for_each(|lane| force[lane] = values[lane]);
                moving.compression().store(&mut values);
                for lane in lanes(which) {
                    let hammering = &mut notes[group[lane]].hammering;
                    if values[lane] > 0.0 {
                        hammering.mark_contact();
                    } else {
                        hammering.mark_clear(sample / steps[lane] as f64);
                    }
                }
            }
            for lane in lanes(touching) {
                let Note { ringing, hammering, poles, .. } = &mut notes[group[lane]];
                let modes = ringing.sounding();
                hammering.end_contact(modes, at, single(force[lane]));
                poles.damp(modes);
            }
            for lane in lanes(present) {
                if notes[group[lane]].hammering.end_sample(at, sample) {
                    present &= !(1 << lane);
                }
            }
            if present == 0 {
                break;
            }
        }
        moving.store(&mut hammers);
        for (&note, hammer) in group.iter().zip(&hammers) {
            notes[note].hammering.set_moving(*hammer);
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
}
