//! The files of a batch and the names of their renderings.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context as _, Result, bail};

use super::RenderOptions;
use crate::output::{self, Shown as _};
use crate::paths::InputPath;
use touchback_core::text::encoding::decode;

/// Endings of the files in a folder that are rendered.
const ENDINGS: [&str; 6] = ["mid", "midi", "kar", "rmi", "smf", "midi2"];

/// Largest list of files, bytes.
const LIST_LIMIT: u64 = 256_000_000;

/// Deepest folder below an input.
const DEEPEST: usize = 100;

/// A share of the files: every `of`-th from the `number`-th on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Part {
    /// From 1.
    pub(super) number: usize,
    pub(super) of: usize,
}

impl FromStr for Part {
    type Err = &'static str;

    /// Reads `2/8`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = text.split_once('/').map(|(number, of)| (number.trim(), of.trim()));
        let numbers = parts.and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        let part = numbers.filter(|(number, of)| (1..=*of).contains(number));
        let (number, of) = part.ok_or("write the number of the part and of all parts, as 2/8")?;
        Ok(Self { number, of })
    }
}

/// A file to render.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) input: InputPath,
    /// Path of its renderings in the output folder, without their endings.
    pub(super) name: PathBuf,
}

/// Whether `options` render one file, which its outputs are named after.
pub(super) fn is_single(options: &RenderOptions) -> bool {
    options.list.is_none() && options.input.len() == 1 && !options.input[0].is_dir()
}

/// The files that `options` name, in order, of every part: folders with the files below them, in alphabetical order.
///
/// # Errors
/// A folder or a list that cannot be read or has no file; two files of one name.
pub(super) fn all(options: &RenderOptions) -> Result<Vec<Job>> {
    let mut jobs = Vec::new();
    let mut single: Vec<PathBuf> = Vec::new();
    for input in &options.input {
        if input.is_dir() {
            let found = files_below(input)?;
            jobs.extend(found.into_iter().map(|file| Job {
                input: input.join(&file).into(),
                name: file.with_extension(""),
            }));
        } else {
            single.push(input.to_path_buf());
        }
    }
    jobs.extend(named(single, false)?);
    if let Some(list) = &options.list {
        jobs.extend(named(listed(list)?, true)?);
    }
    distinguish(&mut jobs)?;
    Ok(jobs)
}

/// The files of a list: a path a line.
fn listed(list: &Path) -> Result<Vec<PathBuf>> {
    let text = decode(&output::read(list, LIST_LIMIT)?);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut files: Vec<PathBuf> = lines.map(PathBuf::from).collect();
    let (named, mut seen) = (files.len(), HashSet::new());
    files.retain(|file| seen.insert(file.clone()));
    if files.len() < named {
        let again = named - files.len();
        output::warn(&format!("warning: {}: names files again: {again}", list.shown()));
    }
    match files.is_empty() {
        true => bail!("{}: names no file; write a path a line", list.shown()),
        false => Ok(files),
    }
}

/// Names `files`: after themselves if no two have one name, otherwise, and where they `keep_folders`, by their paths,
/// without the folder that all are in if one of them is absolute or leads upward.
fn named(files: Vec<PathBuf>, keep_folders: bool) -> Result<Vec<Job>> {
    let stem = |file: &Path| {
        file.file_stem()
            .map(PathBuf::from)
            .with_context(|| format!("{}: is not a file", file.shown()))
    };
    let stems = files.iter().map(|file| stem(file)).collect::<Result<Vec<_>>>()?;
    let distinct: HashSet<String> = stems.iter().map(|stem| folded(stem)).collect();
    let is_flat = !keep_folders && distinct.len() == stems.len();
    let plain = |file: &Path| {
        let parts = file.components().filter(|part| *part != Component::CurDir);
        parts.clone().all(|part| matches!(part, Component::Normal(_))).then(|| parts.collect())
    };
    let relative: Option<Vec<PathBuf>> = files.iter().map(|file| plain(file)).collect();
    let names = match (is_flat, relative) {
        (true, _) => stems,
        (false, Some(relative)) => relative.iter().map(|file| file.with_extension("")).collect(),
        (false, None) => below_common(&files)?,
    };
    Ok(files.into_iter().zip(names).map(|(file, name)| Job { input: file.into(), name }).collect())
}

/// The paths of `files` without endings below the folder that all are in.
fn below_common(files: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let absolute = |file: &PathBuf| {
        // The folder is resolved, so that two spellings are one; the file's own name stays.
        let folder = touchback_core::files::draft::folder(file);
        let folder = folder.canonicalize().or_else(|_| std::path::absolute(folder));
        let show = || format!("{}: cannot read", file.shown());
        Ok(folder.with_context(show)?.join(file.file_stem().unwrap_or_default()))
    };
    let paths = files.iter().map(absolute).collect::<Result<Vec<_>>>()?;
    let mut common: PathBuf =
        paths.first().and_then(|p| p.parent()).unwrap_or(Path::new("")).into();
    for path in &paths {
        while !path.starts_with(&common) && common.pop() {}
    }
    Ok(paths.iter().map(|path| path.strip_prefix(&common).unwrap_or(path).into()).collect())
}

