//! Unison: the strings of one note, joined by the bridge, as independent modes.
//!
//! For partial k the N strings have slowly turning complex amplitudes a with
//! ȧ = (diag(iω_i − σ) − β 1 1ᵀ) a, where β = 2 f0 Z Y is the loss to the shared bridge
//! [Weinreich 1977]. The strings act on the bridge only through 1ᵀ a, and hammer or bridge drive them
//! through a vector h, so each of the N eigenmodes needs just its pole λ_j and
//! one complex weight r_j, the residue of 1ᵀ (s − M)⁻¹ h at λ_j; the weights add up to Σ h. With
//! S(s) = Σ 1/(s − d_i) the poles solve 1 + β S = 0, and a blow on string i alone gives mode j the
//! share −1/((λ_j − d_i) β Σ_l 1/(λ_j − d_l)²). Two-stage decay and beats are then in the poles and
//! cost nothing while ringing.

use std::f64::consts::PI;

use num_complex::Complex64;

use crate::SoundSettings;
use crate::strings::mobility;
use crate::tuning::scale::StringSpec;
use touchback_core::math::compass::{KeyNumber, log_linear};
use touchback_core::math::complex::{modulus, polar};
use touchback_core::math::power::square;
use touchback_core::math::random;

/// Largest number of strings of a note.
pub const MOST: usize = 3;

/// The eigenmodes of one partial of one note.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Group {
    /// Poles, 1/s; only the first `strings` are used.
    pub poles: [Complex64; MOST],
    /// Weight of each mode (outer) for a unit blow on one string alone (inner).
    shares: [[Complex64; MOST]; MOST],
}

impl Group {
    /// Weight of each mode for the blows `h` on the strings; only the first `strings` are used.
    #[must_use]
    pub fn weights(&self, h: &[f64; MOST]) -> [Complex64; MOST] {
        self.shares.map(|shares| shares.iter().zip(h).map(|(share, h)| share * h).sum())
    }
}

/// Data common to all partials of one note.
#[derive(Clone, Copy, Debug)]
pub struct Unison {
    key: KeyNumber,
    string: StringSpec,
    /// Frequency of each string over that of the note.
    detune: [f64; MOST],
    /// Share of the blow on each string; mean 1.
    blow: [f64; MOST],
    sustain: f64,
}

/// Unevenness of a hammer's face across its strings (chosen: ±10 %, a well-fitted hammer).
const UNEVENNESS: f64 = 0.1;

/// Unisons from this key number on, C6, differ in width: median over the set width, standard deviation, octaves, and
/// limits, as in good tunings (chosen: partials of three recorded grands fall as unevenly. Up to 3 cents by default bring
/// the pitch of C6 1.4 cents off; below C6 the same brings the body 0.2 dB farther from them).
const UNEVEN_FROM: u8 = 64;
const UNEVEN: (f64, f64) = (1.3, 0.8);
const UNEVEN_LIMITS: [f64; 2] = [0.3, 1.8];

/// Width of the unison of `key` over the set width.
fn uneven(key: KeyNumber) -> f64 {
    if key.number() < UNEVEN_FROM {
        return 1.0;
    }
    // Three even numbers have a sum close to a normal distribution, with the variance 1.
    let normal: f64 = (20..23).map(|i| random::of_pair(i, u64::from(key.number()))).sum();
    let ((median, octaves), [least, most]) = (UNEVEN, UNEVEN_LIMITS);
    (median * libm::exp2(octaves * normal)).clamp(least, most)
}

/// Number of partials that also swing parallel to the soundboard: the part of the aftersound that
/// remains in a perfectly tuned unison [Weinreich 1977].
pub(crate) const SIDEWAYS: usize = 24;
/// Amplitude of the parallel motion over the upright motion by key number: −11 dB, and −17 to −13 dB where the
/// strings are so short that their late decay is the parallel motion's alone (fitted with
/// [`internal`](crate::strings::loss::internal)).
const SIDEWAYS_SHARE: [(f64, f64); 5] =
    [(52.0, 0.28), (60.0, 0.14), (64.0, 0.23), (70.0, 0.23), (76.0, 0.28)];

/// Mobility of the bridge along the board over that perpendicular to it (chosen: a twentieth).
const SIDEWAYS_MOBILITY: f64 = 0.05;

impl Unison {
    /// The unison of `key` under `settings`. A tuner tunes the coupled strings, so the bridge's shift of the
    /// first partial is compensated.
    #[must_use]
    pub fn new(key: KeyNumber, settings: &SoundSettings) -> Self {
        let string = StringSpec::of(key, settings);
        let count = string.strings;
        let seed = u64::from(key.number());
        // Outer strings at the ends of the spread, the third at random between them; at least 0.01 cents,
        // below which the modes would coincide.
        let width = settings.unison_width_cents * uneven(key) + settings.unisons.of(key);
        let half = 0.5 * width.max(0.01);
        let mut cents = match count {
            1 => [0.0; MOST],
            2 => [-half, half, 0.0],
            _ => [-half, 0.7 * half * random::of_pair(3, seed), half],
        };
        let mean = cents[..count].iter().sum::<f64>() / count as f64;
        cents.iter_mut().for_each(|c| *c -= mean);
        let mut blow: [f64; MOST] =
            std::array::from_fn(|i| 1.0 + UNEVENNESS * random::of_pair(4 + i as u64, seed));
        let mean = blow[..count].iter().sum::<f64>() / count as f64;
        blow.iter_mut().for_each(|b| *b /= mean);
        let mut unison = Self { key, string, detune: [1.0; MOST], blow, sustain: settings.sustain };
        let shift = count as f64 * unison.bridge(1).im / (2.0 * PI * string.partial_hz(1));
        unison.detune = cents.map(|c| libm::exp2(c / 1200.0) * (1.0 + shift));
        unison
    }

