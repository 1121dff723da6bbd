//! `touchback match`: parameters fitted to somebody's recorded piano, as a preset.
//!
//! Levenberg–Marquardt on the deviations whose rms is the distance of `measure`, over a few
//! keys of the folder; what it came to is measured on all of them.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, bail};
use indicatif::ProgressBar;
use rmpfit::{MPConfig, MPFitter, MPPar, MPResult};

use super::measure::{Measured, deviations, distance};
use super::pairs::{Found, Notes, compare};
use super::takes::takes;
use super::verdict::{REGISTERS, mean};
use super::{recorded, rendered};
use crate::controls;
use crate::output::{self, Draft, distinct, progress};
use touchback::instrument::Settings;
use touchback::params::{self, Parameter, ValueKind};
use touchback::preset::file::NamedPiano;
use touchback::preset::user_presets;

/// Share of a parameter's range by which it is moved for a derivative (chosen: above the ripple that
/// beating partials give a distance).
const MOVED: f64 = 0.03;

/// Iterations after which it is given up: the last ones bring less than 1 % each.
const ITERATIONS: usize = 8;

/// What to match.
#[derive(clap::Args, Debug)]
pub struct MatchOptions {
    /// Folder of single notes (.wav, .flac, .ogg) or an .sfz file, as `lab recorded` reads it
    #[arg(value_name = "FOLDER|FILE.sfz")]
    folder: PathBuf,
    /// Preset file to write
    #[arg(short, long, value_name = "PRESET.toml")]
    output: PathBuf,
    /// Parameters that are fitted, with commas between
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = [
        "hammer_hardness", "strike_point", "unison_width_cents", "sustain", "brightness_loss",
        "board", "knocks", "lid",
    ].map(String::from))]
    free: Vec<String>,
    /// Most keys that are fitted, evenly over those of the folder; all are measured before and after
    #[arg(long, value_name = "N", default_value_t = 8,
          value_parser = clap::value_parser!(u8).range(1..=88))]
    keys: u8,
    /// MIDI velocities that are rendered, with commas between
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = [32, 80, 127],
          value_parser = clap::value_parser!(u8).range(1..=127))]
    velocities: Vec<u8>,
    /// Factory piano to start from, or a preset file
    #[arg(long, value_name = "NAME|FILE.toml", default_value = "concert")]
    preset: String,
    /// Sets a parameter, in its unit or by the choice's name (repeatable)
    #[arg(long, value_name = "ID=VALUE")]
    set: Vec<String>,
}

/// Fits, prints parameters and distances before and after, and writes the preset.
///
/// # Errors
/// No recorded note in the folder, a damaged file, bad options; nothing is written then.
pub fn run(options: &MatchOptions) -> Result<()> {
    let show = options.output.display();
    if options.output.extension().is_none_or(|e| e != user_presets::EXTENSION) {
        bail!("--output {show}: a preset is a .toml file");
    }
    distinct(controls::preset_file(&options.preset).as_slice(), &[&options.output])?;
    let mut start = controls::preset(&options.preset)?;
    controls::set(&mut start, &options.set)?;
    let free = free(&options.free)?;
    let (takes, passed_over) = takes(&options.folder)?;
    let recorded = recorded(&takes)?;
    let draft = Draft::create(&options.output)?;
    let mut velocities = options.velocities.clone();
    velocities.sort_unstable();
    velocities.dedup();
    let keys: Vec<u8> = recorded.keys().copied().collect();
    let few = evenly(&keys, usize::from(options.keys));
    let chosen = recorded.iter().filter(|(key, _)| few.contains(*key));
    let chosen: Notes = chosen.map(|(key, layers)| (*key, layers.clone())).collect();
    let (settings, iterations) = fit(&start, &free, chosen, &velocities)?;
    let [before, after] = [&start, &settings].map(|s| rendered(s, &keys, &velocities));
    let apart = [&before, &after].map(|ours| compare(&takes, &recorded, ours).found);
    let piano = NamedPiano {
        name: options.output.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        notes: format!("Matched to {} recorded notes, from {}.", apart[0].len(), options.preset),
        tags: Vec::new(),
        settings,
    };
    draft.write_all(piano.text().map_err(|error| anyhow!(error))?.as_bytes())?;
    draft.keep()?;
    let moved = parameters(&free, &start, &settings);
    let table = distances(&apart);
    let passed_over = passed_over.map_or_else(String::new, |told| told + "\n");
    output::print(&format!(
        "{passed_over}{} recorded notes of {} keys, {} of them fitted in {iterations} iterations\n\n{moved}\n\
         {table}\nwrote {show}\n",
        apart[0].len(),
        keys.len(),
        few.len(),
    ))
}

