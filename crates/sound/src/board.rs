//! Soundboard: synthesised response at a pair of microphones to a force on the bridge.
//!
//! The response is a sum of modes with the density and loss measured on a grand's board [Ege 2013]: modes
//! from about 58 Hz up, 0.05 per hertz below 1 kHz and fewer above, loss factor 2-3 %. Their weights
//! follow a smooth target for the radiated spectrum and are random in sign and size about a common
//! part, which is the direct blow. A diffuse tail represents case and near walls. Nothing is
//! recorded. Computed once per sample rate.

use std::f64::consts::{PI, TAU};

use num_complex::Complex64;

use crate::bridge::ZONES;
use crate::convolve::{CHANNELS, Responses};
use crate::microphones::{self, Path};
use crate::radiation;
use touchback_core::math::cast::{floor_index, single};
use touchback_core::math::complex;
use touchback_core::math::power::square;
use touchback_core::math::random::{self, Random};

/// Length of the response, s; the modes below 150 Hz are faded out at its end.
const LENGTH: f64 = 0.5;

/// Lowest mode, Hz.
const LOWEST_HZ: f64 = 58.0;
/// Highest mode, Hz.
const TOP_HZ: f64 = 14_000.0;

/// Corner of the acoustic short circuit, Hz.
const RUMBLE_HZ: f64 = 45.0;

/// Share of a mode's motion that is equal all along the bridges.
const COMMON: f64 = 0.8;
/// Share of a mode's motion that differs from zone to zone.
const ON_BRIDGE: f64 = 0.4;

/// Seed of the random weights: of the seven boards tried, the one whose sound is nearest to two recorded grands of
/// different makers and whose tenor has its fundamentals.
const SEED: u64 = 3333;

/// Energy of the tail relative to the modes; fitted, as its times and the share of its high part,
/// to two recorded grands of different makers by `touchback lab recorded`.
const TAIL: f64 = 0.267;

/// Decay times (60 dB) of the tail's low and high part, s.
const TAIL_TIMES: [f64; 2] = [0.45, 0.12];
/// Amplitude of the tail's high part over its low part.
const TAIL_HIGH: f64 = 1.1;

/// Lower limit of the tail, below which only the modes sound, and beginning of its high part, Hz.
const TAIL_HZ: [f64; 2] = [110.0, 1500.0];

/// Rate of the tail's random values, Hz.
const GRAIN_HZ: f64 = 12_000.0;

/// Responses `[zone][channel][tap]` of a [`microphones`] `pair` at `sample_rate` Hz, scaled so that
/// a zone's modes below 8 kHz, taken one by one, carry an energy of 2 times its [`radiation::level`] squared
/// into both channels at 48 kHz; the gain at a frequency is the same at every rate.
#[must_use]
pub fn responses(pair: usize, sample_rate: f64) -> Responses {
    responses_of([pair], sample_rate).remove(0)
}

/// [`responses`] of several pairs, whose modes and tails have the same time courses.
#[must_use]
pub fn responses_of(pairs: impl IntoIterator<Item = usize>, sample_rate: f64) -> Vec<Responses> {
    let taps = floor_index(LENGTH * sample_rate);
    let mut sums: Vec<PairSum> = pairs.into_iter().map(|pair| PairSum::new(pair, taps)).collect();
    add_modes(&mut sums, sample_rate);
    add_tails(&mut sums, sample_rate);
    let finished = sums.into_iter().map(|PairSum { mut zones, energies, .. }| {
        zones.iter_mut().flatten().for_each(|channel| remove_rumble(channel, sample_rate));
        let scaled = zones.iter().zip(energies).enumerate().map(|(z, (zone, energy))| {
            let scale = radiation::level(z) * (2.0 * 48_000.0 / energy).sqrt() / sample_rate;
            finished(zone, scale, sample_rate)
        });
        scaled.collect()
    });
    finished.collect()
}

