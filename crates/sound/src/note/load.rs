//! What a voicing makes of the modes of one note.

use std::f64::consts::PI;

use num_complex::Complex64;

use super::resonance::Resonating;
use super::{Note, pluck, resonance_modes};
use crate::bank::LANES;
use crate::unison::{MOST, SIDEWAYS, Unison};
use crate::{SoundSettings, loss, poles};
use touchback_core::math::cast::single;
use touchback_core::math::compass::linear;
use touchback_core::math::complex;
use touchback_core::math::power::square;

/// Mobility from one place of the bridge to another against that at one place at low frequency, and
/// where it begins to fall because the places lie further apart than the board's waves are long.
const TRANSFER: f64 = 0.35;
const TRANSFER_HZ: f64 = 1000.0;

/// Where the waves between two places turn from opposite to equal phase, Hz. With the two constants
/// above fitted so that silent keys answer and the pedal lengthens the middle register's decay as
/// measured, and leaves bass and treble alone [Lehtonen 2007].
const TRANSFER_TURN: (f64, f64) = (320.0, 360.0);

/// The same at the undamped strings, which lie within a wavelength of what shakes them
/// ([`near_top`](crate::resonances::near_top)).
const TRANSFER_TOP: f64 = 1.3;

/// Share of it that reaches the sideways motion of undamped strings and is heard of it (fitted as
/// [`TRANSFER_TOP`]; twice the way that a blow's sideways motion takes once).
const SIDEWAYS_TOP: f64 = 0.25;

/// Force that the near end passes on to the board through agraffes and frame, over the same force on
/// the bridge, by key number. A wave takes up to 16 ms to the bridge of a bass string and a sixth of
/// that to the near end: low notes are heard from there first. Fitted, its sign included, to the
/// attacks of two recorded grands (`touchback lab recorded`, A0–B1: both 0.2 dB nearer) without a loss
/// in the body; from C3 on both ways are too short to tell.
const NEAR_END: [(f64, f64); 3] = [(1.0, -0.4), (16.0, -0.13), (28.0, 0.0)];

/// Modes of the first `partials` partials of a note of so many strings.
pub(super) const fn modes(partials: usize, strings: usize) -> usize {
    let sideways = if partials < SIDEWAYS { partials } else { SIDEWAYS };
    partials * strings + sideways
}

/// Velocity of another place of the bridge per force at one, over the real mobility there.
fn transfer(hz: f64) -> Complex64 {
    let (from, to) = TRANSFER_TURN;
    let turned = ((hz - from) / (to - from)).clamp(0.0, 1.0);
    complex::polar(TRANSFER / (1.0 + square(hz / TRANSFER_HZ)), PI * (1.0 - turned))
}

impl Note {
    /// Takes over a whole new voicing at once.
    pub fn load(&mut self, settings: &SoundSettings) {
        let unison = Unison::new(self.key, settings);
        for k in 1..=self.partials {
            self.load_partial(&unison, settings, k);
        }
        self.finish_load(&unison);
    }

    /// Number of partials.
    #[must_use]
    pub const fn partials(&self) -> usize {
        self.partials
    }

    /// Place of mode `j` of partial `k` among the lanes: low partials first, each with its sideways
    /// motion last.
    const fn place(&self, k: usize, j: usize) -> usize {
        modes(k - 1, self.strings) + j
    }