/// The parameters `ids`.
fn free(ids: &[String]) -> Result<Vec<&'static Parameter>> {
    let mut seen = BTreeSet::new();
    let find = |id: &String| {
        let parameter = params::find(id.trim()).context("--free")?;
        if !matches!(parameter.kind, ValueKind::Number { .. }) {
            bail!("--free {id}: is a choice, and only numbers are fitted");
        }
        if !seen.insert(parameter.id) {
            bail!("--free {id}: name every parameter once");
        }
        Ok(parameter)
    };
    ids.iter().map(find).collect()
}

/// At most `most` of `keys`, evenly spread, the ends among them from two on.
fn evenly(keys: &[u8], most: usize) -> BTreeSet<u8> {
    let count = most.min(keys.len());
    let (last, gaps) = (keys.len().saturating_sub(1), count.saturating_sub(1).max(1));
    (0..count).map(|i| keys[if count == 1 { last / 2 } else { i * last / gaps }]).collect()
}

/// The recorded notes, and how positions in the parameters' ranges become a piano.
struct Problem<'a> {
    start: &'a Settings,
    free: &'a [&'static Parameter],
    recorded: Notes,
    velocities: &'a [u8],
    points: usize,
    limits: Vec<MPPar>,
    config: MPConfig,
    bar: ProgressBar,
}

impl Problem<'_> {
    fn settings(&self, positions: &[f64]) -> Settings {
        let mut settings = *self.start;
        for (parameter, position) in self.free.iter().zip(positions) {
            parameter.set(&mut settings, parameter.plain(*position));
        }
        settings
    }
}

impl MPFitter for Problem<'_> {
    fn eval(&mut self, params: &[f64], deviates: &mut [f64]) -> MPResult<()> {
        let keys: Vec<u8> = self.recorded.keys().copied().collect();
        let ours = rendered(&self.settings(params), &keys, self.velocities);
        let mut places = deviates.iter_mut();
        for (number, layers) in &self.recorded {
            for note in layers.values() {
                let parts: [fn(&Measured) -> &[f64]; 2] = [|m| &m.body, |m| &m.attack];
                for part in parts {
                    let apart = |one: &Measured| distance(part(note), part(one));
                    let nearest = ours[number]
                        .values()
                        .min_by(|a, b| apart(a).total_cmp(&apart(b)))
                        .map_or_else(Vec::new, |one| deviations(part(note), part(one)));
                    nearest.into_iter().zip(&mut places).for_each(|(d, place)| *place = d);
                }
            }
        }
        self.bar.inc(1);
        Ok(())
    }

    fn number_of_points(&self) -> usize {
        self.points
    }

    fn config(&self) -> &MPConfig {
        &self.config
    }

    fn parameters(&self) -> &[MPPar] {
        &self.limits
    }
}