/// A name as file systems of Windows and macOS compare it.
fn folded(name: &Path) -> String {
    name.to_string_lossy().to_lowercase()
}

/// Adds the endings of the input files to names that several have.
fn distinguish(jobs: &mut [Job]) -> Result<()> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for job in jobs.iter() {
        *counts.entry(folded(&job.name)).or_default() += 1;
    }
    for job in jobs.iter_mut().filter(|job| counts[&folded(&job.name)] > 1) {
        if let Some(ending) = job.input.extension() {
            job.name = with_ending(&job.name, &ending.to_string_lossy());
        }
    }
    let mut seen: HashMap<String, &Path> = HashMap::new();
    for Job { input, name } in jobs.iter() {
        if let Some(first) = seen.insert(folded(name), input) {
            bail!(
                "{} and {}: their renderings have one name; render one of them alone",
                first.shown(),
                input.shown()
            );
        }
    }
    Ok(())
}

/// `name` with a further ending.
pub(super) fn with_ending(name: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(name);
    name.push(".");
    name.push(ending);
    name.into()
}

/// The MIDI files below `folder`, as paths in it.
fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let (mut files, mut visited) = (Vec::new(), HashSet::new());
    collect(folder, Path::new(""), &mut visited, &mut files)?;
    if files.is_empty() {
        bail!("{}: no MIDI file (.{}) below this folder", folder.shown(), ENDINGS.join(", ."));
    }
    Ok(files)
}

fn collect(
    root: &Path,
    below: &Path,
    visited: &mut HashSet<PathBuf>,
    files: &mut Vec<PathBuf>,
) -> Result<()> {
    let folder = root.join(below);
    let show = || format!("{}: cannot read", folder.shown());
    // Links may lead in a circle.
    if below.components().count() > DEEPEST
        || !visited.insert(folder.canonicalize().with_context(show)?)
    {
        return Ok(());
    }
    let mut entries = std::fs::read_dir(&folder)
        .and_then(Iterator::collect::<std::io::Result<Vec<_>>>)
        .with_context(show)?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name();
        // Hidden files: macOS writes `._NAME.mid` beside NAME.mid on other file systems.
        if name.to_string_lossy().starts_with('.') {
            continue;
        }
        let (own, path) = (below.join(&name), entry.path());
        let ending = own.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        if path.is_dir() {
            collect(root, &own, visited, files)?;
        } else if ENDINGS.contains(&&*ending) && path.is_file() {
            files.push(own);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(files: &[&str], keep_folders: bool) -> Vec<String> {
        let files = files.iter().map(PathBuf::from).collect();
        let mut jobs = named(files, keep_folders).unwrap();
        distinguish(&mut jobs).unwrap();
        jobs.iter().map(|job| job.name.to_string_lossy().replace('\\', "/")).collect()
    }

    #[test]
    fn names_keep_folders_where_they_are_needed() {
        assert_eq!(names(&["a/x.mid", "b/y.1.mid"], false), ["x", "y.1"]);
        assert_eq!(names(&["a/x.mid", "./b/x.mid"], false), ["a/x", "b/x"]);
        assert_eq!(names(&["a/x.mid", "a/x.midi"], false), ["a/x.mid", "a/x.midi"]);
        assert_eq!(names(&["a/x.mid"], true), ["a/x"]);
        assert_eq!(names(&["/q/a/x.mid", "/q/b/x.mid"], false), ["a/x", "b/x"]);
        assert_eq!(names(&["/q/a/x.mid", "/q/a/y.mid"], true), ["x", "y"]);
        let twice = named(vec!["x.mid".into(), "./x.mid".into()], false)
            .map(|mut jobs| distinguish(&mut jobs));
        assert!(twice.unwrap().unwrap_err().to_string().contains("one name"));
    }

    #[test]
    fn parts_are_a_number_of_a_number() {
        assert_eq!("2/8".parse(), Ok(Part { number: 2, of: 8 }));
        for bad in ["0/8", "9/8", "2", "2/0", "a/b", "", "-1/2"] {
            assert!(bad.parse::<Part>().is_err(), "{bad}");
        }
    }

    #[test]
    fn folders_are_searched_for_midi_files() {
        let dir = tempfile::tempdir().unwrap();
        let put = |name: &str| {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x").unwrap();
        };
        for name in
            ["b/2.mid", "b/1.MIDI", "a.midi2", "b/c/ü.kar", "b/._1.mid", "b/n.txt", ".git/x.mid"]
        {
            put(name);
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink("..", dir.path().join("b/circle")).unwrap();
        let found: Vec<String> = files_below(dir.path())
            .unwrap()
            .iter()
            .map(|path| path.to_string_lossy().replace('\\', "/"))
            .collect();
        assert_eq!(found, ["a.midi2", "b/1.MIDI", "b/2.mid", "b/c/ü.kar"]);
        std::fs::create_dir(dir.path().join("empty")).unwrap();
        assert!(files_below(&dir.path().join("empty")).is_err());
    }
}
