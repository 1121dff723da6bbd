//! What a match leaves: the squared distance of the body by region of time and frequency.

use std::ops::RangeInclusive;

use crate::measure::{above_floor, body_bands, body_frames, deviations};
use crate::pairs::Found;
use crate::verdict::{mean, registers};
use touchback_core::math::compass::{KeyNumber, fundamental};
use touchback_core::math::power::square;

/// Noise decays from a frame to the last one by less than this, dB, off the partials also by as much in each second
/// (chosen: windows of 0.1 s scatter by 3 dB; what a blow excites off the partials decays by 60 dB in less than 8 s).
const STEADY: f64 = 3.0;
const SLOWEST: f64 = 7.5;

/// Share of the fundamental below which a band is under it.
const UNDER: f64 = 0.7;

/// A region of time and frequency.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Region {
    /// The recorded band hardly decays, and the rendered one is softer.
    Noise,
    Under,
    Between,
    Partials,
}

impl Region {
    const ALL: [Self; 4] = [Self::Noise, Self::Under, Self::Between, Self::Partials];

    const fn column(self) -> &'static str {
        match self {
            Self::Noise => "noise",
            Self::Under => "under",
            Self::Between => "between",
            Self::Partials => "partials",
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Self::Noise => "steady noise of the recording",
            Self::Under => "under the fundamental, the blow on plate and case",
            Self::Between => "between the partials, the ring of plate, board and other strings",
            Self::Partials => "in the partials, their level, decay and beats",
        }
    }
}

/// What is left of the body of one note.
struct Rest {
    /// Squared distance by [`Region::ALL`], dB².
    squares: [f64; 4],
    /// Distance over the bands and frames without [`Region::Noise`], dB.
    clean: f64,
}

/// What is left of the body of one note.
fn rest(found: &Found<'_>) -> Rest {
    let fundamental = KeyNumber::from_number(found.number).map_or(f64::NAN, fundamental);
    rest_between(&found.note.body, &found.nearest.body, fundamental)
}

/// What is left between the bands of a recorded note of `fundamental` Hz and `ours`, dB.
fn rest_between(recorded: &[f64], ours: &[f64], fundamental: f64) -> Rest {
    let (bands, frames) = (body_bands(), body_frames());
    let floor = above_floor(recorded);
    let end = frames[frames.len() - 1];
    let last = &recorded[(frames.len() - 1) * bands.len()..];
    let mut squares = [0.0; 4];
    let mut counts = [0usize; 4];
    for (at, deviation) in deviations(recorded, ours).into_iter().enumerate() {
        let (frame, band) = (at / bands.len(), at % bands.len());
        let (level, region) = (recorded[at], in_spectrum(band, &bands, fundamental));
        let slowest = if region == Region::Partials { 0.0 } else { SLOWEST };
        let is_steady = level - last[band] < STEADY + slowest * (end - frames[frame]);
        let is_noise = is_steady && level > floor && ours[at] < level;
        let region = if is_noise { Region::Noise } else { region };
        squares[region as usize] += square(deviation);
        counts[region as usize] += usize::from(deviation != 0.0);
    }
    let [noise, all] = [counts[Region::Noise as usize], counts.iter().sum()];
    let of_others = all as f64 / (all - noise).max(1) as f64;
    let others = squares.iter().sum::<f64>() - squares[Region::Noise as usize];
    Rest { squares, clean: (others * of_others).sqrt() }
}

/// Where the band is about the partials of `fundamental` Hz. Where partials are closer than bands, each has one.
fn in_spectrum(band: usize, bands: &[f64], fundamental: f64) -> Region {
    let hz = bands[band];
    let half = 0.5 * (bands[(band + 1).min(bands.len() - 1)] - bands[band.max(1) - 1]);
    let nearest = (hz / fundamental).round().max(1.0) * fundamental;
    if hz < UNDER * fundamental {
        Region::Under
    } else if (hz - nearest).abs() <= half {
        Region::Partials
    } else {
        Region::Between
    }
}

/// One line a register with notes: the distance of the body, with all bands and without the recording's steady noise, the
/// share of each region in its square, and the largest in words.
pub fn table(found: &[Found<'_>]) -> String {
    let columns = Region::ALL.map(Region::column);
    let mut text = format!(
        "{:<9} {:>7} {:>9} {:>9} {:>9} {:>9} {:>9}   % of its square\n",
        "left over", "body", "no noise", columns[0], columns[1], columns[2], columns[3]
    );
    let mut words = String::new();
    for (name, keys) in registers() {
        let Some(([body, clean], shares)) = shares(found, &keys) else { continue };
        let cells = shares.map(|share| format!("{share:>9.0}")).join(" ");
        text += &format!("{name:<9} {body:>7.2} {clean:>9.2} {cells}\n");
        let largest = Region::ALL.into_iter().zip(shares).max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((region, share)) = largest {
            words += &format!("{name}: most of it ({share:.0} %) {}\n", region.words());
        }
    }
    text + &words
}

/// Mean distance of the body of `keys`, dB, with all bands and without the recording's steady noise, and shares of the
/// regions in the mean of its square, %.
fn shares(found: &[Found<'_>], keys: &RangeInclusive<u8>) -> Option<([f64; 2], [f64; 4])> {
    let inside = || found.iter().filter(|one| keys.contains(&one.number));
    let body = mean(inside().map(|one| one.apart[0]))?;
    let rests: Vec<Rest> = inside().map(rest).collect();
    let clean = mean(rests.iter().map(|rest| rest.clean))?;
    let mut sums = [0.0; 4];
    for rest in &rests {
        sums.iter_mut().zip(rest.squares).for_each(|(sum, square)| *sum += square);
    }
    let all = sums.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    Some(([body, clean], sums.map(|sum| 100.0 * sum / all)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every band decays by 60 dB in a second, but for one of the recording, which is steady.
    #[test]
    fn steady_bands_of_the_recording_count_as_noise() {
        let (bands, frames) = (body_bands(), body_frames());
        let decaying = |steady: Option<usize>| -> Vec<f64> {
            let levels = frames.iter().flat_map(|time| {
                (0..bands.len())
                    .map(move |band| if steady == Some(band) { -20.0 } else { -60.0 * time })
            });
            levels.collect()
        };
        let rest = rest_between(&decaying(Some(4)), &decaying(None), 2093.0);
        let [noise, others @ ..] = rest.squares;
        assert!(noise > 10.0 * others.iter().sum::<f64>(), "{noise} {others:?}");
        assert!(rest.clean < 0.5 * rest.squares.iter().sum::<f64>().sqrt(), "{}", rest.clean);
    }

    #[test]
    fn bands_are_under_at_and_between_the_partials() {
        let bands = body_bands();
        let region = |hz: f64, fundamental: f64| {
            let near = |band: &usize| (bands[*band] - hz).abs();
            let band = (0..bands.len()).min_by(|a, b| near(a).total_cmp(&near(b))).unwrap();
            in_spectrum(band, &bands, fundamental)
        };
        assert_eq!(region(1000.0, 2093.0), Region::Under);
        assert_eq!(region(2093.0, 2093.0), Region::Partials);
        assert_eq!(region(3100.0, 2093.0), Region::Between);
        assert_eq!(region(4186.0, 2093.0), Region::Partials);
        // Bands of A0's partials are wider than the partials are apart.
        assert_eq!(region(1000.0, 27.5), Region::Partials);
    }
}
