//! Level equalization: a gain for each key against the board's peaks, as a voicer's needling of hammers.
//!
//! Neighbouring keys meet different peaks of the board, up to 5 dB apart. A voicer evens them out
//! hammer by hammer; here each key's force on the board is scaled by its predicted level's distance from
//! the mean of its neighbours. The level is predicted from the partials of a mezzo-forte blow on the bridge
//! and the board's response to them, and what the prediction leaves is added from rendered levels
//! (`corrections`). A key without a partial below the sample rate's limit keeps the gain
//! 1 and is left out of its neighbours' mean. Computed once per sample rate.

mod corrections;

use std::f64::consts::PI;
use std::ops::RangeInclusive;

use num_complex::Complex32;

use crate::convolve::{CHANNELS, Responses};
use crate::scale::StringSpec;
use crate::{SoundSettings, bridge, hammer, mobility};
use touchback_core::math::cast::{floor_index, single};
use touchback_core::math::compass::{KEYS, KeyNumber, log_linear};
use touchback_core::math::power::square;
use touchback_core::mech::hammer::Hammer;

/// Number of neighbours on either side with which a key is compared.
const NEIGHBOURS: usize = 4;

/// Indices of the keys around key `i` with which it is compared. Equal numbers on both sides, because otherwise the
/// trend along the compass would be flattened.
#[must_use]
pub fn around(i: usize) -> RangeInclusive<usize> {
    let reach = NEIGHBOURS.min(i).min(KEYS - 1 - i);
    i - reach..=i + reach
}

/// Largest correction, dB (chosen: the range of voicing).
const MOST_DB: f64 = 5.0;

/// Time over which a note's energy is summed, s (chosen).
const LEVEL_TIME: f64 = 0.3;

/// Factors on each key's force on the board with these `responses` at `sample_rate` Hz.
#[must_use]
pub fn factors(responses: &Responses, sample_rate: f64) -> [f32; KEYS] {
    let spectra: Vec<_> = responses.iter().map(spectra).collect();
    let levels: Vec<Option<f64>> = KeyNumber::all()
        .map(|key| {
            let (first, weights) = bridge::weights(key);
            let level = level(key, &spectra[first..first + 2], weights, sample_rate);
            (level > 0.0).then(|| 10.0 * libm::log10(level))
        })
        .collect();
    std::array::from_fn(|i| {
        let audible = levels[around(i)].iter().flatten();
        let mean = audible.clone().sum::<f64>() / audible.count() as f64;
        levels[i].map_or(1.0, |level| {
            let gain = (mean - level).clamp(-MOST_DB, MOST_DB) + corrections::DECIBELS[i];
            single(libm::pow(10.0, gain / 20.0))
        })
    })
}

fn spectra(zone: &[Vec<f32>; CHANNELS]) -> [Vec<Complex32>; CHANNELS] {
    let size = zone[0].len().next_power_of_two();
    let transform = crate::fourier::forward(size);
    zone.each_ref().map(|taps| {
        let mut input = taps.clone();
        input.resize(size, 0.0);
        let mut output = transform.make_output_vec();
        // Fails only for wrong lengths; the transform itself has made these buffers.
        let _ = transform.process(&mut input, &mut output);
        output
    })
}

/// Energy of a blow of `key` in both channels, up to a common factor.
fn level(
    key: KeyNumber,
    spectra: &[[Vec<Complex32>; CHANNELS]],
    weights: [f32; 2],
    sample_rate: f64,
) -> f64 {
    let (string, struck_by) =
        (StringSpec::of(key, &SoundSettings::default()), Hammer::concert(key));
    let contact = 1e-3 * log_linear(&hammer::CONTACT_MS, f64::from(key.number()));
    let bins = spectra[0][0].len() - 1;
    let strings = string.strings as f64;
    (1..=string.partials_below((0.45 * sample_rate).min(8000.0)))
        .map(|k| {
            let hz = string.partial_hz(k);
            let bin = floor_index(hz / (0.5 * sample_rate) * bins as f64 + 0.5).min(bins);
            let response: f32 = (0..CHANNELS)
                .map(|c| {
                    (spectra[0][c][bin] * weights[0] + spectra[1][c][bin] * weights[1]).norm_sqr()
                })
                .sum();
            let omega = 2.0 * PI * hz;
            let bridge =
                mobility::of_bridge(key, hz).re * 2.0 * string.ideal_hz * string.impedance();
            let sigma = string.loss + string.loss_slope * omega * omega + strings * bridge;
            // Spectrum of a pulse of this length at the partial.
            let pulse = 1.0 / (1.0 + square(2.0 * hz * contact));
            let line = string.strike_shape(&struck_by, k) * pulse;
            line * line * f64::from(response) * (1.0 - libm::exp(-2.0 * sigma * LEVEL_TIME)) / sigma
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board;

    #[test]
    fn an_even_board_needs_little_equalization() {
        let mut tap = vec![0.0; 1024];
        tap[0] = 1.0;
        let flat: Responses = (0..bridge::ZONES).map(|_| [tap.clone(), tap.clone()]).collect();
        let corrected = corrections::DECIBELS.map(|db| libm::pow(10.0, db / 20.0));
        for ((key, factor), corrected) in
            KeyNumber::all().zip(factors(&flat, 48_000.0)).zip(corrected)
        {
            let factor = f64::from(factor) / corrected;
            assert!((factor - 1.0).abs() < 0.35, "{key:?}: {factor}");
        }
        let own = factors(&board::responses(0, 48_000.0), 48_000.0);
        assert!(own.iter().any(|f| (f - 1.0).abs() > 0.1));
    }

    #[test]
    fn a_key_without_partials_keeps_its_level() {
        for rate in [1_000.0, 8_000.0, 9_697.0, 11_025.0, 768_000.0] {
            let own = factors(&board::responses(0, rate), rate);
            // Prediction and correction, 5 dB each.
            assert!(own.iter().all(|f| (0.31..3.17).contains(f)), "{rate} Hz: {own:?}");
        }
        let own = factors(&board::responses(0, 8_000.0), 8_000.0);
        assert!(own[84..].iter().all(|f| *f == 1.0) && own[..80].iter().any(|f| *f != 1.0));
    }
}
