//! `lab listening --web`: a blind listening test of pianos as a page for a browser, after ITU-R BS.1534-3.
//!
//! Every source plays the same excerpts: single notes over the compass, soft, medium and loud, and, where no
//! source is a folder of recordings, the beginning of a prelude. Excerpts are equally loud. The first source is the
//! reference; it appears once more among the others, with a low-pass anchor.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use serde::Serialize;

use crate::sound_file;
use crate::takes::{Take, Takes, takes};
use touchback_core::exchange::cancel;
use touchback_core::math::cast::{floor_index, rounded_i32, single};
use touchback_core::math::compass::KeyNumber;
use touchback_instrument::host::midi_file::Score;
use touchback_instrument::{Event, Piano, Settings};
use touchback_offline::bench::Folder;
use touchback_offline::output::{self, progress};
use touchback_offline::paths::{self, PianoName};
use touchback_offline::render::loudness::Loudness;
use touchback_offline::wave::Wave;
use touchback_offline::{controls, parallel, prelude, render};

/// Sample rate of rendered excerpts, Hz. Recordings keep theirs; browsers convert.
const RATE: u32 = 48_000;
/// Length of a note in an excerpt, and of its fade at the end, s.
const NOTE: f64 = 1.4;
const FADE: f64 = 0.05;
/// Keys of an excerpt: 10 s is as long as listeners can compare (BS.1534-3, § 5).
const NOTES: usize = 7;
/// Middle of the excerpts' names, share of a recording's layers, and MIDI velocity.
const DYNAMICS: [(&str, f64, u8); 3] =
    [("soft", 0.25, 35), ("medium", 0.6, 70), ("loud", 0.95, 110)];
/// Loudness of all excerpts, LUFS, where their peaks stay below [`PEAK`].
const LOUDNESS: f64 = -23.0;
/// Highest peak, full scale 1.
const PEAK: f64 = 0.89;
/// Corner frequency of the anchor, Hz (BS.1534-3, § 5.1).
const ANCHOR: f64 = 3500.0;
/// Half the length of the anchor's filter, s: its slope is 300 Hz wide.
const ANCHOR_HALF: f64 = 0.006;
/// Length of the prelude's beginning, s.
const PRELUDE: f64 = 10.0;

/// Stereo sound.
struct Sound {
    channels: [Vec<f32>; 2],
    rate: u32,
}

/// One source, as given.
enum Source {
    Piano(Box<Settings>),
    Recordings(Takes),
}

impl Source {
    /// The source that `text` names: a folder of recordings or .sfz file, parameters as `let_off_mm=3,lid=0.5`, a
    /// factory piano, or a preset file.
    fn open(text: &str) -> Result<Self> {
        let path = Path::new(text);
        let is_sfz = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("sfz"));
        if path.is_dir() || is_sfz {
            return Ok(Self::Recordings(takes(path, None)?));
        }
        let mut settings = Settings::default();
        if text.contains('=') {
            let options: Vec<String> = text.split(',').map(str::to_owned).collect();
            controls::set(&mut settings, &options)?;
        } else {
            settings = controls::preset(text)?;
        }
        Ok(Self::Piano(Box::new(settings)))
    }

    /// `keys` one after another at a dynamic.
    fn notes(&self, keys: &[KeyNumber], share: f64, velocity: u8) -> Result<Sound> {
        match self {
            Self::Piano(settings) => Ok(played(settings, keys, velocity)),
            Self::Recordings(Takes { notes: all, .. }) => {
                let mut sound = Sound { channels: Default::default(), rate: RATE };
                for key in keys {
                    let layers: Vec<&Take> = all.iter().filter(|take| take.key == *key).collect();
                    let index = rounded_i32(share * (layers.len() as f64 - 1.0)).unsigned_abs();
                    let take = layers.get(usize::try_from(index)?).context("a key is missing")?;
                    let note = sound_file::read(&take.path)?;
                    let rate = u32::try_from(rounded_i32(note.rate))?;
                    if rate != sound.rate && !sound.channels[0].is_empty() {
                        bail!("{}: its sample rate differs from the others", take.path.display());
                    }
                    sound.rate = rate;
                    for (all, one) in sound.channels.iter_mut().zip(&note.channels) {
                        append(all, one, note.rate);
                    }
                }
                Ok(sound)
            }
        }
    }

    fn prelude(&self) -> Result<Option<Sound>> {
        let Self::Piano(settings) = self else { return Ok(None) };
        let score = Score::read("prelude.mid", &prelude::midi(prelude::BARS))?;
        let mut channels: [Vec<f32>; 2] = Default::default();
        let length = floor_index(PRELUDE * f64::from(RATE));
        let done = render::perform(&score, settings, RATE, |left, right| {
            channels[0].extend_from_slice(left);
            channels[1].extend_from_slice(right);
            // Nothing but an error ends a performance early.
            if channels[0].len() < length { Ok(()) } else { Err(Enough.into()) }
        });
        if let Err(error) = done
            && !error.is::<Enough>()
        {
            return Err(error);
        }
        channels.iter_mut().for_each(|samples| {
            samples.truncate(length);
            fade(samples, f64::from(RATE));
        });
        Ok(Some(Sound { channels, rate: RATE }))
    }
}

