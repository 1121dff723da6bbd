//! The frame's part of a blow: the force that reaches the board through agraffes or capo bar, plate and
//! rim.
//!
//! The string presses on its near end as the hammer presses on the string, and the plate passes a
//! share of that on. In the treble the near end is the capo bar, cast iron that bends between two
//! struts: F' = s (F + b B F), B the band-pass of its first bending mode, 1 at its peak. Audio
//! thread, except `new`.

use std::f64::consts::PI;

use touchback_core::math::cast::{floor_index, single};
use touchback_core::math::compass::{KeyNumber, linear, log_linear};

/// Share s of the hammer's force, by key number: fitted to the spectrum of two recorded grands below
/// the fundamental in the first 0.1 s (`touchback lab recorded`).
const SHARE: [(f64, f64); 4] = [(1.0, 0.05), (52.0, 0.04), (70.0, 0.09), (88.0, 0.18)];

/// First bending mode of the capo bar, Hz: 22.4/(2π l²) √(E/ρ) h/√12 of a clamped beam l = 0.36 m
/// long and h = 0.04 m deep, cast iron with E = 110 GPa and ρ = 7200 kg/m³.
const CAPO_HZ: f64 = 1200.0;

/// Quality of the capo bar's first mode (fitted with its gain).
const CAPO_QUALITY: f64 = 5.0;

/// Gain b at the peak of the capo bar's first mode by key number: fitted to the attacks of three recorded
/// grands, which all have 5–10 dB more there in the first 30 ms than a plate without the mode (C6–C8).
/// The bar begins above C5.
const CAPO_GAIN: [(f64, f64); 2] = [(52.0, 0.0), (64.0, 2.5)];

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
}

impl Frame {
    /// The frame under `key` at `sample_rate` Hz.
    pub(super) fn new(key: KeyNumber, sample_rate: f64) -> Self {
        let n = f64::from(key.number());
        let (gain, damping) = (linear(&CAPO_GAIN, n), 1.0 / CAPO_QUALITY);
        let g = libm::tan(PI * CAPO_HZ / sample_rate);
        let all = 1.0 / (1.0 + g * (g + damping));
        // To −120 dB.
        let rings = libm::log(1e6) * CAPO_QUALITY / (PI * CAPO_HZ) * sample_rate;
        Self {
            share: single(log_linear(&SHARE, n)),
            gain: single(gain * damping),
            coefficients: [g, damping, all].map(single),
            states: [0.0; 2],
            rings: if gain > 0.0 { floor_index(rings) } else { 0 },
            left: 0,
        }
    }

    /// Sets the filter to rest.
    pub(super) const fn reset(&mut self) {
        self.states = [0.0; 2];
        self.left = 0;
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
        self.left -= 1;
        if self.left == 0 {
            self.states = [0.0; 2];
        }
        self.share * (force + self.gain * band)
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
