//! `presets`: checks that all factory pianos are equally loud on a soft and a loud phrase together, and
//! measures their differences.

use std::fmt::Write as _;

use anyhow::Result;

use touchback_core::math::cast::floor_index;
use touchback_core::math::power::square;
use touchback_instrument::host::preset::{PRESETS, Preset};
use touchback_offline::bench::phrase::{self, PhraseLevel};
use touchback_offline::bench::{DataTable, Folder, Report, TargetBand, short};
use touchback_offline::parallel;

/// Factors of the phrase's velocities for the level range.
const TOUCHES: [f64; 2] = [0.6, 1.4];

/// Largest difference of a piano's level from the first on each of both phrases, LU.
const LEVEL_LU: f64 = 3.0;

/// The pianos whose loudness does not follow velocity. They cannot be equal on both phrases; in music, whose loudness is
/// that of its loud parts, they are as loud as the others within 3 LU at [`UNIFORM_LU`] over the loud phrase.
const UNIFORM: [&str; 2] = ["harpsichord", "organ"];

/// Level of these pianos on the loud phrase above that of the first, LU (chosen: on a recorded performance, Mozart
/// K. 331, harpsichord and organ are then 2.4 LU softer and 2 LU louder than the first).
const UNIFORM_LU: f64 = 1.0;

/// Largest peak of the loud phrase without the output guard, dBFS: the guard's ceiling.
const PEAK_DB: f64 = -1.0;

/// Unit differences: level range, LU, centroid, cents, natural logarithm of decay, tail, dB.
const UNITS: [f64; 4] = [1.0, 100.0, 0.14, 3.0];

/// One piano on the phrase.
struct Played {
    name: &'static str,
    /// Levels of the soft and of the loud phrase.
    levels: [PhraseLevel; 2],
    /// Level difference between hard and soft touch, LU.
    range: f64,
    /// Centroid of the spectrum, Hz.
    centroid: f64,
    /// Time for the chord to fall by 15 dB, s; NaN if it does not fall.
    decay: f64,
    /// Level 0.2 s after the last key and the pedal are up over that before, dB.
    tail: f64,
    /// The preset's level, dB.
    output_db: f64,
}

impl Played {
    fn of(preset: &Preset) -> Result<Self> {
        let settings = preset.piano();
        let analysis = phrase::play(&settings, 1.0)?;
        let [soft, hard] = TOUCHES.map(|touch| phrase::play(&settings, touch));
        Ok(Self {
            name: preset.name,
            levels: phrase::soft_and_loud(&settings)?,
            range: hard?.level - soft?.level,
            centroid: analysis.centroid,
            decay: analysis.decay,
            tail: tail(&analysis.samples),
            output_db: settings.output_db,
        })
    }

    /// Mean loudness of both phrases, LUFS.
    fn level(&self) -> f64 {
        0.5 * (self.levels[0].loudness + self.levels[1].loudness)
    }

    /// Level above the one at which the piano is as loud as `first`, LU.
    fn over(&self, first: &Self) -> f64 {
        match UNIFORM.contains(&self.name) {
            true => self.above(first)[1] - UNIFORM_LU,
            false => self.level() - first.level(),
        }
    }

    /// Loudness of each phrase above that of `other`, LU.
    fn above(&self, other: &Self) -> [f64; 2] {
        [0, 1].map(|i| self.levels[i].loudness - other.levels[i].loudness)
    }

    /// Distance to another piano in units of [`UNITS`]; above 1 the pianos count as different.
    fn distance(&self, other: &Self) -> f64 {
        let differences = [
            self.range - other.range,
            1200.0 * libm::log2(self.centroid / other.centroid),
            // A sustained and a decaying piano differ without limit.
            match [self.decay, other.decay].map(f64::is_finite) {
                [true, true] => libm::log(self.decay / other.decay),
                [false, false] => 0.0,
                _ => f64::INFINITY,
            },
            self.tail - other.tail,
        ];
        differences.iter().zip(UNITS).fold(0.0, |most, (d, unit)| (d.abs() / unit).max(most))
    }
}

/// [`Played::tail`] of the phrase's `samples`, left then right: the pedal is let go at 2.3 s.
fn tail(samples: &[f32]) -> f64 {
    let energy = |from: f64, to: f64| {
        let [from, to] = [from, to].map(|time| floor_index(time * f64::from(phrase::RATE)));
        let both = samples.chunks(samples.len() / 2).map(|channel| &channel[from..to]);
        both.flatten().map(|x| square(f64::from(*x))).sum::<f64>()
    };
    10.0 * libm::log10(energy(2.5, 2.6) / energy(2.2, 2.3))
}

/// Measures all pianos, in order.
fn measure() -> Result<Vec<Played>> {
    parallel::map(&PRESETS, Played::of).into_iter().collect()
}