/// The end of what is needed of a performance.
#[derive(Debug, thiserror::Error)]
#[error("enough was played")]
struct Enough;

/// `keys` on a piano, one after another.
fn played(settings: &Settings, keys: &[KeyNumber], velocity: u8) -> Sound {
    let rate = f64::from(RATE);
    let mut channels: [Vec<f32>; 2] = Default::default();
    for key in keys {
        // A piano of its own: no note sounds into the next, as in recordings of single notes.
        let mut piano = Piano::new(rate, settings);
        piano.handle(Event::NoteOn { key: *key, velocity: f64::from(velocity) / 127.0 });
        let length = floor_index(NOTE * rate);
        let (mut left, mut right) = (vec![0.0; length], vec![0.0; length]);
        cancel::check();
        piano.process(&mut left, &mut right);
        append(&mut channels[0], &left, rate);
        append(&mut channels[1], &right, rate);
    }
    Sound { channels, rate: RATE }
}

/// Appends a note of the excerpt's length to `all`.
fn append(all: &mut Vec<f32>, note: &[f32], rate: f64) {
    let length = floor_index(NOTE * rate);
    let mut part: Vec<f32> = note.iter().copied().take(length).collect();
    part.resize(length, 0.0);
    fade(&mut part, rate);
    all.append(&mut part);
}

/// Fades the end of `samples`.
fn fade(samples: &mut [f32], rate: f64) {
    let length = floor_index(FADE * rate).min(samples.len());
    let from = samples.len() - length;
    for (i, sample) in samples[from..].iter_mut().enumerate() {
        *sample *= single(1.0 - (i as f64 + 1.0) / length as f64);
    }
}

impl Sound {
    fn peak(&self) -> f64 {
        let samples = self.channels.iter().flatten();
        f64::from(samples.fold(0.0f32, |most, sample| most.max(sample.abs())))
    }

    fn lufs(&self) -> Result<f64> {
        let mut loudness = Loudness::new(self.rate)?;
        loudness.add(&self.channels[0], &self.channels[1])?;
        Ok(loudness.lufs())
    }

    fn scale(&mut self, factor: f64) {
        self.channels.iter_mut().flatten().for_each(|sample| *sample *= single(factor));
    }

