//! Soundboard: synthesised response at a pair of microphones to a force on the bridge.
//!
//! The response is a sum of modes with the density and loss measured on a grand's board [Ege 2013]: modes
//! from about 58 Hz up, 0.05 per hertz below 1 kHz and fewer above, loss factor 2-3 %. Their weights
//! follow a smooth target for the radiated spectrum and are random in sign and size about a common
//! part, which is the direct blow. A diffuse tail represents case and near walls. Nothing is
//! recorded. Computed once per sample rate.

mod tail;

use std::f64::consts::{PI, TAU};

use num_complex::Complex64;

use crate::board::microphones::{self, Path};
use crate::board::radiation;
use crate::signal::convolve::{CHANNELS, Responses};
use crate::strings::bridge::ZONES;
use touchback_core::math::cast::{floor_index, single};
use touchback_core::math::complex;
use touchback_core::math::kernel::Kernel;
use touchback_core::math::lane_work::Work;
use touchback_core::math::power::square;
use touchback_core::math::random::{self, Random};
use touchback_core::math::real::Real;

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

/// Responses `[zone][channel][tap]` of a [`microphones`] `pair` at `sample_rate` Hz, scaled so that
/// a zone's modes below 8 kHz, taken one by one, carry an energy of 2 times its [`radiation::level`] squared
/// into both channels at 48 kHz; the gain at a frequency is the same at every rate.
#[must_use]
pub fn responses(pair: usize, sample_rate: f64) -> Responses {
    responses_of([pair], sample_rate).remove(0)
}

/// [`responses`] of several pairs, whose modes and tails have the same time courses.
#[must_use]
pub(crate) fn responses_of(
    pairs: impl IntoIterator<Item = usize>,
    sample_rate: f64,
) -> Vec<Responses> {
    let taps = floor_index(LENGTH * sample_rate);
    let mut sums: Vec<PairSum> = pairs.into_iter().map(|pair| PairSum::new(pair, taps)).collect();
    Kernel::detect().run(Sums { sums: &mut sums, sample_rate });
    let fade = fade(taps, sample_rate);
    let finished = sums.into_iter().map(|PairSum { mut zones, energies, .. }| {
        zones.iter_mut().flatten().for_each(|channel| remove_rumble(channel, sample_rate));
        let scaled = zones.iter().zip(energies).enumerate().map(|(z, (zone, energy))| {
            let scale = radiation::level(z) * (2.0 * 48_000.0 / energy).sqrt() / sample_rate;
            finished(zone, scale, &fade)
        });
        scaled.collect()
    });
    finished.collect()
}

/// Modes and tails of all pairs: sums over many taps, compiled for wide registers.
struct Sums<'a> {
    sums: &'a mut [PairSum],
    sample_rate: f64,
}

impl Work for Sums<'_> {
    type Out = ();

    #[inline(always)]
    fn run<R: Real>(self) {
        let arrivals = add_modes(self.sums, self.sample_rate);
        // The tail is measured by the energy of the modes without these pulses.
        tail::add(self.sums, self.sample_rate);
        let channels = self.sums.iter_mut().flat_map(|sum| sum.zones.iter_mut().flatten());
        for (channel, arrivals) in channels.zip(&arrivals) {
            for (Arrival { first, amplitude, .. }, (at, more)) in
                arrivals.iter().flat_map(|x| onset(self.sample_rate).map(|pulse| (x, pulse)))
            {
                if let Some(x) = channel.get_mut(first + at) {
                    *x += amplitude * more;
                }
            }
        }
    }
}

