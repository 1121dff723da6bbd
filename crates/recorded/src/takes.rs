//! Lists the recorded notes of a folder by file names, or of an SFZ file.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::pitch::{self, Octave};
use crate::{names, sfz, sound_file};
use touchback_core::math::compass::KeyNumber;
use touchback_offline::output::{self, Shown as _};
use touchback_offline::parallel;

/// Most files in the folder, and depth of the search.
const MOST_FILES: usize = 20_000;
const DEEPEST: usize = 8;

/// One recorded note, not yet read.
#[derive(Clone, PartialEq, Debug)]
pub struct Take {
    /// The sound file.
    pub path: PathBuf,
    /// The key.
    pub key: KeyNumber,
    /// The layer; softer layers have lower numbers.
    pub layer: u32,
    /// The MIDI velocity, if stated.
    pub velocity: Option<u8>,
    /// Gain to add, dB.
    pub gain: f64,
}

/// The recorded notes of a folder or SFZ file.
#[derive(Debug)]
pub struct Takes {
    /// The notes, sorted by key and layer.
    pub notes: Vec<Take>,
    /// Counts of what was skipped, as a sentence.
    pub skipped: Option<String>,
    /// Every file that belongs to the notes; none may be overwritten.
    pub files: Vec<PathBuf>,
}

/// The recorded notes of `path`, moved by `octave` octaves: those requested, or those by which most notes sound
/// above their names, which a warning reports. Notes beyond the keys are left out and counted.
///
/// # Errors
/// Errors of [`named`], or no note left.
pub fn takes(path: &Path, octave: Option<i32>) -> Result<Takes> {
    let mut takes = named(path)?;
    let shift = octave.unwrap_or_else(|| {
        let named: Vec<_> = takes.notes.iter().map(|note| (&*note.path, note.key)).collect();
        let Some(found) = pitch::of_files(&named).filter(|found| found.shift != 0) else {
            return 0;
        };
        output::warn(&format!("warning: {}: {}", path.shown(), told(found)));
        found.shift
    });
    let before = takes.notes.len();
    takes.notes.retain_mut(|take| {
        let index = 12 * shift + i32::from(take.key.number()) - 1;
        let key = usize::try_from(index).ok().and_then(KeyNumber::from_index);
        key.map(|key| take.key = key).is_some()
    });
    let lost = before - takes.notes.len();
    if takes.notes.is_empty() {
        bail!("{}: none of its notes is on the 88 keys {shift} octaves higher", path.shown());
    }
    if lost > 0 {
        let lost = format!("{lost} notes off the 88 keys, {shift} octaves above their names");
        takes.skipped = Some(match takes.skipped {
            Some(skipped) => format!("{skipped}, {lost}"),
            None => format!("{}: passed over {lost}", path.shown()),
        });
    }
    Ok(takes)
}

/// The sentence about notes that are off their names.
fn told(found: Octave) -> String {
    let octaves = match found.shift.abs() {
        1 => "an octave".to_owned(),
        n => format!("{n} octaves"),
    };
    let side = if found.shift > 0 { "above" } else { "below" };
    format!(
        "the notes sound {octaves} {side} their names ({} of {} measured) and are taken as they \
         sound; --octave 0 takes the names",
        found.agree, found.measured
    )
}

/// The recorded notes of `path`, by their names: an SFZ file, a folder with one, or a folder of files whose names state key
/// and layer.
///
/// # Errors
/// No readable note, a damaged SFZ file, several SFZ files, or one layer of a key twice.
fn named(path: &Path) -> Result<Takes> {
    if is_sfz(path) && !path.is_dir() {
        return of_sfz(path);
    }
    let (sounds, instruments) = files(path)?;
    match instruments.as_slice() {
        [] => Ok(Takes { notes: of_names(path, &sounds)?, skipped: None, files: sounds }),
        [one] => of_sfz(one),
        [one, another, ..] => bail!(
            "{}: holds several .sfz files; name one of them ({}, {}), or a folder of sounds alone",
            path.shown(),
            one.shown(),
            another.shown()
        ),
    }
}

fn is_sfz(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("sfz"))
}

/// Sound files under `folder`, and SFZ files in it.
fn files(folder: &Path) -> Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    let mut folders = vec![(folder.to_owned(), 0)];
    let (mut sounds, mut instruments, mut seen) = (Vec::new(), Vec::new(), 0);
    while let Some((parent, depth)) = folders.pop() {
        let entries = std::fs::read_dir(&parent)
            .with_context(|| format!("{}: cannot read this folder", parent.shown()))?;
        for entry in entries {
            let path = entry.with_context(|| format!("{}: cannot read", parent.shown()))?.path();
            seen += 1;
            if seen > MOST_FILES {
                bail!("{}: holds more than {MOST_FILES} files", folder.shown());
            }
            if path.is_dir() {
                if depth < DEEPEST {
                    folders.push((path, depth + 1));
                }
            } else if sound_file::is_sound(&path) {
                sounds.push(path);
            } else if depth == 0 && is_sfz(&path) {
                instruments.push(path);
            }
        }
    }
    instruments.sort();
    Ok((sounds, instruments))
}