/// The two most similar pianos, and their distance.
fn nearest(played: &[Played]) -> (f64, &str, &str) {
    let pairs = (0..played.len()).flat_map(|i| (0..i).map(move |j| (&played[i], &played[j])));
    let pairs = pairs.map(|(a, b)| (a.distance(b), a.name, b.name));
    pairs.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, "", ""))
}

/// The table of levels that make all pianos as loud as the first, as source text.
fn levels(played: &[Played]) -> String {
    let mut text = format!(
        "//! Levels of the factory pianos, dB, at which all are equally loud on a soft and a loud phrase together.\n\
         //! Written by `touchback-proof lab presets`.\n\n\
         /// Level by name, in the pianos' order.\n\
         pub(super) const LEVELS: [(&str, f64); {}] = [\n",
        played.len()
    );
    for piano in played {
        let level = piano.output_db - piano.over(&played[0]);
        // Avoids −0.
        let level = (10.0 * level).round() / 10.0 + 0.0;
        text += &format!("    (\"{}\", {level:.1}),\n", piano.name);
    }
    text + "];\n"
}

/// Measures all pianos and writes the table.
///
/// # Errors
/// A file that cannot be written.
pub fn run(folder: &mut Folder) -> Result<Report> {
    let played = measure()?;
    let mut report = Report::default();
    let mut csv = DataTable::new(&[
        "piano",
        "soft_lufs",
        "loud_lufs",
        "loud_peak_dbfs",
        "range_lu",
        "centroid_hz",
        "decay_s",
        "tail_db",
    ]);
    let mut table = String::from(
        "| piano | soft phrase, LUFS | loud phrase, LUFS | its peak, dBFS | soft to loud, LU | centroid, Hz | decay by 15 dB, s | tail, dB | most similar piano, distance |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for piano in &played {
        let Played { name, levels: [soft, loud], range, centroid, decay, tail, .. } = piano;
        let others = played.iter().filter(|other| other.name != *name);
        let (similar, distance) = others
            .map(|other| (other.name, piano.distance(other)))
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .unwrap_or(("", f64::INFINITY));
        let first = &played[0];
        let quantity = format!("{name}: level above the one as loud as {}, LU", first.name);
        report.check(&quantity, "0", TargetBand::Within(-1.0, 1.0), piano.over(first));
        if !UNIFORM.contains(name) {
            for (phrase, above) in ["soft", "loud"].iter().zip(piano.above(first)) {
                let quantity = format!("{name}: {phrase} phrase above {}, LU", first.name);
                report.check(&quantity, "0", TargetBand::Within(-LEVEL_LU, LEVEL_LU), above);
            }
        }
        let quantity = format!("{name}: peak of the loud phrase, dBFS");
        report.check(&quantity, "≤ −1", TargetBand::AtMost(PEAK_DB), loud.peak);
        writeln!(
            table,
            "| {name} | {:.1} | {:.1} | {:.1} | {range:.1} | {centroid:.0} | {} | {tail:.0} | {similar}, {distance:.1} |",
            soft.loudness,
            loud.loudness,
            loud.peak,
            if decay.is_finite() { format!("{decay:.2}") } else { "–".into() }
        )?;
        csv.numbers(
            name,
            &[soft.loudness, loud.loudness, loud.peak, *range, *centroid, *decay, *tail],
        );
    }
    let (least, one, other) = nearest(&played);
    report.check("distance of the two most similar pianos", "1", TargetBand::AtLeast(1.0), least);
    report.note(&table);
    report.note(&format!(
        "The unit of distance is 1 LU of level range, 100 cents of centroid, 15 % of decay or 3 dB of tail. Most \
         similar: {one} and {other}, distance {}. `levels.rs` is \
         crates/instrument/src/host/preset/levels.rs.",
        short(least)
    ));
    folder.table("presets.csv", &csv)?;
    folder.write("levels.rs", levels(&played).as_bytes())?;
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_factory_pianos_are_equally_loud_and_different() {
        let played = measure().unwrap();
        let again =
            "`touchback-proof lab presets` writes crates/instrument/src/host/preset/levels.rs anew";
        for piano in &played {
            let (name, mean) = (piano.name, piano.over(&played[0]));
            assert!(mean.abs() <= 1.0, "{name}: {mean} LU: {again}");
            let each = piano.above(&played[0]);
            let is_even = UNIFORM.contains(&name) || each.iter().all(|lu| lu.abs() <= LEVEL_LU);
            assert!(is_even, "{name}: {each:?} LU: {again}");
            assert!(piano.levels[1].peak <= PEAK_DB, "{name}: {:?}: {again}", piano.levels[1]);
        }
        let (least, one, other) = nearest(&played);
        assert!(least >= 1.0, "{one} and {other}: {least}");
        let table = levels(&played);
        assert_eq!(table.lines().filter(|line| line.ends_with("),")).count(), PRESETS.len());
    }
}
