//! The frame's part of a blow: the force that reaches the board through agraffes or capo bar, plate and
//! rim.
//!
//! The string presses on its near end as the hammer presses on the string, and the plate passes a
//! share of that on. In the treble the near end is the capo bar, cast iron that bends between two
//! struts: F' = s (F + b B F), B the band-pass of its first bending mode, 1 at its peak. Where the tone of the key has
//! a weaker blow in a half octave, first-order crossovers split F' into half octaves, whose gains are below 1. Audio thread,
//! except `new` and `load`.

use std::f64::consts::PI;

use touchback_core::math::cast::{floor_index, single};
use touchback_core::math::compass::{KeyNumber, linear, log_linear};
use touchback_core::mech::key_tones::{BLOW_COUNT, BLOW_HZ, KeyTones, ToneQuantity};

/// Share s of the hammer's force, by key number: fitted to the spectrum of two recorded grands below
/// the fundamental in the first 0.1 s (`touchback lab recorded`).
const SHARE: [(f64, f64); 4] = [(1.0, 0.05), (52.0, 0.04), (70.0, 0.09), (88.0, 0.18)];

/// First bending mode of the capo bar, Hz: 22.4/(2π l²) √(E/ρ) h/√12 of a clamped beam l = 0.36 m
/// long and h = 0.04 m deep, cast iron with E = 110 GPa and ρ = 7200 kg/m³.
const CAPO_HZ: f64 = 1200.0;

/// Quality of the capo bar's first mode (fitted with its gain).
const CAPO_QUALITY: f64 = 5.0;

/// Time constant of the capo bar, s.
fn capo_time() -> f64 {
    CAPO_QUALITY / (PI * CAPO_HZ)
}

/// Time constants to −120 dB: ln 10⁶.
const DECAYED: f64 = 13.815_510_557_964_274;

/// Gain b at the peak of the capo bar's first mode by key number: fitted to the attacks of three recorded
/// grands, which all have 5–10 dB more there in the first 30 ms than a plate without the mode (C6–C8).
/// The bar begins above C5.
const CAPO_GAIN: [(f64, f64); 2] = [(52.0, 0.0), (64.0, 2.5)];

/// Share s of `key`.
pub(super) fn share(key: KeyNumber) -> f64 {
    log_linear(&SHARE, f64::from(key.number()))
}

/// Path of one note from the hammer to the board past the bridge.
#[derive(Debug)]
pub(super) struct Frame {
    share: f32,
    /// b/Q.
    gain: f32,
    /// Coefficients of the band-pass: g, 1/Q, and 1/(1 + g (g + 1/Q)).
    coefficients: [f32; 3],
    states: [f32; 2],
    /// Samples for which the bar rings after a force.
    rings: usize,
    /// Samples of ringing still to come.
    left: usize,
    /// Crossovers of a weaker blow.
    cut: Option<Cut>,
}

/// Upper edge of a half octave, Hz: 2^¼ times its middle.
fn upper_edge(half: usize) -> f64 {
    1.189_207_115_002_721 * f64::from(BLOW_HZ[half])
}

/// Half octaves of a weaker blow: Σ (g_i − g_{i+1}) L_i + g_15, L_i the low-pass at the upper edge of half octave i.
#[derive(Clone, Copy, Debug)]
struct Cut {
    /// Differences of the gains, and the last gain.
    gains: [f32; BLOW_COUNT],
    /// One-pole shares of the low-passes.
    shares: [f32; BLOW_COUNT - 1],
    states: [f32; BLOW_COUNT - 1],
}

impl Cut {
    /// The crossovers of `key` at `sample_rate` Hz, if its blow is weaker anywhere.
    fn new(key: KeyNumber, tones: &KeyTones, sample_rate: f64) -> Option<Self> {
        let level = |i: usize| tones.get(key, ToneQuantity::Blow, i).min(0.0);
        if (0..BLOW_COUNT).all(|i| level(i) == 0.0) {
            return None;
        }
        let gain = |i: usize| libm::pow(10.0, level(i) / 20.0);
        let next = |i: usize| if i + 1 < BLOW_COUNT { gain(i + 1) } else { 0.0 };
        let share = |i: usize| 1.0 - libm::exp(-2.0 * PI * upper_edge(i) / sample_rate);
        Some(Self {
            gains: std::array::from_fn(|i| single(gain(i) - next(i))),
            shares: std::array::from_fn(|i| single(share(i))),
            states: [0.0; BLOW_COUNT - 1],
        })
    }

    fn next(&mut self, force: f32) -> f32 {
        let mut sum = self.gains[BLOW_COUNT - 1] * force;
        for ((state, share), gain) in self.states.iter_mut().zip(self.shares).zip(self.gains) {
            *state += share * (force - *state);
            sum += gain * *state;
        }
        sum
    }
}

impl Frame {
    /// The frame under `key` at `sample_rate` Hz.
    pub(super) fn new(key: KeyNumber, sample_rate: f64) -> Self {
        let n = f64::from(key.number());
        let (gain, damping) = (linear(&CAPO_GAIN, n), 1.0 / CAPO_QUALITY);
        let g = libm::tan(PI * CAPO_HZ / sample_rate);
        let all = 1.0 / (1.0 + g * (g + damping));
        Self {
            share: single(share(key)),
            gain: single(gain * damping),
            coefficients: [g, damping, all].map(single),
            states: [0.0; 2],
            rings: if gain > 0.0 { floor_index(DECAYED * capo_time() * sample_rate) } else { 0 },
            left: 0,
            cut: None,
        }
    }