    /// This sound without what lies above [`ANCHOR`]: windowed sine cardinal, Hann.
    fn anchor(&self) -> Self {
        use std::f64::consts::{PI, TAU};
        let half = rounded_i32(ANCHOR_HALF * f64::from(self.rate));
        let turn = TAU * ANCHOR / f64::from(self.rate);
        let tap = |i: i32| {
            let x = turn * f64::from(i);
            let sinc = if i == 0 { 1.0 } else { libm::sin(x) / x };
            sinc * (0.5 + 0.5 * libm::cos(PI * f64::from(i) / f64::from(half + 1)))
        };
        let taps: Vec<f64> = (-half..=half).map(tap).collect();
        let sum: f64 = taps.iter().sum();
        let middle = taps.len() / 2;
        let filter = |samples: &Vec<f32>| {
            let at = |i: usize| {
                let terms = taps.iter().enumerate().filter_map(|(j, tap)| {
                    let sample = samples.get((i + middle).checked_sub(j)?)?;
                    Some(tap * f64::from(*sample))
                });
                single(terms.sum::<f64>() / sum)
            };
            (0..samples.len()).map(at).collect()
        };
        let [left, right] = &self.channels;
        Self { channels: [filter(left), filter(right)], rate: self.rate }
    }
}

/// The keys of the excerpts: those that every folder of recordings has, spread over the compass.
fn keys(sources: &[Source]) -> Result<Vec<KeyNumber>> {
    let mut common: BTreeSet<KeyNumber> = KeyNumber::all().collect();
    let mut is_recorded = false;
    for source in sources {
        if let Source::Recordings(Takes { notes: all, .. }) = source {
            let theirs: BTreeSet<KeyNumber> = all.iter().map(|take| take.key).collect();
            common = common.intersection(&theirs).copied().collect();
            is_recorded = true;
        }
    }
    if !is_recorded {
        // C1 to C7.
        return Ok((1..=7u8).filter_map(|octave| KeyNumber::from_midi(12 + 12 * octave)).collect());
    }
    let common: Vec<KeyNumber> = common.into_iter().collect();
    if common.is_empty() {
        bail!("--web: the folders of recordings have no key in common");
    }
    let count = NOTES.min(common.len());
    let at = |i: usize| common[(2 * i + 1) * common.len() / (2 * count)];
    Ok((0..count).map(at).collect())
}

/// A stimulus of a trial.
#[derive(Serialize)]
struct Stimulus {
    /// Name in the results.
    name: String,
    file: String,
}

/// One excerpt with all its stimuli.
#[derive(Serialize)]
struct Trial {
    id: String,
    reference: String,
    stimuli: Vec<Stimulus>,
}

/// Writes the test of `sources` into the existing folder `path`; its page, index.html, and its form for webMUSHRA. The
/// page shows the text `about` after the last trial.
///
/// # Errors
/// Fewer than two sources, one that is none, recordings without a common key, a file that cannot be written.
pub fn write(sources: &[String], about: &str, path: &Path) -> Result<Vec<std::path::PathBuf>> {
    if sources.len() < 2 {
        bail!("--web: a test compares at least two pianos or recordings; give --web several times");
    }
    let distinct: BTreeSet<&String> = sources.iter().collect();
    if distinct.len() < sources.len() {
        bail!(
            "--web: one source is given twice; the reference is hidden among the others by itself"
        );
    }
    let opened = sources.iter().map(|text| Source::open(text)).collect::<Result<Vec<_>>>()?;
    for source in &opened {
        if let Source::Recordings(Takes { files, .. }) = source {
            paths::check(files, &[] as &[&Path], &[path])?;
        }
    }
    let keys = keys(&opened)?;
    let mut folder = Folder::new(path);
    let mut trials = Vec::new();
    let bar = progress(DYNAMICS.len() as u64 + 1, "playing");
    for (name, share, velocity) in DYNAMICS {
        let sounds = parallel::map(&opened, |source| source.notes(&keys, share, velocity));
        let sounds = sounds.into_iter().collect::<Result<Vec<_>>>()?;
        trials.push(trial(&format!("notes-{name}"), sources, sounds, &mut folder)?);
        bar.inc(1);
    }
    let preludes = parallel::map(&opened, Source::prelude);
    let preludes = preludes.into_iter().collect::<Result<Option<Vec<_>>>>()?;
    if let Some(sounds) = preludes {
        trials.push(trial("prelude", sources, sounds, &mut folder)?);
    }
    bar.finish_and_clear();
    let data = |json: String| json.replace("</", "<\\/");
    let page = include_str!("blind_test.html")
        .replace("/*TRIALS*/[]", &data(serde_json::to_string(&trials)?))
        .replace("/*ABOUT*/\"\"", &data(serde_json::to_string(about)?));
    folder.write("index.html", page.as_bytes())?;
    folder.write("webmushra.yaml", web_mushra(&trials)?.as_bytes())?;
    folder.keep()
}