fn of_names(folder: &Path, sounds: &[PathBuf]) -> Result<Vec<Take>> {
    let take = |path: &PathBuf| {
        let (key, layer) = names::key_and_layer(&path.file_stem()?.to_string_lossy())?;
        let velocity = layer.velocity();
        Some(Take { path: path.clone(), key, layer: layer.number, velocity, gain: 0.0 })
    };
    let mut found: Vec<Take> = sounds.iter().filter_map(take).collect();
    let Some(one) = sounds.first() else {
        bail!("{}: no .wav, .aiff, .flac or .ogg file", folder.shown());
    };
    if found.is_empty() {
        found = of_pitch(sounds);
        if found.is_empty() {
            bail!(
                "{}: none of {} sound files has a name that tells a key, as A0v1.wav, C#4.flac or \
                 060-vel100.ogg, or a pitch that does; the first is {}",
                folder.shown(),
                sounds.len(),
                one.shown()
            );
        }
        output::warn(&format!(
            "warning: {}: no name tells a key; keys are those of the pitch ({} of {} files), layers go from soft to \
             loud",
            folder.shown(),
            found.len(),
            sounds.len()
        ));
    }
    found.sort_by(|a, b| (a.key, a.layer, &a.path).cmp(&(b.key, b.layer, &b.path)));
    if let Some(pair) = found.windows(2).find(|p| (p[0].key, p[0].layer) == (p[1].key, p[1].layer))
    {
        bail!(
            "{} and {} are both layer {} of key {}; compare one take at a time",
            pair[0].path.shown(),
            pair[1].path.shown(),
            pair[0].layer,
            pair[0].key.number()
        );
    }
    Ok(found)
}

/// The notes of sound files by their pitch; the layers of a key are sorted by their levels.
fn of_pitch(sounds: &[PathBuf]) -> Vec<Take> {
    let found = parallel::map(sounds, |path| {
        let note = sound_file::read(path).ok()?;
        let peak = note.channels.iter().flatten().fold(0.0f32, |most, x| x.abs().max(most));
        Some((pitch::key_of(&note)?, peak, path.clone()))
    });
    let mut found: Vec<_> = found.into_iter().flatten().collect();
    found.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let keys = found.chunk_by(|a, b| a.0 == b.0);
    let takes = keys.flat_map(|layers| {
        layers.iter().zip(1..).map(|((key, _, path), layer)| Take {
            path: path.clone(),
            key: *key,
            layer,
            velocity: None,
            gain: 0.0,
        })
    });
    takes.collect()
}

/// The notes of an SFZ file. Of several regions of one key and layer (microphones, takes) the first counts.
fn of_sfz(path: &Path) -> Result<Takes> {
    let instrument = sfz::read(path)?;
    let mut files = instrument.files;
    let show = path.shown();
    let mut counts = vec![(instrument.others, "regions that no pressed key plays")];
    let (mut off, mut missing, mut more) = (0, BTreeSet::new(), 0);
    let (mut samples, mut layers) = (BTreeSet::new(), BTreeSet::new());
    let mut takes = Vec::new();
    files.extend(instrument.regions.iter().map(|region| region.sample.clone()));
    for region in instrument.regions {
        let key = usize::try_from(region.key - 21).ok().and_then(KeyNumber::from_index);
        let [low, high] = region.velocities;
        let velocity = low.midpoint(high).max(1);
        match key {
            None => off += 1,
            Some(_) if !region.sample.is_file() => {
                missing.insert(region.sample);
            }
            Some(key) if samples.insert(region.sample.clone()) => {
                if layers.insert((key, velocity)) {
                    takes.push(Take {
                        path: region.sample,
                        key,
                        layer: velocity.into(),
                        velocity: Some(velocity),
                        gain: region.gain,
                    });
                } else {
                    more += 1;
                }
            }
            // One sound file for several keys.
            Some(_) => (),
        }
    }
    if let (true, Some(first)) = (takes.is_empty(), missing.first()) {
        bail!("{show}: none of its {} sounds is there; {} is not", missing.len(), first.shown());
    }
    if takes.is_empty() {
        bail!("{show}: none of its sounds is of one of the 88 keys");
    }
    counts.extend([
        (off, "regions off the 88 keys"),
        (missing.len(), "sounds that are missing"),
        (more, "further regions of a key and velocity"),
        (instrument.strays, "words that are no opcodes"),
        (instrument.unread, "opcodes that tell nothing of key and velocity"),
    ]);
    takes.sort_by_key(|take| (take.key, take.layer));
    let counts = counts.into_iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, what)| format!("{count} {what}")).collect();
    let absent = missing.first().map(|first| format!("; {} is not there", first.shown()));
    let absent = absent.unwrap_or_default();
    let skipped =
        (!counts.is_empty()).then(|| format!("{show}: passed over {}{absent}", counts.join(", ")));
    Ok(Takes { notes: takes, skipped, files })
}
