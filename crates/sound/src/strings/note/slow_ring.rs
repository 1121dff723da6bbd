//! The low partials of a struck note without a hammer, at a slower sample rate.
//!
//! Once the hammer has left, the groups of lanes whose partials all lie in the slow rate's band are handed
//! over at a block's beginning; their last block of output fills the interpolator, so that the sound
//! continues without a seam. At the next blow the groups return in their present state.

use crate::signal::slow_rate::{Interpolator, SlowRate};
use crate::strings::bank::{self, BLOCK, Lane, ModeState};
use crate::strings::poles::{self, Pole};
use touchback_core::math::kernel::Kernel;

/// Highest frequency ratio to the tuning at which all these partials lie in the slow rate's band: a minor
/// third up.
pub(crate) const HIGHEST_RATIO: f32 = 1.19;

/// Groups of lanes of a note that can ring slowly.
pub struct SlowRing {
    kernel: Kernel,
    factor: usize,
    delay: usize,
    memory: usize,
    /// Modes at the slow rate: ahead of the note by the interpolator's delay.
    modes: Vec<ModeState>,
    poles: Vec<Pole>,
    /// Re w and Im w at the block's beginning.
    begun: Vec<[Lane; 2]>,
    /// Leading groups that still ring; 0 while the note has them.
    active: usize,
    interpolator: Interpolator,
    /// Force on the bridge, N: of the present block while the groups ring here, of the last block while
    /// the note has them.
    force: [f32; BLOCK],
    /// Samples into the present block.
    at: usize,
    /// The note's output of these groups is recorded in `force`.
    is_recording: bool,
}

impl SlowRing {
    /// Silent; the first `groups` groups of a note all lie in the slow rate's band.
    pub fn new(groups: usize, rate: &SlowRate, kernel: Kernel) -> Self {
        let (factor, delay, memory) = (rate.factor(), rate.delay(), rate.memory());
        // The interpolator's memory must fit into one block.
        let is_slow = factor > 1 && factor * memory <= BLOCK + delay;
        let count = if is_slow { groups } else { 0 };
        Self {
            kernel,
            factor,
            delay,
            memory,
            modes: vec![ModeState::default(); count],
            poles: vec![Pole::default(); count],
            begun: vec![[[0.0; bank::LANES]; 2]; count],
            active: 0,
            interpolator: Interpolator::new(rate.clone()),
            force: [0.0; BLOCK],
            at: 0,
            is_recording: false,
        }
    }

    /// The slow poles and states of the note's group `c`.
    pub fn group(&mut self, c: usize) -> Option<(&mut Pole, &mut ModeState)> {
        Some((self.poles.get_mut(c)?, self.modes.get_mut(c)?))
    }

    /// Number of leading groups of the note that can ring slowly.
    pub const fn groups(&self) -> usize {
        self.modes.len()
    }

    /// Samples per slow sample.
    pub const fn factor(&self) -> f64 {
        self.factor as f64
    }

    /// Applies the pitch ratio `ratio` and the share `rest` of the resting damper to the poles.
    pub(crate) fn apply_poles(&mut self, rest: f32, ratio: f32) {
        poles::set_ringing(self.kernel, &mut self.modes, &self.poles, rest, ratio);
    }

    /// Silences all groups.
    pub fn reset(&mut self) {
        bank::clear(&mut self.modes);
        (self.active, self.is_recording) = (0, false);
        self.interpolator.reset();
    }

    /// Whether groups ring here.
    pub(crate) const fn is_ringing(&self) -> bool {
        self.active > 0
    }

    /// Sum of squared bridge-force amplitudes, N².
    pub fn level(&self) -> f32 {
        bank::level(&self.modes[..self.active])
    }

    /// Begins a block. `modes`: the note's, of which `active` groups ring. A note that is `free` of hammer
    /// and plectrum records its output for a whole block and then hands its groups over.
    pub fn begin_block(&mut self, modes: &mut [ModeState], active: usize, free: bool) {
        let whole = self.is_recording && self.at == BLOCK;
        (self.at, self.is_recording) = (0, false);
        if !self.is_ringing() && free && active > 0 {
            if whole {
                self.take(&mut modes[..self.groups()]);
            } else {
                self.is_recording = self.groups() > 0;
            }
        }
        if self.is_ringing() {
            for (begun, ring) in self.begun.iter_mut().zip(&self.modes[..self.active]) {
                *begun = [ring.re, ring.im];
            }
            let slow = self.interpolator.begin();
            bank::ring(self.kernel, &mut self.modes[..self.active], slow);
            self.interpolator.process(&mut self.force);
        }
    }

    /// Takes the note's modes `own`.
    fn take(&mut self, own: &mut [ModeState]) {
        // The slow state before the block's first slow sample is this far ahead of the note's.
        let ahead = self.delay + 1 - self.factor;
        let mut future = [0.0f32; BLOCK];
        bank::ring(self.kernel, own, &mut future[..ahead]);
        for (slow, own) in self.modes.iter_mut().zip(&*own) {
            (slow.re, slow.im) = (own.re, own.im);
        }
        bank::clear(own);
        self.interpolator.reset();
        for age in 1..=self.memory {
            let (ahead, behind) = (self.delay, age * self.factor);
            *self.interpolator.earlier(age) = if behind <= ahead {
                future[ahead - behind]
            } else {
                self.force[BLOCK + ahead - behind]
            };
        }
        self.active = self.modes.len();
    }