/// The settings nearest to `recorded`, and after how many iterations.
fn fit(
    start: &Settings,
    free: &[&'static Parameter],
    recorded: Notes,
    velocities: &[u8],
) -> Result<(Settings, usize)> {
    let limit = || MPPar {
        limited_low: true,
        limited_up: true,
        limit_low: 0.0,
        limit_up: 1.0,
        step: MOVED,
        ..MPPar::new()
    };
    let points = recorded.values().flat_map(|layers| layers.values());
    let points = points.map(|note| note.body.len() + note.attack.len()).sum();
    let steps = ITERATIONS * (free.len() + 2);
    let mut problem = Problem {
        start,
        free,
        recorded,
        velocities,
        points,
        limits: free.iter().map(|_| limit()).collect(),
        config: MPConfig {
            ftol: 1e-3,
            xtol: 1e-3,
            max_iter: ITERATIONS,
            // The first step stays within the size of the start's positions.
            step_factor: 1.0,
            ..MPConfig::new()
        },
        bar: progress(steps as u64, "fitting"),
    };
    let mut positions: Vec<f64> = free.iter().map(|p| p.normalized(p.get(start))).collect();
    let status = problem.mpfit(&mut positions).map_err(|e| anyhow!("the fit cannot begin: {e}"))?;
    problem.bar.finish_and_clear();
    Ok((problem.settings(&positions), status.n_iter))
}

/// The fitted parameters before and after, a line each.
fn parameters(free: &[&'static Parameter], before: &Settings, after: &Settings) -> String {
    let line = |p: &&Parameter| {
        format!("{:<20} {:>16} → {}\n", p.id, p.text(p.get(before)), p.text(p.get(after)))
    };
    free.iter().map(line).collect()
}

/// Mean distances before and after, a line a register that has notes.
fn distances(apart: &[Vec<Found<'_>>; 2]) -> String {
    let firsts = std::iter::once(0).chain(REGISTERS.map(|(_, last)| last));
    let registers = REGISTERS.iter().zip(firsts).map(|((name, last), first)| (*name, first, *last));
    let mut text = format!("{:<9} {:>19} {:>19}\n", "dB apart", "body", "attack");
    for (name, first, last) in registers.chain([("all keys", 0, 88)]) {
        let of = |all: &[Found<'_>], part: usize| {
            let inside = all.iter().filter(|f| f.number > first && f.number <= last);
            mean(inside.map(|f| f.apart[part]))
        };
        let cell = |part| Some((of(&apart[0], part)?, of(&apart[1], part)?));
        if let (Some(body), Some(attack)) = (cell(0), cell(1)) {
            let cells = [body, attack].map(|(before, after)| format!("{before:.2} → {after:.2}"));
            text += &format!("{name:<9} {:>19} {:>19}\n", cells[0], cells[1]);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::tests::own_note;
    use super::*;
    use touchback::math::compass::KeyNumber;

    fn options(folder: &std::path::Path, output: PathBuf) -> MatchOptions {
        MatchOptions {
            folder: folder.into(),
            output,
            free: vec!["hammer_hardness".into(), "sustain".into()],
            keys: 2,
            velocities: vec![64],
            preset: "concert".into(),
            set: Vec::new(),
        }
    }

    #[test]
    fn a_known_voicing_is_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let mut voiced = Settings::default();
        voiced.action.hammer_hardness = -1.0;
        voiced.sound.sustain = 0.6;
        for (index, name) in [(27, "C3.wav"), (51, "C5.wav")] {
            let key = KeyNumber::from_index(index).unwrap();
            own_note(&voiced, key, &folder.path().join(name));
        }
        let output = folder.path().join("mine.toml");
        run(&options(folder.path(), output.clone())).unwrap();
        let (found, losses) = user_presets::read(&output).unwrap();
        assert_eq!((losses.words(), found.name.as_str()), (None, "mine"));
        let [hardness, sustain] =
            [found.settings.action.hammer_hardness, found.settings.sound.sustain];
        assert!((hardness + 1.0).abs() < 0.15, "{hardness}");
        assert!((sustain - 0.6).abs() < 0.06, "{sustain}");
        let mut rest = found.settings;
        rest.action.hammer_hardness = 0.0;
        rest.sound.sustain = 1.0;
        assert_eq!(rest, Settings::default());
    }

    #[test]
    fn bad_options_are_refused_before_anything_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("mine.toml");
        let told = |change: &dyn Fn(&mut MatchOptions)| {
            let mut options = options(folder.path(), output.clone());
            change(&mut options);
            format!("{:#}", run(&options).unwrap_err())
        };
        assert!(told(&|_| ()).contains("no .wav, .flac or .ogg file"));
        assert!(told(&|o| o.output = "mine.wav".into()).contains(".toml"));
        assert!(told(&|o| o.free = vec!["felt".into()]).contains("felt"));
        assert!(told(&|o| o.free = vec!["perspective".into()]).contains("is a choice"));
        assert!(told(&|o| o.free = vec!["lid".into(), "lid".into()]).contains("once"));
        assert!(!output.exists());
    }

    #[test]
    fn keys_are_spread_over_those_there_are() {
        let keys: Vec<u8> = (1..=88).collect();
        assert_eq!(evenly(&keys, 3).into_iter().collect::<Vec<_>>(), [1, 44, 88]);
        assert_eq!(evenly(&keys, 1).into_iter().collect::<Vec<_>>(), [44]);
        assert_eq!(evenly(&[7, 9], 8).into_iter().collect::<Vec<_>>(), [7, 9]);
    }
}
