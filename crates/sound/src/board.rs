//! Soundboard: its response at a pair of microphones to a force on the bridge, synthesised.
//!
//! A sum of modes with the density and loss measured on a grand's board [Ege 2013]: modes from
//! about 58 Hz up, 0.05 a hertz below 1 kHz and thinning above, loss factor 2-3 %. Their weights
//! follow a smooth target for the radiated spectrum and are random in sign and size about a common
//! part, which is the direct blow. A diffuse tail stands for case and near walls. Nothing is
//! recorded. Computed once for a sample rate.

use std::f64::consts::{PI, TAU};

use num_complex::Complex64;

use crate::bridge::ZONES;
use crate::convolve::{CHANNELS, Responses};
use crate::microphones::{self, Way};
use touchback_core::math::cast::{floor_index, single};
use touchback_core::math::complex;
use touchback_core::math::power::square;
use touchback_core::math::random::{self, Random};

/// Length of the response, s; the modes below 150 Hz are faded out at its end.
const LENGTH: f64 = 0.5;

/// Lowest and highest mode, Hz.
const LOWEST_HZ: f64 = 58.0;
const TOP_HZ: f64 = 14_000.0;

/// Corner of the acoustic short circuit, Hz.
const RUMBLE_HZ: f64 = 45.0;

/// What a mode's motion has in common all along the bridges, and its share that differs from zone
/// to zone.
const COMMON: f64 = 0.8;
const ON_BRIDGE: f64 = 0.4;

/// Seed of the random weights: chosen so that no fundamental falls into a gap between modes.
const SEED: u64 = 5909;

/// Energy of the tail relative to the modes; fitted, as its times and the share of its high part,
/// to two recorded grands of different makers by `touchback lab recorded`.
const TAIL: f64 = 0.267;

/// Decay times (60 dB) of the tail's low and high part, s, and the high part's share.
const TAIL_TIMES: [f64; 2] = [0.45, 0.12];
const TAIL_HIGH: f64 = 1.1;

/// What lies below is left to the modes; and where the tail's high part begins, Hz.
const TAIL_HZ: [f64; 2] = [110.0, 1500.0];

/// Rate of the tail's random values, Hz.
const GRAIN_HZ: f64 = 12_000.0;

/// Responses `[zone][channel][tap]` of a [`microphones`] `pair` at `sample_rate` Hz, scaled so that
/// a zone's modes below 8 kHz, taken one by one, carry an energy of 2 into both channels at 48 kHz;
/// the gain at a frequency is the same at every rate.
#[must_use]
pub fn responses(pair: usize, sample_rate: f64) -> Responses {
    responses_of([pair], sample_rate).remove(0)
}

/// [`responses`] of several pairs, whose modes and tails take the same courses.
#[must_use]
pub fn responses_of(pairs: impl IntoIterator<Item = usize>, sample_rate: f64) -> Vec<Responses> {
    let taps = floor_index(LENGTH * sample_rate);
    let mut sums: Vec<PairSum> = pairs.into_iter().map(|pair| PairSum::new(pair, taps)).collect();
    add_modes(&mut sums, sample_rate);
    add_tails(&mut sums, sample_rate);
    let finished = sums.into_iter().map(|PairSum { mut zones, energies, .. }| {
        zones.iter_mut().flatten().for_each(|channel| remove_rumble(channel, sample_rate));
        let scaled = zones.iter().zip(energies).map(|(zone, energy)| {
            finished(zone, (2.0 * 48_000.0 / energy).sqrt() / sample_rate, sample_rate)
        });
        scaled.collect()
    });
    finished.collect()
}

/// What adds up at one pair.
struct PairSum {
    pair: usize,
    zones: Vec<[Vec<f64>; CHANNELS]>,
    /// Energy of each zone's modes that every sample rate can carry.
    energies: [f64; ZONES],
}

impl PairSum {
    fn new(pair: usize, taps: usize) -> Self {
        let zones = (0..ZONES).map(|_| [vec![0.0; taps], vec![0.0; taps]]).collect();
        Self { pair, zones, energies: [0.0; ZONES] }
    }
}

/// Two first-order high-passes: far below its first mode the board is shorter than the wave it
/// would have to send, and front and back cancel.
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

/// Target of the radiated spectrum at `hz` for a unit force.
fn radiation(hz: f64) -> f64 {
    // The board radiates next to nothing below 100 Hz; above its coincidence, 1-2 kHz, mobility
    // no longer falls but radiation gains no more: a fall (chosen, near −5 dB an octave).
    let low = square(hz / 67.0);
    let high = 1.0 + square(hz / 1735.0);
    low / (1.0 + low) / libm::pow(high, 0.5)
}

/// Modes a hertz.
fn density(hz: f64) -> f64 {
    0.05 / (1.0 + square(hz / 1100.0)).sqrt() + 0.006
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
    /// Gain from each zone to each microphone, the way aside.
    gains: [[f64; CHANNELS]; ZONES],
}

