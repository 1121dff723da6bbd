//! `presets`: whether all factory pianos are as loud on one phrase, and how far apart they are.

use std::fmt::Write as _;

use anyhow::Result;

use crate::bench::phrase;
use crate::bench::{DataTable, Folder, Report, TargetBand, short};
use crate::parallel;
use touchback_instrument::preset::{PRESETS, Preset};

/// Shares of the phrase's velocities between which the level range lies.
const TOUCHES: [f64; 2] = [0.6, 1.4];

/// What counts as apart: LU of level range, cents of colour, natural logarithm of decay.
const APART: [f64; 3] = [1.0, 100.0, 0.14];

/// One piano on the phrase.
struct Played {
    name: &'static str,
    /// Loudness, LUFS.
    level: f64,
    /// Louder with a hard touch than with a soft one, LU.
    range: f64,
    /// Centroid of the spectrum, Hz.
    centroid: f64,
    /// Fall of the chord by 15 dB, s; NaN where it does not fall.
    decay: f64,
    /// Level that it has, dB.
    output_db: f64,
}

impl Played {
    fn of(preset: &Preset) -> Result<Self> {
        let settings = preset.settings();
        let heard = phrase::play(&settings, 1.0)?;
        let [soft, hard] = TOUCHES.map(|touch| phrase::play(&settings, touch));
        Ok(Self {
            name: preset.name,
            level: heard.level,
            range: hard?.level - soft?.level,
            centroid: heard.centroid,
            decay: heard.decay,
            output_db: settings.output_db,
        })
    }

    /// How far from another, in what counts as apart; above 1 it is.
    fn apart(&self, other: &Self) -> f64 {
        let differences = [
            self.range - other.range,
            1200.0 * libm::log2(self.centroid / other.centroid),
            // One that goes on sounding and one that falls are as far apart as can be.
            match [self.decay, other.decay].map(f64::is_finite) {
                [true, true] => libm::log(self.decay / other.decay),
                [false, false] => 0.0,
                _ => f64::INFINITY,
            },
        ];
        differences.iter().zip(APART).fold(0.0, |most, (d, apart)| (d.abs() / apart).max(most))
    }
}

/// All pianos, in their order.
fn measure() -> Result<Vec<Played>> {
    parallel::map(&PRESETS, Played::of).into_iter().collect()
}

/// The two that are nearest, and by how much.
fn nearest(played: &[Played]) -> (f64, &str, &str) {
    let pairs = (0..played.len()).flat_map(|i| (0..i).map(move |j| (&played[i], &played[j])));
    let pairs = pairs.map(|(a, b)| (a.apart(b), a.name, b.name));
    pairs.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, "", ""))
}

/// The table of levels, with which all are as loud as the first.
fn levels(played: &[Played]) -> String {
    let mut text = format!(
        "//! Levels of the factory pianos, dB, at which all are as loud on one phrase. Written by\n\
         //! `touchback lab presets`.\n\n\
         /// By name, in the pianos' order.\n\
         pub(super) const LEVELS: [(&str, f64); {}] = [\n",
        played.len()
    );
    for piano in played {
        let level = piano.output_db + played[0].level - piano.level;
        // What is next to nothing has no sign.
        let level = (10.0 * level).round() / 10.0 + 0.0;
        text += &format!("    (\"{}\", {level:.1}),\n", piano.name);
    }
    text + "];\n"
}

/// The table.
///
/// # Errors
/// A file that cannot be written.
pub fn run(folder: &mut Folder) -> Result<Report> {
    let played = measure()?;
    let mut report = Report::default();
    let mut csv = DataTable::new(&["piano", "level_lufs", "range_lu", "centroid_hz", "decay_s"]);
    let mut table = String::from(
        "| piano | level, LUFS | soft to loud, LU | centroid, Hz | 15 dB in, s | nearest, × apart |\n\
         | --- | --- | --- | --- | --- | --- |\n",
    );
    for piano in &played {
        let Played { name, level, range, centroid, decay, .. } = piano;
        let others = played.iter().filter(|other| other.name != *name);
        let (next, far) = others
            .map(|other| (other.name, piano.apart(other)))
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .unwrap_or(("", f64::INFINITY));
        let quantity = format!("{name}: louder than {}, LU", played[0].name);
        report.check(&quantity, "0", TargetBand::Within(-1.0, 1.0), level - played[0].level);
        writeln!(
            table,
            "| {name} | {level:.1} | {range:.1} | {centroid:.0} | {} | {next}, {far:.1} |",
            if decay.is_finite() { format!("{decay:.2}") } else { "–".into() }
        )?;
        csv.numbers(name, &[*level, *range, *centroid, *decay]);
    }
    let (least, one, other) = nearest(&played);
    report.check("nearest two, times apart", "1", TargetBand::AtLeast(1.0), least);
    report.note(&table);
    report.note(&format!(
        "Apart: 1 LU of level range, 100 cents of colour or 15 % of decay. Nearest: {one} and {other}, \
         {} times that. `levels.rs` is crates/instrument/src/preset/levels.rs.",
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
    fn every_factory_piano_is_as_loud_and_none_is_another() {
        let played = measure().unwrap();
        let again = "`touchback lab presets` writes crates/instrument/src/preset/levels.rs anew";
        for piano in &played {
            let louder = piano.level - played[0].level;
            assert!(louder.abs() <= 1.0, "{}: {louder:+.2} LU: {again}", piano.name);
        }
        let (least, one, other) = nearest(&played);
        assert!(least >= 1.0, "{one} and {other}: {least}");
        let table = levels(&played);
        assert_eq!(table.lines().filter(|line| line.ends_with("),")).count(), PRESETS.len());
    }
}