    /// Takes over partial `k` (1…partials) of a new voicing; bounded work, no click.
    pub fn load_partial(&mut self, unison: &Unison, settings: &SoundSettings, k: usize) {
        let group = unison.group(k);
        let count = self.strings as f64;
        let blow = unison.blow();
        let missed = if self.strings > 1 { [blow[0], 0.0, 0.0] } else { [0.0; MOST] };
        let weights = [group.weights(blow), group.weights(&missed), group.weights(&[1.0; MOST])];
        let upright = (0..self.strings).map(|j| (group.poles[j], weights.map(|w| w[j]), true));
        // The sideways motion takes its part of every blow.
        let sideways = (k <= SIDEWAYS).then(|| unison.sideways(k)).map(|(pole, weight)| {
            let missed = weight * missed[0] / count;
            (pole, [weight, missed, SIDEWAYS_TOP * count].map(Complex64::from), false)
        });
        let string = unison.string();
        let mass = 0.5 * string.mass();
        let bridge = self.strung.bridge_gain(k);
        // At the near end all partials pull alike, at the bridge they alternate.
        let near_end = linear(&NEAR_END, f64::from(self.key.number())) * bridge.abs();
        let force = bridge + near_end;
        // The force per w stays that of the piano as strung, so that nothing that rings jumps; w is
        // the displacement times `scale`.
        let scale = string.bridge_gain(k) / bridge;
        let shape = string.strike_shape(&self.hammer, k) / count;
        let plucked = pluck::amplitude(string, k);
        let (sample, step) = (1.0 / self.sample_rate, 1.0 / self.sample_rate / self.steps as f64);
        // Tuned past the top of the band a partial falls silent instead of folding back.
        let heard = group.poles[0].im * sample < f64::from(poles::HIGHEST);
        let damp = loss::damper(self.key, k) / settings.damper_time;
        // A bridge that moves at Y F pulls on the partial as the partial pulls on it.
        let hz = self.strung.partial_hz(k);
        let mobility = loss::bridge_mobility(self.key, hz).re;
        let transfer =
            if loss::has_damper(self.key) { transfer(hz) } else { Complex64::from(TRANSFER_TOP) };
        let moved = -transfer * mobility * string.bridge_gain(k) / (mass * square(2.0 * PI * hz))
            * sample
            * scale;
        let resonances = resonance_modes(self.key, self.strings);
        for (j, (pole, [all, missed, pulled], felt)) in upright.chain(sideways).enumerate() {
            // Constant force for one step, exactly.
            let push = scale * shape / Complex64::new(0.0, mass * pole.im)
                * ((complex::exp(pole * step) - 1.0) / pole)
                * f64::from(u8::from(heard));
            let place = self.place(k, j);
            let (c, l) = (place / LANES, place % LANES);
            let blow = &mut self.hammer_inputs[c];
            blow.all_re[l] = single((all * push).re);
            blow.all_im[l] = single((all * push).im);
            blow.missed_re[l] = single((missed * push).re);
            blow.missed_im[l] = single((missed * push).im);
            blow.shape[l] = if felt { single(shape / scale) } else { 0.0 };
            let slot = &mut self.poles[c];
            slot.shrink[l] = single(-libm::expm1(pole.re * sample));
            slot.step_shrink[l] = single(-libm::expm1(pole.re * step));
            slot.angle[l] = single(pole.im * sample);
            slot.damp[l] = single(-libm::expm1(-damp * sample));
            if k <= self.resonating && j < resonances {
                let pull = pulled * moved;
                let mode = Resonating {
                    decay: pole.re * sample,
                    angle: pole.im * sample,
                    damp: damp * sample,
                    bridge: single(force),
                    pull: (single(pull.re), single(pull.im)),
                };
                self.resonance.set((k - 1) * resonances + j, &mode);
            }
            let share = if felt { pulled } else { all };
            self.released[c].set(l, share * (scale * plucked) * f64::from(u8::from(heard)));
            let bridge = if heard { single(force) } else { 0.0 };
            self.modes[c].bridge[l] = bridge;
            let slow = sample * self.slow.factor();
            if let Some((poles, rings)) = self.slow.group(c) {
                poles.shrink[l] = single(-libm::expm1(pole.re * slow));
                poles.angle[l] = single(pole.im * slow);
                poles.damp[l] = single(-libm::expm1(-damp * slow));
                rings.bridge[l] = bridge;
            }
        }
        // Shows the new poles at the next block.
        self.rest.1 = f32::NAN;
        self.touching = false;
    }

    /// Completes a voicing after its last partial.
    pub fn finish_load(&mut self, unison: &Unison) {
        self.share = *unison.blow();
        self.refresh_touches();
    }

    /// Makes the touches show poles, bend and hammer as they are.
    ///
    /// A hammer shifted by `a` misses that share of the first string: the blows on the strings
    /// become h' = (h − a h₁ e₁) N/(N − a h₁), and the hammer feels the strings in the same
    /// proportion, Σ h'²/N over Σ h²/N times their mean where they start from rest.
    pub(super) fn refresh_touches(&mut self) {
        if self.touching {
            return;
        }
        self.touching = true;
        let shift = if self.strings > 1 { self.una_corda.1 } else { 0.0 };
        let (count, h) = (self.strings as f64, &self.share);
        let scale = count / (count - shift * h[0]);
        let squares: f64 = h[..self.strings].iter().map(|h| h * h).sum();
        let left = squares - h[0] * h[0] * (1.0 - square(1.0 - shift));
        let felt = single(left * scale * scale / squares);
        let (scale, shift) = (single(scale), single(shift));
        let share = single(1.0 / self.steps as f64);
        let mut compliance = 0.0;
        for ((touch, blow), pole) in
            self.contact_couplings.iter_mut().zip(&self.hammer_inputs).zip(&self.poles)
        {
            for l in 0..LANES {
                let re = scale * (blow.all_re[l] - shift * blow.missed_re[l]);
                let im = scale * (blow.all_im[l] - shift * blow.missed_im[l]);
                let bend = poles::bent_blow(pole.angle[l], share, self.ratio);
                let (by_re, by_im) = (single(bend.re), single(bend.im));
                touch.push_re[l] = re * by_re - im * by_im;
                touch.push_im[l] = re * by_im + im * by_re;
                touch.shape[l] = felt * blow.shape[l];
                compliance += f64::from(touch.shape[l]) * f64::from(touch.push_re[l]);
            }
        }
        self.compliance = compliance;
        poles::set_touching(
            self.kernel,
            &mut self.contact_couplings,
            &self.poles,
            share,
            self.ratio,
        );
    }
}
