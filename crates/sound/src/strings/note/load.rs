//! Modes of one note from the sound settings.

use std::f64::consts::PI;

use num_complex::Complex64;

use super::resonance::Resonating;
use super::{Note, pluck, resonance_modes};
use crate::SoundSettings;
use crate::strings::bank::LANES;
use crate::strings::unison::{MOST, SIDEWAYS, Unison};
use crate::strings::{loss, mobility, poles};
use touchback_core::math::cast::single;
use touchback_core::math::compass::linear;
use touchback_core::math::complex;
use touchback_core::math::power::square;
use touchback_core::mech::key_tones::ToneQuantity;

/// Largest mobility from one string to another over [`mobility::between_points`], at low frequency. Fitted
/// with the two constants below and the [phase of an octave](crate::strings::bridge::wave): silent keys resonate
/// and the pedal lengthens the middle register's decay as measured, and leaves bass and treble unchanged
/// [Lehtonen 2007].
const TRANSFER: f64 = 0.7;
/// Frequency from which [`TRANSFER`] falls, Hz, because the ribs keep the waves apart.
const TRANSFER_HZ: f64 = 900.0;
/// Phase of that mobility, rad. Within ± π/2 the strings exchange or lose energy and never gain it.
const TRANSFER_PHASE: f64 = 0.3;

/// [`TRANSFER`] of the undamped strings, which are within a wavelength of the driving strings
/// ([`near_top`](crate::strings::resonances::near_top)).
const TRANSFER_TOP: f64 = 1.3;

/// Share of [`TRANSFER_TOP`] that drives the sideways motion of undamped strings and returns from it
/// (fitted as [`TRANSFER_TOP`]; the path of a blow's sideways motion, taken twice).
const SIDEWAYS_TOP: f64 = 0.25;

/// Force that the near end passes on to the board through agraffes and plate, over the same force on
/// the bridge, by key number. A wave takes up to 16 ms to the bridge of a bass string and a sixth of
/// that to the near end: low notes sound from there first. Fitted, its sign included, to the
/// attacks of two recorded grands (`touchback lab recorded`, A0–B1: both 0.2 dB nearer) without a loss
/// in the body; from C3 on both paths are too short to tell apart.
const NEAR_END: [(f64, f64); 3] = [(1.0, -0.4), (16.0, -0.13), (28.0, 0.0)];

/// Number of modes of the first `partials` partials of a note of `strings` strings.
pub(super) const fn modes(partials: usize, strings: usize) -> usize {
    let sideways = if partials < SIDEWAYS { partials } else { SIDEWAYS };
    partials * strings + sideways
}

/// Velocity of one string's point of the bridge per force at another's, over [`mobility::between_points`], for
/// waves in phase.
fn transfer(hz: f64) -> Complex64 {
    complex::polar(TRANSFER / (1.0 + square(hz / TRANSFER_HZ)), TRANSFER_PHASE)
}

impl Note {
    /// Loads all modes for `settings` at once.
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

    /// Index of mode `j` of partial `k` among the lanes: low partials first, each with its sideways
    /// motion last.
    const fn lane(&self, k: usize, j: usize) -> usize {
        modes(k - 1, self.strung.strings) + j
    }