/// Sum of modes and tail at one pair, in single precision: rounding is 132 dB below the sound of a chord.
struct PairSum {
    pair: usize,
    zones: Vec<[Vec<f32>; CHANNELS]>,
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
fn remove_rumble(channel: &mut [f32], sample_rate: f64) {
    let share = 1.0 - libm::exp(-TAU * RUMBLE_HZ / sample_rate);
    let mut slow = [0.0; 2];
    for sample in channel.iter_mut() {
        let mut x = f64::from(*sample);
        for slow in &mut slow {
            *slow += share * (x - *slow);
            x -= *slow;
        }
        *sample = single(x);
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
pub(crate) fn mean_square_shape([a, b]: [f64; 2]) -> f64 {
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

/// A mode along one path to a microphone.
struct Arrival {
    mode: usize,
    /// First tap.
    first: usize,
    amplitude: f32,
}

/// Taps that are summed at once: those of all modes stay in the second-level cache.
const CHUNK: usize = 512;

/// Adds all modes to all pairs. Returns their arrivals, by channel.
#[inline(always)]
fn add_modes(sums: &mut [PairSum], sample_rate: f64) -> Vec<Vec<Arrival>> {
    let Some(taps) = sums.first().map(|sum| sum.zones[0][0].len()) else { return Vec::new() };
    let mut courses: Vec<Vec<f32>> = Vec::new();
    let mut arrivals = Vec::new();
    for PairSum { pair, energies, .. } in sums.iter_mut() {
        let modes = modes(*pair, sample_rate);
        if courses.is_empty() {
            courses.extend(modes.iter().map(|mode| after_blow(mode, taps, sample_rate)));
        }
        for mode in modes.iter().filter(|mode| mode.hz < 8000.0) {
            for (energy, gains) in energies.iter_mut().zip(mode.gains) {
                *energy += (gains[0] * gains[0] + gains[1] * gains[1]) / (4.0 * mode.sigma);
            }
        }
        let (direct, lid) = (microphones::paths(*pair), microphones::by_lid(*pair));
        for channel in 0..ZONES * CHANNELS {
            let (z, c) = (channel / CHANNELS, channel % CHANNELS);
            let along = |mode: usize, path: &Path, share: f64| Arrival {
                mode,
                first: floor_index(path.delay * sample_rate + 0.5).min(taps),
                amplitude: single(share * path.gain * modes[mode].gains[z][c]),
            };
            let of_mode = |(m, mode): (usize, &Mode)| {
                let reflects = mode.hz > microphones::LID_FROM_HZ;
                let by_lid = lid.as_ref().filter(|_| reflects);
                let by_lid = by_lid.map(|paths| along(m, &paths[z][c], microphones::LID));
                [Some(along(m, &direct[z][c], 1.0)), by_lid].into_iter().flatten()
            };
            arrivals.push(modes.iter().enumerate().flat_map(of_mode).collect::<Vec<_>>());
        }
    }
    for begin in (0..taps).step_by(CHUNK) {
        let channels = sums.iter_mut().flat_map(|sum| sum.zones.iter_mut().flatten());
        for (channel, arrivals) in channels.zip(&arrivals) {
            let end = taps.min(begin + CHUNK);
            add_courses(&mut channel[begin..end], begin, arrivals, &courses);
        }
    }
    arrivals
}

/// Adds to `sum`, which begins at the tap `begin`, the time `courses` of the modes that arrive.
#[inline(always)]
fn add_courses(sum: &mut [f32], begin: usize, arrivals: &[Arrival], courses: &[Vec<f32>]) {
    for Arrival { mode, first, amplitude } in arrivals {
        // The taps of `sum` and of the course from the later of both beginnings on.
        let to = first.saturating_sub(begin).min(sum.len());
        let course = courses[*mode].get(begin.saturating_sub(*first)..).unwrap_or_default();
        for (sum, x) in sum[to..].iter_mut().zip(course) {
            *sum += amplitude * x;
        }
    }
}

/// Velocity of a mode after a blow, cos − (σ/ω) sin, so that a constant force gives no velocity. The blow
/// is in the middle of the first sample: half of it is before that sample. At most `taps` samples; a mode is cut
/// off 90 dB below its beginning.
#[inline(always)]
fn after_blow(Mode { hz, sigma, .. }: &Mode, taps: usize, sample_rate: f64) -> Vec<f32> {
    const SIDE_BY_SIDE: usize = 8;
    let length = floor_index(10.4 / sigma * sample_rate).min(taps);
    let turn =
        |samples: f64| complex::exp(samples / sample_rate * Complex64::new(-sigma, TAU * hz));
    let start = Complex64::new(1.0, sigma / (TAU * hz));
    let mut now: [Complex64; SIDE_BY_SIDE] = std::array::from_fn(|i| start * turn(i as f64));
    let turn = turn(SIDE_BY_SIDE as f64);
    let mut course = vec![0.0; length];
    for samples in course.chunks_mut(SIDE_BY_SIDE) {
        for (sample, now) in samples.iter_mut().zip(&mut now) {
            *sample = single(now.re);
            *now = Complex64::new(
                now.re * turn.re - now.im * turn.im,
                now.re * turn.im + now.im * turn.re,
            );
        }
    }
    if let Some(first) = course.first_mut() {
        *first = 0.5;
    }
    course
}

/// Pulses at the beginning of a mode: samples and amplitudes.
///
/// The sum of a step's samples at f Hz is its integral times x cot x ≈ 1 − x²/3, x = πf/rate, so that modes would be
/// stronger beside their frequencies the higher the rate. Three pulses without sum and second moment and with a first
/// moment of (1 − (rate/48 kHz)²)/12 samples make the factor that of 48 kHz, at which radiation and levels were fitted.
fn onset(sample_rate: f64) -> [(usize, f32); 3] {
    let ratio = sample_rate / 48_000.0;
    let apart = floor_index(ratio + 0.5).max(1);
    let moment = (1.0 - square(ratio)) / 12.0 / apart as f64;
    [(0, -1.5), (apart, 2.0), (2 * apart, -0.5)].map(|(at, share)| (at, single(share * moment)))
}

/// Gains by which the last 0.15 s of a response of `taps` fade out.
fn fade(taps: usize, sample_rate: f64) -> Vec<f64> {
    let length = floor_index(0.15 * sample_rate).min(taps);
    (0..length).map(|n| 0.5 - 0.5 * libm::cos(PI * (length - n) as f64 / length as f64)).collect()
}

/// The responses of a zone, scaled, with the gains `fade` at their ends.
fn finished(zone: &[Vec<f32>; CHANNELS], scale: f64, fade: &[f64]) -> [Vec<f32>; CHANNELS] {
    zone.each_ref().map(|channel| {
        let (whole, faded) = channel.split_at(channel.len() - fade.len());
        let whole = whole.iter().map(|&x| single(scale * f64::from(x)));
        let faded = faded.iter().zip(fade).map(|(&x, gain)| single(scale * gain * f64::from(x)));
        whole.chain(faded).collect()
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