    /// Share of the blow on each string by a hammer that meets all strings; mean 1.
    #[must_use]
    pub const fn blow(&self) -> &[f64; MOST] {
        &self.blow
    }

    /// The strings.
    #[must_use]
    pub const fn string(&self) -> &StringSpec {
        &self.string
    }

    /// β of partial `k`, 1/s.
    fn bridge(&self, k: usize) -> Complex64 {
        let mobility = mobility::of_bridge(self.key, self.string.partial_hz(k));
        mobility * (2.0 * self.string.ideal_hz * self.string.impedance() / self.sustain)
    }

    /// Pole and weight of the sideways motion of partial `k`, all strings as one: it loses little
    /// to the bridge, and its pitch differs slightly from the upright one, as does the bridge's mobility.
    #[must_use]
    pub fn sideways(&self, k: usize) -> (Complex64, f64) {
        let omega = 2.0 * PI * self.string.partial_hz(k);
        let sigma = self.string.loss
            + self.string.loss_slope * omega * omega
            + SIDEWAYS_MOBILITY * self.bridge(k).re;
        let cents = 0.3 * random::of_pair(9, u64::from(self.key.number()));
        let pole = Complex64::new(-sigma, omega * libm::exp2(cents / 1200.0));
        let share = log_linear(&SIDEWAYS_SHARE, f64::from(self.key.number()));
        (pole, share * self.string.strings as f64)
    }

    /// The eigenmodes of partial `k`.
    #[must_use]
    pub fn group(&self, k: usize) -> Group {
        let omega = 2.0 * PI * self.string.partial_hz(k);
        let sigma = self.string.loss + self.string.loss_slope * omega * omega;
        let beta = self.bridge(k);
        let strings = self.string.strings;
        let centre = Complex64::new(-sigma, omega);
        let offsets = self.detune.map(|ratio| Complex64::new(0.0, omega * (ratio - 1.0)));
        let (roots, shares) = solve(&offsets[..strings], beta);
        Group { poles: roots.map(|r| centre + r), shares }
    }
}

/// Roots of 1 + β Σ 1/(s − d_i), and the share of each in a unit blow on each string.
fn solve(d: &[Complex64], beta: Complex64) -> ([Complex64; MOST], [[Complex64; MOST]; MOST]) {
    let n = d.len();
    let mut roots = [Complex64::ZERO; MOST];
    let mut shares = [[Complex64::ZERO; MOST]; MOST];
    if n == 1 {
        roots[0] = d[0] - beta;
        shares[0][0] = Complex64::ONE;
        return (roots, shares);
    }
    // The numerator Π (s − d_i) + β Σ_i Π_{j≠i} (s − d_j), monic of degree n.
    let numerator = |s: Complex64| {
        let mut product = Complex64::ONE;
        let mut sum = Complex64::ZERO;
        for &di in d {
            sum = sum * (s - di) + product;
            product *= s - di;
        }
        product + beta * sum
    };
    // Weierstrass iteration on all roots at once, started on a circle round their mean.
    let mean = d.iter().sum::<Complex64>() / n as f64 - beta;
    let radius = d.iter().map(|di| modulus(di - mean)).fold(0.0, f64::max).max(1e-12);
    for (j, root) in roots.iter_mut().enumerate().take(n) {
        *root = mean + polar(radius, 0.4 + 2.0 * PI * j as f64 / n as f64);
    }
    for _ in 0..80 {
        let mut change: f64 = 0.0;
        for j in 0..n {
            let others = (0..n)
                .filter(|&i| i != j)
                .fold(Complex64::ONE, |product, i| product * (roots[j] - roots[i]));
            let step = numerator(roots[j]) / others;
            roots[j] -= step;
            change = change.max(modulus(step));
        }
        if change < 1e-13 * radius {
            break;
        }
    }
    for j in 0..n {
        let inverses: Complex64 = d.iter().map(|di| square(roots[j] - di).inv()).sum();
        for (share, di) in shares[j].iter_mut().zip(d) {
            *share = -((roots[j] - di) * beta * inverses).inv();
        }
    }
    (roots, shares)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_add_up_and_first_moments_match_the_matrix() {
        for width in [0.0, 0.3, 1.0, 5.0, 30.0] {
            let settings = SoundSettings { unison_width_cents: width, ..SoundSettings::default() };
            for key in KeyNumber::all() {
                let unison = Unison::new(key, &settings);
                let n = unison.string.strings;
                for k in [1, 2, 3, 7] {
                    let group = unison.group(k);
                    let weights = group.weights(&unison.blow);
                    let sum: Complex64 = weights[..n].iter().sum();
                    assert!((sum - n as f64).norm() < 1e-6, "{key:?} {k} {width}: {sum}");
                    // Σ r λ = 1ᵀ M h.
                    let first: Complex64 =
                        (0..n).map(|j| weights[j] * group.poles[j]).sum::<Complex64>();
                    let omega = 2.0 * PI * unison.string.partial_hz(k);
                    let sigma = unison.string.loss + unison.string.loss_slope * omega * omega;
                    let mut direct = -unison.bridge(k) * (n * n) as f64;
                    for (detune, blow) in unison.detune.iter().zip(&unison.blow).take(n) {
                        direct += blow * Complex64::new(-sigma, omega * detune);
                    }
                    assert!((first - direct).norm() < 1e-6 * omega, "{key:?} {k} {width}");
                    for (pole, weight) in group.poles.iter().zip(&weights).take(n) {
                        assert!(pole.re < 0.0);
                        assert!(weight.norm() < 300.0, "{key:?} {k} {width}");
                    }
                }
            }
        }
    }
}