    /// Loads partial `k` (1…partials) for `settings`; bounded work, no click.
    pub(crate) fn load_partial(&mut self, unison: &Unison, settings: &SoundSettings, k: usize) {
        if k == 1 {
            self.blow_cut.load(self.key, &settings.tones, self.sample_rate);
            self.blow_ring.load(self.key, &settings.tones, self.sample_rate);
        }
        let group = unison.group(k);
        let strings = self.strung.strings;
        let count = strings as f64;
        let blow = unison.blow();
        let missed = if strings > 1 { [blow[0], 0.0, 0.0] } else { [0.0; MOST] };
        let weights = [group.weights(blow), group.weights(&missed), group.weights(&[1.0; MOST])];
        // The tone of the key: level and decay time of this partial.
        let tone = |quantity| settings.tones.at(self.key, quantity, k);
        let decibels = tone(ToneQuantity::Level) + settings.key_level(self.key);
        let level = libm::pow(10.0, decibels / 20.0);
        let decay = libm::exp2(-tone(ToneQuantity::Decay));
        let decaying = |pole: Complex64| Complex64::new(pole.re * decay, pole.im);
        let upright = (0..strings).map(|j| (decaying(group.poles[j]), weights.map(|w| w[j]), true));
        // Every blow drives the sideways motion too.
        let sideways = (k <= SIDEWAYS).then(|| unison.sideways(k)).map(|(pole, weight)| {
            let missed = weight * missed[0] / count;
            (decaying(pole), [weight, missed, SIDEWAYS_TOP * count].map(Complex64::from), false)
        });
        let string = unison.string();
        let mass = 0.5 * string.mass();
        let bridge = self.strung.bridge_gain(k);
        // Partials pull on the near end with equal sign, on the bridge with alternating sign.
        let near_end = linear(&NEAR_END, f64::from(self.key.number())) * bridge.abs();
        let force = bridge + near_end;
        // The force per w stays that of the default settings, so that no sounding force jumps; w is
        // the displacement times `scale`. The level of the key's tone is part of it: a new one is heard from
        // the next strike on.
        let scale = string.bridge_gain(k) / bridge * level;
        let shape = string.strike_shape(self.hammering.hammer(), k) / count;
        let plucked = pluck::amplitude(string, k);
        let (sample, step) =
            (1.0 / self.sample_rate, 1.0 / self.sample_rate / self.hammering.steps() as f64);
        // A partial above the top of the band moves under the hammer and is silent instead of folding back.
        let is_within = |period: f64| group.poles[0].im * period < f64::from(poles::HIGHEST);
        let is_in_band = is_within(sample);
        let damp = loss::damper(self.key, k) / settings.damper_time;
        // A bridge that moves at Y F acts on the partial as the partial acts on the bridge.
        let hz = self.strung.partial_hz(k);
        // A bridge that takes less from a string also passes on less.
        let mobility = mobility::between_points(self.key, hz) * decay / settings.sustain;
        let transfer =
            if loss::has_damper(self.key) { transfer(hz) } else { Complex64::from(TRANSFER_TOP) };
        let moved = -transfer * mobility * string.bridge_gain(k) / (mass * square(2.0 * PI * hz))
            * sample
            * scale;
        let resonances = resonance_modes(self.key, strings);
        for (j, (pole, [all, missed, pulled], is_upright)) in upright.chain(sideways).enumerate() {
            // Constant force for one step, exactly.
            let push = scale * shape / Complex64::new(0.0, mass * pole.im)
                * ((complex::exp(pole * step) - 1.0) / pole)
                * f64::from(u8::from(is_within(step)));
            let lane = self.lane(k, j);
            let (c, l) = (lane / LANES, lane % LANES);
            let blow = self.hammering.change(c);
            blow.all_re[l] = single((all * push).re);
            blow.all_im[l] = single((all * push).im);
            blow.missed_re[l] = single((missed * push).re);
            blow.missed_im[l] = single((missed * push).im);
            blow.shape[l] = if is_upright { single(shape / scale) } else { 0.0 };
            let slot = self.poles.change(c);
            slot.shrink[l] = single(-libm::expm1(pole.re * sample));
            slot.step_shrink[l] = single(-libm::expm1(pole.re * step));
            slot.angle[l] = single(pole.im * sample);
            slot.damp[l] = single(-libm::expm1(-damp * sample));
            if k <= self.resonating && j < resonances {
                let mode = Resonating {
                    decay: pole.re * sample,
                    angle: pole.im * sample,
                    damp: damp * sample,
                    bridge: single(force),
                    pull: pulled * moved,
                };
                self.resonance.set((k - 1) * resonances + j, &mode);
            }
            let weight = if is_upright { pulled } else { all };
            let released = weight * (scale * plucked) * f64::from(u8::from(is_in_band));
            self.plucking.set(c, l, released);
            let bridge = if is_in_band { single(force) } else { 0.0 };
            let slow = sample * self.ringing.slow_factor();
            let (modes, slow_modes) = self.ringing.group(c);
            modes.bridge[l] = bridge;
            if let Some((poles, rings)) = slow_modes {
                poles.shrink[l] = single(-libm::expm1(pole.re * slow));
                poles.angle[l] = single(pole.im * slow);
                poles.damp[l] = single(-libm::expm1(-damp * slow));
                rings.bridge[l] = bridge;
            }
        }
    }

    /// Completes loading after the last partial.
    pub(crate) fn finish_load(&mut self, unison: &Unison) {
        self.hammering.set_blows(unison.blow());
        self.hammering.refresh(&self.poles);
    }
}