/// Sum of modes and tail at one pair.
struct PairSum {
    pair: usize,
    zones: Vec<[Vec<f64>; CHANNELS]>,
    /// Energy of each zone's modes below 8 kHz, which every sample rate can carry.
    energies: [f64; ZONES],
}

impl PairSum {
    fn new(pair: usize, taps: usize) -> Self {
        let zones = (0..ZONES).map(|_| [vec![0.0; taps], vec![0.0; taps]]).collect();
        Self { pair, zones, energies: [0.0; ZONES] }
    }
}

/// Two first-order high-passes: far below the first mode the board is shorter than the radiated wave,
/// and front and back cancel.
fn remove_rumble(channel: &mut [f64], sample_rate: f64) {
    let share = 1.0 - libm::exp(-TAU * RUMBLE_HZ / sample_rate);
    for _ in 0..2 {
        let mut slow = 0.0;
        for x in channel.iter_mut() {
            slow += share * (*x - slow);
            *x -= slow;
        }
    }
}

/// Modes per hertz: those of the board alone [Ege 2013], and below 300 Hz twice as many of rim, lid, plate and
/// the air under the board (chosen: with the board's alone, fundamentals of the tenor fall between modes and
/// lack 5 to 11 dB, where three recorded grands have their strongest partial).
#[must_use]
pub fn density(hz: f64) -> f64 {
    let beside = 2.0 / (1.0 + square(square(hz / 300.0)));
    0.05 * (1.0 + beside) / (1.0 + square(hz / 1100.0)).sqrt() + 0.006
}

/// Mean square of the modes' shapes at a point that moves by the shares `weights` of two neighbouring zones.
#[must_use]
pub fn mean_square_shape([a, b]: [f64; 2]) -> f64 {
    // The variance of a number between −1 and 1 is 1/3.
    square(COMMON * (a + b)) + square(ON_BRIDGE) / 3.0 * (a * a + b * b)
}

fn loss_factor(hz: f64) -> f64 {
    0.025 + 0.005 * (hz / 2000.0).min(1.0)
}

/// One mode of the board.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Mode {
    /// Frequency, Hz.
    pub hz: f64,
    /// Decay rate, 1/s.
    pub sigma: f64,
    /// Motion at each zone of the bridges, relative.
    pub shapes: [f64; ZONES],
    /// Gain from each zone to each microphone, without the path's attenuation.
    gains: [[f64; CHANNELS]; ZONES],
}

/// The modes that a sample rate can carry, with their gains at `pair`, by rising frequency.
#[must_use]
pub fn modes(pair: usize, sample_rate: f64) -> Vec<Mode> {
    let mut modes = Vec::new();
    let mut noise = Random::new(5);
    let radiated: [_; ZONES] = std::array::from_fn(radiation::amplitude);
    let mut hz = LOWEST_HZ;
    while hz < TOP_HZ.min(0.45 * sample_rate) {
        let sigma = PI * loss_factor(hz) * hz;
        // With this weight the mean square of the response equals the target's.
        let weight = (2.0 * sigma / (PI * density(hz))).sqrt();
        let own = |index: usize| random::of_pair(SEED + index as u64, modes.len() as u64);
        // Order of the random numbers: the player's microphones, the bridge's zones, the other pairs.
        let first = if pair == 0 { 0 } else { CHANNELS * pair + ZONES };
        let microphones = [own(first), own(first + 1)]
            .map(|x| microphones::COMMON[pair] + microphones::AT_MICROPHONE * x);
        let shapes: [f64; ZONES] = std::array::from_fn(|z| COMMON + ON_BRIDGE * own(CHANNELS + z));
        let gains = std::array::from_fn(|z| {
            let zone = weight * radiated[z](hz) * shapes[z];
            microphones.map(|microphone| zone * microphone)
        });
        modes.push(Mode { hz, sigma, shapes, gains });
        hz += (1.0 + 0.5 * noise.signed()) / density(hz);
    }
    modes
}