    /// Sets the strength of the blow to that of `tones`, from the next sample on.
    pub(super) fn load(&mut self, key: KeyNumber, tones: &KeyTones, sample_rate: f64) {
        let new = Cut::new(key, tones, sample_rate);
        let bar = if self.gain > 0.0 { capo_time() } else { 0.0 };
        // The lowest crossover rings longest.
        let slowest = 1.0 / (2.0 * PI * upper_edge(0));
        let time = if new.is_some() { bar + slowest } else { bar };
        self.rings = floor_index(DECAYED * time * sample_rate);
        self.left = self.left.min(self.rings);
        let states = self.cut.map(|cut| cut.states);
        self.cut = new.map(|cut| Cut { states: states.unwrap_or(cut.states), ..cut });
    }

    /// Sets the filter to rest.
    pub(super) const fn reset(&mut self) {
        self.states = [0.0; 2];
        self.left = 0;
        if let Some(cut) = &mut self.cut {
            cut.states = [0.0; BLOW_COUNT - 1];
        }
    }

    /// Force on the board, N, in one sample under the hammer's `force`, N.
    pub(super) fn next(&mut self, force: f32) -> f32 {
        if force > 0.0 {
            self.left = self.rings;
        }
        if self.left == 0 {
            return self.share * force;
        }
        // State-variable band-pass by trapezoids.
        let ([g, damping, all], [s1, s2]) = (self.coefficients, self.states);
        let high = all * (force - (g + damping) * s1 - s2);
        let band = g * high + s1;
        let low = g * band + s2;
        self.states = [band + g * high, low + g * band];
        let passed = self.share * (force + self.gain * band);
        let passed = self.cut.as_mut().map_or(passed, |cut| cut.next(passed));
        self.left -= 1;
        if self.left == 0 {
            self.reset();
        }
        passed
    }

    /// Adds the ringing after the hammer has left.
    pub(super) fn ring(&mut self, out: &mut [f32]) {
        for out in out {
            if self.left == 0 {
                break;
            }
            *out += self.next(0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: f64 = 48_000.0;

    fn frame(number: usize) -> Frame {
        Frame::new(KeyNumber::from_index(number - 1).unwrap(), RATE)
    }

    #[test]
    fn bass_passes_the_force_alone_and_treble_rings_and_ends() {
        let (mut bass, mut treble) = (frame(16), frame(80));
        assert_eq!(bass.next(10.0), bass.share * 10.0);
        assert_eq!(bass.next(0.0), 0.0);
        treble.next(10.0);
        let mut rest = vec![0.0; 2 * treble.rings];
        treble.ring(&mut rest);
        assert!(rest[..100].iter().any(|x| x.abs() > 0.01));
        assert!(rest[treble.rings..].iter().all(|x| *x == 0.0));
        let end = rest[treble.rings - 40..treble.rings].iter();
        assert!(end.fold(0.0f32, |most, x| most.max(x.abs())) < 1e-5);
    }

    #[test]
    fn a_weaker_blow_is_weaker_in_its_octaves_and_ends() {
        let key = KeyNumber::from_number(16).unwrap();
        let cut = |levels: [f64; BLOW_COUNT]| {
            let mut tones = KeyTones::EVEN;
            for (i, level) in levels.into_iter().enumerate() {
                tones.set(key, ToneQuantity::Blow, i, level);
            }
            let mut frame = Frame::new(key, RATE);
            frame.load(key, &tones, RATE);
            frame
        };
        let gain = |levels: [f64; BLOW_COUNT], hz: f64| {
            let mut frame = cut(levels);
            let tone =
                |n: usize| single(2.0 + (std::f64::consts::TAU * hz * n as f64 / RATE).sin());
            let out: Vec<f32> = (0..9600).map(|n| frame.next(tone(n))).collect();
            let ends =
                out[4800..].iter().fold((f32::MAX, f32::MIN), |(l, h), x| (l.min(*x), h.max(*x)));
            20.0 * f64::from(0.5 * (ends.1 - ends.0) / frame.share).log10()
        };
        for hz in [100.0, 1000.0, 7000.0] {
            assert!((gain([-12.0; BLOW_COUNT], hz) + 12.0).abs() < 0.1, "{hz}");
            // A ring above the piano's own blow leaves the plate's share as it is.
            assert!(gain([6.0; BLOW_COUNT], hz).abs() < 0.1, "{hz}");
        }
        let low = std::array::from_fn(|i| if i < 8 { -20.0 } else { 0.0 });
        assert!(gain(low, 100.0) < -12.0 && gain(low, 7000.0) > -1.0);
        let mut frame = cut(low);
        frame.next(10.0);
        let mut rest = vec![0.0; frame.rings + 10];
        frame.ring(&mut rest);
        assert!(rest[..40].iter().any(|x| x.abs() > 1e-4));
        let last = &rest[frame.rings - 40..frame.rings];
        assert!(last.iter().all(|x| x.abs() < 1e-5));
        assert!(rest[frame.rings..].iter().all(|x| *x == 0.0));
    }

    #[test]
    fn a_steady_tone_gains_most_at_the_capo_bars_mode() {
        let gain = |hz: f64| {
            let mut frame = frame(80);
            let tone = |n: usize| single((std::f64::consts::TAU * hz * n as f64 / RATE).sin());
            // Above 0, as a hammer's force is.
            let out: Vec<f32> = (0..9600).map(|n| frame.next(2.0 + tone(n))).collect();
            let last = &out[4800..];
            let (low, high) =
                last.iter().fold((f32::MAX, f32::MIN), |(l, h), x| (l.min(*x), h.max(*x)));
            f64::from(0.5 * (high - low) / frame.share)
        };
        let peak = gain(CAPO_HZ);
        assert!((peak - 3.5).abs() < 0.05, "{peak}");
        for hz in [300.0, 600.0, 2400.0, 4800.0] {
            assert!(gain(hz) < 0.6 * peak, "{hz} {}", gain(hz));
        }
    }
}