/// Makes the sounds equally loud, writes them, and lists them without the order of the sources.
fn trial(
    id: &str,
    sources: &[String],
    mut sounds: Vec<Sound>,
    folder: &mut Folder,
) -> Result<Trial> {
    let mut gains = Vec::new();
    for sound in &mut sounds {
        // The gates of the measure are absolute: a soft sound is measured at the level at which it is heard.
        sound.scale(PEAK / sound.peak().max(f64::MIN_POSITIVE));
        let lufs = sound.lufs()?;
        if !lufs.is_finite() {
            bail!("--web {}: silent", sources[gains.len()]);
        }
        gains.push(LOUDNESS - lufs);
    }
    let gain = |db: f64| libm::exp10(db / 20.0);
    // Peaks that are too high lower all of them.
    let most = sounds.iter().zip(&gains).map(|(s, g)| s.peak() * gain(*g)).fold(0.0, f64::max);
    let common = (PEAK / most).min(1.0);
    for (sound, own) in sounds.iter_mut().zip(&gains) {
        sound.scale(gain(*own) * common);
    }
    let mut stimuli = Vec::new();
    let names = std::iter::once("anchor35").chain(sources.iter().map(String::as_str));
    let anchor = sounds.first().context("no source")?.anchor();
    for (name, sound) in names.zip(std::iter::once(&anchor).chain(&sounds)) {
        let file = format!("{id}-{}.wav", blind_name(id, name));
        let mut wave = Wave::new(folder.draft(&file)?, sound.rate)?;
        wave.write(&sound.channels[0], &sound.channels[1])?;
        wave.finish()?;
        stimuli.push(Stimulus { name: name.into(), file });
    }
    let reference = stimuli[1].file.clone();
    stimuli.sort_by(|a, b| a.file.cmp(&b.file));
    Ok(Trial { id: id.into(), reference, stimuli })
}

/// A name that does not tell its source.
fn blind_name(id: &str, name: &str) -> String {
    use sha2::{Digest as _, Sha256};
    let digest = Sha256::digest(format!("{id} {name}").as_bytes());
    digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}

/// The configuration for webMUSHRA, which adds the hidden reference and the anchor itself. JSON is YAML.
fn web_mushra(trials: &[Trial]) -> Result<String> {
    let place = |file: &str| format!("configs/resources/touchback/{file}");
    let mut pages = vec![serde_json::json!({
        "type": "generic", "id": "begin", "name": "Pianos",
        "content": "Rate how near each sound is to the reference. One of them is the reference.",
    })];
    for trial in trials {
        let stimuli: serde_json::Map<String, serde_json::Value> = trial
            .stimuli
            .iter()
            .filter(|s| s.file != trial.reference && s.name != "anchor35")
            .map(|s| (s.name.clone(), place(&s.file).into()))
            .collect();
        pages.push(serde_json::json!({
            "type": "mushra", "id": trial.id, "name": trial.id, "content": "",
            "showWaveform": false, "enableLooping": true, "randomize": true,
            "reference": place(&trial.reference), "createAnchor35": true, "createAnchor70": false,
            "stimuli": stimuli,
        }));
    }
    pages.push(serde_json::json!({
        "type": "finish", "name": "Thank you", "content": "", "showResults": true,
        "writeResults": true,
    }));
    let test = serde_json::json!({
        "testname": "Touchback", "testId": "touchback", "bufferSize": 2048, "stopOnErrors": true,
        "showButtonPreviousPage": true, "remoteService": "service/write.php", "pages": pages,
    });
    Ok(serde_json::to_string_pretty(&test)? + "\n")
}