/// Adds all modes to all pairs.
fn add_modes(sums: &mut [PairSum], sample_rate: f64) {
    let pairs: Vec<_> = sums
        .iter()
        .map(|sum| (modes(sum.pair, sample_rate), microphones::paths(sum.pair)))
        .collect();
    let Some((modes, _)) = pairs.first() else { return };
    let mut course = Vec::new();
    for (m, Mode { hz, sigma, .. }) in modes.iter().enumerate() {
        // A mode is cut off 90 dB below its beginning.
        let last = (10.4 / sigma * sample_rate).min(sums[0].zones[0][0].len() as f64);
        course.clear();
        course.extend(after_blow(*hz, *sigma, sample_rate).take(floor_index(last)));
        for (sum, (modes, direct)) in sums.iter_mut().zip(&pairs) {
            let gains = &modes[m].gains;
            if *hz < 8000.0 {
                for (energy, gains) in sum.energies.iter_mut().zip(gains) {
                    *energy += (gains[0] * gains[0] + gains[1] * gains[1]) / (4.0 * sigma);
                }
            }
            add_course(&mut sum.zones, &course, gains, direct, 1.0, sample_rate);
            let by_lid = (*hz > microphones::LID_FROM_HZ).then(|| microphones::by_lid(sum.pair));
            if let Some(paths) = by_lid.flatten() {
                add_course(&mut sum.zones, &course, gains, &paths, microphones::LID, sample_rate);
            }
        }
    }
}

/// Adds a mode's time `course` along the `paths` from each zone.
fn add_course(
    zones: &mut [[Vec<f64>; CHANNELS]],
    course: &[f64],
    gains: &[[f64; CHANNELS]; ZONES],
    paths: &[[Path; CHANNELS]; ZONES],
    share: f64,
    sample_rate: f64,
) {
    for ((zone, gains), paths) in zones.iter_mut().zip(gains).zip(paths) {
        for ((sum, gain), path) in zone.iter_mut().zip(gains).zip(paths) {
            let first = floor_index(path.delay * sample_rate + 0.5).min(sum.len());
            let amplitude = share * path.gain * gain;
            for (sum, x) in sum[first..].iter_mut().zip(course) {
                *sum += amplitude * x;
            }
        }
    }
}

/// Velocity of a mode after a blow, cos − (σ/ω) sin, so that a constant force gives no velocity. The blow
/// is in the middle of the first sample: half of it is before that sample.
fn after_blow(hz: f64, sigma: f64, sample_rate: f64) -> impl Iterator<Item = f64> {
    let start = Complex64::new(1.0, sigma / (TAU * hz));
    let turn = complex::exp(Complex64::new(-sigma / sample_rate, TAU * hz / sample_rate));
    let later = std::iter::successors(Some(start * turn), move |w| Some(w * turn));
    std::iter::once(0.5).chain(later.map(|w| w.re))
}

/// Noise of the tail's low and high part at [`GRAIN_HZ`], `count` values of each.
///
/// The noise has a rate of its own, so that case and walls are the same at every sample rate.
fn grains(seed: u64, count: usize) -> [Vec<f64>; 2] {
    let [block, smooth] = TAIL_HZ.map(|hz| 1.0 - libm::exp(-TAU * hz / GRAIN_HZ));
    let (mut low, mut rumble) = (0.0, 0.0);
    let each = (0..count).map(|i| {
        let x = random::of_pair(seed, i as u64);
        low += smooth * (x - low);
        rumble += block * (low - rumble);
        (low - rumble, x - low)
    });
    let (low, high) = each.unzip();
    [low, high]
}

