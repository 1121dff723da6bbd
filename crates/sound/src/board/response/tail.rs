//! The diffuse tail of the board's responses: case and near walls, as noise that falls.

use super::{LENGTH, PairSum};
use crate::signal::convolve::CHANNELS;
use crate::strings::bridge::ZONES;
use std::f64::consts::TAU;
use touchback_core::math::cast::{floor_index, single};
use touchback_core::math::power::square;
use touchback_core::math::random;

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

/// A tap of the tail: the grain before it, its distance from that, 0…1, and the gain of both parts.
struct TailTap {
    grain: usize,
    distance: f64,
    gains: [f64; 2],
}

/// Adds its tail to each pair's modes.
#[inline(always)]
pub(super) fn add(sums: &mut [PairSum], sample_rate: f64) {
    let Some(taps) = sums.first().map(|sum| sum.zones[0][0].len()) else { return };
    let [low, high] = TAIL_TIMES.map(|time| libm::log(1000.0) / time);
    let tap = |n: usize| {
        let t = n as f64 / sample_rate;
        let onset = 1.0 - libm::exp(-t / 0.004);
        let gains = [onset * libm::exp(-low * t), onset * TAIL_HIGH * libm::exp(-high * t)];
        let grain = floor_index(t * GRAIN_HZ);
        TailTap { grain, distance: (t * GRAIN_HZ).fract(), gains }
    };
    let course: Vec<TailTap> = (0..taps).map(tap).collect();
    for PairSum { pair, zones, .. } in sums {
        // The first sample is half of the response's initial value, so its energy is half of that value's
        // square: twice the sample's own square.
        let energy = |channel: &Vec<f32>| {
            let squares = || channel.iter().map(|&x| square(f64::from(x)));
            squares().sum::<f64>() + squares().next().unwrap_or(0.0)
        };
        let energy: f64 = zones.iter().flatten().map(energy).sum();
        let mut own = 0.0;
        let channels = (*pair * ZONES * CHANNELS..).zip(zones.iter().flatten());
        let tails: Vec<Vec<f64>> = channels
            .map(|(index, _)| {
                let grains = grains(7 + index as u64, floor_index(LENGTH * GRAIN_HZ) + 2);
                let tap = |TailTap { grain, distance, gains }: &TailTap| {
                    let part = |part: usize| {
                        let grains = &grains[part];
                        let before = grains[*grain];
                        gains[part] * (before + distance * (grains[grain + 1] - before))
                    };
                    let x = part(0) + part(1);
                    own += x * x;
                    x
                };
                course.iter().map(tap).collect()
            })
            .collect();
        let scale = (TAIL * energy / own).sqrt();
        for (sum, tail) in zones.iter_mut().flatten().zip(&tails) {
            for (sum, tail) in sum.iter_mut().zip(tail) {
                *sum += single(scale * tail);
            }
        }
    }
}
