//! A weaker blow on the plate, where the tone of a key has one.
//!
//! First-order crossovers split the hammer's force into the half octaves of [`BLOW_HZ`], whose gains are at most 1:
//! Σ (g_i − g_{i+1}) L_i + g_15, L_i the low-pass at the upper edge of half octave i. Audio thread.

use std::f64::consts::TAU;

use crate::strings::bank::BLOCK;
use touchback_core::math::cast::{floor_index, single};
use touchback_core::math::compass::KeyNumber;
use touchback_core::mech::key_tones::{BLOW_COUNT, BLOW_HZ, KeyTones, ToneQuantity};

/// Time constants to −120 dB: ln 10⁶.
const DECAYED: f64 = 13.815_510_557_964_274;

/// Upper edge of a half octave, Hz: 2^¼ times its middle.
fn upper_edge(half: usize) -> f64 {
    1.189_207_115_002_721 * f64::from(BLOW_HZ[half])
}

/// The crossovers of one key.
#[derive(Clone, Copy, Debug)]
struct Crossovers {
    /// Differences of the gains, and the last gain.
    gains: [f32; BLOW_COUNT],
    /// One-pole shares of the low-passes.
    shares: [f32; BLOW_COUNT - 1],
    states: [f32; BLOW_COUNT - 1],
}

impl Crossovers {
    /// Those of `key` at `sample_rate` Hz, if its blow is weaker anywhere.
    fn new(key: KeyNumber, tones: &KeyTones, sample_rate: f64) -> Option<Self> {
        let level = |i: usize| tones.get(key, ToneQuantity::Blow, i).min(0.0);
        if (0..BLOW_COUNT).all(|i| level(i) == 0.0) {
            return None;
        }
        let gain = |i: usize| libm::pow(10.0, level(i) / 20.0);
        let next = |i: usize| if i + 1 < BLOW_COUNT { gain(i + 1) } else { 0.0 };
        let share = |i: usize| 1.0 - libm::exp(-TAU * upper_edge(i) / sample_rate);
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

/// Weakening of the blow of one note.
#[derive(Debug)]
pub(super) struct BlowCut {
    crossovers: Option<Crossovers>,
    /// Samples for which the crossovers ring after a force: the lowest rings longest.
    rings: usize,
    /// Samples of ringing still to come.
    left: usize,
    /// The weakened force, N, and its number of samples.
    weakened: [f32; BLOCK],
    len: usize,
}

impl BlowCut {
    pub(super) const fn new() -> Self {
        Self { crossovers: None, rings: 0, left: 0, weakened: [0.0; BLOCK], len: 0 }
    }

    /// Sets the strength of the blow to that of `tones`, from the next sample on.
    pub(super) fn load(&mut self, key: KeyNumber, tones: &KeyTones, sample_rate: f64) {
        let states = self.crossovers.map(|crossovers| crossovers.states);
        let new = Crossovers::new(key, tones, sample_rate);
        self.rings = floor_index(DECAYED * sample_rate / (TAU * upper_edge(0)));
        self.crossovers = new.map(|new| Crossovers { states: states.unwrap_or(new.states), ..new });
    }

    /// Sets the filter to rest.
    pub(super) fn reset(&mut self) {
        (self.left, self.len) = (0, 0);
        if let Some(crossovers) = &mut self.crossovers {
            crossovers.states = [0.0; BLOW_COUNT - 1];
        }
    }

    /// Weakens the hammer's force `blow`, N, in the first of the next `samples`, at most one block.
    pub(super) fn process(&mut self, blow: &[f32], samples: usize) {
        self.len = 0;
        let Some(crossovers) = &mut self.crossovers else { return };
        if self.left == 0 && blow.iter().all(|force| *force <= 0.0) {
            return;
        }
        let forces = blow.iter().copied().chain(std::iter::repeat(0.0));
        for (weakened, force) in self.weakened[..samples].iter_mut().zip(forces) {
            // The end does not depend on the portions.
            self.left = if force > 0.0 { self.rings } else { self.left.saturating_sub(1) };
            if self.left == 0 {
                crossovers.states = [0.0; BLOW_COUNT - 1];
            }
            *weakened = if self.left > 0 { crossovers.next(force) } else { 0.0 };
        }
        self.len = samples;
    }

    /// The force that the hammer's force `blow`, given to the last [`Self::process`], has on the plate, N.
    pub(super) fn passed<'a>(&'a self, blow: &'a [f32]) -> &'a [f32] {
        if self.crossovers.is_some() { &self.weakened[..self.len] } else { blow }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: f64 = 48_000.0;

    fn cut(levels: [f64; BLOW_COUNT]) -> BlowCut {
        let key = KeyNumber::from_number(16).unwrap();
        let mut tones = KeyTones::EVEN;
        for (i, level) in levels.into_iter().enumerate() {
            tones.set(key, ToneQuantity::Blow, i, level);
        }
        let mut cut = BlowCut::new();
        cut.load(key, &tones, RATE);
        cut
    }

    /// `blow` as it reaches the plate, in portions of `portion` samples.
    fn passed(cut: &mut BlowCut, blow: &[f32], portion: usize) -> Vec<f32> {
        let mut all = Vec::new();
        for part in blow.chunks(portion) {
            let end = all.len() + part.len();
            cut.process(part, part.len());
            all.extend_from_slice(cut.passed(part));
            all.resize(end, 0.0);
        }
        all
    }

    #[test]
    fn a_weaker_blow_is_weaker_in_its_octaves() {
        let gain = |levels: [f64; BLOW_COUNT], hz: f64| {
            let tone = |n: usize| single(2.0 + (TAU * hz * n as f64 / RATE).sin());
            let blow: Vec<f32> = (0..9600).map(tone).collect();
            let out = passed(&mut cut(levels), &blow, 64);
            let ends =
                out[4800..].iter().fold((f32::MAX, f32::MIN), |(l, h), x| (l.min(*x), h.max(*x)));
            20.0 * f64::from(0.5 * (ends.1 - ends.0)).log10()
        };
        for hz in [100.0, 1000.0, 7000.0] {
            assert!((gain([-12.0; BLOW_COUNT], hz) + 12.0).abs() < 0.1, "{hz}");
            // A ring above the piano's own blow leaves the plate's share as it is.
            assert!(gain([6.0; BLOW_COUNT], hz).abs() < 0.1, "{hz}");
        }
        let low = std::array::from_fn(|i| if i < 8 { -20.0 } else { 0.0 });
        assert!(gain(low, 100.0) < -12.0 && gain(low, 7000.0) > -1.0);
    }

    #[test]
    fn the_crossovers_ring_after_the_blow_and_end() {
        let levels = std::array::from_fn(|i| if i < 8 { -20.0 } else { 0.0 });
        let mut blow = vec![0.0; 64 * 60];
        blow[..12].fill(10.0);
        let whole = passed(&mut cut(levels), &blow, 64);
        let parts = passed(&mut cut(levels), &blow, 4);
        assert_eq!(whole, parts);
        let rings = cut(levels).rings;
        assert!(whole[12..52].iter().any(|x| x.abs() > 1e-4));
        assert!(whole[rings - 40..rings].iter().all(|x| x.abs() < 1e-5));
        assert!(whole[rings + 64..].iter().all(|x| *x == 0.0));
        assert_eq!(passed(&mut cut([0.0; BLOW_COUNT]), &blow, 64), blow);
    }
}
