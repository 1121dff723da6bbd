//! `presets`: checks that all factory pianos are equally loud on one phrase, and measures their
//! differences.

use std::fmt::Write as _;

use anyhow::Result;

use crate::bench::phrase;
use crate::bench::{DataTable, Folder, Report, TargetBand, short};
use crate::parallel;
use touchback_instrument::preset::{PRESETS, Preset};

/// Factors of the phrase's velocities for the level range.
const TOUCHES: [f64; 2] = [0.6, 1.4];

/// Unit differences: level range, LU, centroid, cents, natural logarithm of decay.
const UNITS: [f64; 3] = [1.0, 100.0, 0.14];

/// One piano on the phrase.
struct Played {
    name: &'static str,
    /// Loudness, LUFS.
    level: f64,
    /// Level difference between hard and soft touch, LU.
    range: f64,
    /// Centroid of the spectrum, Hz.
    centroid: f64,
    /// Time for the chord to fall by 15 dB, s; NaN if it does not fall.
    decay: f64,
    /// The preset's level, dB.
    output_db: f64,
}

impl Played {
    fn of(preset: &Preset) -> Result<Self> {
        let settings = preset.settings();
        let analysis = phrase::play(&settings, 1.0)?;
        let [soft, hard] = TOUCHES.map(|touch| phrase::play(&settings, touch));
        Ok(Self {
            name: preset.name,
            level: analysis.level,
            range: hard?.level - soft?.level,
            centroid: analysis.centroid,
            decay: analysis.decay,
            output_db: settings.output_db,
        })
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
        ];
        differences.iter().zip(UNITS).fold(0.0, |most, (d, unit)| (d.abs() / unit).max(most))
    }
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
        "//! Levels of the factory pianos, dB, at which all are equally loud on one phrase. Written by\n\
         //! `touchback lab presets`.\n\n\
         /// Level by name, in the pianos' order.\n\
         pub(super) const LEVELS: [(&str, f64); {}] = [\n",
        played.len()
    );
    for piano in played {
        let level = piano.output_db + played[0].level - piano.level;
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
    let mut csv = DataTable::new(&["piano", "level_lufs", "range_lu", "centroid_hz", "decay_s"]);
    let mut table = String::from(
        "| piano | level, LUFS | soft to loud, LU | centroid, Hz | decay by 15 dB, s | most similar piano, distance |\n\
         | --- | --- | --- | --- | --- | --- |\n",
    );
    for piano in &played {
        let Played { name, level, range, centroid, decay, .. } = piano;
        let others = played.iter().filter(|other| other.name != *name);
        let (similar, distance) = others
            .map(|other| (other.name, piano.distance(other)))
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .unwrap_or(("", f64::INFINITY));
        let quantity = format!("{name}: level above {}, LU", played[0].name);
        report.check(&quantity, "0", TargetBand::Within(-1.0, 1.0), level - played[0].level);
        writeln!(
            table,
            "| {name} | {level:.1} | {range:.1} | {centroid:.0} | {} | {similar}, {distance:.1} |",
            if decay.is_finite() { format!("{decay:.2}") } else { "–".into() }
        )?;
        csv.numbers(name, &[*level, *range, *centroid, *decay]);
    }
    let (least, one, other) = nearest(&played);
    report.check("distance of the two most similar pianos", "1", TargetBand::AtLeast(1.0), least);
    report.note(&table);
    report.note(&format!(
        "The unit of distance is 1 LU of level range, 100 cents of centroid or 15 % of decay. Most \
         similar: {one} and {other}, distance {}. `levels.rs` is \
         crates/instrument/src/preset/levels.rs.",
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
        let again = "`touchback lab presets` writes crates/instrument/src/preset/levels.rs anew";
        let louder = |piano: &Played| (piano.name, piano.level - played[0].level);
        let uneven: Vec<_> = played.iter().map(louder).filter(|(_, lu)| lu.abs() > 1.0).collect();
        assert!(uneven.is_empty(), "LU: {uneven:?}: {again}");
        let (least, one, other) = nearest(&played);
        assert!(least >= 1.0, "{one} and {other}: {least}");
        let table = levels(&played);
        assert_eq!(table.lines().filter(|line| line.ends_with("),")).count(), PRESETS.len());
    }
}
