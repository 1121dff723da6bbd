//! What a match leaves: the squared distance of the body by region of time and frequency.

use std::ops::RangeInclusive;

use serde_json::Value;

use crate::measure::bands::{Bands, deviations};
use crate::measure::body_bands;
use crate::pairs::Found;
use crate::verdict::{mean, registers};
use touchback_core::math::compass::{KeyNumber, fundamental};
use touchback_core::math::power::square;

/// Share of the fundamental below which a band is under it.
const UNDER: f64 = 0.7;

/// A region of the spectrum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Region {
    Under,
    Between,
    Partials,
}

impl Region {
    const ALL: [Self; 3] = [Self::Under, Self::Between, Self::Partials];

    const fn column(self) -> &'static str {
        match self {
            Self::Under => "under",
            Self::Between => "between",
            Self::Partials => "partials",
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Self::Under => "under the fundamental, the blow on plate and case",
            Self::Between => "between the partials, the ring of plate, board and other strings",
            Self::Partials => "in the partials, their level, decay and beats",
        }
    }
}

/// Squared distance of the body of one note by [`Region::ALL`], dB².
fn rest(found: &Found<'_>) -> [f64; 3] {
    let fundamental = KeyNumber::from_number(found.number).map_or(f64::NAN, fundamental);
    rest_between(&found.note.body, &found.nearest.body, fundamental)
}

/// Squared distance between the bands of a recorded note of `fundamental` Hz and `ours`, dB².
fn rest_between(recorded: &Bands, ours: &Bands, fundamental: f64) -> [f64; 3] {
    let bands = body_bands();
    let mut squares = [0.0; 3];
    for (at, deviation) in deviations(recorded, ours).into_iter().enumerate() {
        squares[in_spectrum(at % bands.len(), &bands, fundamental) as usize] += square(deviation);
    }
    squares
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

/// One line a register with notes: the distance of the body, the share of each region in its square, and the largest in
/// words.
pub fn table(found: &[Found<'_>]) -> String {
    let columns = Region::ALL.map(Region::column);
    let mut text = format!(
        "{:<9} {:>7} {:>9} {:>9} {:>9}   % of its square\n",
        "left over", "body", columns[0], columns[1], columns[2]
    );
    let mut words = String::new();
    for (name, keys) in registers() {
        let Some((body, shares)) = shares(found, &keys) else { continue };
        let cells = shares.map(|share| format!("{share:>9.0}")).join(" ");
        text += &format!("{name:<9} {body:>7.2} {cells}\n");
        let largest = Region::ALL.into_iter().zip(shares).max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((region, share)) = largest {
            words += &format!("{name}: most of it ({share:.0} %) {}\n", region.words());
        }
    }
    text + &words
}

/// The distance of the body and the shares of the regions, by register with notes, as JSON.
pub fn json(found: &[Found<'_>]) -> Value {
    let entry = |(name, keys)| {
        let (body, shares) = shares(found, &keys)?;
        let mut entry = serde_json::json!({ "register": name, "body_db": body });
        for (region, share) in Region::ALL.into_iter().zip(shares) {
            entry[format!("{}_percent", region.column())] = share.into();
        }
        Some(entry)
    };
    registers().filter_map(entry).collect()
}

/// Mean distance of the body of `keys`, dB, and shares of the regions in the mean of its square, %.
fn shares(found: &[Found<'_>], keys: &RangeInclusive<u8>) -> Option<(f64, [f64; 3])> {
    let inside = || found.iter().filter(|one| keys.contains(&one.number));
    let body = mean(inside().map(|one| one.apart[0]))?;
    let mut sums = [0.0; 3];
    for rest in inside().map(rest) {
        sums.iter_mut().zip(rest).for_each(|(sum, square)| *sum += square);
    }
    let all = sums.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    Some((body, sums.map(|sum| 100.0 * sum / all)))
}

#[cfg(test)]
mod tests {
    use super::*;

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
