//! Release of the strings by a plectrum: the excitation of a harpsichord on these strings.
//!
//! The strings are displaced to a triangle with its corner under the plectrum and released from rest:
//! partial k begins with the amplitude 2 d sin(kπp)/(k²π² p(1 − p)), d the corner's displacement, p
//! its position as a share of the length. The plectrum's damping of a sounding string is ignored.

use std::f64::consts::PI;

use num_complex::Complex64;

use super::Note;
use super::note_poles::NotePoles;
use crate::strings::bank::{LANES, Lane, ModeState};
use crate::tuning::scale::StringSpec;
use touchback_core::math::cast::{floor_index, single};
use touchback_core::math::trig::direction;

/// Distance of the plucking point from the near end, m, to which [`POINT_OF_LENGTH`] is added (chosen within the
/// range of harpsichord makers); the point is never beyond the middle.
const POINT: f64 = 0.06;
/// Part of the plucking point's distance over the length of the string.
const POINT_OF_LENGTH: f64 = 0.11;

/// Time in which the static force of the displaced string on the bridge fades out of the output, s. That
/// force has grown with the rise of the jack and is inaudible; without the fade the output would
/// begin with a step (chosen: half of the jack's rise at an ordinary touch).
const SETTLING: f64 = 2e-3;

/// Position of the plectrum, share of the string's length.
#[must_use]
pub fn point(string: &StringSpec) -> f64 {
    (POINT / string.length + POINT_OF_LENGTH).min(0.5)
}

/// Amplitude of partial `k` per displacement under the plectrum.
#[must_use]
pub fn amplitude(string: &StringSpec, k: usize) -> f64 {
    let (k, p) = (k as f64 * PI, point(string));
    2.0 * libm::sin(k * p) / (k * k * p * (1.0 - p))
}

/// States in which a plectrum releases sixteen modes.
#[repr(C, align(64))]
#[derive(Clone, Copy, Default, Debug)]
struct Released {
    /// w per displacement under the plectrum.
    re: Lane,
    im: Lane,
}

/// Fade of the static force.
#[derive(Clone, Copy, Default, Debug)]
struct Settling {
    /// Force at the pluck, N.
    force: f32,
    /// Samples since the pluck.
    at: usize,
    /// Samples of the fade.
    length: usize,
}

impl Settling {
    /// Subtracts the remaining static force from `out`.
    fn apply(&mut self, out: &mut [f32]) {
        let left = self.length - self.at;
        for x in out.iter_mut().take(left) {
            // Slope 0 at both ends.
            let share = self.at as f32 / self.length as f32;
            *x -= self.force * (1.0 - share * share * (3.0 - 2.0 * share));
            self.at += 1;
        }
    }

    /// Remaining static force, N.
    fn remaining(&self) -> f32 {
        if self.at == self.length {
            return 0.0;
        }
        let share = self.at as f32 / self.length as f32;
        self.force * (1.0 - share * share * (3.0 - 2.0 * share))
    }
}

/// The plectrum of one note.
#[derive(Debug)]
pub(super) struct Plucking {
    released: Vec<Released>,
    settling: Settling,
}

impl Plucking {
    /// Without a pluck; for `groups` groups of lanes. Allocates.
    pub(super) fn new(groups: usize) -> Self {
        Self { released: vec![Released::default(); groups], settling: Settling::default() }
    }

    /// Ends the fade of the static force.
    pub(super) fn reset(&mut self) {
        self.settling = Settling::default();
    }

    /// Sets the state in which lane `l` of group `c` is released to `w` per displacement under the plectrum.
    pub(super) fn set(&mut self, c: usize, l: usize, w: Complex64) {
        let released = &mut self.released[c];
        (released.re[l], released.im[l]) = (single(w.re), single(w.im));
    }

    /// Subtracts the static force that still fades from `out`.
    pub(super) fn process(&mut self, out: &mut [f32]) {
        self.settling.apply(out);
    }