fn add_tails(sums: &mut [PairSum], sample_rate: f64) {
    let Some(taps) = sums.first().map(|sum| sum.zones[0][0].len()) else { return };
    let rates = TAIL_TIMES.map(|time| libm::log(1000.0) / time);
    // Time, onset and decay of both parts.
    let course = (0..taps).map(|n| {
        let t = n as f64 / sample_rate;
        (t, 1.0 - libm::exp(-t / 0.004), rates.map(|rate| libm::exp(-rate * t)))
    });
    let course: Vec<_> = course.collect();
    for PairSum { pair, zones, .. } in sums {
        // The first sample is half of the response's initial value, so its energy is half of that value's
        // square: twice the sample's own square.
        let energy = |channel: &Vec<f64>| {
            channel.iter().map(|x| x * x).sum::<f64>() + channel.first().map_or(0.0, |x| x * x)
        };
        let energy: f64 = zones.iter().flatten().map(energy).sum();
        let mut own = 0.0;
        let channels = (*pair * ZONES * CHANNELS..).zip(zones.iter().flatten());
        let tails: Vec<Vec<f64>> = channels
            .map(|(index, _)| {
                let grains = grains(7 + index as u64, floor_index(LENGTH * GRAIN_HZ) + 2);
                let tap = |(t, onset, left): &(f64, f64, [f64; 2])| {
                    let (i, u) = (floor_index(t * GRAIN_HZ), (t * GRAIN_HZ).fract());
                    let part = |part: usize| {
                        let grain = &grains[part];
                        (grain[i] + u * (grain[i + 1] - grain[i])) * left[part]
                    };
                    let x = onset * (part(0) + TAIL_HIGH * part(1));
                    own += x * x;
                    x
                };
                course.iter().map(tap).collect()
            })
            .collect();
        let scale = (TAIL * energy / own).sqrt();
        for (sum, tail) in zones.iter_mut().flatten().zip(&tails) {
            for (sum, tail) in sum.iter_mut().zip(tail) {
                *sum += scale * tail;
            }
        }
    }
}

fn finished(zone: &[Vec<f64>; CHANNELS], scale: f64, sample_rate: f64) -> [Vec<f32>; CHANNELS] {
    let taps = zone[0].len();
    let fade = floor_index(0.15 * sample_rate).min(taps);
    zone.each_ref().map(|channel| {
        let shaped = channel.iter().enumerate().map(|(n, x)| {
            let left = (taps - n) as f64 / fade as f64;
            let gain = if left < 1.0 { 0.5 - 0.5 * libm::cos(PI * left) } else { 1.0 };
            single(scale * gain * x)
        });
        shaped.collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean level of a zone's response between two frequencies, dB.
    fn level(response: &[f32], rate: f64, low: f64, high: f64) -> f64 {
        let mut sum = 0.0;
        let steps = 60;
        for i in 0..steps {
            let hz = low * (high / low).powf(f64::from(i) / f64::from(steps));
            let turn = Complex64::cis(-TAU * hz / rate);
            let (mut w, mut h) = (Complex64::ONE, Complex64::ZERO);
            for &x in response {
                h += w * f64::from(x);
                w *= turn;
            }
            sum += h.norm_sqr();
        }
        10.0 * (sum / f64::from(steps)).log10()
    }

    #[test]
    fn the_board_passes_middle_frequencies_and_not_the_lowest() {
        let responses = responses(0, 48_000.0);
        for zone in &responses {
            for channel in zone {
                let middle = level(channel, 48_000.0, 200.0, 1500.0);
                assert!(level(channel, 48_000.0, 20.0, 35.0) < middle - 12.0);
                let top = level(channel, 48_000.0, 5000.0, 10_000.0);
                assert!(top < middle - 3.0 && top > middle - 20.0, "{}", top - middle);
            }
        }
    }

    #[test]
    fn channels_differ_and_the_response_decays() {
        let responses = responses(0, 48_000.0);
        for [left, right] in &responses {
            let energy = |x: &[f32]| x.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>();
            let both: f64 =
                left.iter().zip(right).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum();
            let correlation = both / (energy(left) * energy(right)).sqrt();
            assert!(correlation > 0.1 && correlation < 0.9, "{correlation}");
            assert!(energy(&left[20_000..]) < 1e-3 * energy(left));
        }
    }
}
