//! Power of a note's first partials, for any tuning and inharmonicity.

use super::{BEFORE, power};
use touchback_sound::signal::fourier::RealToComplex;

/// Number of measured partials.
pub const PARTIALS: usize = 12;

/// Length of the window, s: the partials of C2 are 20 bins apart.
pub const WINDOW: f64 = 0.3;

/// Relative range of the search for the fundamental about equal temperament (a semitone), and for each next
/// partial about the last spacing.
const TUNING: f64 = 0.06;
const NEXT: f64 = 0.25;

/// Bins on either side of a peak that belong to it (main lobe of a Hann window).
const LOBE: usize = 2;

/// Least level of a partial above the surrounding noise, dB; peaks of noise alone stay below it.
const OVER: f64 = 10.0;

/// Power of partials 1…12, dB, over the first [`WINDOW`] of a note at `rate` Hz; NaN where a partial is not
/// above the noise. `fundamental` in Hz, `window` and `transform` of that length.
pub fn partials(
    channels: &[Vec<f32>; 2],
    rate: f64,
    fundamental: f64,
    window: &[f32],
    transform: &dyn RealToComplex<f32>,
) -> [f64; PARTIALS] {
    let start = touchback_core::math::cast::floor_index(BEFORE * rate);
    let spectrum = power(channels, start, window, transform);
    let width = rate / window.len() as f64;
    let mut found = [f64::NAN; PARTIALS];
    let (mut last, mut spacing) = (0.0, fundamental);
    for (index, level) in found.iter_mut().enumerate() {
        let share = if index == 0 { TUNING } else { NEXT };
        let expected = last + spacing;
        let Some(peak) = peak(&spectrum, expected / width, share * spacing / width) else { break };
        let (tone, between) = (sum(&spectrum, peak, LOBE), floor(&spectrum, peak, spacing / width));
        let stands_out = tone > libm::pow(10.0, 0.1 * OVER) * between;
        if stands_out {
            *level = 10.0 * libm::log10(tone);
            let at = centre(&spectrum, peak) * width;
            // The spacing changes slowly; the clamp limits the effect of a wrong peak.
            spacing = (at - last).clamp(0.97 * spacing, 1.06 * spacing);
            last = at;
        } else {
            last = expected;
        }
    }
    found
}

/// The highest bin within `reach` bins of `position`.
fn peak(spectrum: &[f64], position: f64, reach: f64) -> Option<usize> {
    let end = |x: f64| touchback_core::math::cast::floor_index(x.max(0.0) + 0.5);
    let (from, to) = (end(position - reach.max(1.0)), end(position + reach.max(1.0)));
    let inside = from.max(LOBE)..=to;
    if to + LOBE >= spectrum.len() {
        return None;
    }
    inside.max_by(|a, b| spectrum[*a].total_cmp(&spectrum[*b]))
}

/// Power within `reach` bins of `bin`.
fn sum(spectrum: &[f64], bin: usize, reach: usize) -> f64 {
    spectrum[bin - reach..=bin + reach].iter().sum()
}

/// Centre of a peak, in bins.
fn centre(spectrum: &[f64], peak: usize) -> f64 {
    let bins = peak - LOBE..=peak + LOBE;
    let moment: f64 = bins.clone().map(|i| i as f64 * spectrum[i]).sum();
    moment / bins.map(|i| spectrum[i]).sum::<f64>().max(f64::MIN_POSITIVE)
}

/// Noise power over the width of a peak, from the median up to halfway to the neighbouring partials.
fn floor(spectrum: &[f64], peak: usize, spacing: f64) -> f64 {
    let half = touchback_core::math::cast::floor_index(0.5 * spacing).max(3 * LOBE);
    let end = (peak + half + 1).min(spectrum.len());
    let mut about = spectrum[peak.saturating_sub(half)..end].to_vec();
    about.sort_by(f64::total_cmp);
    (2 * LOBE + 1) as f64 * about[about.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::hann;

    /// Partials of C3 with inharmonicity and noise: existing partials are found with their levels, missing ones
    /// are not.
    #[test]
    fn levels_of_stretched_partials_are_found() {
        let (rate, fundamental, count) = (48_000.0, 130.8, 20_000);
        let levels =
            [0.0, -6.0, -3.0, -20.0, -10.0, -12.0, -140.0, -15.0, -18.0, -21.0, -24.0, -27.0];
        let mut seed = 1u32;
        let sample = |i: usize| {
            let t = i as f64 / rate;
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let noise = 1e-4 * (f64::from(seed) / f64::from(u32::MAX) - 0.5);
            let partial = |(n, level): (f64, f64)| {
                let hz = 0.997 * fundamental * n * (1.0 + 4e-4 * n * n).sqrt();
                10f64.powf(level / 20.0) * (std::f64::consts::TAU * hz * t).sin()
            };
            let tone: f64 = (1..).map(f64::from).zip(levels).map(partial).sum();
            touchback_core::math::cast::single(0.1 * tone + noise)
        };
        let one: Vec<f32> = (0..count).map(sample).collect();
        let window = hann(touchback_core::math::cast::floor_index(WINDOW * rate));
        let transform = touchback_sound::signal::fourier::forward(window.len());
        let found = partials(&[one.clone(), one], rate, fundamental, &window, &*transform);
        assert!(found[6].is_nan(), "{found:?}");
        let gain = found[0] - levels[0];
        let off = found.iter().zip(levels).map(|(f, l)| f - l - gain).filter(|x| x.is_finite());
        assert_eq!(off.clone().count(), 11);
        assert!(off.fold(0.0, |most: f64, x| most.max(x.abs())) < 0.5, "{found:?}");
    }
}