    /// Adds the release from `displacement` m, `delay` samples from now, to the `modes`; the static force fades in
    /// `length` samples.
    fn release(
        &mut self,
        modes: &mut [ModeState],
        poles: &NotePoles,
        displacement: f64,
        delay: f64,
        length: usize,
    ) {
        let d = single(displacement);
        let mut force = 0.0f32;
        for ((ring, released), pole) in modes.iter_mut().zip(&self.released).zip(poles.groups()) {
            for l in 0..LANES {
                let (mut re, mut im) = (d * released.re[l], d * released.im[l]);
                force += ring.bridge[l] * re;
                if delay > 0.0 {
                    // A mode released later has turned less by the next sample.
                    let back = direction(-delay * f64::from(poles.ratio() * pole.angle[l]));
                    let (c, s) = (single(back.x), single(back.y));
                    (re, im) = (re * c - im * s, re * s + im * c);
                }
                ring.re[l] += re;
                ring.im[l] += im;
            }
        }
        self.settling = Settling { force: force + self.settling.remaining(), at: 0, length };
    }
}

impl Note {
    /// A plectrum releases the strings, displaced by `displacement` m, `delay` samples from now.
    pub fn pluck(&mut self, displacement: f64, delay: f64) {
        self.excite();
        let length = floor_index((SETTLING * self.sample_rate).ceil());
        let modes = self.ringing.sounding();
        self.plucking.release(modes, &self.poles, displacement, delay, length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SoundSettings;
    use crate::signal::slow_rate::SlowRate;
    use touchback_core::math::compass::KeyNumber;
    use touchback_core::math::kernel::Kernel;
    use touchback_core::mech::hammer::Hammer;

    const RATE: f64 = 48_000.0;

    fn plucked(number: usize, delay: f64) -> (Note, Vec<f32>) {
        let key = KeyNumber::from_index(number - 1).unwrap();
        let (settings, hammer) = (SoundSettings::default(), Hammer::concert(key));
        let rate = SlowRate::both(RATE);
        let mut note = Note::new(key, &settings, &hammer, RATE, &rate, Kernel::detect());
        note.damper(1.0);
        note.control(0, 1e-9, 0.0, 0.0);
        note.pluck(1e-3, delay);
        let mut out = vec![0.0f32; 16_384];
        for part in out.chunks_mut(64) {
            note.process(0, part);
        }
        (note, out)
    }

    /// Amplitude of `hz` in `x` under a Hann window.
    fn amplitude_at(x: &[f32], hz: f64) -> f64 {
        let turn = 2.0 * PI / x.len() as f64;
        let term = |(i, x): (usize, &f32)| {
            let i = i as f64;
            let window = 1.0 - (turn * i).cos();
            Complex64::from_polar(window * f64::from(*x), -2.0 * PI * hz * i / RATE)
        };
        x.iter().enumerate().map(term).sum::<Complex64>().norm() * 2.0 / x.len() as f64
    }

    #[test]
    fn partials_begin_with_the_amplitudes_of_a_plucked_string() {
        for number in [16, 40, 52] {
            let key = KeyNumber::from_index(number - 1).unwrap();
            let string = StringSpec::of(key, &SoundSettings::default());
            let (_, out) = plucked(number, 0.0);
            let level = |k: usize| {
                let gain = string.bridge_gain(k).abs() * string.strings as f64;
                let expected = 1e-3 * gain * amplitude(&string, k).abs();
                20.0 * (amplitude_at(&out[200..], string.partial_hz(k)) / expected).log10()
            };
            // Up to the sixth partial a few decibels are lost in this third of a second, and the sideways
            // motion adds 2 dB; partials with a node near the plucking point are skipped.
            let levels: Vec<f64> = (1..=6)
                .filter(|&k| (k as f64 * PI * point(&string)).sin().abs() > 0.3)
                .map(level)
                .collect();
            assert!(levels.len() > 4);
            assert!(levels.iter().all(|db| (-9.0..3.0).contains(db)), "{number}: {levels:?}");
        }
    }

    #[test]
    fn a_pluck_begins_without_a_step_and_a_late_one_later() {
        for number in [1, 40, 64] {
            let (_, out) = plucked(number, 0.0);
            let loudest = out.iter().fold(0.0f32, |m, x| m.max(x.abs()));
            assert!(out[0].abs() < 0.1 * loudest, "{number}: {} of {loudest}", out[0]);
            let (_, late) = plucked(number, 0.5);
            let differs = out.iter().zip(&late).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(differs > 0.0 && differs < loudest, "{number}: {differs}");
        }
    }
}