/// Writes the test and prints where it is.
///
/// # Errors
/// Errors of [`write()`].
pub fn run(sources: &[PianoName], about: &str, path: &Path) -> Result<()> {
    let sources: Vec<String> = sources.iter().map(|source| (**source).to_owned()).collect();
    let new = output::new_folder(path)?;
    let files = write(&sources, about, path)?;
    new.keep();
    let page = path.join("index.html");
    output::print(&format!(
        "wrote {} files into {}\n\nopen {} in a browser; webmushra.yaml is the same test for webMUSHRA\n",
        files.len(),
        path.display(),
        page.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[ignore = "long: `.ci/run` runs it"]
    fn a_test_has_a_hidden_reference_an_anchor_and_equal_loudness() {
        let dir = tempfile::tempdir().unwrap();
        let sources = ["concert".to_owned(), "let_off_mm=3,lid=0".to_owned()];
        let files = write(&sources, "5.1 dB </script>", dir.path()).unwrap();
        // Three dynamics and the prelude, three sounds each, and two pages.
        assert_eq!(files.len(), 4 * 3 + 2);
        let loudness = |file: &Path| {
            let note = sound_file::read(file).unwrap();
            let rate = u32::try_from(rounded_i32(note.rate)).unwrap();
            Sound { channels: note.channels, rate }.lufs().unwrap()
        };
        let yaml = std::fs::read_to_string(dir.path().join("webmushra.yaml")).unwrap();
        let test: serde_json::Value = serde_json::from_str(&yaml).unwrap();
        let pages = test["pages"].as_array().unwrap();
        assert_eq!(pages.len(), 6);
        let file = |value: &serde_json::Value| {
            let name = Path::new(value.as_str().unwrap()).file_name().unwrap().to_owned();
            dir.path().join(name)
        };
        for page in &pages[1..5] {
            let [a, b] = [&page["reference"], &page["stimuli"][&sources[1]]].map(file);
            assert!((loudness(&a) - loudness(&b)).abs() < 0.1, "{page}");
        }
        let html = std::fs::read_to_string(dir.path().join("index.html")).unwrap();
        assert!(html.contains("anchor35") && !html.contains("/*TRIALS*/"));
        assert!(html.contains("\"5.1 dB <\\/script>\"") && !html.contains("/*ABOUT*/"));
    }

    #[test]
    fn the_anchor_keeps_low_and_loses_high_frequencies() {
        let level = |frequency: f64| {
            let turn = std::f64::consts::TAU * frequency / f64::from(RATE);
            let sine: Vec<f32> = (0..4800).map(|i| single((turn * f64::from(i)).sin())).collect();
            let sound = Sound { channels: [sine.clone(), sine], rate: RATE };
            let middle = sound.anchor().channels[0][1000..3800].to_vec();
            middle.iter().fold(0.0f32, |most, x| most.max(x.abs()))
        };
        assert!((level(3000.0) - 1.0).abs() < 0.03, "{}", level(3000.0));
        assert!(level(4000.0) < 0.03, "{}", level(4000.0));
    }

    #[test]
    fn one_source_twice_or_alone_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let refused = |sources: &[&str]| {
            let sources: Vec<String> = sources.iter().map(|s| (*s).into()).collect();
            write(&sources, "", dir.path()).unwrap_err().to_string()
        };
        assert!(refused(&["concert"]).contains("at least two"));
        assert!(refused(&["concert", "concert"]).contains("twice"));
        assert!(refused(&["concert", "spinet"]).contains("no such piano"));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