/// The modes that a sample rate can carry as a `pair` hears them, by rising frequency.
#[must_use]
pub fn modes(pair: usize, sample_rate: f64) -> Vec<Mode> {
    let mut modes = Vec::new();
    let mut noise = Random::new(1709);
    let mut hz = LOWEST_HZ;
    while hz < TOP_HZ.min(0.45 * sample_rate) {
        let sigma = PI * loss_factor(hz) * hz;
        // Mean square of the response of modes this dense is the target's.
        let weight = radiation(hz) * (2.0 * sigma / (PI * density(hz))).sqrt();
        let own = |place: usize| random::of_pair(SEED + place as u64, modes.len() as u64);
        // The player's microphones come first, the bridge's zones next, then the other pairs.
        let first = if pair == 0 { 0 } else { CHANNELS * pair + ZONES };
        let ears = [own(first), own(first + 1)]
            .map(|x| microphones::COMMON[pair] + microphones::AT_MICROPHONE * x);
        let gains = std::array::from_fn(|z| {
            let bridge = COMMON + ON_BRIDGE * own(CHANNELS + z);
            ears.map(|ear| weight * bridge * ear)
        });
        modes.push(Mode { hz, sigma, gains });
        hz += (1.0 + 0.5 * noise.signed()) / density(hz);
    }
    modes
}

/// Adds all modes to all pairs.
fn add_modes(sums: &mut [PairSum], sample_rate: f64) {
    let heard: Vec<_> = sums
        .iter()
        .map(|sum| (modes(sum.pair, sample_rate), microphones::ways(sum.pair)))
        .collect();
    let Some((modes, _)) = heard.first() else { return };
    let mut course = Vec::new();
    for (m, Mode { hz, sigma, .. }) in modes.iter().enumerate() {
        // A mode ends 90 dB down.
        let last = (10.4 / sigma * sample_rate).min(sums[0].zones[0][0].len() as f64);
        course.clear();
        course.extend(after_blow(*hz, *sigma, sample_rate).take(floor_index(last)));
        for (sum, (modes, direct)) in sums.iter_mut().zip(&heard) {
            let gains = &modes[m].gains;
            if *hz < 8000.0 {
                for (energy, gains) in sum.energies.iter_mut().zip(gains) {
                    *energy += (gains[0] * gains[0] + gains[1] * gains[1]) / (4.0 * sigma);
                }
            }
            add_course(&mut sum.zones, &course, gains, direct, 1.0, sample_rate);
            let by_lid = (*hz > microphones::LID_FROM_HZ).then(|| microphones::by_lid(sum.pair));
            if let Some(ways) = by_lid.flatten() {
                add_course(&mut sum.zones, &course, gains, &ways, microphones::LID, sample_rate);
            }
        }
    }
}

/// Adds a mode's `course` by the `ways` from each zone.
fn add_course(
    zones: &mut [[Vec<f64>; CHANNELS]],
    course: &[f64],
    gains: &[[f64; CHANNELS]; ZONES],
    ways: &[[Way; CHANNELS]; ZONES],
    share: f64,
    sample_rate: f64,
) {
    for ((zone, gains), ways) in zones.iter_mut().zip(gains).zip(ways) {
        for ((sum, gain), way) in zone.iter_mut().zip(gains).zip(ways) {
            let first = floor_index(way.late * sample_rate + 0.5).min(sum.len());
            let amplitude = share * way.gain * gain;
            for (sum, x) in sum[first..].iter_mut().zip(course) {
                *sum += amplitude * x;
            }
        }
    }
}

/// Velocity of a mode after a blow, cos − (σ/ω) sin, so that a steady push moves nothing. The blow
/// comes in the middle of the first sample: half of it lies before.
fn after_blow(hz: f64, sigma: f64, sample_rate: f64) -> impl Iterator<Item = f64> {
    let start = Complex64::new(1.0, sigma / (TAU * hz));
    let turn = complex::exp(Complex64::new(-sigma / sample_rate, TAU * hz / sample_rate));
    let later = std::iter::successors(Some(start * turn), move |w| Some(w * turn));
    std::iter::once(0.5).chain(later.map(|w| w.re))
}

/// Noise of the tail's low and high part at [`GRAIN_HZ`], `count` values of each.
///
/// Filtered on this grid of its own, so that every sample rate hears the same case and walls.
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
    // The onset, and how far each part has died away.
    let course = (0..taps).map(|n| {
        let t = n as f64 / sample_rate;
        (t, 1.0 - libm::exp(-t / 0.004), rates.map(|rate| libm::exp(-rate * t)))
    });
    let course: Vec<_> = course.collect();
    for PairSum { pair, zones, .. } in sums {
        // The first sample is half of where the response begins: half its square is twice that.
        let energy = |channel: &Vec<f64>| {
            channel.iter().map(|x| x * x).sum::<f64>() + channel.first().map_or(0.0, |x| x * x)
        };
        let energy: f64 = zones.iter().flatten().map(energy).sum();
        let mut own = 0.0;
        let channels = (*pair * ZONES * CHANNELS..).zip(zones.iter().flatten());
        let tails: Vec<Vec<f64>> = channels
            .map(|(place, _)| {
                let grains = grains(7 + place as u64, floor_index(LENGTH * GRAIN_HZ) + 2);
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
    fn a_board_passes_the_middle_and_not_the_bottom() {
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
    fn ears_differ_and_response_dies_away() {
        let responses = responses(0, 48_000.0);
        for [left, right] in &responses {
            let energy = |x: &[f32]| x.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>();
            let both: f64 =
                left.iter().zip(right).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum();
            let likeness = both / (energy(left) * energy(right)).sqrt();
            assert!(likeness > 0.1 && likeness < 0.9, "{likeness}");
            assert!(energy(&left[20_000..]) < 1e-3 * energy(left));
        }
    }
}