    /// Returns the modes to the note in their state at the present sample. Returns the number of groups
    /// that ring.
    pub(crate) fn return_modes(&mut self, modes: &mut [ModeState]) -> usize {
        let groups = self.active;
        if groups == 0 {
            self.is_recording = false;
            return 0;
        }
        let own = &mut modes[..self.active];
        for (own, [re, im]) in own.iter_mut().zip(&self.begun) {
            (own.re, own.im) = (*re, *im);
        }
        let ahead = self.delay + 1 - self.factor;
        if self.at >= ahead {
            let mut unused = [0.0; BLOCK];
            bank::ring(self.kernel, own, &mut unused[..self.at - ahead]);
        } else {
            bank::turn_back(own, ahead - self.at);
        }
        self.reset();
        groups
    }

    /// Adds the force of a note's `modes`, N, and of the groups that ring here over the samples from `at`
    /// in the block on.
    pub fn process(&mut self, modes: &mut [ModeState], at: usize, out: &mut [f32]) {
        self.at = at + out.len();
        let force = &mut self.force[at..at + out.len()];
        let low = self.modes.len().min(modes.len());
        let is_separate = self.active > 0 || self.is_recording;
        if self.is_recording {
            force.fill(0.0);
            bank::ring(self.kernel, &mut modes[..low], force);
        }
        if is_separate {
            out.iter_mut().zip(force).for_each(|(out, force)| *out += *force);
        }
        bank::ring(self.kernel, &mut modes[if is_separate { low } else { 0 }..], out);
    }

    /// Silences groups below `least` N², the last first.
    pub(crate) fn silence_below(&mut self, least: impl Fn(usize) -> f32) {
        bank::flush_denormals(&mut self.modes[..self.active]);
        while self.active > 0 {
            let last = self.active - 1..self.active;
            if bank::level(&self.modes[last.clone()]) >= least(self.active) {
                return;
            }
            bank::clear(&mut self.modes[last]);
            self.active -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SoundSettings;
    use crate::strings::note::Note;
    use touchback_core::math::compass::KeyNumber;
    use touchback_core::mech::hammer::Hammer;

    const RATE: f64 = 48_000.0;

    fn note(number: usize, rate: f64) -> Note {
        let key = KeyNumber::from_index(number - 1).unwrap();
        let (settings, hammer) = (SoundSettings::default(), Hammer::concert(key));
        let slow = SlowRate::both(rate);
        let mut note = Note::new(key, &settings, &hammer, RATE, &slow, Kernel::detect());
        note.damper(1.0);
        note.strike(2.0, 0.0);
        note
    }

    /// Struck, damped to a half, struck again in the middle of a block, damped; by strings that ring at
    /// the slow rate of `rate` Hz.
    fn played(number: usize, rate: f64) -> Vec<f32> {
        let mut note = note(number, rate);
        let mut out = vec![0.0f32; 400 * BLOCK];
        for (block, part) in out.chunks_exact_mut(BLOCK).enumerate() {
            match block {
                150 => note.damper(0.5),
                180 => note.damper(1.0),
                300 => note.damper(0.0),
                _ => {}
            }
            note.control(block, 1e-6, 0.0, 0.0);
            let (first, rest) = part.split_at_mut(23);
            note.process_alone(0, first);
            if block == 200 || block == 201 {
                note.strike(1.0, 0.0);
            }
            note.process_alone(23, rest);
        }
        out
    }

    #[test]
    fn slow_modes_sound_like_modes_at_the_full_rate() {
        for number in [1, 13, 28, 40, 52] {
            // A rate of 1 Hz is not divided.
            let (slow, plain) = (played(number, RATE), played(number, 1.0));
            let energy = |x: &mut dyn Iterator<Item = f32>| x.map(|x| x * x).sum::<f32>();
            // Over a period of the lowest key, which is 50 dB softer between its pulses.
            let mut recent = [0.0f32; 28];
            for (block, (a, b)) in slow.chunks(BLOCK).zip(plain.chunks(BLOCK)).enumerate() {
                let error = energy(&mut a.iter().zip(b).map(|(a, b)| a - b));
                recent[block % 28] = energy(&mut b.iter().copied());
                let whole = recent.into_iter().fold(1e-6, f32::max);
                let db = 10.0 * (error / whole).log10();
                // The interpolator is 0.3 ms long: a damper acts early by that time.
                let most = if block < 150 { -60.0 } else { -45.0 };
                assert!(db < most, "key {number}, block {block}: {db} dB");
            }
        }
    }

    #[test]
    fn a_note_bent_out_of_the_band_keeps_its_level() {
        for number in [13, 40] {
            // Levels while bent by these, with the slow rate and without.
            for cents in [200.0, 300.0, 1200.0, 2400.0] {
                let [slow, plain] = [RATE, 1.0].map(|rate| {
                    let mut note = note(number, rate);
                    let mut energy = 0.0;
                    for block in 0..200 {
                        note.retune(if (50..150).contains(&block) { cents } else { 0.0 });
                        note.control(block, 1e-6, 0.0, 0.0);
                        let mut out = [0.0f32; BLOCK];
                        note.process_alone(0, &mut out);
                        if block > 50 {
                            energy += out.map(|x| x * x).iter().sum::<f32>();
                        }
                    }
                    energy
                });
                let db = 10.0 * (slow / plain).log10();
                assert!(db.abs() < 0.1, "key {number}, {cents} cents: {db} dB");
            }
        }
    }
}
